"""Searches the smallest headroom and buffer, and the largest number of lossless ports, of any scenario with PFC.

    python examples/studies/pfc_search.py examples/pfc.toml

runs the scenario with its own traffic, with random load (each flow a Poisson process at 80 % of the rate of the link
by which it enters) and in the worst case (each flow at the full rate of that link). If some classes are not paused, it
also runs the worst case with flows of paused classes alone: packets of other classes between theirs leave less to
arrive after a pause. For each switch with `pause` it prints

- the headroom that a link, or a class of it, used, next to the bound of `penstock check` and the formula of operators;
- the smallest buffer, by bisection, with which no packet of a paused class is lost at a switch and the flows of these
  classes keep 98 % of their throughput with an ample buffer;
- for each group of nodes at the switch, the largest number of them for which the memory of the switch is enough, by
  bisection. Flows of the group grow with it.

docs/studies/pfc-headroom.md has results.
"""

from __future__ import annotations

import argparse
import copy
import math
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfc_headroom import BUSY, LARGEST, bisect, formula

import penstock as ps
from penstock import _core, toml
from penstock.errors import InputError, PenstockError, ScenarioError
from penstock.studies.quantity import read_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = dict[str, Any]

LOADS = ("own", "random", "worst case")
ALONE = "paused classes alone"
UNLIMITED: Tree = {"tail-drop": {"limit": "1000000 packets"}}
AMPLE = 10**9  # bytes, of a buffer or a headroom that is never full


def read(file: Path) -> Tree:
    """The scenario of a file, as tables.

    Raises
    ------
    InputError
        If it is no TOML, no switch of it pauses, or one that does has no buffer with a size.
    ScenarioError
        If it has mistakes.
    """
    try:
        content = file.read_text(encoding="utf-8")
        tree = tomllib.loads(content)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}") from None
    nodes: Tree = tree.get("nodes", {})
    if not any("pause" in node for node in nodes.values()):
        raise InputError(f"{file}: no node has `pause`; headroom is what a switch needs that pauses others.")
    if mistakes := _core.check(content, str(file)):
        raise ScenarioError(mistakes)
    for name in switches(tree):
        if not any("size" in policy for policy in nodes[name].get("buffer", {}).values()):
            raise InputError(f"{file}: nodes.{name} pauses others and has no `buffer` with a size to search.")
    return tree


def switches(tree: Tree) -> list[str]:
    """Nodes, or groups of nodes, that pause others."""
    return [name for name, node in tree["nodes"].items() if "pause" in node]


def text(tree: Tree) -> str:
    """The scenario as TOML."""
    return "\n".join(toml.lines(tree))


def number(quantity: Any) -> float:
    """A quantity as a number of bit, bit/s or s; the largest value of a law, and 0 for what has none."""
    if isinstance(quantity, dict):
        return max((number(each) for law in quantity.values() for each in law), default=0.0)
    found = read_quantity(quantity) if isinstance(quantity, str) else None
    return 0.0 if found is None else float(found.value)


def directions(tree: Tree) -> Iterator[tuple[str, str, str, Tree]]:
    """The name, both ends and the entry of each link, with ways back as links of their own."""
    for link in tree["links"]:
        there, end = ends(link)
        yield link.get("name", f"{there}-{end}"), there, end, link
        if link.get("both-ways"):
            back = f"{link['name']}-back" if "," in there + end else f"{end}-{there}"
            yield back, end, there, link | link.get("back", {})


def ends(link: Tree) -> list[str]:
    """Where a link begins and ends; lists of nodes with commas."""
    return [",".join(each) if isinstance(each, list) else each for each in (link["from"], link["to"])]


def groups(end: str) -> set[str]:
    """The groups of members, of members in a row, and of lists of them."""
    return {each.partition("[")[0] for each in end.split(",")}


def members(tree: Tree, end: str) -> int:
    """How many nodes an end of a link stands for."""
    if "," in end:
        return sum(members(tree, each) for each in end.split(","))
    found = re.fullmatch(r"[^\[]+\[(\d+)(?:-(\d+))?\]", end)
    if found is not None:
        return int(found[2] or found[1]) - int(found[1]) + 1
    return int(tree["nodes"][end].get("count", 1))


def links_into(tree: Tree, switch: str) -> list[tuple[int, Tree]]:
    """Entries of links into a switch, with their number of links; for a group, into all of its members."""
    return [
        (max(members(tree, begin), members(tree, end)), link)
        for _, begin, end, link in directions(tree)
        if switch in groups(end)
    ]


def reservations(tree: Tree, switch: str) -> int:
    """How many headrooms a switch reserves: one for each link into it, and for each paused class."""
    links = sum(count for count, _ in links_into(tree, switch)) / members(tree, switch)
    return math.ceil(links) * len(tree["nodes"][switch]["pause"].get("classes", [""]))


def with_headroom(tree: Tree, headrooms: dict[str, int]) -> Tree:
    """The scenario with other headrooms, in bytes."""
    tree = copy.deepcopy(tree)
    for switch, size in headrooms.items():
        tree["nodes"][switch]["pause"]["headroom"] = f"{size} bytes"
    return tree


def with_buffer(tree: Tree, switch: str, size: int) -> Tree:
    """The scenario with another buffer of a switch, in bytes."""
    tree = copy.deepcopy(tree)
    [policy] = [each for each in tree["nodes"][switch]["buffer"].values() if "size" in each]
    policy["size"] = f"{size} bytes"
    return tree


def with_count(tree: Tree, name: str, count: int) -> Tree:
    """The scenario with another number of nodes in a group, and as many flows for each of them."""
    tree = copy.deepcopy(tree)
    before = members(tree, name)
    tree["nodes"][name]["count"] = count
    for flow in tree["flows"]:
        if "count" in flow and name in (flow.get("from"), flow.get("to")):
            flow["count"] = max(1, round(flow["count"] * count / before))
    return tree


def loads_of(tree: Tree) -> tuple[str, ...]:
    """Loads that differ: `ALONE` is the worst case if every flow can be paused."""
    is_mixed = any("from" in flow and not is_paused(tree, class_of(flow)) for flow in tree["flows"])
    return (*LOADS, ALONE) if is_mixed else LOADS


def with_load(tree: Tree, load: str) -> Tree:
    """The scenario with one of `loads_of`, and with the measures that decide whether a buffer is enough.

    Flows of a traffic matrix keep their own.
    Queues of a switch whose limit is not written have none, so that its buffer and headroom decide alone.
    """
    tree = copy.deepcopy(tree)
    for link in tree["links"]:
        begin, end = ({*switches(tree)} & groups(each) for each in ends(link))
        if begin:
            link.setdefault("queue", UNLIMITED)
        if end and link.get("both-ways"):
            link.setdefault("back", {}).setdefault("queue", UNLIMITED)
    for key in ("measure", "series", "trace"):
        tree.pop(key, None)
    for flow in tree["flows"]:
        if load == "own" or "from" not in flow:
            continue
        rate = max(
            (number(link["rate"]) for _, begin, _, link in directions(tree) if groups(flow["from"]) & groups(begin)),
            default=0.0,
        )
        if rate == 0.0:
            raise InputError(f"flow {flow['name']}: no link that leaves {flow['from']} has a rate for its load.")
        packet = f"{largest(flow)} bytes"
        if load == "random":
            rate *= 0.8
        elif load == ALONE and not is_paused(tree, class_of(flow)):
            rate = 1.0  # a single packet: a link needs a flow of each class that it names
        source = {"rate": f"{rate:.0f} bit/s", "packet": packet}
        flow["source"] = {"poisson" if load == "random" else "cbr": source}
        flow.pop("transport", None)
    losing = [name for name, begin, _, _ in directions(tree) if groups(begin) & {*switches(tree)}]
    tree["measure"] = [
        {"metric": "drops", "of": losing, "by": ["class"], "take": ["sum"]},
        {"metric": "throughput", "of": [flow["name"] for flow in tree["flows"]], "take": ["sum"]},
    ]
    return tree


def largest(flow: Tree) -> int:
    """Bytes of the packets of a flow, or 1500."""
    parts = [*flow.get("source", {}).values(), *flow.get("transport", {}).values()]
    sizes = [number(part["packet"]) for part in parts if isinstance(part, dict) and "packet" in part]
    return round(max(sizes, default=0.0) / 8) or LARGEST


def class_of(flow: Tree) -> str:
    """The traffic class of a flow."""
    named: str = flow.get("class", "default")
    return named


def is_paused(tree: Tree, traffic_class: str) -> bool:
    """Whether a switch pauses this class."""
    pauses = [tree["nodes"][name]["pause"] for name in switches(tree)]
    return any(traffic_class in pause.get("classes", [traffic_class]) for pause in pauses)


def outcome(tree: Tree) -> tuple[float, float]:
    """Packets of paused classes that switches lose, and the throughput of their flows in bit/s."""
    [run] = ps.run_all([ps.RunRequest(text(tree), replication=0)])
    paused = {flow["name"] for flow in tree["flows"] if is_paused(tree, class_of(flow))}
    rows = [(metric.name, dict(metric.labels), metric.value) for metric in run.metrics]
    drops = sum(value for name, labels, value in rows if name == "drops" and is_paused(tree, labels["class"]))
    return drops, sum(value for name, labels, value in rows if name == "throughput" and labels["of"] in paused)


def demanded(tree: Tree) -> dict[str, int]:
    """Bytes of headroom that each switch must have at the link that needs most, with any of the loads."""
    # Different headrooms tell switches apart that need the same.
    sizes = {name: AMPLE + place for place, name in enumerate(switches(tree))}
    found = dict.fromkeys(sizes, 0)
    for load in loads_of(tree):
        scenario = _core.Scenario(text(with_headroom(with_load(tree, load), sizes)), "search", [])
        needs = [(name, need) for _, _, need, given in scenario.headrooms for name in sizes if given == sizes[name]]
        found = {name: max([size, *(need for each, need in needs if each == name)]) for name, size in found.items()}
    return found


def by_formula(tree: Tree, switch: str) -> int:
    """Headroom in bytes of the link that needs most, by the formula of operators."""
    node = tree["nodes"][switch]
    stop = number(node["pause"].get("processing")) + number(node.get("latency"))
    packet = max(largest(flow) for flow in tree["flows"])
    links = [link for _, link in links_into(tree, switch)]
    return round(max(formula(number(link["rate"]), number(link["delay"]), stop, packet) for link in links))


def used(tree: Tree, switch: str) -> float:
    """The most bytes that the headroom of a link, or of a class of it, held."""
    series = ps.TimeSeries(text(tree), of=switch, what="link-headroom-held-bytes", on="change")
    held: list[float] = series.frame()["value"].to_list()
    return max(held, default=0.0)


def is_enough(tree: Tree, switch: str, size: int, throughput: float) -> bool:
    """Whether a buffer of this size in bytes loses nothing and costs no throughput."""
    try:
        drops, found = outcome(with_buffer(tree, switch, size))
    except ScenarioError:  # The buffer is smaller than what its policy needs.
        return False
    return drops == 0.0 and found > BUSY * throughput


def smallest_buffer(tree: Tree, switch: str) -> int | None:
    """The smallest buffer in bytes next to the headrooms, by bisection; None if even an ample one loses packets."""
    drops, throughput = outcome(with_buffer(tree, switch, AMPLE))
    if drops > 0.0:
        return None
    high = 1
    while not is_enough(tree, switch, high, throughput):
        high *= 2
    return bisect(lambda size: is_enough(tree, switch, size, throughput), high // 2, high)


def most_ports(tree: Tree, switch: str, name: str, headroom: int, memory: int) -> int:
    """The largest number of nodes of a group for which a memory in bytes is enough; 0 if the present one is not."""

    def fits(count: int) -> bool:
        larger = with_count(tree, name, count)
        size = memory - headroom * reservations(larger, switch)
        if size <= 0:
            return False
        drops, throughput = outcome(with_buffer(larger, switch, AMPLE))
        return drops == 0.0 and is_enough(larger, switch, size, throughput)

    count = members(tree, name)
    if not fits(count):
        return 0
    return bisect(lambda count: not fits(count), count, count + memory // headroom + 1) - 1


def report(tree: Tree) -> Iterator[str]:
    """Lines about each switch."""
    bounds = demanded(tree)
    given = {name: round(number(tree["nodes"][name]["pause"].get("headroom")) / 8) for name in bounds}
    ample = with_headroom(tree, dict.fromkeys(bounds, AMPLE))
    tree = with_headroom(tree, bounds)
    loads = {load: with_load(tree, load) for load in loads_of(tree)}
    for switch, bound in bounds.items():
        [policy] = [each for each in tree["nodes"][switch]["buffer"].values() if "size" in each]
        reserved = reservations(tree, switch)
        memory = round(number(policy["size"]) / 8) + reserved * (given[switch] or bound)
        yield f"{switch}: headroom in bytes: {bound} demanded, {by_formula(tree, switch)} by the formula of operators"
        for load, loaded in loads.items():
            size = smallest_buffer(loaded, switch)
            needs = "no buffer is enough" if size is None else f"needs {size + reserved * bound} bytes of memory"
            held = used(with_load(ample, load), switch)
            yield f"  {load}: {held:.0f} bytes of headroom used; {needs}, {reserved * bound} of them headroom"
            for name in at(tree, switch):
                most = most_ports(loaded, switch, name, bound, memory)
                count = f"at most {most}" if most else f"fewer than {members(tree, name)}"
                yield f"  {load}: {memory} bytes are enough for {count} of {name}"


def at(tree: Tree, switch: str) -> list[str]:
    """Groups whose nodes are linked to a switch."""
    ends = {begin for _, begin, end, _ in directions(tree) if switch in groups(end)}
    return sorted(name for name in ends if "," not in name and "count" in tree["nodes"].get(name, {}))


def main() -> None:
    """Prints the searches of a scenario."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", type=Path, help="a file with switches that pause")
    parser.add_argument("--duration", help="another duration of each run, such as '2 ms'; without warm-up")
    asked = parser.parse_args()
    try:
        tree = read(asked.scenario)
        if asked.duration is not None:
            tree |= {"duration": asked.duration, "warm-up": "0 s"}
        for line in report(tree):
            print(line, flush=True)
    except PenstockError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
