"""Stored runs, as tables and JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock import _core
from penstock.cli.console import emit, show, table
from penstock.cli.selecting import settings_text
from penstock.errors import InputError
from penstock.printable import json_text, one_line, path_text, quoted, things

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Store
    from penstock.store.manifest import Manifest
    from penstock.store.selection import StoredRuns

_SHOWN = 50
"""Maximum number of lines of a table."""


def summed(runs: int, points: int) -> str:
    """The numbers of runs and points."""
    return f"{things(runs, 'run')} at {things(points, 'point')}."


def list_points(found: Sequence[StoredRuns]) -> None:
    """Shows a line for each point."""
    rows = []
    for point in found[:_SHOWN]:
        first, count = point.first, str(point.count)
        rows.append(
            (_name(first), _settings(first), str(first.seed), count, _model(first), point.begun, first.key[:12])
        )
    columns = ["scenario", "settings", "seed", "runs", "model", "last begun", "first key"]
    show(table("stored runs", columns, rows, right=["seed", "runs"]))
    _more(len(found) - _SHOWN)


def list_each(found: Sequence[Manifest]) -> None:
    """Shows a line for each run."""
    rows = []
    for run in found[:_SHOWN]:
        begin, seconds = ("", "") if run.made is None else (run.made.begin, f"{run.made.seconds:.3g}")
        known = (run.key[:12], _name(run), _settings(run), str(run.seed), str(run.replication))
        rows.append((*known, _model(run), begin, seconds, f"{run.packet_hops:,}"))
    columns = ["key", "scenario", "settings", "seed", "replication", "model", "begun", "seconds", "packet-hops"]
    show(table("stored runs", columns, rows, right=["seed", "replication", "seconds", "packet-hops"]))
    _more(len(found) - _SHOWN)


def _more(count: int) -> None:
    if count > 0:
        show(f"... and {count} more; --format json has all of them.")


def show_one(store: Store, key: str, output: str) -> None:
    """Shows a run, everything it was made from, and its numbers."""
    manifest = one(store, key)
    run = store.get(manifest.key)
    metrics = [] if run is None else run.metrics
    text = store.texts.get(manifest.scenario)
    if output == "json":
        rows = [{"name": it.name, "labels": it.labels, "unit": it.unit, "value": _number(it.value)} for it in metrics]
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


def one(store: Store, key: str) -> Manifest:
    """The run whose key starts with `key`.

    Raises InputError if there is none, or more than one.
    """
    wanted = key.lower()
    if len(wanted) < 4 or len(wanted) > 64 or set(wanted) - set("0123456789abcdef"):
        raise InputError(
            f"{quoted(key)} is not the beginning of a run's key, which are at least 4 hexadecimal digits; "
            "'penstock runs --each' lists them."
        )
    found = store.beginning_with(wanted)
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


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
