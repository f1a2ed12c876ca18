"""Progress of a study and contents of a store, as tables and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.cli.console import emit, show, table, warn
from penstock.cli.selecting import size_text
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, one_line, path_text, things

if TYPE_CHECKING:
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.standing import Standing

_SHOWN = 50
"""Maximum number of lines of a table."""


def show_study(plan: StudyPlan, points: list[Standing], output: str) -> None:
    """Shows the progress of each point."""
    if output == "json":
        emit(json_text({"study": plan.name, "points": [point.data() for point in points]}))
        return
    names = list(dict.fromkeys(name for point in points for name in point.asked.point.parameters))
    parameters = parameter_columns([point.asked.point.parameters for point in points], names)
    rows = []
    for number, point in enumerate(points, start=1):
        counts = (point.runs, point.stored, point.failed, point.left)
        rows.append((str(number), *parameters.cells(point.asked.point.parameters), *map(str, counts), point.why))
    columns = ["point", *parameters.heads, "runs", "stored", "failed", "left", "changed since"]
    show(table(one_line(plan.name), columns, rows[:_SHOWN], right=["point", "runs", "stored", "failed", "left"]))
    if len(rows) > _SHOWN:
        show(f"... and {len(rows) - _SHOWN} more points; --format json has all of them.")
    show(*parameters.notes)
    total, stored, failed = (sum(getattr(point, what) for point in points) for what in ("runs", "stored", "failed"))
    least = "at least " * (plan.precision is not None)
    left = total - stored
    show(
        f"{things(len(points), 'point')}, {least}{things(total, 'run')}: {stored} stored, {failed} failed, {left} left."
    )
    for message, count in list(_messages(points).items())[:5]:
        show(f"failed: {one_line(message)} ({things(count, 'run')}); try again: penstock retry-failed")
    if plan.warm_up is not None:
        warn(["the warm-up is determined while the study runs, so runs with that warm-up are not counted here."])


def _messages(points: list[Standing]) -> dict[str, int]:
    found: dict[str, int] = {}
    for point in points:
        for failure in point.failures:
            found[failure.message] = found.get(failure.message, 0) + 1
    return found


def show_store(store: Store, output: str) -> None:
    """Shows the stored runs of each scenario."""
    names: dict[str, dict[str, Any]] = {}
    points: dict[str, set[Any]] = {}
    empty: dict[str, Any] = {"points": 0, "runs": 0, "stale": 0, "failed": 0, "last": None}
    size = 0
    for runs in store.stored_runs():
        first = runs.first
        entry = names.setdefault(first.name, dict(empty))
        points.setdefault(first.name, set()).add(first.point)
        entry["runs"] += runs.count
        entry["stale"] += runs.count * (first.model_version != _core.MODEL_VERSION)
        entry["last"] = max(entry["last"] or "", runs.begun) or None
        size += runs.size
    for failed in store.failures():
        names.setdefault(failed.name, dict(empty))["failed"] += 1
    for name, found in points.items():
        names[name]["points"] = len(found)
    damaged = store.damaged()
    if output == "json":
        scenarios = [{"name": name, **entry} for name, entry in sorted(names.items())]
        emit(json_text({"scenarios": scenarios, "damaged": damaged, "bytes": size}))
        return
    columns = ["scenario", "points", "runs", "of other models", "failed", "last begun"]
    rows = [
        (
            one_line(name) or "-",
            *(str(entry[what]) for what in ("points", "runs", "stale", "failed")),
            entry["last"] or "",
        )
        for name, entry in sorted(names.items())
    ]
    show(table(f"store {path_text(store.folder)}", columns, rows[:_SHOWN], right=columns[1:-1]))
    if len(rows) > _SHOWN:
        show(f"... and {len(rows) - _SHOWN} more scenarios; --format json has all of them.")
    total, failures = sum(entry["runs"] for entry in names.values()), sum(entry["failed"] for entry in names.values())
    show(f"{things(total, 'run')} in {size_text(size)}; {failures} failed, {damaged} damaged and set aside.")
