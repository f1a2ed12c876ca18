"""Scenarios whose flows between real nodes carry packets from outside."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock import _core, toml
from penstock.errors import InputError, PenstockError, ScenarioError
from penstock.memory import require_file
from penstock.printable import path_text, quoted, utf8
from penstock.studies.definition import Point
from penstock.studies.file import is_study
from penstock.studies.plan import StudyPlan, document_of
from penstock.studies.request import PointRequest

LARGEST_MTU = 1500
"""Bytes of the largest IP packet of real nodes, which is Ethernet's."""
_HOST = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
"""Names that are read neither as an address [RFC1123 s2.1] nor as a name of this host."""
_OF_THE_NETWORK = ("class", "precedence", "route")
"""Keys of flows that also apply to the real packets which replace them."""
MEMBERS = 64
"""Flows between two real nodes, among which conversations are distributed."""


@dataclass(frozen=True)
class Opened:
    """A scenario for real packets."""

    plan: StudyPlan  # one point without variation
    asked: PointRequest  # the run; its scenario has the arrivals, if there are any
    real: list[str]  # real nodes, in the order of their numbers
    groups: list[str]  # flows that carry real packets
    replaced: list[str]  # of these, flows of the file


def opened(
    file: Path,
    text: str,
    sets: Sequence[tuple[str, str]] = (),
    *,
    seed: int | None = None,
    replication: int = 0,
    mtu: int = LARGEST_MTU,
    log: Path | None = None,
) -> Opened:
    """Opens a scenario for real packets of at most `mtu` bytes; `log` has arrivals known before the run, as CSV.

    Raises InputError if it has no two real nodes, a setting is one of replaced flows, or the log is none of this
    scenario; ScenarioError if it has mistakes.
    """
    arrivals = None if log is None else read_log(log)
    if is_study(text):
        raise InputError(f"{path_text(file)}: is a study; real packets pass through the network of one scenario.")
    if changed := [path for path, _ in sets if path.startswith("nodes.") and path.endswith(".real")]:
        raise InputError(f"--set {changed[0]}: which nodes are real is written in the scenario; leave it out.")
    document = document_of(text)
    nodes = document.get("nodes")
    entries = nodes.items() if isinstance(nodes, dict) else ()
    real = sorted(name for name, keys in entries if isinstance(keys, dict) and keys.get("real") is True)
    if document and len(real) < 2:
        raise InputError(
            f"{path_text(file)}: has {quoted(real[0]) if real else 'no node'} with real = true, and packets pass "
            "between two of them; write [nodes] with lines such as h1 = { real = true }."
        )
    if not document or document.get("flows"):
        found = _core.check(text, utf8(str(file)), list(sets), str(file.parent))
        if found:
            raise ScenarioError(found)
    if wrong := [name for name in real if not _HOST.fullmatch(name) or name.lower() == "localhost"]:
        # Programs would not resolve a name that looks like an address, or is this host's, to the node.
        raise InputError(
            f"{path_text(file)}: nodes.{wrong[0]}: programs cannot use {quoted(wrong[0])} as the name of a host; a "
            "letter first, then letters, digits, '-' and '_' of ASCII, at most 63, and not localhost."
        )
    _refuse_ends(file, document, real)
    made, groups, replaced = _with_groups(document, text, real, mtu)
    settings = tuple(_settings(sets, document, replaced))
    plan = StudyPlan(file.stem, made, str(file), [Point(sets=settings)], runs=1, seed=seed)
    asked = plan.read([replication])[0]
    try:
        scenario = _core.with_arrivals(asked.scenario, groups, mtu, arrivals)
    except ValueError as error:
        raise InputError(f"{path_text(log or file)}: the arrivals do not fit the scenario: {error}.") from None
    return Opened(plan, replace(asked, scenario=scenario), real, groups, replaced)


def read_log(file: Path) -> str:
    """The text of an arrival log. Raises InputError if it cannot be read, or does not fit into memory."""
    try:
        require_file(file, is_read_whole=True)
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path_text(file)}: cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path_text(file)}: is not an arrival log, which is CSV in UTF-8.") from None


def _groups(document: dict[str, Any], section: str) -> Iterator[tuple[int, dict[str, Any]]]:
    groups = document.get(section)
    return ((i, each) for i, each in enumerate(groups if isinstance(groups, list) else ()) if isinstance(each, dict))


def _refuse_ends(file: Path, document: dict[str, Any], real: list[str]) -> None:
    """Refuses simulated traffic from or to a real node, whose programs would not know of it."""
    wrong = []
    for section in ("flows", "calls"):
        for i, group in _groups(document, section):
            ends = [each for each in (group.get("from"), group.get("to")) if each in real]
            if len(ends) == 1 or (ends and section == "calls"):
                wrong.append(
                    f"{path_text(file)}: {section}[{i}]: '{ends[0]}' is real, so nothing simulated begins or ends "
                    "there; use two real nodes for flows that real packets replace, or two simulated ones."
                )
    if wrong:
        raise PenstockError("\n".join(wrong))


def _with_groups(document: dict[str, Any], text: str, real: list[str], mtu: int) -> tuple[str, list[str], list[str]]:
    """The scenario with groups of flows for all services between real nodes, all names, and names from the file."""
    kept: list[dict[str, Any]] = []
    made: list[dict[str, Any]] = []
    replaced: list[str] = []
    taken = {str(group.get("name")) for _, group in _groups(document, "flows")}
    ends: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for _, group in _groups(document, "flows"):
        if group.get("from") in real and group.get("to") in real:
            carrying = _carrying(group, group["name"], (group["from"], group["to"]), mtu)
            ends.setdefault((group["from"], group["to"]), []).append(carrying)
            made.append(carrying)
            replaced.append(group["name"])
        else:
            kept.append(group)
    for pair in ((a, b) for a in real for b in real if a != b):
        if pair in ends:
            continue
        of_back = ends.get(pair[::-1], [])
        models = [(f"{each['name']}-back", each) for each in of_back] or [(f"{pair[0]}-to-{pair[1]}", {})]
        for name, model in models:
            service = {key: value for key, value in model.items() if key in ("class", "precedence")}
            made.append(_carrying(service, _free(name, taken), pair, mtu))
    names = [group["name"] for group in made]
    if not replaced and not kept:
        tables = ["\n".join(["[[flows]]", *toml.lines(group), ""]) for group in made]
        return "\n".join([text, *tables]), names, []
    whole = {**document, "flows": [*kept, *made]}
    return "\n".join(toml.lines({toml.key(name): value for name, value in whole.items()})), names, replaced


def _settings(
    sets: Sequence[tuple[str, str]], document: dict[str, Any], replaced: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Settings with flows by name, since replaced groups have other numbers."""
    names = {f"flows[{i}]": str(group.get("name")) for i, group in _groups(document, "flows")}
    for path, value in sets:
        named = path.removeprefix("flows.")
        first, dot, rest = named.partition(".")
        name = names.get(first, first)
        if name in replaced and rest.partition(".")[0] not in _OF_THE_NETWORK:
            raise InputError(f"--set {path}: packets of programs replace the flows {quoted(name)}; leave it out.")
        yield (f"{name}{dot}{rest}" if dot and first in names else path, value)


def _carrying(model: dict[str, Any], name: str, ends: tuple[str, str], mtu: int) -> dict[str, Any]:
    kept: dict[str, Any] = {key: model[key] for key in _OF_THE_NETWORK if key in model}
    sizes = ["28 bytes", f"{mtu} bytes"]
    source = {"packets": {"at": ["0 s", "0 s"], "sizes": sizes}}
    return {"name": name, "from": ends[0], "to": ends[1], "count": MEMBERS, **kept, "source": source}


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-real"
    taken.add(name)
    return name
