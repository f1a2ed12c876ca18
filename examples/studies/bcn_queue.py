"""The queue of the congested port over time, as slide 12 of Jiang and Jain shows it.

    python examples/studies/bcn_queue.py results

runs the published study `bcn` once each without congestion management, with the published and with the authors' gain,
and draws the queue of its hot port: `queue.svg`. It is described in docs/studies/bcn.md.
"""

import argparse
from pathlib import Path

import polars as pl

import penstock as ps
from penstock.plots import plot
from penstock.reproductions.bcn import STUDY
from penstock.reproductions.bcn.scenario import HOT, OURS, experiments, page
from penstock.reproductions.reading import Readings, Settings

MOST = 60  # ms


def queues() -> pl.DataFrame:
    """The queue every 50 us, by mechanism."""
    settings = Readings(STUDY.document).settings()
    pages = {
        "none": page(settings, managed=False),
        "BCN, G_d = 1/64": published_gain(settings),
        "BCN, G_d = 0.0124": experiments(settings)[OURS],
    }
    frames = []
    for name, text in pages.items():
        series = ps.TimeSeries(text, of=HOT, what="queue", every="50 us", stop=f"{MOST} ms")
        frames.append(series.frame().select("time_ps", pl.lit(name).alias("management"), "value"))
    return pl.concat(frames)


def published_gain(settings: Settings) -> str:
    """The scenario with the published gain of the decrease.

    It takes rates below zero, so it needs the floor, which is one rate unit where readings have none.
    """
    gain = settings["bcn.aimd_cisco.gd_decrease_gain"]
    changed = {"bcn.floor": settings["bcn.floor"] or "8 Mbit/s", "bcn.aimd_ours.gd_decrease_gain": gain}
    return page(settings.having(changed), managed=True, observed=True)


def main() -> None:
    """Makes the runs and draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    x, y = "time (ms)", "queue of the hot port (frames)"
    frame = queues().select((pl.col("time_ps") / 1e9).alias(x), "management", pl.col("value").alias(y))
    figure = plot(frame, x=x, y=y, facet="management", kind="series", width="page")
    for suffix in ("svg", "png"):
        figure.savefig(folder / f"queue.{suffix}")


if __name__ == "__main__":
    main()
