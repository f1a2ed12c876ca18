"""``penstock runs``: lists the runs in the store, or shows one."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, show, show_first, table
from penstock.cli.selecting import selection, settings_text
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.printable import json_text, one_line, path_text, quoted, things
from penstock.store import Store
from penstock.store.manifest import Manifest, StoredRuns


def runs(
    key: Annotated[str | None, argument("KEY", "Show the run whose key begins so.")] = None,
    *,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    stale: Annotated[bool, option("--stale", "Only runs of other model versions.")] = False,
    each: Annotated[bool, option("--each", "A line per run instead of per point.")] = False,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """List the runs in the store, or show one.

    A table has a line per point with its settings; --format json has every run with everything it was made from.
    """
    kept = Store(store)
    if key is not None:
        show_one(kept, key, output)
        return
    chosen = selection(kept, name, where, seed, other_models=True if stale else None)
    if output != "json" and not each:
        points = [runs for runs in kept.stored_runs() if chosen.matches(runs.first)]
        list_points(points)
        show(f"{things(sum(point.count for point in points), 'run')} at {things(len(points), 'point')}.")
        return
    found = chosen.of(kept.manifests())
    if output == "json":
        emit(json_text([run.data() for run in found]))
        return
    list_each(found)
    show(f"{things(len(found), 'run')} at {things(len({(run.name, run.point) for run in found}), 'point')}.")


def list_points(found: Sequence[StoredRuns]) -> None:
    """Shows a line for each point."""
    with_first = ((it, it.first) for it in found)
    rows = (
        (_name(of), _settings(of), str(of.seed), str(it.count), _model(of), it.begun, of.key[:12])
        for it, of in with_first
    )
    columns = ["scenario", "settings", "seed", "runs", "model", "last begun", "first key"]
    show_first("stored runs", columns, rows, len(found), right=["seed", "runs"])


def list_each(found: Sequence[Manifest]) -> None:
    """Shows a line for each run."""

    def row(run: Manifest) -> Sequence[str]:
        begin, seconds = ("", "") if run.made is None else (run.made.begin, f"{run.made.seconds:.3g}")
        known = (run.key[:12], _name(run), _settings(run), str(run.seed), str(run.replication))
        return (*known, _model(run), begin, seconds, f"{run.packet_hops:,}")

    columns = ["key", "scenario", "settings", "seed", "replication", "model", "begun", "seconds", "packet-hops"]
    right = ["seed", "replication", "seconds", "packet-hops"]
    show_first("stored runs", columns, map(row, found), len(found), right=right)


def show_one(store: Store, key: str, output: str) -> None:
    """Shows a run, everything it was made from, and its numbers."""
    manifest = run_of_key(store, key)
    run = store.get(manifest.key)
    metrics = [] if run is None else run.metrics
    text = store.texts.get(manifest.scenario)
    if output == "json":
        rows = [{**asdict(it), "value": it.value if math.isfinite(it.value) else repr(it.value)} for it in metrics]
        emit(json_text({**manifest.data(), "text": text, "metrics": rows}))
        return
    file = path_text(store.texts.file(manifest.scenario)) if text is not None else "not in the store"
    lines = [
        ("key", manifest.key),
        ("scenario", f"{_name(manifest)} ({file})"),
        *(("setting", f"{path} = {value}") for path, value in manifest.settings),
        ("seed", f"{manifest.seed}, replication {manifest.replication}"),
        ("version", f"{manifest.version or 'unknown'}, model {manifest.model_version} ({_model(manifest)})"),
        ("digest", manifest.digest),
        ("packet-hops", f"{manifest.packet_hops:,}"),
    ]
    if manifest.made is not None:
        lines.append(("made", f"{manifest.made.begin} on {manifest.made.host}, in {manifest.made.seconds:.3g} s"))
    show(table("run", ["what", ""], lines))
    numbers = [(it.name, ", ".join(it.labels.values()), f"{it.value:.6g}", it.unit) for it in metrics]
    show(table("numbers", ["metric", "of", "value", "unit"], numbers, right=["value"]))


def run_of_key(store: Store, key: str) -> Manifest:
    """The run whose key starts with `key`. Raises InputError if there is none, or more than one."""
    wanted = key.lower()
    if len(wanted) < 4 or len(wanted) > 64 or set(wanted) - set("0123456789abcdef"):
        raise InputError(
            f"{quoted(key)} is not the beginning of a run's key, which are at least 4 hexadecimal digits; "
            "'penstock runs --each' lists them."
        )
    found = store.manifests(wanted)
    if len(found) != 1:
        what = "no run" if not found else f"{len(found)} runs"
        raise InputError(
            f"the keys of {what} in {path_text(store.folder)} begin with {wanted}; 'penstock runs --each' lists them."
        )
    return found[0]


def _name(run: Manifest) -> str:
    return one_line(run.name) or "-"


def _settings(run: Manifest) -> str:
    return settings_text(run.settings) or "-"


def _model(run: Manifest) -> str:
    return "this" if run.model_version == _core.MODEL_VERSION else run.model_version[:12]
