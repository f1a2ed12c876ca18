"""Captures: the files alone, and what tshark and capinfos make of them (``.ci/run`` installs both)."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from penstock.errors import InputError, PenstockError
from penstock.trace import PacketTrace

CLI = [sys.executable, "-m", "penstock.cli"]

NET = """
duration = "6 s"
[nodes]
a = {}
r = {}
b = {}
[[links]]
from = "a"
to = "r"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r"
to = "b"
rate = "1 Mbit/s"
delay = "20 ms"
both-ways = true
QUEUE
[[flows]]
name = "tcp"
from = "a"
to = "b"
count = 2
class = "af1"
source.ftp = {}
transport.tcp = { TCP }
[[flows]]
name = "voice"
from = "a"
to = "b"
class = "ef"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"""
SHORT = 'queue.tail-drop = { limit = "8 packets" }'
MARKING = """
[links.queue.red]
limit = "20 packets"
min-threshold = "3 packets"
max-threshold = "9 packets"
max-probability = 0.1
weight = 0.2
ecn = true
"""
LOSSY = 'queue.tail-drop = { limit = "30 packets" }\nimpairment.loss = { probability = 0.02 }'

SCENARIOS = {
    "sack": (SHORT, 'variant = "sack"'),
    "new-reno": (SHORT, 'variant = "new-reno"'),
    "reno with delayed acknowledgements": (SHORT, 'variant = "reno", ack-every = 2'),
    "tahoe without SYN": (SHORT, 'variant = "tahoe", syn = false'),
    "loss both ways": (LOSSY, 'variant = "sack"'),
    "ECN": (MARKING, 'variant = "sack", ecn = true, header = "52 bytes"'),
}
PAYLOAD = {"ECN": 1448}
"""Bytes of data in a segment, where they are not 1460."""

needs_tshark = pytest.mark.skipif(
    not (shutil.which("tshark") and shutil.which("capinfos")), reason="tshark and capinfos are not installed"
)


def text(scenario: str) -> str:
    queue, tcp = SCENARIOS[scenario]
    return NET.replace("QUEUE", queue).replace("TCP", tcp)


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """The folder of a scenario's captures, and its trace."""

    @cache
    def make(scenario: str) -> tuple[Path, pl.DataFrame]:
        folder = tmp_path_factory.mktemp("captures") / "new" / "folder"
        packets = PacketTrace(text(scenario)).write_pcapng(folder)
        assert {file.stem for file in folder.iterdir()} == set(packets)
        return folder, PacketTrace(text(scenario), events="transmit").frame()

    return make


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


def test_a_full_disk_is_told_and_no_capture_is_left(tmp_path):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "kept.txt").write_text("of somebody else")
    (folder / "b-r.pcapng").symlink_to("/dev/full")
    with pytest.raises(
        PenstockError, match=r"b-r\.pcapng cannot be written: No space left on device; finished runs are kept\."
    ):
        PacketTrace(text("sack")).write_pcapng(folder)
    assert [file.name for file in folder.iterdir()] == ["kept.txt"]
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
        "No link transmits anything that is asked for; no capture was written.\n",
    )


def test_the_command_tells_a_full_disk_with_code_1(command, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a-r.pcapng").symlink_to("/dev/full")
    code, err = command("--pcap", "full")
    assert code == 1
    assert "full/a-r.pcapng cannot be written: No space left on device; finished runs are kept." in err
    assert list((tmp_path / "full").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "csv"], "--pcap writes captures; leave out --format csv, or --pcap."),
        (["--output", "x"], "--pcap names the folder of the captures; leave out --output."),
        (["--event", "drop"], "captures hold transmissions alone; leave out --event, or --pcap."),
    ],
)
def test_the_command_refuses_what_captures_cannot_be(command, words, message):
    code, err = command("--pcap", "made", *words)
    assert code == 2
    assert message in err
