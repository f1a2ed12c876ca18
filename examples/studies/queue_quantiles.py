"""Print simulated next to measured quantiles of the queue of a switch with a small buffer.

    python examples/studies/queue_quantiles.py
    python examples/studies/queue_quantiles.py --set 'bulk.transport.tcp.jitter={ exponential = { mean = "20 us" } }'

Spang, Arslan and McKeown (2021) recorded the queue that each packet found at the 10 Gbit/s port of a switch, with Linux
hosts and a round trip of 1.2 ms. A quantile is inside its band if it differs by at most a tenth of the buffer.
"""

import argparse
import csv
import itertools
from pathlib import Path

import penstock as ps

FOLDER = Path(__file__).parent / "queue-quantiles"
SHARES = {"p05": 0.05, "p50": 0.5, "p95": 0.95}
BUFFER = 111
"""Packets that the buffer holds."""


def quantiles(control: str, flows: str, sets: list[tuple[str, str]]) -> list[int]:
    """Returns the quantiles of the queue, each arrival included, from the second second on."""
    series = ps.TimeSeries(
        (FOLDER / "scenario.toml").read_text(),
        of="switch-far",
        what="queue",
        on="change",
        start="1 s",
        sets=[
            ("nodes.senders.count", flows),
            ("nodes.receivers.count", flows),
            ("bulk.transport.tcp.congestion-control", f'"{control}"'),
            *sets,
        ],
    )
    lengths = series.frame()["value"].to_list()
    found = sorted(after + 1 for before, after in itertools.pairwise(lengths) if after > before)
    return [round(found[int(share * len(found))]) for share in SHARES.values()]


def show(sets: list[tuple[str, str]]) -> tuple[int, int]:
    """Prints all rows; returns how many quantiles are inside their bands, and how many there are."""
    inside = total = 0
    with (FOLDER / "measured.csv").open() as file:
        for row in csv.DictReader(file):
            found = dict(zip(SHARES, quantiles(row["control"], row["flows"], sets), strict=True))
            near = {name: abs(found[name] - float(row[name])) <= BUFFER / 10 for name in SHARES}
            inside, total = inside + sum(near.values()), total + len(near)
            shown = "  ".join(
                f"{name} {row[name]:>3} {found[name]:>3} {'inside' if near[name] else 'outside':<7}" for name in SHARES
            )
            print(f"{row['control']:>6} {row['flows']:>2} flows  {shown}")
    print(f"queue-quantiles: {inside} of {total} numbers inside their bands ({inside / total:.0%})\n")
    return inside, total


def main() -> None:
    """Shows the rows with the settings that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change a setting; repeatable")
    asked = parser.parse_args()
    show([(path, value) for path, _, value in (text.partition("=") for text in asked.set)])


if __name__ == "__main__":
    main()
