"""Scenarios of ``penstock new --topology``, on a generated network or a graph from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from penstock import topologies
from penstock.errors import InputError
from penstock.network import Network, Node
from penstock.printable import path_text, quoted, suggestion

Settings = dict[str, "int | float | str"]


@dataclass(frozen=True, slots=True)
class Generator:
    """A generated network: its settings with defaults, and the function that builds it with some traffic."""

    what: str
    make: Callable[..., None]
    defaults: Mapping[str, int | float | str]
    optional: tuple[str, ...] = ()
    duration: str = "10 s"


def _transfer(net: Network, name: str, origin: Node, destination: Node, **more: Any) -> None:
    """Adds bulk transfers by TCP."""
    from penstock.components import Ftp, Tcp

    tcp = Tcp(variant="sack", packet="1500 bytes")
    net.flows(name, origin, destination, source=Ftp(), transport=tcp, start=("0 s", "10 ms"), **more)


def _to_next(net: Network, made: Any) -> None:
    """Each host sends to the next."""
    _transfer(net, "transfers", made.hosts, made.hosts, shift=1)


def _dumbbell(net: Network, **settings: Any) -> None:
    made = topologies.dumbbell(net, **settings)
    _transfer(net, "transfers", made.hosts, made.sinks)


def _parking_lot(net: Network, **settings: Any) -> None:
    long, *short = topologies.parking_lot(net, both_ways=True, **settings)
    _transfer(net, "long", long.start, long.end)
    for number, path in enumerate(short, start=1):
        _transfer(net, f"short{number}", path.start, path.end)


def _waxman(net: Network, **settings: Any) -> None:
    made = topologies.waxman(net, **settings)
    half = len(made.nodes) // 2
    _transfer(net, "transfers", made.nodes[:half], made.nodes[half : 2 * half])


GENERATORS: Mapping[str, Generator] = {
    "leaf-spine": Generator(
        "Leaves linked to every spine",
        lambda net, **settings: _to_next(net, topologies.leaf_spine(net, **settings)),
        {"leaves": 4, "spines": 2, "hosts": 4, "rate": "1 Gbit/s", "delay": "10 us"},
        ("host-rate", "host-delay"),
        "100 ms",
    ),
    "fat-tree": Generator(
        "A fat tree of switches",
        lambda net, **settings: _to_next(net, topologies.fat_tree(net, **settings)),
        {"ports": 4, "rate": "1 Gbit/s", "delay": "10 us"},
        ("host-rate", "host-delay"),
        "100 ms",
    ),
    "star": Generator(
        "Hosts around one switch",
        lambda net, **settings: _to_next(net, topologies.star(net, **settings)),
        {"hosts": 4, "rate": "100 Mbit/s", "delay": "1 ms"},
        duration="1 s",
    ),
    "dumbbell": Generator(
        "Hosts and sinks at the two ends of one bottleneck",
        _dumbbell,
        {"pairs": 4, "rate": "10 Mbit/s", "delay": "10 ms", "access-rate": "100 Mbit/s", "access-delay": "1 ms"},
    ),
    "parking-lot": Generator(
        "Bottlenecks in a row", _parking_lot, {"bottlenecks": 3, "rate": "10 Mbit/s", "delay": "5 ms"}
    ),
    "waxman": Generator(
        "A random network after Waxman",
        _waxman,
        {"nodes": 20, "rate": "100 Mbit/s", "delay": "10 ms", "alpha": 0.1, "beta": 0.4, "seed": 1},
        ("weight",),
        "1 s",
    ),
}
"""The networks of ``penstock new --topology``, by name."""


def read_settings(
    given: Mapping[str, str], defaults: Mapping[str, int | float | str], optional: tuple[str, ...]
) -> Settings:
    """Returns settings by name, with the types of their defaults. Raises InputError for an unknown or invalid one."""
    allowed = [*defaults, *optional]
    settings: Settings = dict(defaults)
    for key, value in given.items():
        if key not in allowed:
            close = suggestion(key, allowed)
            raise InputError(f"--set {quoted(key)}: is no setting of this topology{close} ({', '.join(allowed)})")
        default = defaults.get(key, "")
        try:
            settings[key] = value if isinstance(default, str) else type(default)(value)
        except ValueError:
            kind = "a whole number" if isinstance(default, int) else "a number"
            raise InputError(f"--set {key}: {quoted(value)} is not {kind}, such as {default}.") from None
    return settings


def generated_page(name: str, given: Mapping[str, str]) -> str:
    """Returns the scenario of a generated network. Raises InputError if a setting is invalid."""
    generator = GENERATORS[name]
    settings = read_settings(given, generator.defaults, generator.optional)
    net = Network()
    try:
        generator.make(net, **{key.replace("-", "_"): value for key, value in settings.items()})
    except ValueError as error:
        raise InputError(f"{name}: {error}.") from None
    said = ", ".join(f"{key} = {value}" for key, value in settings.items())
    header = [f"# {generator.what} ({name}): {said}", "# The traffic is an example; write your own flows."]
    page = net.toml(description=f"{generator.what}, with TCP transfers", duration=generator.duration)
    return "\n".join(header) + f"\n{page}"


def graph_page(path: Path, given: Mapping[str, str]) -> tuple[str, list[str]]:
    """Returns the scenario of a graph from a file, and the differences from the graph. Raises InputError."""
    from penstock.components import Cbr
    from penstock.graphs.attributes import Reading
    from penstock.graphs.files import read_file

    # Messages name them as arguments of Python.
    given = {key.replace("_", "-"): value for key, value in given.items()}
    keys = tuple(field.name.replace("_", "-") for field in fields(Reading))
    settings = read_settings(given, {}, keys)
    both_ways = settings.pop("both-ways", "false")
    if both_ways not in {"true", "false"}:
        raise InputError(f"--set both-ways: {quoted(str(both_ways))} is neither true nor false.")
    texts = {key.replace("-", "_"): str(value) for key, value in settings.items()}
    reading = Reading(**texts, both_ways=both_ways == "true")
    net = read_file(path, reading, {})
    start, end = net.farthest()
    net.flows("stream", start, end, source=Cbr(rate="1 Mbit/s", packet="1000 bytes"))
    header = [f"# The graph of {path_text(path)}."]
    header += [f"# {quoted(text)} is {name} here." for text, name in net.renamed.items()]
    header.append("# The traffic is an example: a stream from one node to the farthest; write your own flows.")
    page = net.toml(description=f"The graph of {path_text(path)}, with one stream", duration="10 s")
    return "\n".join(header) + f"\n{page}", net.remarks
