"""The measures of a sensitivity study and the runs behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.provenance import Provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.records import RunResult
    from penstock.sensitivity.design import Design
    from penstock.sensitivity.indices import Index
    from penstock.sensitivity.noise import Noise
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest

__all__ = ["Analysis", "SensitivityData"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """How one number depends on the parameters.

    Parameters
    ----------
    metric, unit : str
        Which number.
    mean, deviation : float
        Over all points, of their means over runs.
    noise : Noise or None
        How much of it is chance; None of single runs.
    indices : list of Index
        The measures of each parameter.
    """

    metric: str
    unit: str
    mean: float
    deviation: float
    noise: Noise | None
    indices: list[Index]

    def of(self, name: str) -> list[Index]:
        """All measures of a name, the largest first; those that are unknown last."""
        own = [each for each in self.indices if each.name == name]
        return sorted(own, key=lambda each: (each.value is None, -(each.value or 0.0), each.parameters))


@dataclass(frozen=True)
class SensitivityData:
    """How a study's numbers depend on its parameters.

    Parameters
    ----------
    plan : StudyPlan
        The study, with its points.
    design : Design
        How they were chosen.
    asked : list of PointRequest
        The points as they were run.
    runs : list of list of RunResult
        Their runs.
    analyses : list of Analysis
        What they come to, a number after the other.
    unknown : list of str
        Numbers that are left out, and why.
    """

    plan: StudyPlan
    design: Design
    asked: list[PointRequest]
    runs: Sequence[Sequence[RunResult]]
    analyses: list[Analysis]
    unknown: list[str] = field(default_factory=list)

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, in the order of the indices' numbers."""
        return list(self.plan.ranges)

    @property
    def warnings(self) -> list[str]:
        """What is to be known before the numbers are believed, a line for each."""
        found = list(self.unknown)
        for each in self.analyses:
            if each.noise is None:
                found.append("single runs of each point: how much is noise is unknown; --runs 2 or more tells.")
            elif each.deviation == 0:
                found.append(f"{each.metric} does not vary in these ranges.")
            elif (each.noise.share or 0.0) > 0.5:
                found.append(
                    f"{each.metric}: {each.noise.share:.0%} of the variance is noise; more runs of a point lessen it."
                )
        return list(dict.fromkeys(found))

    @property
    def provenance(self) -> Provenance:
        """What all points were made from; what varies is in none of its settings."""
        return Provenance.shared([each.provenance for each in self.asked])
