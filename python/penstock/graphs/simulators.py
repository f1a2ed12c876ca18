"""Text files of other simulators: topologies that are read, and files that a command in the message converts."""

import re
from collections import defaultdict
from fractions import Fraction
from typing import NoReturn

import networkx

from penstock.errors import InputError
from penstock.graphs.text import ROUTING, Lines, Read, decoded, refuse
from penstock.printable import quoted


def read_text(content: bytes, shown: str) -> Read:
    """Reads a ``.txt`` file, which is recognised by its content."""
    text = decoded(content, shown)
    if _is_hpcc(text):
        return _read_hpcc(text, shown)
    if re.match(r"\s*\d+\s*\n\s*\d+ \d+ \d+ \d+ ", text):
        refuse_traffic(content, shown)
    if text.startswith("?SNDlib"):
        raise InputError(f"{shown}: is SNDlib's native format; take the XML of the same network.")
    if re.search(r"^\S+[ \t]+\S+[ \t]+[\d.eE+-]+[ \t\r]*$", text, re.MULTILINE) is None:
        known = "topology.txt of the HPCC simulator, or Rocketfuel's weights"
        raise InputError(f"{shown}: is no topology that is known as text: {known}.")
    return read_rocketfuel(content, shown)


def _is_hpcc(text: str) -> bool:
    r"""Whether a text begins as ``topology.txt`` of the HPCC simulator: three numbers, then links.

    >>> _is_hpcc("3 1 2\n0\\n0 1 100Gbps 1us 0\\n0 2 100Gbps 1us 0\\n"), _is_hpcc("a b 3\\n")
    (True, False)
    """
    return re.match(r"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n", text) is not None and re.search("[bB]ps", text) is not None


def _read_hpcc(text: str, shown: str) -> Read:
    """Reads HPCC's ``topology.txt``: counts of nodes, switches, links; two ends, rate, delay and error rate of each."""
    # Its switches hash flows over all next hops of shortest paths.
    graph, mistakes = networkx.MultiGraph(**{ROUTING: "ecmp"}), list[str]()
    lines: Lines = defaultdict(list)
    rows = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    nodes, switches, links = (int(word[:9]) for word in rows[0][1])
    if nodes > 10**6:
        raise InputError(f"{shown}:{rows[0][0]}: {nodes} nodes are more than the 1000000 that are read.")
    graph.add_nodes_from(str(node) for node in range(nodes))
    # A file without switches may leave their line out.
    rest = rows[2:] if switches else rows[1:]
    for number, words in rest[:links]:
        if len(words) != 5:
            fields = "a link has two nodes, rate, delay and error rate"
            mistakes.append(f"{shown}:{number}: has {len(words)} fields; {fields}")
            continue
        a, b, rate, delay, error_rate = words
        unknown = [node for node in (a, b) if node not in graph]
        if unknown:
            mistakes.append(f"{shown}:{number}: there is no node {quoted(unknown[0])}; 0 to {nodes - 1}")
            continue
        graph.add_edge(a, b, rate=rate, delay=delay, loss_probability=error_rate)
        lines[a, b].append(number)
    if len(rest) != links:
        mistakes.append(f"{shown}:{rows[0][0]}: tells of {links} links, and there are {len(rest)}")
    refuse(mistakes)
    return graph, None, lines


def read_rocketfuel(content: bytes, shown: str) -> Read:
    """Reads Rocketfuel's ``weights.intra`` or ``latencies.intra``: two cities and a weight, or a latency in ms."""
    graph, mistakes = networkx.MultiDiGraph(), list[str]()
    lines: Lines = defaultdict(list)
    are_latencies = "latenc" in shown.rpartition("/")[2].lower()
    what = "latency" if are_latencies else "weight"
    for number, line in enumerate(decoded(content, shown).splitlines(), start=1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 3:
            mistakes.append(f"{shown}:{number}: has {len(words)} fields; a link has two cities and its {what}")
            continue
        a, b, value = words
        graph.add_edge(a, b, **{"delay_ms" if are_latencies else "weight": value})
        lines[a, b].append(number)
    refuse(mistakes)
    return graph, None, lines


def refuse_htsim_topology(content: bytes, shown: str) -> NoReturn:
    """Refuses a topology of htsim, with the command that generates the same network, if there is one."""
    tiers: list[dict[str, str]] = [{}]
    for line in decoded(content, shown).splitlines():
        key, _, value = line.partition("#")[0].strip().partition(" ")
        if key.lower() == "tier":
            tiers.append({})
        elif key:
            tiers[-1][key.lower()] = value.strip()
    settings = _settings(*tiers)
    is_one = f"{shown}: is a topology of htsim, which is generated here"
    if settings is None:
        raise InputError(
            f"{is_one}; its numbers are none of a fat tree or a leaf-spine network with one rate and delay a tier, so "
            "build it with penstock.Network in Python."
        )
    raise InputError(f"{is_one}: penstock new FILE --topology {settings}")


def _settings(top: dict[str, str], *tiers: dict[str, str]) -> str | None:
    """Topology and settings for the command line; None if it is neither a fat tree nor a leaf-spine network."""
    try:
        hosts, nodes = int(tiers[0]["radix_down"]), int(top["nodes"])
        ups = [int(tier.get("radix_up", tier["radix_down"])) for tier in tiers]
        speeds = [tier["downlink_speed_gbps"] for tier in tiers]
        delays = [str(Fraction(tier["downlink_latency_ns"])) for tier in tiers]
    except (IndexError, KeyError, ValueError):
        return None
    if hosts < 1 or len(set(speeds[1:])) > 1 or len(set(delays[1:])) > 1:
        return None
    if any(tier.get("bundle", "1") != "1" for tier in tiers):
        return None
    if len(tiers) == 3 and 4 * nodes == (2 * hosts) ** 3 and ups[:2] == [hosts, hosts]:
        shape = f"fat-tree --set ports={2 * hosts}"
    elif len(tiers) == 2 and nodes % hosts == 0:
        shape = f"leaf-spine --set leaves={nodes // hosts} --set spines={ups[0]} --set hosts={hosts}"
    else:
        return None
    host = f" --set host-rate='{speeds[0]} Gbit/s'" if speeds[0] != speeds[1] else ""
    host += f" --set host-delay='{delays[0]} ns'" if delays[0] != delays[1] else ""
    return f"{shape} --set rate='{speeds[1]} Gbit/s' --set delay='{delays[1]} ns'{host}"


def refuse_traffic(_content: bytes, shown: str) -> NoReturn:
    """Refuses a list of transfers, which is no network."""
    raise InputError(
        f"{shown}: lists transfers, not links; name it as the file of [[transfers]] in a scenario, and "
        "'penstock check' tells the line that converts it."
    )
