"""Captures as files: what is in them, whom they do not depend on, and how they fail."""

from __future__ import annotations

import bisect
import struct
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from captured_network import NET, SHORT, text

from penstock.errors import InputError, PenstockError
from penstock.trace import PacketTrace

CLI = [sys.executable, "-m", "penstock.cli"]


def blocks(file: Path) -> list[tuple[int, bytes]]:
    """The blocks of a pcapng file: type and body. Both lengths of each must agree."""
    data, found, at = file.read_bytes(), [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, at + length - 4) == (length,)
        found.append((kind, data[at + 8 : at + length - 4]))
        at += length
    assert at == len(data)
    return found


def test_a_file_has_a_section_an_interface_and_every_packet(captured):
    folder, trace = captured("sack")
    for file in folder.iterdir():
        kinds = [kind for kind, _ in blocks(file)]
        assert kinds[:2] == [0x0A0D0D0A, 1]
        assert kinds[2:] == [6] * trace.filter(place=file.stem).height


def test_the_bytes_are_the_same_for_every_executor_and_thread_count(captured, tmp_path):
    folder, _ = captured("sack")
    expected = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert len(expected) == 4
    for executor, threads in [("plain", 1), ("horizon", 2), ("horizon", 3)]:
        there = tmp_path / f"{executor}{threads}"
        PacketTrace(text("sack"), executor=executor, threads=threads).write_pcapng(there)
        assert {file.name: file.read_bytes() for file in there.iterdir()} == expected


def test_the_pieces_that_are_written_do_not_matter(captured, tmp_path, monkeypatch):
    folder, _ = captured("sack")
    monkeypatch.setattr("penstock.trace.CAPTURED", 1000)
    PacketTrace(text("sack")).write_pcapng(tmp_path)
    for file in folder.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_places_flows_and_times_choose_and_kinds_of_events_do_not(captured, tmp_path):
    _, trace = captured("sack")
    scenario = text("sack") + '[[trace]]\nat = "r"\nevents = ["drop"]\nflows = "tcp[1]"\nstart = "3 s"\nstop = "5 s"\n'
    packets = PacketTrace(scenario).write_pcapng(tmp_path / "few")
    kept = trace.filter(pl.col("time_ps").is_between(3 * 10**12, 5 * 10**12), flow="tcp[1]")
    assert packets == {link: kept.filter(place=link).height for link in ("r-a", "r-b")}
    assert PacketTrace(text("sack"), at="r-b", stop="0 s").write_pcapng(tmp_path / "none") == {}


def test_captures_that_the_run_does_not_write_are_refused(captured, tmp_path):
    folder, _ = captured("sack")
    PacketTrace(text("sack"), at="a-r").write_pcapng(tmp_path)
    (tmp_path / "old.pcapng").write_bytes(b"old")
    with pytest.raises(InputError, match=r"1 capture that this run does not write, such as old\.pcapng; name a new"):
        PacketTrace(text("sack"), at="a-r", stop="1 s").write_pcapng(tmp_path)
    assert (tmp_path / "a-r.pcapng").read_bytes() == (folder / "a-r.pcapng").read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {"a-r.pcapng", "old.pcapng"}
    (tmp_path / "old.pcapng").unlink()
    PacketTrace(text("sack"), at="a-r", stop="1 s").write_pcapng(tmp_path)
    assert (tmp_path / "a-r.pcapng").stat().st_size < (folder / "a-r.pcapng").stat().st_size


def test_a_capture_is_the_source_of_another_run(captured):
    folder, trace = captured("sack")
    again = """
duration = "6 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "1 ms"
[[flows]]
name = "again"
from = "a"
to = "b"
source.trace = { file = "a-r.pcapng" }
"""
    sent = PacketTrace(again, folder=str(folder), events="send").frame()
    first = trace.filter(place="a-r")
    # Times are cut off to nanoseconds; frames have 14 bytes of Ethernet, and a SYN 12 of options.
    assert sent["time_ps"].to_list() == (first["time_ps"] // 1000 * 1000).to_list()
    options = (first["packet"] == "syn").cast(pl.UInt32) * 12
    assert sent["size"].to_list() == (first["size"] + 14 + options).to_list()


def timestamps(file: Path) -> list[tuple[int, int]]:
    """TSval and TSecr of each TCP packet of a pcapng file, which has them as the first options."""
    found = []
    for kind, body in blocks(file):
        segment = body[20 + 14 + 20 :]
        if kind == 6 and body[20 + 14 + 9] == 6:
            assert segment[20:24] == bytes([1, 1, 8, 10])
            found.append(struct.unpack_from(">II", segment, 24))
    return found


def test_packets_have_timestamps_and_echo_those_of_the_other_host(tmp_path):
    net = NET.replace("QUEUE", SHORT).replace("TCP", 'profile = "linux-6"').replace("count = 2\n", "")
    PacketTrace(net).write_pcapng(tmp_path)
    trace = PacketTrace(net, flows="tcp").frame()

    def times(event: str, place: str) -> list[int]:
        return trace.filter((pl.col("event") == event) & (pl.col("place") == place))["time_ps"].to_list()

    def milliseconds(ps: int) -> int:
        return ps // 10**9

    # Nothing is lost or overtaken on the way back: the n-th acknowledgement received is the n-th sent.
    acks_sent, acks_received = times("send", "b"), times("receive", "a")
    expected = []
    for at in times("send", "a"):
        seen = bisect.bisect_right(acks_received, at)
        expected.append((milliseconds(at), milliseconds(acks_sent[seen - 1]) if seen else 0))
    data, acks = timestamps(tmp_path / "a-r.pcapng"), timestamps(tmp_path / "b-r.pcapng")
    assert len(data) > 400
    assert data == expected[: len(data)]
    assert [value for value, _ in acks] == [milliseconds(at) for at in acks_sent[: len(acks)]]
    echoes = [echo for _, echo in acks]
    assert echoes == sorted(echoes)
    assert set(echoes) <= {value for value, _ in data}
    assert all(value - echo >= 21 for value, echo in acks)


def test_links_whose_names_are_too_long_for_files_have_captures(tmp_path):
    # 100 letters of three bytes each at both ends; the links' names differ in the last letter.
    thai = "\u0e01" * 99
    begin, ends = f"{thai}0", [f"{thai}1", f"{thai}2"]
    toml = 'duration = "1 s"\n[nodes]\n' + "".join(f'"{name}" = {{}}\n' for name in [begin, *ends])
    for number, end in enumerate(ends):
        toml += f'[[links]]\nfrom = "{begin}"\nto = "{end}"\nrate = "1 Mbit/s"\ndelay = "1 ms"\n'
        toml += f'[[flows]]\nname = "f{number}"\nfrom = "{begin}"\nto = "{end}"\n'
        toml += 'source.cbr = { rate = "8 kbit/s", packet = "100 bytes" }\n'
    packets = PacketTrace(toml).write_pcapng(tmp_path)
    assert list(packets) == [f"{begin}-{end}" for end in ends]
    files = sorted(tmp_path.iterdir())
    assert len(files) == 2
    assert all(len(file.name.encode()) <= 255 for file in files)
    for link in packets:
        assert sum(link.encode() in file.read_bytes() for file in files) == 1, "a capture has the whole name"


def test_a_full_disk_is_told_and_no_capture_is_left(tmp_path):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "kept.txt").write_text("of somebody else")
    (folder / "b-r.pcapng").symlink_to("/dev/full")
    with pytest.raises(PenstockError, match=r"b-r\.pcapng cannot be written: No space left on device\.$"):
        PacketTrace(text("sack")).write_pcapng(folder)
    # The link to the device was there before.
    assert {file.name for file in folder.iterdir()} == {"kept.txt", "b-r.pcapng"}
    assert Path("/dev/full").exists()


def test_a_file_is_no_folder(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match="is a file; give the name of a folder"):
        PacketTrace(text("sack")).write_pcapng(file)
    with pytest.raises(PenstockError, match="cannot be written: Not a directory"):
        PacketTrace(text("sack")).write_pcapng(file / "below")


@pytest.fixture
def command(tmp_path):
    """Calls ``penstock trace`` for the scenario; gives code and standard error. Nothing goes to standard output."""
    (tmp_path / "net.toml").write_text(text("sack"))

    def call(*words: str) -> tuple[int, str]:
        ended = subprocess.run(
            [*CLI, "trace", "net.toml", *words], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert ended.stdout == ""
        return ended.returncode, ended.stderr

    return call


def test_the_command_writes_captures(command, captured, tmp_path):
    folder, trace = captured("sack")
    assert command("--pcap", "made") == (0, f"{trace.height} packets of 4 links in made.\n")
    for file in folder.iterdir():
        assert (tmp_path / "made" / file.name).read_bytes() == file.read_bytes()
    assert command("--pcap", "none", "--stop", "0 s", "--at", "b") == (
        0,
        "No link transmits a packet that is asked for (cells are not captured); no capture was written.\n",
    )


def test_the_command_tells_a_full_disk_with_code_1(command, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a-r.pcapng").symlink_to("/dev/full")
    code, err = command("--pcap", "full")
    assert code == 1
    assert "full/a-r.pcapng cannot be written: No space left on device.\n" in err
    # The link to the device was there before.
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["a-r.pcapng"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "csv"], "--pcap writes captures; leave out --format csv, or --pcap."),
        (["--output", "x"], "--pcap names the folder of the captures; leave out --out."),
        (["--events", "drop"], "captures hold transmissions alone; leave out --event, or --pcap."),
        (["--event", "drop"], "captures hold transmissions alone; leave out --event, or --pcap."),
    ],
)
def test_the_command_refuses_what_captures_cannot_be(command, words, message):
    code, err = command("--pcap", "made", *words)
    assert code == 2
    assert message in err
