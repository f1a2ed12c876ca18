"""``penstock new``: writes a scenario to start from."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from penstock.cli.options import one_file, out_option
from penstock.cli.verb import argument, option

__all__ = ["new"]


def new(
    name: Annotated[Path | None, argument("FILE", "The file to write.")] = None,
    *,
    out: Annotated[Path | None, out_option("The file to write, instead of FILE.")] = None,
    topology: Annotated[
        str | None,
        option(
            "--topology",
            "NAME|GRAPH",
            "The network: leaf-spine, fat-tree, star, dumbbell, parking-lot or waxman; or a graph file (GraphML: "
            ".graphml, .xml; GML: .gml; DOT: .dot, .gv) with rates and delays as edge attributes; or a topology from "
            "SNDlib (.xml), HPCC (topology.txt) or Rocketfuel (.intra).",
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        option(
            "--set",
            "KEY=VALUE",
            "Setting of the network, such as ports=8 of a fat tree, or rate='10 Gbit/s' for the edges of a graph "
            "without a rate; a wrong KEY lists those that exist. Repeatable.",
        ),
    ] = None,
) -> None:
    """Write a scenario to start from.

    It runs as it is; comments say what can be changed.
    """
    from penstock.cli.console import emit
    from penstock.errors import InputError, PenstockError
    from penstock.printable import command_text, path_text
    from penstock.template import TEMPLATE
    from penstock.whole_file import WholeFile

    file = one_file(name, out, "the scenario")
    shown = path_text(file)
    if os.path.exists(file):  # noqa: PTH110  (no error where the name is too long)
        _refuse_existing(file)
    content, told = (TEMPLATE, "") if topology is None and not sets else _with_topology(file, topology, sets or [])
    made = WholeFile(file, new=True)
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            file.lstat()  # fails where the name is too long
        if file.parent.is_file():
            raise InputError(f"{shown}: {path_text(file.parent)} is a file, not a folder.")
        if not file.parent.is_dir():
            raise InputError(f"{shown}: there is no folder {path_text(file.parent)}; make it first.")
        opened = made.open()
    except OSError as error:
        raise InputError(f"{shown}: cannot be written: {error.strerror or error}.") from None
    try:
        opened.write(content.encode())
        made.keep()
    except FileExistsError:
        raise InputError(f"{shown}: exists and is left as it is; choose another name.") from None
    except OSError as error:
        raise PenstockError(f"{shown}: cannot be written: {error.strerror or error}.") from None
    finally:
        made.discard()
    emit(f"{shown}: written{told}. Try: {command_text(['penstock', 'run', str(file)])}")


def _refuse_existing(file: Path) -> None:
    """Says so before a large graph is read."""
    from penstock.errors import InputError
    from penstock.printable import path_text

    shown = path_text(file)
    if file.is_dir():
        raise InputError(f"{shown}: is a folder; name a file in it, such as {path_text(file / 'scenario.toml')}.")
    raise InputError(f"{shown}: exists and is left as it is; choose another name.")


def _with_topology(file: Path, topology: str | None, sets: list[str]) -> tuple[str, str]:
    """The page for a topology, and how large its network is."""
    from penstock import _core
    from penstock.cli.console import warn
    from penstock.errors import InputError, ScenarioError
    from penstock.graphs.files import SUFFIXES
    from penstock.printable import quoted
    from penstock.suggest import suggestion
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
    graph = Path(topology)
    if topology in GENERATORS:
        page = generated_page(topology, given)
    elif graph.suffix.lower() in SUFFIXES or graph.is_file():
        page, remarks = graph_page(graph, given)
        warn([f"{topology}: {remark}" for remark in remarks])
    else:
        close = suggestion(topology, GENERATORS)
        raise InputError(
            f"--topology {quoted(topology)}: is no topology{close} ({', '.join(GENERATORS)}, or a file: "
            f"{', '.join(SUFFIXES)})"
        )
    mistakes = _core.check(page, str(file), [])
    if mistakes:
        raise ScenarioError(mistakes)
    sizes = zip(_core.Scenario(page, str(file), []).sizes, ("node", "link", "flow"), strict=True)
    return page, ", with " + ", ".join(f"{count} {thing}{'s' * (count != 1)}" for count, thing in sizes)
