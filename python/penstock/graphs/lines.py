"""Text files of topologies with a line for each link."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.graphs.places import nth_line
from penstock.graphs.text import refuse
from penstock.printable import quoted

if TYPE_CHECKING:
    from penstock.graphs.places import Lines, Places


def is_hpcc(text: str) -> bool:
    r"""Whether a text begins as ``topology.txt`` of the HPCC simulator: three numbers, then links.

    Examples
    --------
    >>> is_hpcc("3 1 2\n0\\n0 1 100Gbps 1us 0\\n0 2 100Gbps 1us 0\\n"), is_hpcc("a b 3\\n")
    (True, False)
    """
    return re.match(r"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n", text) is not None and re.search("[bB]ps", text) is not None


def read_hpcc(text: str, shown: str) -> tuple[Any, Places]:
    """Reads ``topology.txt`` of HPCC: number of nodes, switches and links; then two ends, rate, delay and error rate.

    Raises InputError with all mistakes and their lines.
    """
    import networkx

    graph, mistakes = networkx.MultiGraph(), list[str]()
    lines: Lines = {}
    rows = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    nodes, switches, links = (int(word[:9]) for word in rows[0][1])
    if nodes > 10**6:
        raise InputError(f"{shown}:{rows[0][0]}: {nodes} nodes are more than the 1000000 that are read.")
    graph.add_nodes_from(str(node) for node in range(nodes))
    # A file without switches may leave their line out.
    rest = rows[2:] if switches else rows[1:]
    for number, words in rest[:links]:
        if len(words) != 5:
            mistakes.append(
                f"{shown}:{number}: has {len(words)} fields; a link has two nodes, rate, delay and error rate"
            )
            continue
        a, b, rate, delay, error_rate = words
        unknown = [node for node in (a, b) if node not in graph]
        if unknown:
            mistakes.append(f"{shown}:{number}: there is no node {quoted(unknown[0])}; 0 to {nodes - 1}")
            continue
        graph.add_edge(a, b, rate=rate, delay=delay, loss_probability=error_rate)
        lines.setdefault((a, b), []).append(number)
    if len(rest) != links:
        mistakes.append(f"{shown}:{rows[0][0]}: tells of {links} links, and there are {len(rest)}")
    refuse(mistakes)
    return graph, partial(nth_line, lines)


def read_rocketfuel(text: str, shown: str, *, are_latencies: bool) -> tuple[Any, Places]:
    """Reads Rocketfuel's ``weights.intra`` or ``latencies.intra``: two cities and a weight, or a latency in ms.

    Raises InputError with all mistakes and their lines.
    """
    import networkx

    graph, mistakes = networkx.MultiDiGraph(), list[str]()
    lines: Lines = {}
    what = "latency" if are_latencies else "weight"
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 3:
            mistakes.append(f"{shown}:{number}: has {len(words)} fields; a link has two cities and its {what}")
            continue
        a, b, value = words
        graph.add_edge(a, b, **{"delay_ms" if are_latencies else "weight": value})
        lines.setdefault((a, b), []).append(number)
    refuse(mistakes)
    return graph, partial(nth_line, lines)
