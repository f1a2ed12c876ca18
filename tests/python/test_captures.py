"""Captures: what tshark and capinfos make of them (``.ci/run`` installs both)."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl
import pytest
from captured_network import SCENARIOS, text

from penstock.trace import PacketTrace

if TYPE_CHECKING:
    from pathlib import Path

PAYLOAD = {"ECN": 1448}
"""Bytes of data in a segment, where they are not 1460."""

needs_tshark = pytest.mark.skipif(
    not (shutil.which("tshark") and shutil.which("capinfos")), reason="tshark and capinfos are not installed"
)


def tool(*words: str | Path) -> str:
    ended = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, check=True)
    # Whoever runs it as root is warned of that.
    assert [line for line in ended.stderr.splitlines() if "root" not in line and line] == []
    return ended.stdout


TSHARK = ["tshark", "-n"] + [
    word
    for option in ("ip.check_checksum", "tcp.check_checksum", "udp.check_checksum")
    for word in ("-o", f"{option}:TRUE")
]


def fields(file: Path, *names: str) -> pl.DataFrame:
    """What tshark finds in each packet; lists of values are joined by semicolons."""
    chosen = [word for name in names for word in ("-e", name)]
    out = tool(*TSHARK, "-r", file, "-T", "fields", "-E", "aggregator=;", *chosen)
    rows = [line.split("\t") for line in out.splitlines()]
    return pl.DataFrame(rows, schema=list(names), orient="row")


AGAIN = [f"tcp.analysis.{kind}" for kind in ("retransmission", "out_of_order")]
"""Fast and spurious ones are retransmissions as well; a segment that is sent again soon passes for out of order."""

EXPECTED = (
    "Connection establish",
    "Duplicate ACK",
    "This frame is a (suspected) retransmission",
    "This frame is a (suspected) fast retransmission",
    "This frame is a (suspected) spurious retransmission",
    "This frame is a (suspected) out-of-order segment",
)


CHECKED = ["_ws.malformed", "ip.checksum.status", "tcp.checksum.status", "udp.checksum.status", "_ws.expert.message"]


def check(seen: pl.DataFrame) -> None:
    """Nothing is malformed or has a wrong checksum, and nothing is said but of what TCP does."""
    assert set(seen["_ws.malformed"]) == {""}
    assert set(seen["ip.checksum.status"]) == {"1"}  # good
    # Of packets with data, tshark cannot tell (2), since data is not captured; of TCP's others it can.
    assert set(seen["tcp.checksum.status"]) <= {"", "1", "2"}
    assert set(seen["udp.checksum.status"]) <= {"", "2"}
    said = {message for row in seen["_ws.expert.message"] for message in row.split(";") if message}
    assert [message for message in said if not message.startswith(EXPECTED)] == []


@needs_tshark
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_tshark_counts_at_the_senders_first_link_is_what_was_sent(captured, scenario, tmp_path):
    folder, trace = captured(scenario)
    both = tmp_path / "both.pcapng"
    tool("mergecap", "-w", both, folder / "a-r.pcapng", folder / "r-a.pcapng")
    forth, back = (trace.filter(place=link) for link in ("a-r", "r-a"))
    retransmissions = forth.filter(retransmission=True).height
    before = pl.col("acknowledgement").shift().over("flow")
    duplicates = back.filter(packet="acknowledgement").filter(pl.col("acknowledgement") == before).height
    assert retransmissions > 10
    assert duplicates > 20
    # One direction as it is captured, and both together, with which tshark can tell kinds of retransmissions apart.
    for file, again, twice in [
        (folder / "a-r.pcapng", retransmissions, 0),
        (folder / "r-a.pcapng", 0, duplicates),
        (both, retransmissions, duplicates),
    ]:
        seen = fields(file, *AGAIN, "tcp.analysis.duplicate_ack", *CHECKED)
        assert seen.filter(pl.any_horizontal(pl.col(AGAIN) != "")).height == again
        assert seen.filter(pl.col("tcp.analysis.duplicate_ack") != "").height == twice
        check(seen)
        if file.stem == "r-a":
            assert set(seen["tcp.checksum.status"]) == {"1"}


@needs_tshark
def test_capinfos_reads_every_file(captured):
    folder, trace = captured("sack")
    for file in folder.iterdir():
        about = tool("capinfos", "-M", file)
        for line in (
            "File type:           pcapng",
            "File encapsulation:  ether",
            "File timestamp precision:  nanoseconds (9)",
            f"Number of packets:   {trace.filter(place=file.stem).height}",
            "Capture application: Penstock",
            f"Name = {file.stem}",
        ):
            assert line in about


@needs_tshark
@pytest.mark.parametrize("scenario", ["sack", "ECN"])
def test_tshark_reads_what_the_trace_says(captured, scenario):
    folder, trace = captured(scenario)
    payload = PAYLOAD.get(scenario, 1460)
    for link in ("a-r", "r-b", "b-r", "r-a"):
        rows = trace.filter(place=link)
        names = ["frame.time_epoch", "frame.len", "ip.src", "ip.dsfield.dscp", "ip.dsfield.ecn"]
        names += ["tcp.seq_raw", "tcp.ack_raw", "tcp.len", "udp.length"]
        seen = fields(folder / f"{link}.pcapng", *names)
        assert [nanoseconds(time) for time in seen["frame.time_epoch"]] == (rows["time_ps"] // 1000).to_list()
        ecn = {"not-ect": "0", "ect1": "1", "ect0": "2", "ce": "3"}
        assert seen["ip.dsfield.ecn"].to_list() == [ecn[word] for word in rows["ecn"]]
        # AF11 is 10 and EF 46 [RFC2597 s6; RFC3246 s2.7].
        assert seen["ip.dsfield.dscp"].to_list() == [{"af1": "10", "ef": "46"}[word] for word in rows["class"]]
        assert set(seen["ip.src"]) == {"10.0.0.1" if link in ("a-r", "r-b") else "10.0.0.2"}
        data = (rows["packet"] == "segment").to_list()
        segments, sent = seen.filter(data), rows.filter(data)
        assert segments["tcp.seq_raw"].to_list() == [str(number * payload + 1) for number in sent["sequence"]]
        assert set(segments["tcp.len"]) <= {str(payload)}
        assert set(segments["frame.len"]) <= {"1514"}
        is_ack = (rows["packet"] == "acknowledgement").to_list()
        numbers = [str(number * payload + 1) for number in rows.filter(is_ack)["acknowledgement"]]
        assert seen.filter(is_ack)["tcp.ack_raw"].to_list() == numbers
        voice = (rows["packet"] == "datagram").to_list()
        assert set(seen.filter(voice)["frame.len"]) <= {"174"}
        assert set(seen.filter(voice)["udp.length"]) <= {"140"}


def nanoseconds(seconds: str) -> int:
    whole, _, fraction = seconds.partition(".")
    assert len(fraction) == 9
    return int(whole) * 10**9 + int(fraction)


@needs_tshark
def test_blocks_that_a_receiver_reports_lie_beyond_its_acknowledgement_and_were_sent(captured):
    folder, _ = captured("sack")
    seen = fields(folder / "r-a.pcapng", "tcp.ack_raw", "tcp.options.sack_le", "tcp.options.sack_re", "tcp.flags.syn")
    sent = fields(folder / "a-r.pcapng", "tcp.seq_raw", "tcp.nxtseq")
    begins, ends = set(sent["tcp.seq_raw"]), {int(number) for number in sent["tcp.nxtseq"] if number}
    blocks = Counter()
    for ack, lefts, rights, _ in seen.iter_rows():
        for left, right in zip(lefts.split(";"), rights.split(";"), strict=True):
            if left:
                assert int(ack) < int(left) < int(right) <= max(ends)
                assert left in begins
                assert right in begins or int(right) == max(ends)
        blocks[len(lefts.split(";")) if lefts else 0] += 1
    assert blocks[1] > 50
    assert blocks[2] + blocks[3] > 5
    newer, _ = captured("new-reno")
    assert set(fields(newer / "r-a.pcapng", "tcp.options.sack_le")["tcp.options.sack_le"]) == {""}


@needs_tshark
def test_set_up_and_echoes_of_marks_are_in_the_flags(captured):
    folder, _ = captured("ECN")
    names = ["tcp.flags.syn", "tcp.flags.ece", "tcp.flags.cwr", "tcp.stream", "tcp.options.mss_val", "ip.dsfield.ecn"]
    forth = fields(folder / "a-r.pcapng", *names).filter(pl.col("tcp.stream") != "")
    back = fields(folder / "r-a.pcapng", *names)
    # A SYN asks with both flags, and is granted ECN with one [RFC3168 s6.1.1].
    syn, syn_ack = (frame.filter(pl.col("tcp.flags.syn") == "1") for frame in (forth, back))
    assert syn.select("tcp.flags.ece", "tcp.flags.cwr", "tcp.options.mss_val").unique().rows() == [("1", "1", "1448")]
    assert syn_ack.select("tcp.flags.ece", "tcp.flags.cwr").unique().rows() == [("1", "0")]
    assert (syn.height, syn_ack.height) == (2, 2)
    # A mark is echoed, and answered. The sender tells of reductions for losses as well.
    marks = fields(folder / "r-b.pcapng", "frame.time_epoch", "ip.dsfield.ecn").filter(pl.col("ip.dsfield.ecn") == "3")
    assert marks.height > 5
    first = float(marks["frame.time_epoch"][0])
    rows = fields(folder / "r-a.pcapng", "frame.time_epoch", "tcp.flags.ece", "tcp.flags.syn")
    echoed = rows.filter(pl.col("tcp.flags.syn") == "0", pl.col("tcp.flags.ece") == "1")["frame.time_epoch"]
    assert echoed.len() > 5
    assert float(echoed[0]) > first
    assert forth.filter(pl.col("tcp.flags.syn") == "0", pl.col("tcp.flags.cwr") == "1").height > 3
    plain, _ = captured("sack")
    flags = fields(plain / "r-a.pcapng", "tcp.flags.ece", "tcp.flags.cwr")
    assert set(flags["tcp.flags.ece"]) == set(flags["tcp.flags.cwr"]) == {"0"}


@needs_tshark
def test_a_source_quench_is_an_icmp_message(tmp_path):
    quenching = text("new-reno").replace("r = {}", 'r = { source-quench = { interval = "10 ms" } }')
    PacketTrace(quenching).write_pcapng(tmp_path)
    seen = fields(tmp_path / "r-a.pcapng", "icmp.type", "icmp.checksum.status", "ip.dst", "_ws.malformed")
    messages = seen.filter(pl.col("icmp.type") == "4")
    assert messages.height > 5
    assert set(messages["icmp.checksum.status"]) == {"1"}
    # The message holds the header of what was dropped, which went the other way.
    assert set(messages["ip.dst"]) == {"10.0.0.1;10.0.0.2"}
    assert set(seen["_ws.malformed"]) == {""}
