"""Points of a sensitivity study: Morris' trajectories, or Saltelli's sample for Sobol indices."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.extras import advice
from penstock.studies.definition import MOST
from penstock.studies.sections import METHODS

if TYPE_CHECKING:
    import numpy as np

LEVELS = 4
"""Levels of each parameter in Morris' trajectories, at equal shares of its range [Morris91]."""
DELTA = LEVELS / (2 * (LEVELS - 1))
"""Step between levels, with which all levels are equally likely [Morris91]."""
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
        """Returns a design; None means the default.

        Raises InputError if the method does not exist, the number of samples does not suit it, or SALib is not
        installed.
        """
        chosen = method or METHODS[0]
        if chosen not in METHODS:
            raise InputError(f"method {chosen!r} is none of {', '.join(METHODS)}.")
        design = cls(chosen, _SAMPLES[chosen] if samples is None else samples, second_order)
        wrong = []
        if design.samples < 2:
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
        """Returns the points as shares of the ranges: a row per point, a column per parameter.

        Raises InputError if there would be too many.
        """
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
