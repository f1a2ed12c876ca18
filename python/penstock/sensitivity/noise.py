"""Chance in the means of points: runs of one point differ although its parameters do not.

All points share their random numbers run by run. The effect of a run's numbers on all points alike changes no
difference between points, so noise is the interaction of a two-way layout, points by runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.sensitivity.design import DELTA

if TYPE_CHECKING:
    import numpy as np

    from penstock.sensitivity.design import Design

    Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Noise:
    """Chance in the means of points."""

    deviation: float  # standard deviation of a point's mean, in the metric's unit
    share: float | None  # its share of the variance of the points' means; None if that is zero
    effect: float  # mu* of a parameter that only changes random numbers


def noise(design: Design, parameters: int, values: Array) -> Noise | None:
    """Returns the noise in the values of runs, a row per point and a column per run; None for single runs."""
    runs = values.shape[1]
    if runs < 2:
        return None
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0, keepdims=True) + values.mean()
    of_mean = float((rest**2).sum()) / ((values.shape[0] - 1) * (runs - 1)) / runs
    means = values.mean(axis=1)
    if design.method == "sobol":
        # Only the first and the last of each block are drawn independently from the ranges.
        blocks = means.reshape(-1, design.rows(parameters))
        means = blocks[:, [0, -1]].ravel()
    variance = float(means.var(ddof=1))
    share = min(1.0, of_mean / variance) if variance > 0 else None
    # The mean of |d| of a normal d is its deviation times sqrt(2 / pi); d is the difference of two means.
    effect = math.sqrt(2 / math.pi) * math.sqrt(2 * of_mean) / DELTA
    return Noise(math.sqrt(of_mean), share, effect)
