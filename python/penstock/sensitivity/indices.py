"""The designs of a sensitivity study and the indices that SALib computes from its runs."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError, advice
from penstock.statistics import LEVEL, interval, t_quantile
from penstock.studies.definition import MOST
from penstock.studies.sections import METHODS, is_whole

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

LEVELS = 4  # levels of each parameter in Morris' trajectories, at equal shares of its range [Morris91]
DELTA = LEVELS / (2 * (LEVELS - 1))  # step between levels, with which all levels are equally likely [Morris91]
_SAMPLES = {"morris": 20, "sobol": 64}


@dataclass(frozen=True, slots=True)
class Design:
    """How points are chosen."""

    method: str
    """``morris``: elementary effects on random trajectories [Morris91]; ``sobol``: parts of the variance [Sobol01]."""
    samples: int
    """Number of trajectories, each with one point more than there are parameters; or of rows of the base sample, a
    power of two, each with two points more than parameters (twice as many parameters with `second_order`)."""
    second_order: bool = False  # whether to include Sobol indices of pairs

    @classmethod
    def of(cls, method: str | None = None, samples: int | None = None, second_order: bool = False) -> Design:
        """Returns a design; None means the default. Raises InputError with all mistakes, or without SALib."""
        chosen = method or METHODS[0]
        if chosen not in METHODS:
            raise InputError(f"method {chosen!r} is none of {', '.join(METHODS)}.")
        design = cls(chosen, _SAMPLES[chosen] if samples is None else samples, second_order)
        wrong = []
        if not is_whole(design.samples):
            wrong.append(f"samples: {design.samples} is no whole number.")
        elif design.samples < 2:
            wrong.append(f"samples: {design.samples} tell nothing about their own error; 2 or more.")
        elif design.method == "sobol" and design.samples & (design.samples - 1):
            below = 1 << (design.samples.bit_length() - 1)
            wrong.append(
                f"samples: {design.samples} is no power of two, without which a Sobol sequence is not balanced; "
                f"{below} or {2 * below}."
            )
        if design.second_order and design.method != "sobol":
            wrong.append("second-order: only Sobol indices have a second order; leave it out, or take --method sobol.")
        if importlib.util.find_spec("SALib") is None:
            wrong.append(f"sensitivity needs SALib; install it with: {advice('sensitivity')}")
        if wrong:
            raise InputError("\n".join(wrong))
        return design

    def rows(self, parameters: int) -> int:
        """Returns the number of points per sample."""
        return parameters + 1 if self.method == "morris" else (2 if self.second_order else 1) * parameters + 2

    def shares(self, parameters: int, seed: int) -> np.ndarray[Any, Any]:
        """Returns the points as shares of the ranges, a row per point. Raises InputError if there would be too many."""
        count = self.samples * self.rows(parameters)
        if count > MOST:
            raise InputError(f"samples: {self.samples} of {parameters} parameters are {count} points; at most {MOST}.")
        from SALib.sample import morris, sobol

        problem = problem_of(parameters)
        shares: np.ndarray[Any, Any]
        if self.method == "morris":
            shares = morris.sample(problem, self.samples, num_levels=LEVELS, seed=seed)
        else:
            shares = sobol.sample(problem, self.samples, calc_second_order=self.second_order, seed=seed)
        return shares


def problem_of(parameters: int) -> dict[str, Any]:
    """The ranges for SALib: all from 0 to 1."""
    return {"num_vars": parameters, "names": [f"x{i}" for i in range(parameters)], "bounds": [[0.0, 1.0]] * parameters}


RESAMPLES = 1000  # number of bootstrap samples behind the intervals of sigma and of Sobol indices
_ROUNDING = 1e-9  # relative difference below which numbers differ only by rounding
_DIGITS = 6  # significant digits of results; the last bits of sums may differ between processors


@dataclass(frozen=True, slots=True)
class Index:
    """One measure of a parameter, or of a pair."""

    name: str
    """``mu``, ``mu_star`` or ``sigma``, in the metric's unit for a step over the whole range; ``S1``, ``ST`` or ``S2``,
    parts of the variance."""
    parameters: tuple[int, ...]  # number of the parameter, or of both of a pair
    value: float | None  # None if the metric does not vary, so that there is no variance to divide
    low: float | None  # bounds of its 95 % interval
    high: float | None

    def numbers(self) -> dict[str, float | None]:
        """Returns value and bounds by name."""
        return {"value": self.value, "low": self.low, "high": self.high}


def indices(design: Design, shares: Array, values: Array, seed: int) -> list[Index]:
    """Returns the measures of each parameter in turn, then of pairs."""
    import numpy as np

    if design.method == "morris":
        return [_cleaned(each, _ROUNDING * float(np.abs(values).max())) for each in _morris(shares, values, seed)]
    return [_cleaned(each, _ROUNDING) for each in _sobol(design, shares.shape[1], values, seed)]


def _morris(shares: Array, values: Array, seed: int) -> list[Index]:
    """The measures with Student's intervals over trajectories; the standard error of sigma is that of the bootstrap."""
    import numpy as np

    effects = elementary_effects(shares, values)
    stream = np.random.default_rng(seed)
    drawn = effects[:, stream.integers(effects.shape[1], size=(RESAMPLES, effects.shape[1]))]
    errors = drawn.std(axis=2, ddof=1).std(axis=1)
    quantile = t_quantile((1 + LEVEL) / 2, effects.shape[1] - 1)
    made = []
    for i, own in enumerate(effects):
        mean, star, spread = interval(own.tolist()), interval(np.abs(own).tolist()), float(own.std(ddof=1))
        made.append(Index("mu", (i,), mean.mean, mean.low, mean.high))
        for name, value, half in (
            ("mu_star", star.mean, star.half or 0.0),
            ("sigma", spread, quantile * float(errors[i])),
        ):
            made.append(Index(name, (i,), value, max(0.0, value - half), value + half))
    return made


def elementary_effects(shares: Array, values: Array) -> Array:
    """Returns elementary effects [Morris91], a row per parameter and a column per trajectory: change over step size."""
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

    asked: list[tuple[str, tuple[int, ...]]] = [(name, (i,)) for i in range(parameters) for name in ("S1", "ST")]
    asked += [("S2", pair) for pair in combinations(range(parameters), 2) if design.second_order]
    if np.ptp(values) == 0:
        return [Index(name, at, None, None, None) for name, at in asked]
    with np.errstate(all="ignore"):
        found = sobol.analyze(
            problem_of(parameters),
            values,
            calc_second_order=design.second_order,
            num_resamples=RESAMPLES,
            conf_level=LEVEL,
            seed=seed + 1,  # it takes 0 for none
        )
    made = [(name, at, float(found[name][at]), float(found[f"{name}_conf"][at])) for name, at in asked]
    return [Index(name, at, value, value - half, value + half) for name, at, value, half in made]


def _cleaned(index: Index, tiny: float) -> Index:
    """The measure without effects of rounding, to the digits that are reported."""
    if index.value is None or index.low is None or index.high is None:
        return index
    value = index.value if abs(index.value) > tiny else 0.0
    low, high = (end if abs(end - index.value) > tiny else value for end in (index.low, index.high))
    return replace(index, value=significant(value), low=significant(low), high=significant(high))


def significant(value: float | None) -> float | None:
    """Rounds to six digits, without a negative zero; None for NaN."""
    if value is None or math.isnan(value):
        return None
    return float(f"{value:.{_DIGITS - 1}e}") + 0.0


@dataclass(frozen=True, slots=True)
class Noise:
    """Chance in the means of points: runs of one point differ although its parameters do not."""

    deviation: float  # standard deviation of a point's mean, in the metric's unit
    share: float | None  # its share of the variance of the points' means; None if that is zero
    effect: float  # mu* of a parameter that only changes random numbers


def noise(design: Design, parameters: int, values: Array) -> Noise | None:
    """Returns the noise in the values of runs, a row per point and a column per run; None for single runs.

    All points share their random numbers run by run. What a run's numbers do to all points alike changes no difference
    between points, so noise is the interaction of a two-way layout, points by runs.
    """
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
