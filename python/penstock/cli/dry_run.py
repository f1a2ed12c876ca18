"""What a study, a sweep or a published study would run."""

import time
from collections.abc import Sequence

from penstock.cli.console import emit, show, show_first, titled
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, things
from penstock.processors import available, usable
from penstock.progress import span
from penstock.short_values import value_text
from penstock.store import Store, StoredRun
from penstock.studies.request import PointRequest
from penstock.studies.runner import there
from penstock.studies.verify import beginning
from penstock.toml import json_value

_MOST_TIMED = 12
_TIMING_SECONDS = 5.0


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
    """Shows points, runs and stored runs, and the time for `jobs` runs at once; `at_least`: there may be more runs."""
    kept: list[dict[str, StoredRun]] = there(asked, store) if store is not None else [{} for _ in asked]
    runs, stored = [len(each.replications) for each in asked], [len(own) for own in kept]
    missing: list[tuple[PointRequest, int]] = []
    wanted: set[str] = set()
    for each, own in zip(asked, kept, strict=True):
        absent = set(each.keys()) - {*own, *wanted}  # equal runs count once
        if absent:
            missing.append((each, len(absent)))
        wanted |= absent
    workers = max(1, min(jobs or available(), len(wanted) or 1))
    seconds = _seconds(missing, usable(workers))
    if as_json:
        points = [
            {
                "parameters": json_value(each.point.parameters),
                "settings": dict(each.point.sets),
                "runs": total,
                "stored": there_are,
            }
            for each, total, there_are in zip(asked, runs, stored, strict=True)
        ]
        emit(json_text({"study": name, "points": points, "seconds": seconds, "workers": workers}))
        return
    columns, cells, notes = _described(asked)
    rows = [
        (str(number), *each, str(total), str(there_are))
        for number, (each, total, there_are) in enumerate(zip(cells, runs, stored, strict=True), start=1)
    ]
    title = titled(name, description)
    right = ["point", "runs", "stored"]
    show_first(title, ["point", *columns, "runs", "stored"], rows, len(rows), "points", right=right)
    show(*notes)
    total, left = sum(runs), len(wanted)
    alike = total - sum(stored) - left
    same = f"{alike} the same as others, " if alike else ""
    time_left = ", and how long they take is unknown" if seconds is None else ""
    if seconds is not None:
        time_left = f", about {span(seconds)} with {things(workers, 'worker')}"
    show(
        f"{things(len(asked), 'point')}, {'at least ' * at_least}{things(total, 'run')}: {sum(stored)} in the store, "
        f"{same}{left} to be made{time_left * bool(left)}. Nothing was run."
    )


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


def _seconds(missing: Sequence[tuple[PointRequest, int]], cores: int) -> float | None:
    if not missing:
        return 0.0
    begin = time.monotonic()
    spent = work = 0.0
    for each, _ in missing[:: max(1, len(missing) // _MOST_TIMED)]:
        if (taken := _time(each)) is not None:
            spent += taken
            work += each.hops or 1.0
        if time.monotonic() - begin > _TIMING_SECONDS:
            break
    return sum((each.hops or 1.0) * count for each, count in missing) * spent / work / cores if work else None


def _time(asked: PointRequest) -> float | None:
    """Estimated seconds of one run, from its first part; the start differs from the rest, so this is rough."""
    part = beginning(asked)
    begin = time.perf_counter()
    try:
        part.scenario.run(asked.seed, asked.replications[0])
    except (ValueError, MemoryError):
        return None
    return (time.perf_counter() - begin) * asked.scenario.window[1] / part.scenario.window[1]
