"""What a number was made from, as every output says it beside the number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.printable import json_text
from penstock.store import KeptRuns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.records import RunResult

__all__ = ["Provenance"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the runs of one point were made from, but for the scenario and its name.

    Parameters
    ----------
    settings : dict of str to str
        The settings that were changed after reading the scenario, by path.
    duration_s, warm_up_s : float or None, s
        When a run ends, and until when nothing is counted; None if unknown.
    seed : int or None
        Root of the random streams; None if the runs differ in it.
    first_replication : int
        The number of the first run; the others follow it.
    model_version : str
        Of the simulator that made them.
    """

    settings: dict[str, str]
    duration_s: float | None = None
    warm_up_s: float | None = None
    seed: int | None = None
    first_replication: int = 0
    model_version: str = field(default_factory=lambda: _core.MODEL_VERSION)

    @classmethod
    def of(cls, runs: Sequence[RunResult]) -> Provenance:
        """That of runs of one point."""
        first = runs[0]
        begin, end = (None, None) if first.window is None else first.window
        if isinstance(runs, KeptRuns):
            seeds, replications = {first.request.seed}, runs.point.replications
        else:
            seeds, replications = {run.request.seed for run in runs}, [run.request.replication for run in runs]
        return cls(
            dict(first.request.sets),
            end,
            begin,
            first.request.seed if len(seeds) == 1 else None,
            min(replications),
            _core.MODEL_VERSION,
        )

    @classmethod
    def shared(cls, found: Sequence[Provenance]) -> Provenance:
        """What several points have in common: settings of all of them, and numbers that do not differ."""
        if not found:
            return cls({})
        first = found[0]

        def same(name: str) -> Any:
            value = getattr(first, name)
            return value if all(getattr(each, name) == value for each in found) else None

        settings = first.settings.items()
        return cls(
            {path: value for path, value in settings if all(each.settings.get(path) == value for each in found)},
            same("duration_s"),
            same("warm_up_s"),
            same("seed"),
            min(each.first_replication for each in found),
        )

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "settings": self.settings,
            "duration_s": self.duration_s,
            "warm_up_s": self.warm_up_s,
            "seed": self.seed,
            "first_replication": self.first_replication,
            "model_version": self.model_version,
        }

    def row(self) -> dict[str, Any]:
        """For a frame, in which nothing is nested: the settings are the text of a JSON object."""
        return {**self.data(), "settings": json_text(self.settings, indent=None)}

    @staticmethod
    def columns() -> dict[str, Any]:
        """The columns of :meth:`row` and their types."""
        import polars as pl

        return {
            "settings": pl.String,
            "duration_s": pl.Float64,
            "warm_up_s": pl.Float64,
            "seed": pl.UInt64,
            "first_replication": pl.UInt64,
            "model_version": pl.String,
        }
