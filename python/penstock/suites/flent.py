"""Files of flent's format 4 for the runs of its test ``rrul_be``, so that flent draws them.

A round trip is the delay of a probe plus that of the answer that was sent last before the probe arrived.
"""

import gzip
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from penstock.short_values import value_text
from penstock.studies.request import PointResult
from penstock.studies.result import StudyData
from penstock.trace import PacketTrace
from penstock.whole_file import write_whole

STEP = 0.2  # seconds between samples, flent's default
BEGIN = datetime(2000, 1, 1, tzinfo=UTC)
"""Beginning of each run in the file; a fixed one, so that equal runs give equal files."""


def write(result: StudyData, folder: Path) -> list[Path]:
    """Writes the first run of each point and returns the files."""
    files = []
    for number, point in enumerate(result.points):
        labels = " ".join(value_text(value) for name, value in point.asked.point.parameters.items() if "." not in name)
        file = folder / f"rrul_be-{number:02}.flent.gz"
        text = json.dumps(_content(point, labels), indent=1, sort_keys=True)
        write_whole(file, gzip.compress(text.encode(), mtime=0))
        files.append(file)
    return files


def _content(point: PointResult, labels: str) -> dict[str, Any]:
    columns = {**_rates(point), **_round_trips(point)}
    length = max(len(column) for column in columns.values())
    times = [round(index * STEP, 1) for index in range(length)]
    results = {name: [*column, *[None] * (length - len(column))] for name, column in columns.items()}
    for way in ("download", "upload"):
        each = [column for name, column in results.items() if name.startswith(f"TCP {way}")]
        results[f"TCP {way} sum"] = _over(each, math.fsum)
        results[f"TCP {way} avg"] = _over(each, lambda values: math.fsum(values) / len(values))
    results["TCP totals"] = _over([results["TCP download sum"], results["TCP upload sum"]], math.fsum)
    results["Ping (ms) avg"] = results["Ping (ms) UDP BE1"]
    raw = {
        name: [
            {"t": BEGIN.timestamp() + time, "val": value}
            for time, value in zip(times, column, strict=True)
            if value is not None
        ]
        for name, column in results.items()
    }
    return {
        "version": 4,
        "metadata": {
            "NAME": "rrul_be",
            "TITLE": labels,
            **dict.fromkeys(("TIME", "T0"), BEGIN.strftime("%Y-%m-%dT%H:%M:%S.%fZ")),
            "HOST": "internet",
            "HOSTS": ["internet"],
            "LOCAL_HOST": "home",
            "NOTE": f"simulated by Penstock, model {point.provenance.model_version}",
            "LENGTH": round(times[-1]),
            "TOTAL_LENGTH": times[-1],
            "STEP_SIZE": STEP,
            "TEST_PARAMETERS": {},
            "IP_VERSION": 4,
            "DATA_FILENAME": None,
            "SERIES_META": {name: {"UNITS": "ms" if "ms" in name else "Mbits/s"} for name in results},
        },
        "x_values": times,
        "results": results,
        "raw_values": raw,
    }


def _rates(point: PointResult) -> dict[str, list[float | None]]:
    """Goodput in Mbit/s of each transfer at each step, under flent's names."""
    series = point.series
    assert series is not None, "the scenario has a series of goodput"
    frame = series.frame()
    found: dict[str, list[float | None]] = {}
    for group, name in (("downloads", "TCP download BE"), ("uploads", "TCP upload BE")):
        for member in range(4):
            own = frame.filter(pl.col("flow") == f"{group}[{member}]").sort("time_ps")
            values = dict(zip(own["time_ps"].to_list(), own["value"].to_list(), strict=True))
            steps = round(max(values, default=0) / 1e12 / STEP)
            rates = [values.get(round(step * STEP * 1e12)) for step in range(steps + 1)]
            found[name + (str(member + 1) if member else "")] = [None if rate is None else rate / 1e6 for rate in rates]
    return found


def _round_trips(point: PointResult) -> dict[str, list[float | None]]:
    """Round-trip times of the probes in ms at each step; none while all probes of a step are lost."""
    run = point.runs[0].request
    about = {name: getattr(run, name) for name in ("name", "folder", "sets", "seed", "replication")}
    frame = PacketTrace(run.scenario, flows=["probe", "answer"], events=["send", "receive"], **about).frame()
    there, (sent, delays) = (_delays(frame, flow) for flow in ("probe[0]", "answer[0]"))
    column: dict[int, list[float]] = {}
    for begin, delay in zip(*there, strict=True):
        answer = int(np.searchsorted(sent, begin + delay, side="right")) - 1
        if answer >= 0:
            column.setdefault(int(begin / STEP), []).append(1000 * (delay + delays[answer]))
    means = {step: math.fsum(own) / len(own) for step, own in column.items()}
    return {"Ping (ms) UDP BE1": [means.get(step) for step in range(max(column, default=0) + 1)]}


def _delays(frame: pl.DataFrame, flow: str) -> tuple[list[float], list[float]]:
    """Times at which the packets of a flow were sent, and the delays of those that arrived, in seconds."""
    own = frame.filter(pl.col("flow") == flow)
    sent = own.filter(pl.col("event") == "send").select("sequence", begin="time_ps")
    arrived = own.filter(pl.col("event") == "receive").select("sequence", end="time_ps")
    both = sent.join(arrived, on="sequence").sort("begin")
    begin = (both["begin"] / 1e12).to_list()
    return begin, [end / 1e12 - start for start, end in zip(begin, both["end"].to_list(), strict=True)]


def _over(columns: list[list[float | None]], combine: Any) -> list[float | None]:
    """Combines columns step by step; none where a column has none."""
    return [None if None in values else combine(values) for values in zip(*columns, strict=True)]
