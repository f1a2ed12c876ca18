"""Provenance of numbers, which every output states next to them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from penstock import _core
from penstock.printable import json_text
from penstock.records import RunResult


@dataclass(frozen=True, slots=True)
class Provenance:
    """Everything that the runs of a point were made from, except the scenario and its name.

    Parameters
    ----------
    settings : dict of str to str
        Settings that were changed after reading the scenario, by path.
    duration_s, warm_up_s : float or None, s
        End of a run, and end of its warm-up; None if unknown.
    seed : int or None
        Root of the random streams; None if the runs differ in it.
    first_replication : int
        Number of the first run; the others follow.
    model_version : str
        Version of the simulator.
    """

    settings: dict[str, str]
    duration_s: float | None = None
    warm_up_s: float | None = None
    seed: int | None = None
    first_replication: int = 0
    model_version: str = field(default_factory=lambda: _core.MODEL_VERSION)

    @classmethod
    def of(cls, runs: Sequence[RunResult]) -> Self:
        """Returns the provenance of the runs of a point."""
        first = runs[0]
        begin, end = first.window or (None, None)
        seed = first.request.seed if len({run.request.seed for run in runs}) == 1 else None
        return cls(dict(first.request.sets), end, begin, seed, min(run.request.replication for run in runs))

    @classmethod
    def shared(cls, found: Sequence[Self]) -> Self:
        """Returns what several points have in common: their common settings, and values that are equal."""
        if not found:
            return cls({})
        first = found[0]

        def same(name: str) -> Any:
            value = getattr(first, name)
            return value if all(getattr(each, name) == value for each in found) else None

        number, every = min(each.first_replication for each in found), [each.settings for each in found]
        settings = {path: value for path, value in every[0].items() if all(own.get(path) == value for own in every)}
        return cls(settings, same("duration_s"), same("warm_up_s"), same("seed"), number)

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return asdict(self)

    def row(self) -> dict[str, Any]:
        """Returns the values for a frame, which has no nested columns: settings are the text of a JSON object."""
        return {**self.data(), "settings": json_text(self.settings, indent=None)}

    @staticmethod
    def columns() -> dict[str, Any]:
        """Returns the columns of :meth:`row` with their types."""
        import polars as pl

        return {
            "settings": pl.String,
            "duration_s": pl.Float64,
            "warm_up_s": pl.Float64,
            "seed": pl.UInt64,
            "first_replication": pl.UInt64,
            "model_version": pl.String,
        }
