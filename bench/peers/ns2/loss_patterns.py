"""Which segments SACK of 1996 sends after given losses: Sack1 of ns-2 and `recovery.sack1`, side by side.

    python loss_patterns.py          all patterns; ends with code 1 if one is not as it is known to be

A window of 30 segments has been full for some round trips of 100 ms when the losses come, and runs on for a second or
more afterwards. The order of all segments from then on is compared, and in which round trip each is sent. docs/tcp.md
has what comes out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from penstock import PacketTrace

HERE = Path(__file__).resolve().parent
FIRST = 300
"""The first packet that is lost; the window has been full since packet 40."""

PATTERNS = {
    "one": [0],
    "two": [0, 2],
    "three": [0, 2, 4],
    "four": [0, 2, 4, 6],
    "five in a row": [*range(5)],
    "half of the window": [*range(15)],
    "two thirds of it": [*range(20)],
    "a retransmission": [0, 30],
    "a second time in recovery": [0, 1, 40, 45],
}
AFTER_TIMEOUT = {"two thirds of it"}
"""Known differences of the two, beyond retransmissions after a timeout."""

SCENARIO = """
duration = "{seconds} s"
[nodes]
a = {{}}
b = {{}}
[[links]]
from = "a"
to = "b"
rate = "100 Mbit/s"
delay = "50 ms"
queue.tail-drop = {{ limit = "1000000 packets" }}
impairment.drop-list = {{ drop = {packets} }}
[[links]]
from = "b"
to = "a"
rate = "100 Mbit/s"
delay = "50 ms"
[[flows]]
name = "transfer"
from = "a"
to = "b"
source.ftp = {{}}
transport.tcp = {{ syn = false, timer-tick = "1 ms", max-window = "30 packets", {tcp} }}
[[measure]]
metric = "goodput"
of = "transfer"
"""

SACK1 = "recovery.sack1 = {}, limited-transmit = false"

Sent = list[tuple[float, int]]


def by_ns2(losses: list[int], folder: Path, **settings: str | int) -> Sent:
    """Times in s and numbers of the segments that ns-2 sends, with these settings of loss-patterns.tcl."""
    output = folder / "segments.tr"
    given = {**settings, "output": output, "losses": " ".join(map(str, losses))}
    words = [f"{name}={value}" for name, value in given.items()]
    subprocess.run(["ns", str(HERE / "loss-patterns.tcl"), *words], check=True)
    rows = [line.split() for line in output.read_text(encoding="ascii").splitlines() if line.startswith("+")]
    return [(float(row[1]), int(row[10])) for row in rows]


def by_penstock(losses: list[int], tcp: str, seconds: int = 4) -> Sent:
    """The same for Penstock, with these keys of `transport.tcp`; it counts the packets of a drop list from 1."""
    text = SCENARIO.format(packets=[loss + 1 for loss in losses], tcp=tcp, seconds=seconds)
    frame = PacketTrace(text, at="a", events="send").frame()
    return [(time / 1e12, number) for time, number in frame.select("time_ps", "sequence").iter_rows()]


def difference(theirs: Sent, ours: Sent) -> str:
    """Where the two differ, from a full window on; empty if they do not."""
    start = FIRST - 60
    theirs, ours = (sent[[number for _, number in sent].index(start) :] for sent in (theirs, ours))
    for i, ((their_time, their), (our_time, our)) in enumerate(zip(theirs, ours, strict=False)):
        # In slow start the first window of ns-2 is one segment behind, so a segment may be the last of a burst there
        # and the first of the next burst here.
        if their != our or abs(their_time - our_time) > 0.101:
            return f"segment {i} from {start} on: {their} at {their_time:.3f} s in ns-2, {our} at {our_time:.3f} s here"
    return "" if len(theirs) == len(ours) else f"{len(theirs)} segments in ns-2, {len(ours)} here"


def main() -> int:
    """Compares all patterns."""
    unknown = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, pattern in PATTERNS.items():
            losses = [FIRST + place for place in pattern]
            found = difference(by_ns2(losses, Path(folder)), by_penstock(losses, SACK1))
            unknown += bool(found) != (name in AFTER_TIMEOUT)
            print(f"{name}: {found or 'the same'}")
    return int(unknown > 0)


if __name__ == "__main__":
    sys.exit(main())
