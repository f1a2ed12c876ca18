"""``penstock status``: the progress of a study, or the contents of a store."""

from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, show, show_first, warn
from penstock.cli.studies import plan_of
from penstock.cli.verb import argument
from penstock.errors import InputError
from penstock.memory import size_text
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, one_line, path_text, things
from penstock.store import Store
from penstock.store.history import told
from penstock.store.manifest import point_of
from penstock.studies.plan import StudyPlan
from penstock.studies.request import PointRequest
from penstock.studies.runner import there
from penstock.toml import json_value


def status(
    file: Annotated[Path | None, argument("FILE", "A scenario or study (TOML); without it, the whole store.")] = None,
    *,
    runs: Annotated[int | None, options.runs_option("Number of runs per point that are wanted.")] = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Show the progress of a scenario or study.

    For each point: the runs that are stored, have failed, and are left; and, for missing runs, what has changed since
    similar runs were made. Without FILE, show the contents of the store. Nothing is run.
    """
    kept = Store(store)
    if file is None:
        for given, option in ((runs, "--runs"), (seed, "--seed"), (sets, "--set")):
            if given is not None:
                raise InputError(f"{option} is for the scenario or study in a FILE, and none is given.")
        show_store(kept, output)
        return
    plan = plan_of(file, options.read_sets(sets), runs, seed)
    show_study(plan, plan.read(), kept, output)


def standing(asked: list[PointRequest], store: Store) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns the progress of each point, as JSON has it, and a line on what has changed since similar runs."""
    stored = there(asked, store)
    failures = {failed.key: failed for failed in store.failures()}
    why = store.history.why(
        each.first() for each, known in zip(asked, stored, strict=True) if len(known) < len(each.replications)
    )
    points, lines = [], []
    for each, known in zip(asked, stored, strict=True):
        first, own = each.first(), each.keys()
        because = why.get((first.name, point_of(first))) if len(known) < len(own) else None
        failed = [failures[key] for key in own if key in failures and key not in known]
        points.append(
            {
                "parameters": json_value(each.point.parameters),
                "settings": dict(each.point.sets),
                **{"runs": len(own), "stored": len(known), "failed": len(failed), "left": len(own) - len(known)},
                "changes": None if because is None else [asdict(change) for change in because],
                "failures": [
                    {"replication": it.replication, "message": it.message, "attempts": it.attempts} for it in failed
                ],
            }
        )
        lines.append("" if because is None else told(because))
    return points, lines


def show_study(plan: StudyPlan, asked: list[PointRequest], store: Store, output: str) -> None:
    """Shows the progress of each point."""
    points, why = standing(asked, store)
    if output == "json":
        emit(json_text({"study": plan.name, "points": points}))
        return
    given = [each.point.parameters for each in asked]
    parameters = parameter_columns(given, list(dict.fromkeys(name for each in given for name in each)))
    rows = []
    for number, (own, point, line) in enumerate(zip(given, points, why, strict=True), start=1):
        counts = (str(point[what]) for what in ("runs", "stored", "failed", "left"))
        rows.append((str(number), *parameters.cells(own), *counts, line))
    columns = ["point", *parameters.heads, "runs", "stored", "failed", "left", "changed since"]
    right = ["point", "runs", "stored", "failed", "left"]
    show_first(one_line(plan.name), columns, rows, len(rows), "points", right=right)
    show(*parameters.notes)
    total, stored, failed = (sum(point[what] for point in points) for what in ("runs", "stored", "failed"))
    least = "at least " * (plan.precision is not None)
    left = total - stored
    show(
        f"{things(len(points), 'point')}, {least}{things(total, 'run')}: {stored} stored, {failed} failed, {left} left."
    )
    messages = Counter(failure["message"] for point in points for failure in point["failures"])
    for message, count in list(messages.items())[:5]:
        show(f"failed: {one_line(message)} ({things(count, 'run')}); try again: penstock retry-failed")
    if plan.warm_up is not None:
        warn(["the warm-up is determined while the study runs, so runs with that warm-up are not counted here."])


def show_store(store: Store, output: str) -> None:
    """Shows the stored runs of each scenario."""
    empty: dict[str, Any] = {"points": 0, "runs": 0, "stale": 0, "failed": 0, "last": None}
    names: defaultdict[str, dict[str, Any]] = defaultdict(empty.copy)
    points: set[tuple[str, Any]] = set()
    size = 0
    for runs in store.stored_runs():
        first = runs.first
        entry = names[first.name]
        entry["points"] += (first.name, first.point) not in points
        points.add((first.name, first.point))
        entry["runs"] += runs.count
        entry["stale"] += runs.count * (first.model_version != _core.MODEL_VERSION)
        entry["last"] = max(entry["last"] or "", runs.begun) or None
        size += runs.size
    for failed in store.failures():
        names[failed.name]["failed"] += 1
    damaged = store.damaged()
    if output == "json":
        scenarios = [{"name": name, **entry} for name, entry in sorted(names.items())]
        emit(json_text({"scenarios": scenarios, "damaged": damaged, "bytes": size}))
        return
    columns = ["scenario", "points", "runs", "of other models", "failed", "last begun"]
    rows = []
    for name, entry in sorted(names.items()):
        counts = (str(entry[what]) for what in ("points", "runs", "stale", "failed"))
        rows.append((one_line(name) or "-", *counts, entry["last"] or ""))
    show_first(f"store {path_text(store.folder)}", columns, rows, len(rows), "scenarios", right=columns[1:-1])
    total, failures = sum(entry["runs"] for entry in names.values()), sum(entry["failed"] for entry in names.values())
    show(f"{things(total, 'run')} in {size_text(size)}; {failures} failed, {damaged} damaged and set aside.")
