"""The queue of each circuit over time under differential fair buffer allocation, as slide 56 of the ATM study shows it.

    python examples/studies/ubr_queues.py results

makes one run of slide 55 of the published study `ubr` (100 TCPs on five circuits, 85 % of the link promised) and draws
the cells that each circuit has waiting at the bottleneck: `queues.svg`. It is described in docs/studies/ubr.md.
"""

import argparse
from pathlib import Path

import polars as pl

import penstock as ps
from penstock.plots import plot
from penstock.reproductions.reading import Readings
from penstock.reproductions.ubr import STUDY
from penstock.reproductions.ubr.guarantees import queues_over_time
from penstock.reproductions.ubr.networks import BOTTLENECK

TENTH = 10**11  # ps


def queues() -> pl.DataFrame:
    """The cells of each circuit, read every 10 ms and averaged over each tenth of a second; by time and circuit."""
    text = queues_over_time(Readings(STUDY.document).settings())
    series = ps.TimeSeries(text, of=BOTTLENECK, what="class-queue", every="10 ms")
    tenth = (pl.col("time_ps") // TENTH * TENTH + TENTH // 2).alias("time_ps")
    # The last instant begins a tenth of a second without further samples.
    before_the_end = series.frame().filter(pl.col("time_ps") < pl.col("time_ps").max())
    of_tenth = before_the_end.group_by(tenth, pl.col("class").alias("circuit"), maintain_order=True)
    return of_tenth.agg(pl.col("value").mean())


def main() -> None:
    """Makes the run and draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    x, y = "time (s)", "queue, means of 100 ms (cells)"
    frame = queues().select((pl.col("time_ps") / 1e12).alias(x), "circuit", pl.col("value").alias(y))
    figure = plot(frame, x=x, y=y, by="circuit", kind="series", width="page")
    for suffix in ("svg", "png"):
        figure.savefig(folder / f"queues.{suffix}")


if __name__ == "__main__":
    main()
