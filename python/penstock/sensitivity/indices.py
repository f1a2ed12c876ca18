"""Morris' measures and Sobol indices from the values at a design's points."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.sensitivity.design import DELTA, LEVELS, problem_of
from penstock.statistics import LEVEL, interval

if TYPE_CHECKING:
    import numpy as np

    from penstock.sensitivity.design import Design

    Array = np.ndarray[Any, Any]

__all__ = ["RESAMPLES", "Index", "indices"]

RESAMPLES = 1000
"""Samples of the bootstrap behind the intervals."""
_ROUNDING = 1e-9
"""Below this share of the numbers, a difference of them is one of floats rather than of simulations."""
_DIGITS = 6
"""Significant digits of results: sums of floats may differ in the last one between processors."""


@dataclass(frozen=True, slots=True)
class Index:
    """One measure of a parameter, or of a pair.

    Parameters
    ----------
    name : str
        ``mu``, ``mu_star`` or ``sigma``, in the metric's unit for a step over the whole range; ``S1``, ``ST`` or
        ``S2``, parts of the variance.
    parameters : tuple of int
        Of which one, or of which pair.
    value, low, high : float or None
        With its 95 % interval; None if the metric does not vary at all, so that there is no variance to divide.
    """

    name: str
    parameters: tuple[int, ...]
    value: float | None
    low: float | None
    high: float | None


def indices(design: Design, shares: Array, values: Array, seed: int) -> list[Index]:
    """The measures of each parameter in turn, then those of pairs.

    Parameters
    ----------
    design : Design
        What was sampled.
    shares : array
        Its points, as :meth:`Design.shares` gave them.
    values : array
        The number at each of them.
    seed : int
        Of the bootstrap.
    """
    import numpy as np

    if design.method == "morris":
        return [_cleaned(each, _ROUNDING * float(np.abs(values).max())) for each in _morris(shares, values, seed)]
    return [_cleaned(each, _ROUNDING) for each in _sobol(design, shares.shape[1], values, seed)]


def _morris(shares: Array, values: Array, seed: int) -> list[Index]:
    import numpy as np
    from SALib.analyze import morris

    parameters = shares.shape[1]
    found = morris.analyze(
        problem_of(parameters), shares, values, num_resamples=RESAMPLES, conf_level=LEVEL, num_levels=LEVELS, seed=seed
    )
    effects = elementary_effects(shares, values)
    stream = np.random.default_rng(seed)
    drawn = effects[:, stream.integers(effects.shape[1], size=(RESAMPLES, effects.shape[1]))]
    spreads = drawn.std(axis=2, ddof=1)
    made = []
    for i in range(parameters):
        mean = interval(effects[i].tolist())
        star, half = float(found["mu_star"][i]), float(found["mu_star_conf"][i])
        low, high = np.quantile(spreads[i], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        made += [
            Index("mu", (i,), float(found["mu"][i]), mean.low, mean.high),
            Index("mu_star", (i,), star, max(0.0, star - half), star + half),
            Index("sigma", (i,), float(found["sigma"][i]), float(low), float(high)),
        ]
    return made


def elementary_effects(shares: Array, values: Array) -> Array:
    """Elementary effects [Morris91]: a row for each parameter, a column for each trajectory.

    Each is what a step changes, over the step as a share of the range.
    """
    import numpy as np

    parameters = shares.shape[1]
    trajectories = shares.reshape(-1, parameters + 1, parameters)
    steps = np.diff(trajectories, axis=1)
    moved = np.abs(steps).argmax(axis=2)
    signs = np.sign(np.take_along_axis(steps, moved[:, :, None], axis=2))[:, :, 0]
    effects = np.diff(values.reshape(-1, parameters + 1), axis=1) * signs / DELTA
    found = np.empty((parameters, len(trajectories)))
    rows = np.arange(len(trajectories))[:, None]
    found[moved, rows] = effects
    return found


def _sobol(design: Design, parameters: int, values: Array, seed: int) -> list[Index]:
    import numpy as np
    from SALib.analyze import sobol

    pairs = [(i, j) for i in range(parameters) for j in range(i + 1, parameters)] if design.second_order else []
    if np.ptp(values) == 0:
        return [
            *(Index(name, (i,), None, None, None) for i in range(parameters) for name in ("S1", "ST")),
            *(Index("S2", pair, None, None, None) for pair in pairs),
        ]
    with np.errstate(all="ignore"):
        found = sobol.analyze(
            problem_of(parameters),
            values,
            calc_second_order=design.second_order,
            num_resamples=RESAMPLES,
            conf_level=LEVEL,
            seed=seed + 1,  # it takes 0 for none
        )
    made = []
    for i in range(parameters):
        for name in ("S1", "ST"):
            made.append(_around(name, (i,), found[name][i], found[f"{name}_conf"][i]))
    made += [_around("S2", pair, found["S2"][pair], found["S2_conf"][pair]) for pair in pairs]
    return made


def _around(name: str, parameters: tuple[int, ...], value: float, half: float) -> Index:
    return Index(name, parameters, float(value), float(value) - float(half), float(value) + float(half))


def _cleaned(index: Index, tiny: float) -> Index:
    """The measure as it is told, without what only the rounding of floats makes of it."""
    if index.value is None or index.low is None or index.high is None:
        return index
    value = index.value if abs(index.value) > tiny else 0.0
    low, high = (end if abs(end - index.value) > tiny else value for end in (index.low, index.high))
    return replace(index, value=significant(value), low=significant(low), high=significant(high))


def significant(value: float | None) -> float | None:
    """A number as it is told: with six digits, and without a negative zero; None if it is none."""
    if value is None or math.isnan(value):
        return None
    return float(f"{value:.{_DIGITS - 1}e}") + 0.0
