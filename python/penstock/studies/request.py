"""What is to be run at a point, once its scenario has been read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from penstock import _core
from penstock.errors import ScenarioError
from penstock.printable import json_text, utf8
from penstock.records import RunRequest
from penstock.results import to_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.records import RunResult
    from penstock.studies.points import Point

__all__ = ["PointRequest", "distinct", "points_json", "read_points"]


@dataclass(frozen=True, slots=True)
class PointRequest:
    """The runs of one point.

    Parameters
    ----------
    point : Point
        Its parameters and settings.
    scenario : Scenario
        What they make of the scenario.
    seed : int
        Root of the random streams: points of one seed share their random numbers.
    replications : tuple of int
        Which runs.
    """

    point: Point
    scenario: _core.Scenario
    seed: int
    replications: tuple[int, ...]

    def requests(self, text: str, name: str) -> list[RunRequest]:
        """The runs, of the scenario's `text` called `name`."""
        return [RunRequest(text, self.point.sets, self.seed, number, name) for number in self.replications]


def read_points(text: str, name: str, points: Sequence[Point]) -> list[_core.Scenario]:
    """The scenario at every point.

    Raises
    ------
    ScenarioError
        If it has mistakes at any; each is told once.
    """
    scenarios: list[_core.Scenario] = []
    mistakes: list[_core.Mistake] = []
    for point in points:
        try:
            scenarios.append(_core.Scenario(text, utf8(name), list(point.sets)))
        except _core.ScenarioError as error:
            mistakes.extend(error.mistakes)
    if mistakes:
        raise ScenarioError(distinct(mistakes))
    return scenarios


def distinct(mistakes: Iterable[_core.Mistake]) -> list[_core.Mistake]:
    """The mistakes without those that stand at several points alike."""
    return list({tuple(mistake.values()): mistake for mistake in mistakes}.values())


def points_json(name: str, asked: Sequence[PointRequest], results: Sequence[RunResult]) -> str:
    """The runs as JSON: an object for the only point, or an array with one for each, which names its ``settings``.

    See :func:`penstock.results.to_json`; `results` are in the order of what was asked for.
    """
    rest = iter(results)
    data = [
        to_data(
            name,
            list(islice(rest, len(each.replications))),
            **({"settings": dict(each.point.sets)} if len(asked) > 1 else {}),
            description=each.scenario.description,
            seed=each.seed,
            model_version=_core.MODEL_VERSION,
        )
        for each in asked
    ]
    return json_text(data if len(asked) > 1 else data[0])
