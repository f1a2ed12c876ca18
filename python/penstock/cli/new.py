"""``penstock new``: writes a scenario to start from."""

from pathlib import Path
from typing import Annotated

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, warn
from penstock.cli.files import check_new, write
from penstock.cli.verb import argument, option
from penstock.errors import InputError, ScenarioError
from penstock.printable import command_text, file_word, path_text, quoted, suggestion, things
from penstock.template import TEMPLATE


def new(
    name: Annotated[Path | None, argument("FILE", "The file to write.")] = None,
    *,
    out: Annotated[Path | None, option("--out -o FILE", "The file to write, instead of FILE.")] = None,
    topology: Annotated[
        str | None,
        option(
            "--topology NAME|GRAPH",
            "The network: leaf-spine, fat-tree, star, dumbbell, parking-lot or waxman; or a graph file (GraphML: "
            ".graphml, .xml; GML: .gml; DOT: .dot, .gv) with rates and delays as edge attributes; or a topology from "
            "SNDlib (.xml), HPCC (topology.txt) or Rocketfuel (.intra).",
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        option(
            "--set KEY=VALUE",
            "Setting of the network, such as ports=8 of a fat tree, or rate='10 Gbit/s' for the edges of a graph "
            "without a rate; a wrong KEY lists those that exist. Repeatable.",
        ),
    ] = None,
) -> None:
    """Write a scenario to start from.

    It runs as it is; comments say what can be changed.
    """
    file = options.one_file(name, out, "the scenario")
    check_new(file, "scenario.toml")
    content, sizes = (TEMPLATE, "") if topology is None and not sets else _with_topology(file, topology, sets or [])
    write(file, content.encode(), new=True)
    emit(f"{path_text(file)}: written{sizes}. Try: {command_text(['penstock', 'run', file_word(file)])}")


def _with_topology(file: Path, topology: str | None, sets: list[str]) -> tuple[str, str]:
    """The scenario with a topology, and the size of its network."""
    from penstock.topologies.pages import GENERATORS, generated_page, graph_page

    if topology is None:
        raise InputError("--set says what a topology is like; name one with --topology.")
    given: dict[str, str] = {}
    for setting in sets:
        key, sign, value = setting.partition("=")
        if not sign or not key.strip():
            raise InputError(f"--set {quoted(setting)}: is no setting; write KEY=VALUE, such as ports=8.")
        if key.strip() in given:
            raise InputError(f"--set {quoted(key.strip())}: is given twice.")
        given[key.strip()] = value.strip()
    if topology in GENERATORS:
        page = generated_page(topology, given)
    else:
        from penstock.graphs.files import SUFFIXES  # networkx takes long to import

        graph = Path(topology)
        if graph.suffix.lower() not in SUFFIXES and not graph.is_file():
            allowed = f"{', '.join(GENERATORS)}, or a file: {', '.join(SUFFIXES)}"
            close = suggestion(topology, GENERATORS)
            raise InputError(f"--topology {quoted(topology)}: is no topology{close} ({allowed})")
        page, remarks = graph_page(graph, given)
        warn([f"{topology}: {remark}" for remark in remarks])
    # Each message once: all links of a network share their settings, and so their mistakes.
    mistakes = {each["message"]: each for each in reversed(_core.check(page, str(file), []))}
    if mistakes:
        raise ScenarioError(reversed(mistakes.values()))
    sizes = zip(_core.Scenario(page, str(file), []).sizes, ("node", "link", "flow"), strict=True)
    return page, ", with " + ", ".join(things(count, thing) for count, thing in sizes)
