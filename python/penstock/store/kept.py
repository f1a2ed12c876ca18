"""Points of which the index has all runs: nothing is made for a run before it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from penstock.records import MetricRow, RunResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.records import RunRequest
    from penstock.store.columns import Columns

__all__ = ["KeptRuns", "NamedPoint"]


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """The runs of a point, with their names.

    Parameters
    ----------
    keys : list of str
        Their names in the store.
    first : RunRequest
        The first of them; the others differ in their replication.
    replications : sequence of int
        Which runs, in the order of the names.
    window : (float, float), s
        From when to when is counted.
    measures : sequence of str, optional
        What is asked for; all that the runs measure if left out.
    """

    keys: list[str]
    first: RunRequest
    replications: Sequence[int]
    window: tuple[float, float]
    measures: Sequence[str] | None = None


class KeptRuns(Sequence[RunResult]):
    """The runs of a point, all from the index; each is put together when it is looked at.

    Parameters
    ----------
    point : NamedPoint
        What was asked for.
    known : Columns
        The index.
    rows : sequence of int
        Where they stand in it; all of them measure the same.
    places : sequence of int, optional
        Which of their numbers are asked for; all if left out.
    """

    __slots__ = ("_known", "_places", "_rows", "_shape", "point")

    def __init__(
        self, point: NamedPoint, known: Columns, rows: Sequence[int], places: Sequence[int] | None = None
    ) -> None:
        self.point = point
        shape = known.shapes[known.shape[rows[0]]] if rows else []
        self._places = places
        self._shape = shape if places is None else [shape[place] for place in places]
        self._known = known
        self._rows = rows

    @property
    def shape(self) -> Sequence[tuple[str, dict[str, str], str]]:
        """Name, labels and unit of each number."""
        return self._shape

    def numbers(self) -> list[list[float]]:
        """The values of each number, in the order of the runs."""
        places = self._places
        if places is None:
            return self._known.numbers(self._rows, len(self._shape))
        known = self._known
        every = known.numbers(self._rows, len(known.shapes[known.shape[self._rows[0]]])) if self._rows else []
        return [every[place] for place in places]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[RunResult]:
        return (self[place] for place in range(len(self._rows)))

    @overload
    def __getitem__(self, index: int) -> RunResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[RunResult]: ...
    def __getitem__(self, index: int | slice) -> RunResult | list[RunResult]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self._rows))[index]]
        row, known, point = self._rows[index], self._known, self.point
        values: Sequence[float] = known.values_of(row)
        if self._places is not None:
            values = [values[place] for place in self._places]
        return RunResult(
            replace(point.first, replication=point.replications[index]),
            MetricRow(self._shape, values),
            known.digest[row],
            known.packet_hops[row],
            cached=True,
            window=point.window,
            decided=known.decisions[known.decided[row]],
        )

    def __eq__(self, other: Any) -> bool:
        return list(self) == list(other) if isinstance(other, (list, KeptRuns)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __repr__(self) -> str:
        return repr(list(self))
