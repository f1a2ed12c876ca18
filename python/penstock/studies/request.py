"""What is to be run at a point, once its scenario has been read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from penstock import _core
from penstock.errors import line_of
from penstock.printable import utf8
from penstock.provenance import Provenance
from penstock.records import RunRequest
from penstock.store import RunKeys
from penstock.studies.quantity import Quantity, setting_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.studies.points import Point

__all__ = ["PointRequest", "distinct", "warnings_of"]


@dataclass(frozen=True, slots=True)
class PointRequest:
    """The runs of one point.

    Parameters
    ----------
    text : str
        The scenario's TOML text.
    name : str
        What it is called in results.
    point : Point
        Its parameters and settings.
    scenario : Scenario
        What they make of the scenario.
    seed : int
        Root of the random streams: points of one seed share their random numbers.
    replications : tuple of int
        Which runs.
    hops : float
        About how many packet-hops, or another measure of the work, one of them takes; 0 if unknown.
    folder : str, optional
        Where the files are that the scenario names.
    left_out : tuple of Mistake
        Keys of the scenario that have no effect at this point.
    """

    text: str
    name: str
    point: Point
    scenario: _core.Scenario
    seed: int
    replications: tuple[int, ...]
    hops: float = 0.0
    folder: str | None = None
    left_out: tuple[_core.Mistake, ...] = ()

    def requests(self) -> list[RunRequest]:
        """The runs."""
        return [
            RunRequest(self.text, self.point.sets, self.seed, number, self.name, self.hops, self.folder)
            for number in self.replications
        ]

    def keyed(self) -> list[tuple[str, RunRequest]]:
        """The runs, with the names of their results in the store."""
        return list(zip(self.keys(), self.requests(), strict=True))

    def keys(self) -> list[str]:
        """The names of the runs in the store."""
        return RunKeys(self.scenario.canonical).each(self.seed, self.replications)

    def first(self) -> RunRequest:
        """Only the first of the runs."""
        return RunRequest(
            self.text, self.point.sets, self.seed, self.replications[0], self.name, self.hops, self.folder
        )

    @property
    def provenance(self) -> Provenance:
        """What the runs are made from."""
        begin, end = self.scenario.window
        return Provenance(dict(self.point.sets), end, begin, self.seed, min(self.replications))

    def window_from(self, begin: float) -> PointRequest | None:
        """The same runs with counting from an instant in seconds on; None if nothing can be counted then."""
        return self._with((("warm-up", begin),))

    def window(self, begin: float, end: float) -> PointRequest | None:
        """The same runs, counted only between two instants in seconds; None if nothing can be counted there."""
        return self._with((("warm-up", begin), ("duration", end)))

    def _with(self, times: Iterable[tuple[str, float]]) -> PointRequest | None:
        chosen = {path: setting_text(Quantity(Fraction(at), (("s", 1),))) for path, at in times}
        kept = [(path, value) for path, value in self.point.sets if path not in chosen]
        sets = (*kept, *chosen.items())
        try:
            scenario = _core.Scenario(self.text, utf8(self.name), list(sets), self.folder, leave_out=True)
        except _core.ScenarioError:
            return None
        return replace(self, point=replace(self.point, sets=sets), scenario=scenario)


def distinct(mistakes: Iterable[_core.Mistake]) -> list[_core.Mistake]:
    """The mistakes without those that stand at several points alike."""
    return list({tuple(mistake.values()): mistake for mistake in mistakes}.values())


def warnings_of(asked: Sequence[PointRequest]) -> list[str]:
    """What the scenarios of points probably do not mean, each once, and what has no effect at some of them."""
    said = list(dict.fromkeys(warning for each in asked for warning in each.scenario.warnings))
    useless = Counter(line_of(mistake) for each in asked for mistake in each.left_out)
    return said + [f"{line} (at {count} of {len(asked)} points)" for line, count in useless.items()]
