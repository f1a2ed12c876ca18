"""``penstock conform``: compares a component of one's own with a built-in one."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from penstock.cli import options
from penstock.cli.console import emit, show, table
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.own.conformance import conformance, recorded
from penstock.own.subjects import built_in, in_file
from penstock.printable import json_text, quoted
from penstock.progress import Progress
from penstock.studies.toml_text import plain_value


def conform(
    component: Annotated[
        str, argument("NAME", "A component: in a Python file (my_queues.py:Red), built in, or from a plug-in (red).")
    ],
    against: Annotated[str | None, option("--against NAME", "Compare with this component, such as red.")] = None,
    arrivals: Annotated[
        Path | None,
        option("--arrivals FILE", "Also feed these recorded arrivals: a trace of one link, or a log of emulate."),
    ] = None,
    sets: Annotated[
        list[str] | None, option("--set NAME=VALUE", "Give a parameter of the component this value; repeatable.")
    ] = None,
    output: options.Output = "table",
) -> int | None:
    """Compare your own component with a built-in one.

    Short runs of several kinds of traffic must give the same numbers when repeated, on both executors, on two cores,
    from a snapshot, and compiled and interpreted. With --against, they must equal the runs of that component; else the
    first difference is shown. Parameters have the values of the examples in 'penstock explain', otherwise their
    defaults; --set gives other values.
    """
    file, _, name = component.partition(".py:")
    is_file = bool(name) or component.endswith(".py")
    subject = in_file(Path(f"{file.removesuffix('.py')}.py"), name or None) if is_file else built_in(component)
    other = built_in(against, subject.kind) if against else None
    settings: dict[str, Any] = {}
    for key, text in options.read_sets(sets):
        if key in settings:
            raise InputError(f"--set {quoted(key)}: is given twice.")
        settings[key] = plain_value(text)
    with Progress() as progress:
        found = conformance(subject, other, settings, recorded(arrivals) if arrivals else None, progress)
    if output == "json":
        emit(json_text(asdict(found) | {"conforms": found.conforms}))
        return None if found.conforms else 1
    rows = [(text, "yes" if holds else "no") for text, holds in found.properties.items()]
    if against is not None:
        rows.append((f"equals {against}", "no" if found.difference else "yes"))
    show(table("", ("property", "holds"), rows))
    emit(f"{found.runs} runs of each, {found.packets:,} packets on links.")
    if found.difference:
        emit(f"First difference to {against}, {found.difference}.")
    return None if found.conforms else 1
