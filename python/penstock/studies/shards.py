"""Parts of a study that machines run independently, sharing only the store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.studies.plan import StudyPlan
from penstock.studies.request import PointRequest

MOST_SHARDS = 10_000
"""Maximum number of shards; beyond it, starting a process takes longer than most runs."""
_FORM = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a study, counted from 1.

    Runs are dealt in turn, so that all points, and with them short and long runs, are spread evenly.
    """

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """Reads the value of ``--shard``. Raises InputError if it has another form, or there is no such shard.

        Examples
        --------
        >>> Shard.read("2/8")
        Shard(number=2, count=8)
        """
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise InputError(f"--shard {quoted(text)} is not of the form I/N, such as 2/8.")
        number, count = int(found[1]), int(found[2])
        if not 1 <= count <= MOST_SHARDS:
            raise InputError(f"--shard {quoted(text)}: a study has 1 to {MOST_SHARDS} shards, not {count}.")
        if not 1 <= number <= count:
            raise InputError(f"--shard {quoted(text)}: of {count} shards there are 1/{count} to {count}/{count}.")
        return cls(number, count)

    def of(self, asked: Sequence[PointRequest]) -> list[PointRequest]:
        """Returns the points with their runs of this shard; points without any are left out."""
        found, before = [], 0
        for point in asked:
            own = point.replications[(self.number - 1 - before) % self.count :: self.count]
            before += len(point.replications)
            if own:
                found.append(replace(point, replications=own))
        return found


def refuse_unknown_runs(plan: StudyPlan, option: str) -> None:
    """Raises InputError if runs of a study depend on others: it has a precision target, or a warm-up to be found."""
    for is_there, what in ((plan.precision, "a precision target"), (plan.warm_up, "a warm-up that is to be found")):
        if is_there is not None:
            raise InputError(
                f"{plan.name} has {what}, so which runs there are depends on others, and {option} cannot divide them; "
                "give --on processes on one machine, or a fixed number of runs and a fixed warm-up."
            )
