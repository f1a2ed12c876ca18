"""Delay against goodput, a cloud of runs for each mechanism with its ellipse of one standard deviation.

RFC 7928 asks for this figure of Winstein and Balakrishnan (SIGCOMM 2013). Delay grows to the left, so the better
mechanism is further up and to the right.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.plots.canvas import Picture
from penstock.plots.style import look, style
from penstock.short_values import value_text
from penstock.studies.result import StudyData
from penstock.studies.select import select
from penstock.unit_scale import scale


def figure_of(result: StudyData, asked: Mapping[str, Any]) -> Picture:
    """Returns the figure of the numbers ``x`` and ``y`` of a study, ``by`` mechanism, with a panel per ``facet``."""
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    units = ["", ""]
    for point in result.points:
        panel = value_text(point.parameters[asked["facet"]]) if "facet" in asked else ""
        cloud = panels.setdefault(panel, {}).setdefault(value_text(point.parameters[asked["by"]]), [])
        for run in point.runs:
            found = [select(asked[axis], run.metrics) for axis in ("x", "y")]
            units = [metric.unit for metric in found]
            cloud.append((found[0].value, found[1].value))
    every = [pair for clouds in panels.values() for cloud in clouds.values() for pair in cloud]
    scales = [
        scale(asked[axis].partition("[")[0], units[i], [pair[i] for pair in every]) for i, axis in enumerate(("x", "y"))
    ]
    with style():
        figure = Picture(figsize=(7.16, 2.8), layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for place, (panel, clouds) in zip(axes, panels.items(), strict=True):
            for turn, (name, cloud) in enumerate(clouds.items()):
                xs, ys = (np.array([pair[i] for pair in cloud]) / scales[i].size for i in (0, 1))
                shown = look(turn)
                place.scatter(xs, ys, s=6, color=shown.colour, marker=shown.marker, linewidths=0)
                place.plot(*ellipse(xs, ys), color=shown.colour, linestyle=shown.dashes, label=name)
            place.invert_xaxis()
            place.set_title(panel)
        figure.supxlabel(f"{asked['x']} ({scales[0].unit}), less is further right", fontsize=8)
        figure.supylabel(f"{asked['y']} ({scales[1].unit})", fontsize=8)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, title=asked["by"], loc="outside right center")
    return figure


def ellipse(xs: Any, ys: Any) -> tuple[Any, Any]:
    """Returns the outline of one standard deviation around the mean of points, or a line or a point, as two arrays.

    >>> x, y = ellipse([0.0, 2.0], [1.0, 1.0])
    >>> float(round(max(x), 3)), float(round(max(y), 3))
    (2.414, 1.0)
    """
    centre = np.array([[np.mean(xs)], [np.mean(ys)]])
    spread = np.cov(np.array([xs, ys])) if len(xs) > 1 else np.zeros((2, 2))
    values, vectors = np.linalg.eigh(spread)
    angle = np.linspace(0, 2 * math.pi, 73)
    round_ = np.array([np.cos(angle), np.sin(angle)])
    outline = centre + vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * round_)
    return outline[0], outline[1]
