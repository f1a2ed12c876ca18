"""Backward congestion notification: how soon sources share evenly, and how much the queue oscillates.

    python examples/studies/bcn_fairness.py results

makes 170 runs (a few minutes on two cores) and writes `points.json`, `bins.json` and a figure. Four stations send all
that they can through one port with BCN 2.0, as on the slides of Jiang and Jain (2006), and begin one after another, so
that the last finds the link full. One parameter at a time is changed, at 10 Gbit/s and at 1 Gbit/s. What comes out is
told in docs/studies/bcn-fairness.md.
"""

import argparse
import json
import statistics
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import polars as pl

import penstock as ps
from penstock.plots import plot
from penstock.statistics import interval

SOURCES = 4
RUNS = 5
DURATION = 400  # ms
BIN, WITHIN = 10, 0.1
"""The interval in ms, and how far from their mean rates may stay, of the figures."""
BINS, SHARES = (5, 10, 20, 50), (0.05, 0.1, 0.2, 0.5)
"""Both swept once."""
SLIDES = {"Gi": 4.0, "Gd": 0.0124, "W": 2.0, "Ru": 8.0}  # Ru in Mbit/s
VARIED = {"Gi": (1, 2, 4, 8, 16), "Gd": (0.0031, 0.0062, 0.0124), "W": (0.5, 1, 2, 4), "Ru": (1, 2, 4, 8, 16)}
RATES = {"10 Gbit/s": 10_000, "1 Gbit/s": 1_000}  # Mbit/s


def page(rate, values, duration=DURATION):
    """The scenario of one point: times do not change with the rate."""
    net = ps.Network()
    core = net.node("core", congestion_point=ps.BcnCongestionPoint(probability=0.01, weight=values["W"]))
    server = net.node("server")
    limit = ps.TailDrop(limit="300 packets")
    for number in range(1, SOURCES + 1):
        own = ps.BcnReactionPoint(
            increase_gain=values["Gi"],
            decrease_gain=values["Gd"],
            rate_unit=f"{values['Ru']} Mbit/s",
            floor="1 Mbit/s",
        )
        station = net.node(f"st{number}", reaction_point=own)
        net.link(station, core, rate=f"{rate} Mbit/s", delay="1.5 us", both_ways=True)
        start = f"{(number - 1) * 5} ms"
        tcp = ps.Tcp(variant="sack", min_rto="1 ms", initial_rto="10 ms")
        net.flows(f"st{number}", station, server, count=10, start=start, source=ps.Ftp(), transport=tcp)
    net.link(core, server, rate=f"{rate} Mbit/s", delay="0.5 us", both_ways=True, queue=limit)
    return ps.Study(net, duration=f"{duration} ms")


def measured(asked):
    """Of one run: times to fairness in ms (none if not reached), and mean, deviation and emptiness of the queue."""
    link, values, replication = asked
    study = page(RATES[link], values)
    sources = [f"st{number}" for number in range(1, SOURCES + 1)]
    options = {"replication": replication}
    flows = study.series(of=sources, what="throughput", sum=True, every=f"{BINS[0]} ms", **options).frame()
    queue = study.series(of="core-server", what="queue", every="50 us", start="100 ms", **options).frame()
    finest, waiting = rates(flows), queue["value"].to_list()
    return {
        "spread": spread(finest[100 // BINS[0] :]),
        "fair": {(size, share): fair_after(finest, size, share) for size in BINS for share in SHARES},
        "queue": statistics.fmean(waiting),
        "oscillation": statistics.pstdev(waiting),
        "empty": sum(value == 0 for value in waiting) / len(waiting),
    }


def rates(series):
    """By interval, then by station, in bit/s."""
    wide = series.filter(pl.col("time_ps") > 0).pivot("flow", index="time_ps", values="value").sort("time_ps")
    return [list(row) for row in wide.select(sorted(set(wide.columns) - {"time_ps"})).iter_rows()]


def spread(finest):
    """The standard deviation of the stations' rates over their mean, averaged over intervals of 10 ms."""
    return statistics.fmean(
        statistics.pstdev(each) / statistics.fmean(each) for each in joined(finest, BIN) if sum(each) > 0
    )


def joined(finest, size):
    """Intervals of `size` ms made of the finest ones."""
    together = size // BINS[0]
    parts = [finest[begin : begin + together] for begin in range(0, len(finest) - together + 1, together)]
    return [[statistics.fmean(own) for own in zip(*part, strict=True)] for part in parts]


def fair_after(finest, size, share):
    """The first instant in ms after which all stations stay within `share` of their mean to the end, if there is one.

    The metric `time-to-fairness` is the same of single flows; here the connections of a station count together.
    """
    bins = joined(finest, size)
    unfair = [
        number
        for number, each in enumerate(bins)
        if sum(each) == 0 or max(abs(rate / statistics.fmean(each) - 1) for rate in each) > share
    ]
    begin = unfair[-1] + 1 if unfair else 0
    return None if begin == len(bins) else begin * size


def median(times):
    """Lower median of times; `None`, of a state that was not reached, counts as longer than all others."""
    ordered = sorted(times, key=lambda time: (time is None, time))
    return ordered[(len(ordered) - 1) // 2]


def points():
    """Every point: link, parameter, value, and all values."""
    for link in RATES:
        for name, choices in VARIED.items():
            for value in choices:
                yield link, name, float(value), {**SLIDES, name: float(value)}


def main():
    """Makes the runs, and writes tables and figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    every = list(points())
    asked = [(link, values, run) for link, _, _, values in every for run in range(given.runs)]
    with ProcessPoolExecutor(given.jobs) as pool:
        made = iter(list(pool.map(measured, asked)))
    rows, swept = [], []
    for link, name, value, _ in every:
        runs = [next(made) for _ in range(given.runs)]
        fair = {place: median([run["fair"][place] for run in runs]) for place in runs[0]["fair"]}
        row = {"link": link, "parameter": name, "value": value, "runs": len(runs), "fair_ms": fair[BIN, WITHIN]}
        swept += [{**row, "bin_ms": size, "within": share, "fair_ms": found} for (size, share), found in fair.items()]
        for key in ("queue", "oscillation", "empty", "spread"):
            found = interval([run[key] for run in runs])
            row |= {key: found.mean, f"{key}_low": found.low, f"{key}_high": found.high}
        rows.append(row)
    (given.folder / "points.json").write_text(json.dumps(rows, indent=1) + "\n")
    (given.folder / "bins.json").write_text(json.dumps(swept, indent=1) + "\n")
    frame = pl.DataFrame(rows)
    with pl.Config(tbl_rows=-1, tbl_cols=-1):
        print(frame.select("link", "parameter", "value", "fair_ms", "queue", "oscillation", "empty", "spread"))
    names = {"oscillation": "deviation of the queue (packets)", "spread": "spread of the rates (%)"}
    drawn = frame.with_columns(spread=100 * pl.col("spread")).select("link", "parameter", *names).rename(names)
    figure = plot(drawn, x=names["oscillation"], y=names["spread"], by="parameter", facet="link", width="page")
    figure.savefig(given.folder / "trade-off.svg")
    figure.savefig(given.folder / "trade-off.png")


if __name__ == "__main__":
    main()
