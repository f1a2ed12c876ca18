"""The conformance kit: properties that every component must have, and the first difference to another component."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock import _core, toml
from penstock.errors import InputError, ScenarioError
from penstock.own.conformance_networks import SCENARIOS
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
    own, other = _parameters(file, component, against, settings)
    ours, theirs = f"{component.key} = {toml.value(own)}", f"{against} = {toml.value(other)}"
    found = Conformance(component.key, against)
    properties = {"repeated runs agree": True, "both executors agree": True, "both gears agree": True}
    for scenario, text in SCENARIOS[component.kind].items():
        used = f'use = "{file.name}"\n{text.replace("COMPONENT", ours)}'
        others = text.replace("COMPONENT", theirs)
        compiled = _read(used, file)
        with _slow():
            interpreted = _read(used, file)
        built_in = _read(others, file) if against else None
        for seed in _SEEDS:
            run = compiled.run(seed, 0)
            found.runs += 1
            found.packets += run.packet_hops
            properties["repeated runs agree"] &= compiled.run(seed, 0).digest == run.digest
            properties["both executors agree"] &= compiled.run(seed, 0, None, "plain").digest == run.digest
            properties["both gears agree"] &= interpreted.run(seed, 0).digest == run.digest
            if built_in is None or found.difference or built_in.run(seed, 0).digest == run.digest:
                continue
            found.difference = f"in {quoted(scenario)} with seed {seed}: {_difference(used, others, file, seed)}"
    found.properties = properties
    return found


def _chosen(file: Path, name: str | None) -> Declared:
    components = opened(file).components
    found = [it for it in components if name in (None, it.cls.__name__, it.key)]
    names = [it.cls.__name__ for it in components]
    if not found:
        raise InputError(f"{file.name} has no component {quoted(name or '')}; it has {', '.join(names)}")
    if len(found) > 1:
        raise InputError(f"{file.name} has {', '.join(names)}; choose one: {file.name}:{names[0]}")
    return found[0]


def _parameters(
    file: Path, component: Declared, against: str | None, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of both components: the example of `against`, and the settings."""
    own = [each["key"] for each in _entry(with_file(file), component.kind, component.key)["parameters"]]
    unknown = next((key for key in settings if key not in own), None)
    if unknown is not None:
        message = f"{component.key} has no parameter {quoted(unknown)}{suggestion(unknown, own)} ({', '.join(own)})"
        raise InputError(message)
    if against is None:
        return dict(settings), {}
    entry = _entry(catalogue(), component.kind, against)
    theirs = [each["key"] for each in entry["parameters"]]
    shown = {key: value for key, value in _example(entry["doc"], against).items() if key in own} | dict(settings)
    return shown, {key: value for key, value in shown.items() if key in theirs}


def _entry(everything: Any, kind: str, name: str) -> Any:
    entries = everything["components"][kind]
    found = next((each for each in entries if each["name"] == name), None)
    if found is None:
        known = [each["name"] for each in entries]
        raise InputError(f"there is no {kind} {quoted(name)}{suggestion(name, known)} ({', '.join(known)})")
    return found


def _example(doc: str, name: str) -> dict[str, Any]:
    """The parameters in the example of a page."""
    import tomllib

    block = doc.partition("## Example")[2].partition("```toml")[2].partition("```")[0]
    return _table(tomllib.loads(block), name)


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
