from __future__ import annotations

import io

import pytest

from penstock.progress import Progress, line
from penstock.records import Status


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("penstock.progress.time.monotonic", lambda: now[0])
    return now


def test_a_pipe_gets_a_plain_line_every_ten_seconds(clock):
    stream = io.StringIO()
    with Progress(stream) as progress:
        for second in range(26):
            clock[0] = 100.0 + second
            progress(Status(total=50, done=second))
    lines = stream.getvalue().splitlines()
    assert lines == ["10/50  done 10, failed 0, left 40  40 s to go", "20/50  done 20, failed 0, left 30  30 s to go"]


def test_a_terminal_is_left_alone_for_two_seconds(clock):
    stream = Terminal()
    with Progress(stream) as progress:
        clock[0] = 101.9
        progress(Status(total=5, done=1))
        assert stream.getvalue() == ""
        clock[0] = 102.1
        progress(Status(total=5, done=2))
        assert "done 2, failed 0" in stream.getvalue()


def test_runs_from_the_store_do_not_count_as_speed():
    assert line(Status(total=100, done=90, cached=90), 5.0) == "90/100  done 90 (90 from the store), failed 0, left 10"
    assert line(Status(total=100, done=91, cached=90, failed=1), 4.0).endswith("failed 1, left 8  16 s to go")


def test_long_waits_are_told_in_minutes_and_hours():
    assert line(Status(total=2, done=1), 600.0).endswith("10 min to go")
    assert line(Status(total=2, done=1), 7200.0).endswith("2.0 h to go")


def test_known_efforts_tell_the_time_to_go():
    # A tenth of the runs, but half of the work.
    assert line(Status(total=10, done=1, work=8e6, worked=4e6), 6.0).endswith("failed 0, left 9  6 s to go")
    assert line(Status(total=1, done=1, work=8e6, worked=8e6), 6.0).endswith("failed 0, left 0")


def test_a_second_round_of_runs_has_a_time_to_go_of_its_own(clock):
    stream = io.StringIO()
    with Progress(stream) as progress:
        progress(Status(total=10, work=10.0))
        clock[0] = 190.0
        progress(Status(total=20, done=10, work=500.0))
        clock[0] = 200.0
        progress(Status(total=20, done=15, work=500.0, worked=250.0))
    assert stream.getvalue().splitlines()[-1].endswith("left 5  10 s to go")
