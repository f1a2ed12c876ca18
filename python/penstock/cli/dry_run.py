"""What a study, a sweep or a published study would run."""

from collections.abc import Sequence

from penstock.cli.console import emit, show, show_first, titled
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, things
from penstock.progress import span
from penstock.short_values import value_text
from penstock.store import Store
from penstock.studies.request import PointRequest
from penstock.studies.standing import DryRun, dry_run
from penstock.toml import json_value


def emit_dry_run(
    name: str,
    description: str | None,
    asked: Sequence[PointRequest],
    store: Store | None,
    jobs: int | None,
    *,
    as_json: bool,
    at_least: bool = False,
) -> None:
    """Shows the points and their runs, how many are in the store, and the estimated time.

    `jobs` is the number of simultaneous runs; `at_least` says that there may be more runs in the end.
    """
    found = dry_run(asked, store, jobs)
    if as_json:
        points = [
            {
                "parameters": json_value(each.point.parameters),
                "settings": dict(each.point.sets),
                "runs": total,
                "stored": stored,
            }
            for each, total, stored in zip(asked, found.runs, found.stored, strict=True)
        ]
        emit(json_text({"study": name, "points": points, "seconds": found.seconds, "workers": found.workers}))
        return
    columns, cells, notes = _described(asked)
    rows = [
        (str(number), *each, str(total), str(stored))
        for number, (each, total, stored) in enumerate(zip(cells, found.runs, found.stored, strict=True), start=1)
    ]
    title = titled(name, description)
    right = ["point", "runs", "stored"]
    show_first(title, ["point", *columns, "runs", "stored"], rows, len(rows), "points", right=right)
    show(*notes)
    show(_summed(found, at_least="at least " * at_least))


def _described(asked: Sequence[PointRequest]) -> tuple[list[str], list[tuple[str, ...]], list[str]]:
    """Columns and cells of the parameters (one column if points have different ones), and notes."""
    names = list(dict.fromkeys(name for each in asked for name in each.point.parameters))
    shared = all(name in asked[0].point.parameters for name in names)
    if shared or all(each.point.sets for each in asked):
        parameters = parameter_columns([each.point.parameters for each in asked], names)
        return parameters.heads, [parameters.cells(each.point.parameters) for each in asked], parameters.notes
    told = [
        ", ".join(f"{name} {value_text(value)}" for name, value in each.point.parameters.items() if value)
        for each in asked
    ]
    return ["of"], [(text,) for text in told], []


def _summed(found: DryRun, at_least: str) -> str:
    points, total, stored = len(found.runs), sum(found.runs), sum(found.stored)
    alike = total - stored - found.left
    workers = things(found.workers, "worker")
    time = f", about {span(found.seconds)} with {workers}" if found.left and found.seconds is not None else ""
    unknown = ", and how long they take is unknown" if found.left and found.seconds is None else ""
    same = f"{alike} the same as others, " if alike else ""
    return (
        f"{things(points, 'point')}, {at_least}{things(total, 'run')}: "
        f"{stored} in the store, {same}{found.left} to be made{time}{unknown}. Nothing was run."
    )
