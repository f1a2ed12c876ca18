"""The conformance kit: properties that every component must have, and the first difference to another component."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock import _core, toml
from penstock.errors import InputError, ScenarioError
from penstock.own.conformance_networks import CLASSES, NEEDS, SCENARIOS
from penstock.own.files import DEBUG, opened
from penstock.printable import quoted
from penstock.reference import catalogue, with_file
from penstock.suggest import suggestion
from penstock.trace import PacketTrace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from penstock.own.declared import Declared

__all__ = ["Conformance", "conformance"]

_SEEDS = (1, 2)


@dataclass
class Conformance:
    """What was found of a component.

    Attributes
    ----------
    properties : dict
        Whether it has each property.
    against : str, optional
        The other component.
    runs, packets : int
        The runs of each property, and the packets that passed a link in them.
    difference : str, optional
        The first difference to the other component.
    """

    component: str
    against: str | None = None
    properties: dict[str, bool] = field(default_factory=dict)
    runs: int = 0
    packets: int = 0
    difference: str | None = None

    @property
    def conforms(self) -> bool:
        """Whether it has all properties, and does not differ."""
        return all(self.properties.values()) and self.difference is None


def conformance(file: Path, name: str | None, against: str | None, settings: Mapping[str, Any]) -> Conformance:
    """Compares runs of a component with each other, and with the runs of another one.

    Parameters
    ----------
    file : Path
        The Python file.
    name : str, optional
        Class or scenario key; may be left out if the file has one component.
    against : str, optional
        A built-in component of the same kind.
    settings : mapping
        Values of parameters. The example of `against` has the others, or else the defaults.

    Raises
    ------
    InputError
        If there is no such component, or a parameter is missing or wrong.
    """
    component = _chosen(file, name)
    ours, theirs = _written(file, component, against, settings)
    found = Conformance(component.key, against)
    properties = {"repeated runs agree": True, "both executors agree": True, "both gears agree": True}
    for scenario, text in SCENARIOS[component.kind].items():
        if NEEDS.get(scenario, component.hooks[0]) not in component.hooks:
            continue
        used = f'use = "{file.name}"\n{text.replace("COMPONENT", ours)}'
        others = text.replace("COMPONENT", theirs)
        compiled = _read(used, file)
        with _slow():
            interpreted = _read(used, file)
        built_in = _read(others, file) if against else None
        for seed in _SEEDS:
            run = compiled.run(seed, 0)
            numbers = _numbers(run)
            found.runs += 1
            found.packets += run.packet_hops
            properties["repeated runs agree"] &= _numbers(compiled.run(seed, 0)) == numbers
            properties["both executors agree"] &= _numbers(compiled.run(seed, 0, None, "plain")) == numbers
            properties["both gears agree"] &= _numbers(interpreted.run(seed, 0)) == numbers
            if built_in is None or found.difference:
                continue
            other = built_in.run(seed, 0)
            if _numbers(other) != numbers:
                same = other.digest == run.digest
                first = _metric(run, other) if same else _difference(used, others, file, seed)
                found.difference = f"in {quoted(scenario)} with seed {seed}: {first}"
    found.properties = properties
    return found


def _numbers(run: _core.Run) -> tuple[str, list[str]]:
    """The digest and the metrics of a run, as texts: a metric without a value equals another one."""
    return run.digest, [repr(value) for *_, value in run.metrics]


def _metric(run: _core.Run, other: _core.Run) -> str:
    """The first metric that differs."""
    pairs = zip(run.metrics, other.metrics, strict=True)
    mine, theirs = next(pair for pair in pairs if repr(pair[0][-1]) != repr(pair[1][-1]))
    return f"{mine[-1]} of {mine[1][-1][1]}, and {theirs[-1]}"


def _chosen(file: Path, name: str | None) -> Declared:
    components = opened(file).components
    found = [it for it in components if name in (None, it.cls.__name__, it.key)]
    names = [it.cls.__name__ for it in components]
    if not found:
        raise InputError(f"{file.name} has no component {quoted(name or '')}; it has {', '.join(names)}")
    if len(found) > 1:
        raise InputError(f"{file.name} has {', '.join(names)}; choose one: {file.name}:{names[0]}")
    return found[0]


def _written(file: Path, component: Declared, against: str | None, settings: Mapping[str, Any]) -> tuple[str, str]:
    """Both components as scenarios have them, with the example of `against` and the settings."""
    kind, of_classes = component.kind, [name.replace("_", "-") for name in component.class_parameters]
    own = _keys(_entry(with_file(file), kind, component.key))
    known = [*own, *of_classes]
    unknown = next((key for key in settings if key not in known), None)
    if unknown is not None:
        message = f"{component.key} has no parameter {quoted(unknown)}{suggestion(unknown, known)} ({', '.join(known)})"
        raise InputError(message)
    other = _entry(catalogue(), kind, against) if against else None
    if kind == "metric":
        return component.key, against or ""
    example = _example(other["doc"]) if other else {}
    shown = (_table(example, against) if against else {}) | dict(settings)
    classes = [
        f"class.{name}.{key} = {toml.value(value)}"
        for name in (CLASSES if kind == "scheduler" else ())
        for key, value in (_table(_table(example, "class"), name) | dict(settings)).items()
        if key in of_classes
    ]

    def lines(name: str, keys: list[str]) -> str:
        table = {key: value for key, value in shown.items() if key in keys}
        return "\n".join([f"{name} = {toml.value(table)}", *classes])

    return lines(component.key, own), lines(against, [key for key in own if key in _keys(other)]) if against else ""


def _keys(entry: Any) -> list[str]:
    """The parameters of an entry; a metric has none."""
    return [each["key"] for each in entry.get("parameters", ())]


def _entry(everything: Any, kind: str, name: str) -> Any:
    entries = everything["metrics"] if kind == "metric" else everything["components"][kind]
    found = next((each for each in entries if each["name"] == name), None)
    if found is None:
        known = [each["name"] for each in entries]
        raise InputError(f"there is no {kind} {quoted(name)}{suggestion(name, known)} ({', '.join(known)})")
    return found


def _example(doc: str) -> dict[str, Any]:
    """The first example of a page."""
    import tomllib

    block = doc.partition("## Example")[2].partition("```toml")[2].partition("```")[0]
    lines = block.strip().splitlines()
    for length in range(len(lines), 0, -1):
        try:
            return tomllib.loads("\n".join(lines[:length]))
        except tomllib.TOMLDecodeError:  # another example follows
            continue
    return {}


def _table(tables: Any, name: str) -> dict[str, Any]:
    """The table under a name, at any depth; empty if there is none."""
    if isinstance(tables, list):
        tables = dict(enumerate(tables))
    if not isinstance(tables, dict):
        return {}
    if isinstance(tables.get(name), dict):
        return dict(tables[name])
    return next(filter(None, (_table(each, name) for each in tables.values())), {})


def _read(text: str, file: Path) -> _core.Scenario:
    try:
        return _core.Scenario(text, "conformance", [], str(file.parent))
    except _core.ScenarioError as error:
        raise ScenarioError(error.mistakes) from None


@contextmanager
def _slow() -> Iterator[None]:
    """Components that are read meanwhile run in the interpreter."""
    before = os.environ.get(DEBUG)
    os.environ[DEBUG] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[DEBUG]
        else:
            os.environ[DEBUG] = before


def _difference(ours: str, theirs: str, file: Path, seed: int) -> str:
    """The first event at the bottleneck that differs."""
    traces = [
        PacketTrace(text, at="bottleneck", folder=str(file.parent), seed=seed, name="conformance")
        for text in (ours, theirs)
    ]
    for mine, other in zip(*(trace.row_frames(1 << 16) for trace in traces), strict=False):
        height = min(mine.height, other.height)
        columns = [column for column in mine.columns if mine.schema[column] == other.schema[column]]
        same = mine[:height].select(columns).rows()
        others = other[:height].select(columns).rows()
        at = next((i for i in range(height) if same[i] != others[i]), None)
        if at is None and mine.height != other.height:
            at = height - 1
        if at is not None:
            for trace in traces:
                trace.close()
            return f"{_event(mine, at)}, and {_event(other, at)}"
    return "numbers outside the bottleneck's events differ"


def _event(frame: pl.DataFrame, at: int) -> str:
    row = frame.row(at, named=True)
    time = next(value for name, value in row.items() if name.startswith("time"))
    seconds = time / 1e12 if isinstance(time, int) else time
    return f"{row['event']} of packet {row['sequence']} of {row['flow']} at {seconds:.12g} s"
