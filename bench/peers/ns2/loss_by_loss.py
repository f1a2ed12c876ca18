"""Where TCP of ns-2 and of Penstock part when the same packets are lost, at random.

    python loss_by_loss.py                         each variant, 1 % loss, ten lists of losses
    python loss_by_loss.py --cases reno --loss 0.03 --show

A window of 30 segments has been full for some round trips of 100 ms when the losses begin. Both simulators lose the
packets of the same numbers; the order of all segments is compared, and in which round trip each is sent. Says after how
many losses the two part; `--show` prints the segments around that place, with an x behind those that are lost.
docs/tcp.md has the causes.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from loss_patterns import FIRST, Sent, by_ns2, by_penstock

SECONDS = 30

CASES = {
    "reno": ({"variant": "Reno", "bug_fix": 0}, "recovery.reno = {}"),
    "reno, careful": ({"variant": "Reno"}, 'recovery.reno = { recover-check = "careful" }'),
    "new-reno": ({"variant": "Newreno"}, "recovery.new-reno = {}"),
    "sack": ({"variant": "Sack1"}, "recovery.sack = {}"),
    "sack1": ({"variant": "Sack1"}, "recovery.sack1 = {}"),
}
"""For each case the settings of loss-patterns.tcl, and the keys of `transport.tcp`."""


def place(theirs: Sent, ours: Sent) -> int | None:
    """The first packet that differs, in number or round trip, once the window is full."""
    for i, ((their_time, their), (our_time, our)) in enumerate(zip(theirs, ours, strict=False)):
        if i >= FIRST - 60 and (their != our or abs(their_time - our_time) > 0.11):
            return i
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES), metavar="CASE")
    parser.add_argument("--loss", type=float, default=0.01, metavar="P")
    parser.add_argument("--lists", type=int, default=10, help="how many lists of losses")
    parser.add_argument("--show", action="store_true", help="print the segments where the two part")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for case in given.cases:
            settings, tcp = CASES[case]
            for seed in range(1, given.lists + 1):
                draw = random.Random(seed).random
                losses = [number for number in range(FIRST, 20_000) if draw() < given.loss]
                theirs = by_ns2(losses, Path(folder), limited_transmit=1, until=SECONDS, **settings)
                ours = by_penstock(losses, tcp, SECONDS)
                where = place(theirs, ours)
                before = sum(loss < len(ours) if where is None else loss < where for loss in losses)
                print(f"{case}, list {seed}: {'the same' if where is None else 'they part'} after {before} losses")
                if given.show and where is not None:
                    for name, sent in (("ns-2", theirs), ("here", ours)):
                        shown = range(max(where - 30, 0), min(where + 10, len(sent)))
                        print(f"  {name}", *(f"{sent[i][0]:.1f}:{sent[i][1]}{'x' * (i in losses)}" for i in shown))


if __name__ == "__main__":
    main()
