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

    from penstock.studies.result import StudyResult

__all__ = ["plan_of", "so_far"]


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


def so_far(plan: StudyPlan, found: StudyResult, runs: int) -> str:
    """How much of a study there is, whose points have so many runs, or at least so many."""
    there, total = len(found.points), len(plan.points)
    which = f" at {there} of {total} points" if there < total else ""
    least = "at least " * (plan.precision is not None)
    return f"So far: {len(found.runs)} of {least}{runs * total} runs{which}. Nothing was run."


def _plain(value: str) -> Any:
    """A value of the command line as a study file would have it."""
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value
