"""What ``run`` and ``check`` share: a scenario with its settings, or a study file, as one plan."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.studies.file import is_study, read_study
from penstock.studies.plan import RUNS, StudyPlan
from penstock.studies.sweep import alternatives, sweep

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from penstock.cli.options import FrameFormat
    from penstock.store import Store
    from penstock.studies.request import PointRequest

__all__ = ["emit_dry_run", "plan_of"]

_SHOWN = 50
"""The most points of which a dry run shows a line each."""


def plan_of(file: Path, sets: Sequence[tuple[str, str]], runs: int | None = None, seed: int | None = None) -> StudyPlan:
    """The study in `file`, or that of the scenario in it.

    Parameters
    ----------
    file : Path
        A scenario or a study file.
    sets : sequence of (str, str)
        Settings, some perhaps with several values; of a study they replace its own.
    runs, seed : int, optional
        In place of those that stand there.
    """
    from penstock.cli.files import read_text

    text = read_text(file)
    points = sweep(sets)
    if is_study(text):
        values = {path: [_plain(each) for each in alternatives(path, value)] for path, value in sets}
        override = {path: each if len(each) > 1 else each[0] for path, each in values.items()}
        plan = read_study(text, file, read_text, override)
        if runs is not None and plan.precision is not None:
            raise InputError("the study has a precision target, so --runs changes nothing; leave one of them out.")
        plan = plan if runs is None else replace(plan, runs=runs)
    else:
        plan = StudyPlan(file.stem, text, str(file), points, runs=runs or RUNS)
    return plan if seed is None else replace(plan, seed=seed)


def emit_dry_run(
    plan: StudyPlan, asked: Sequence[PointRequest], store: Store | None, jobs: int | None, output: FrameFormat
) -> None:
    """The points of a study, and the runs that it would make."""
    from penstock.cli.console import emit, show, table
    from penstock.cli.options import FrameFormat as Written
    from penstock.cli.report import short_names
    from penstock.printable import json_text, one_line
    from penstock.progress import span
    from penstock.studies.dry import dry_run

    found = dry_run(asked, store, jobs)
    if output is Written.JSON:
        points = [
            {"parameters": each.point.parameters, "settings": dict(each.point.sets), "runs": total, "stored": stored}
            for each, total, stored in zip(asked, found.runs, found.stored, strict=True)
        ]
        emit(json_text({"study": plan.name, "points": points, "seconds": found.seconds, "workers": found.workers}))
        return
    names = list(dict.fromkeys(name for each in asked for name in each.point.parameters))
    rows = [
        (str(number), *(str(each.point.parameters.get(name, "")) for name in names), str(total), str(stored))
        for number, (each, total, stored) in enumerate(zip(asked, found.runs, found.stored, strict=True), start=1)
    ]
    title = f"{one_line(plan.name)}: {one_line(plan.description)}" if plan.description else one_line(plan.name)
    show(
        table(title, ["point", *short_names(names), "runs", "stored"], rows[:_SHOWN], right=["point", "runs", "stored"])
    )
    if len(rows) > _SHOWN:
        show(f"... and {len(rows) - _SHOWN} more points; --format json has all of them.")
    total, stored = sum(found.runs), sum(found.stored)
    left = total - stored
    workers = f"{found.workers} worker{'s' * (found.workers != 1)}"
    time = f", about {span(found.seconds)} with {workers}" if left and found.seconds is not None else ""
    unknown = ", and how long they take is unknown" if left and found.seconds is None else ""
    least = "at least " * (plan.precision is not None)
    show(
        f"{len(asked)} point{'s' * (len(asked) != 1)}, {least}{total} run{'s' * (total != 1)}: "
        f"{stored} in the store, {left} to be made{time}{unknown}. Nothing was run."
    )


def _plain(value: str) -> Any:
    """A value of the command line as a study file would have it."""
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value
