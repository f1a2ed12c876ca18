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


@dataclass(frozen=True, slots=True)
class Analysis:
    """How one number depends on the parameters."""

    metric: str  # the number and its unit
    unit: str
    mean: float  # mean and standard deviation of the points' means
    deviation: float
    noise: Noise | None  # share of it that is chance; None for single runs
    indices: list[Index]  # the measures of each parameter

    def of(self, name: str) -> list[Index]:
        """Returns all measures with a name, the largest first and unknown ones last."""
        own = [each for each in self.indices if each.name == name]
        return sorted(own, key=lambda each: (each.value is None, -(each.value or 0.0), each.parameters))


@dataclass(frozen=True)
class SensitivityData:
    """A sensitivity study and its measures.

    Parameters
    ----------
    plan : StudyPlan
        The study with its points.
    design : Design
        How the points were chosen.
    asked : list of PointRequest
        The points as they were run.
    runs : list of list of RunResult
        Their runs.
    analyses : list of Analysis
        The measures of each number.
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
        """Names of the parameters, in the order of the numbers in indices."""
        return list(self.plan.ranges)

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the numbers, one line each."""
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
        """What all points were made from, without the varied parameters."""
        return Provenance.shared([each.provenance for each in self.asked])
