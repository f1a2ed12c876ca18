"""The trace of a cellular link that ships is what its program writes."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import cellular_trace

    return cellular_trace


def test_the_shipped_trace_is_written_by_the_program(program, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["cellular_trace.py", "20"])
    program.main()
    assert capsys.readouterr().out == (EXAMPLES / "cellular.trace").read_text()


def test_times_ascend_and_rates_stay_within_the_model(program):
    times = list(program.deliveries(200, seed=3))
    assert times == sorted(times)
    assert times[-1] == 200_000
    # A Poisson process at the highest rate for a second: mean 1000, deviation 32; five of them.
    counts = Counter(at // 1000 for at in times[:-1])
    assert max(counts.values()) < 1000 + 5 * 32
    # Outages of a second on average leave some seconds of 200 empty.
    assert len(counts) < 200
