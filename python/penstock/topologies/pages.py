"""Scenarios of ``penstock new --topology``, on a generated network or a graph from a file."""

import tomllib
from collections.abc import Mapping, Sequence
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
    """A generated network: its settings with defaults, and the duration of its scenario."""

    what: str
    defaults: Mapping[str, int | float | str]
    optional: Sequence[str] = ()
    duration: str = "10 s"


GENERATORS = {
    name: Generator(**own)
    for name, own in tomllib.loads(Path(__file__).with_name("generators.toml").read_text(encoding="utf-8")).items()
}
"""The networks of ``penstock new --topology``, by name."""


def _generate(net: Network, name: str, settings: Mapping[str, Any]) -> None:
    from penstock.components import Ftp, Tcp

    def transfer(name: str, origin: Node, destination: Node, **more: Any) -> None:
        tcp = Tcp(variant="sack", packet="1500 bytes")
        net.flows(name, origin, destination, source=Ftp(), transport=tcp, start=("0 s", "10 ms"), **more)

    match name:
        case "dumbbell":
            ends = topologies.dumbbell(net, **settings)
            transfer("transfers", ends.hosts, ends.sinks)
        case "parking-lot":
            long, *short = topologies.parking_lot(net, both_ways=True, **settings)
            transfer("long", long.start, long.end)
            for number, path in enumerate(short, start=1):
                transfer(f"short{number}", path.start, path.end)
        case "waxman":
            nodes = topologies.waxman(net, **settings).nodes
            half = len(nodes) // 2
            transfer("transfers", nodes[:half], nodes[half : 2 * half])
        case _:  # each host sends to the next
            hosts = getattr(topologies, name.replace("-", "_"))(net, **settings).hosts
            transfer("transfers", hosts, hosts, shift=1)


def read_settings(
    given: Mapping[str, str], defaults: Mapping[str, int | float | str], optional: Sequence[str]
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
        _generate(net, name, {key.replace("-", "_"): value for key, value in settings.items()})
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
