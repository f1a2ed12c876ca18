"""Waxman's random networks."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import dist, exp
from random import Random
from typing import Any

from penstock.network import Network, Node
from penstock.studies.quantity import Quantity, read_quantity, setting_text
from penstock.topologies.small import link_both_ways


@dataclass(frozen=True, slots=True)
class Waxman:
    """The group of nodes of :func:`waxman`, their positions, and the linked pairs."""

    nodes: Node
    places: tuple[tuple[float, float], ...]
    links: tuple[tuple[int, int], ...]


def waxman(
    net: Network,
    nodes: int,
    *,
    rate: str,
    delay: str,
    alpha: float = 0.1,
    beta: float = 0.4,
    seed: int = 1,
    weight: str | None = None,
    **port: Any,
) -> Waxman:
    """Adds a random network in which near nodes are linked more often than far ones [Waxman88].

    Nodes are uniform in a square. Two nodes at distance d are linked, both ways, with probability
    beta exp(-d / (alpha L)), where L is the largest distance between two nodes. If parts of the network are then not
    connected, the shortest links between them are added, which is not part of Waxman's model. The network depends only
    on `seed` and is the same in all runs.

    Parameters
    ----------
    nodes : int
        Number of nodes, 2 to 2000, the members of the group ``node``.
    rate : str, bit/s
        Rate of every link.
    delay : str, s
        Propagation delay over the distance L; that of a link is proportional to its length.
    alpha : float
        Above zero; a larger value gives more long links.
    beta : float
        Above zero, at most 1; a larger value gives more links.
    seed : int
        Seed of the network.
    weight : str, optional
        ``"distance"`` routes flows by length instead of number of links: links weigh 1 to 1000.
    **port
        Properties of all ports, as for :meth:`penstock.network.Network.link`.

    Examples
    --------
    >>> from penstock import Network
    >>> made = waxman(Network(), 20, rate="1 Gbit/s", delay="10 ms", seed=7)
    >>> len(made.nodes), made.links[:3]
    (20, ((0, 12), (0, 16), (1, 15)))
    """
    if not 2 <= nodes <= 2000:
        raise ValueError(f"a random network has 2 to 2000 nodes, not {nodes}")
    if not (alpha > 0 and 0 < beta <= 1):
        raise ValueError(f"alpha is above 0, and beta too and at most 1; not {alpha} and {beta}")
    if weight not in {None, "distance"}:
        raise ValueError(f"weight is 'distance' or left out, not {weight!r}")
    if seed < 0:  # Python's generator takes the absolute value
        raise ValueError(f"the seed of a random network is 0 or more, not {seed}")
    across = read_quantity(delay)
    if across is None or across.dimension != (("s", 1),) or across.value < 0:
        raise ValueError(f"{delay!r} is no delay; write it as '10 ms'")
    draw = Random(seed).random
    places = tuple((draw(), draw()) for _ in range(nodes))
    lengths = {(a, b): dist(places[a], places[b]) for a, b in combinations(range(nodes), 2)}
    longest = max(lengths.values())
    drawn = {pair for pair, length in lengths.items() if draw() < beta * exp(-length / (alpha * longest))}
    links = tuple(sorted(drawn | _joining(nodes, drawn, lengths)))
    made = Waxman(net.nodes("node", nodes), places, links)
    for a, b in links:
        share = lengths[a, b] / longest
        weighed = {} if weight is None else {"weight": max(1, round(1000 * share))}
        own = setting_text(Quantity(across.value * Fraction(share), across.dimension))
        link_both_ways(net, made.nodes[a], made.nodes[b], rate=rate, delay=own, **weighed, **port)
    return made


def _joining(nodes: int, links: set[tuple[int, int]], lengths: dict[tuple[int, int], float]) -> set[tuple[int, int]]:
    """The shortest additional links that connect everything (Kruskal's algorithm)."""
    from networkx.utils import UnionFind

    parts = UnionFind(range(nodes))
    for pair in links:
        parts.union(*pair)
    added = set()
    for a, b in sorted(lengths, key=lambda pair: (lengths[pair], pair)):
        if parts[a] != parts[b]:
            parts.union(a, b)
            added.add((a, b))
    return added
