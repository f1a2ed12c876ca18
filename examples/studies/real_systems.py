"""Print simulated next to measured numbers of real hosts, row by row, and the share of rows inside their bands.

    python examples/studies/real_systems.py                                        # the four folders next to this file
    python examples/studies/real_systems.py random-loss --hosts rfc --runs 2
    python examples/studies/real_systems.py one-flow-codel --table cubic
    python examples/studies/real_systems.py queue-quantiles

A row is inside if the mean of the runs is between the bounds of its band, which the folder's ``document.toml`` has next
to the measurement. Runs are kept in the store, so that a second call answers at once.
"""

import argparse
from pathlib import Path

import queue_quantiles

import penstock as ps

HERE = Path(__file__).parent
QUANTILES = "queue-quantiles"
FOLDERS = ("random-loss", "one-flow-codel", "two-flows", QUANTILES)
BANDS = {
    "output": ("from", "to"),
    "throughput": ("from", "to"),
    "rtt": ("rtt-from", "rtt-to"),
    "first": ("from-1", "to-1"),
    "second": ("from-2", "to-2"),
}
"""The keys with the bounds of each measured column."""
ABOUT = {"document", "table", "column", "unit", "published", "mean", "ci_low", "ci_high", "runs", "verdict", "note"}


def show(folder: str, hosts: str | None, tables: list[str], runs: int | None) -> tuple[int, int]:
    """Prints all rows of a folder; returns how many are inside, and how many there are."""
    if folder == QUANTILES:
        return queue_quantiles.show([] if hosts is None else [("bulk.transport.tcp.profile", f'"{hosts}"')])
    readings = {} if hosts is None else {f"{folder}-a01": hosts}
    frame = ps.reproduce(str(HERE / folder), tables, readings, runs=runs, jobs=1)
    bounds = {key for pair in BANDS.values() for key in pair}
    inside = 0
    for row in frame.iter_rows(named=True):
        low, high = (float(row[key]) for key in BANDS[row["column"]])
        measured, ours = float(row["published"]), float(row["mean"])
        fits = low <= ours <= high
        inside += fits
        settings = [str(value) for key, value in row.items() if key not in ABOUT | bounds and value is not None]
        print(
            f"{row['table']:>10}  {' '.join(settings):<28} {row['column']:>10}  measured {measured:>7.2f}  "
            f"ours {ours:>7.2f} {row['unit']:<6}  ratio {ours / measured:.2f}  {'inside' if fits else 'outside'}"
        )
    print(f"{folder}: {inside} of {len(frame)} numbers inside their bands ({inside / max(1, len(frame)):.0%})\n")
    return inside, len(frame)


def main() -> None:
    """Shows the folders that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", choices=[*FOLDERS, []], default=[], metavar="FOLDER", help="default: all")
    parser.add_argument("--hosts", help="profile of the hosts: linux-6, linux-4 or rfc; default: the folder's")
    parser.add_argument("--table", action="append", default=[], help="only this table; repeatable")
    parser.add_argument("--runs", type=int, help="independent runs of a row; default: the folder's number")
    asked = parser.parse_args()
    counts = [show(folder, asked.hosts, asked.table, asked.runs) for folder in asked.folders or FOLDERS]
    inside, total = (sum(each) for each in zip(*counts, strict=True))
    print(f"together: {inside} of {total} numbers inside their bands ({inside / max(1, total):.0%})")


if __name__ == "__main__":
    main()
