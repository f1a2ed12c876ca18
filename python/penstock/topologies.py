"""Networks that studies of traffic management are often set in, on top of :class:`~penstock.network.Network`.

Each function adds nodes and links to a network and returns where traffic begins and ends. What the bottlenecks are
like (rate, delay, queue, meters) is given as for :meth:`penstock.network.Network.link`; all other links are too fast to
matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.network import Network, Node

__all__ = ["FatTree", "Path", "fan_in", "fat_tree", "parking_lot", "single_link"]

UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class Path:
    """Where some traffic begins and ends, and the names of the bottlenecks between."""

    start: Node
    end: Node
    crosses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FatTree:
    """The hosts and switches of a fat tree; see :func:`fat_tree`."""

    hosts: Node
    edges: Node
    aggregation: tuple[Node, ...]
    cores: tuple[Node, ...]


def single_link(net: Network, **bottleneck: Any) -> Path:
    """One link, from ``a`` to ``b``.

    Examples
    --------
    >>> from penstock import Network
    >>> single_link(Network(), rate="10 Mbit/s", delay="1 ms").crosses
    ('a-b',)
    """
    start, end = net.node("a"), net.node("b")
    net.link(start, end, **bottleneck)
    return Path(start, end, ("a-b",))


def fan_in(
    net: Network,
    ingresses: int,
    *,
    access_delay: str | tuple[str, str],
    impairments: Any = (),
    **bottleneck: Any,
) -> Path:
    """Many ingresses before one bottleneck, from ``d`` to ``f``.

    Parameters
    ----------
    net : Network
        What it is added to.
    ingresses : int
        How many there are; they are the members of the group ``ingress``.
    access_delay : str or (str, str), s
        Propagation delay from each ingress to the bottleneck; of a pair, each draws its own, once per run.
    impairments : sequence of Component
        What the wires between do to packets.
    **bottleneck
        As for :meth:`penstock.network.Network.link`.
    """
    edge, middle, end = net.nodes("ingress", ingresses), net.node("d"), net.node("f")
    net.link(edge, middle, rate=UNLIMITED, delay=access_delay, impairments=impairments)
    net.link(middle, end, **bottleneck)
    return Path(edge, end, ("d-f",))


def parking_lot(net: Network, bottlenecks: int, *, delay: str, **bottleneck: Any) -> tuple[Path, ...]:
    """Bottlenecks in a row: one long path crosses them all, and each is crossed by a short path of its own.

    Parameters
    ----------
    net : Network
        What it is added to.
    bottlenecks : int
        How many, 1 to 12.
    delay : str, s
        Propagation delay of every link, those to and from the ends of short paths too.
    **bottleneck
        As for :meth:`penstock.network.Network.link`.

    Returns
    -------
    tuple of Path
        The long path, then the short ones in the order of the bottlenecks.

    Examples
    --------
    >>> from penstock import Network
    >>> [path.crosses for path in parking_lot(Network(), 2, delay="1 ms", rate="10 Mbit/s")]
    [('a-b', 'b-c'), ('a-b',), ('b-c',)]
    """
    if not 1 <= bottlenecks <= 12:
        raise ValueError(f"a parking lot has 1 to 12 bottlenecks, not {bottlenecks}")
    letters = "abcdefghijklmnopqrstuvwxyz"[: 2 * bottlenecks + 2]
    upper = [net.node(letter) for letter in letters[: bottlenecks + 1]]
    lower = [net.node(letter) for letter in letters[bottlenecks + 1 :]]
    names = tuple(f"{start.name}-{end.name}" for start, end in pairwise(upper))
    for start, end in pairwise(upper):
        net.link(start, end, delay=delay, **bottleneck)
    for start, end in zip(lower[:-1], upper[:-1], strict=True):
        net.link(start, end, rate=UNLIMITED, delay=delay)
    for start, end in zip(upper[1:], lower[1:], strict=True):
        net.link(start, end, rate=UNLIMITED, delay=delay)
    short = (Path(start, end, (name,)) for (start, end), name in zip(pairwise(lower), names, strict=True))
    return (Path(upper[0], upper[-1], names), *short)


def fat_tree(
    net: Network,
    ports: int,
    *,
    rate: str,
    delay: str | tuple[str, str],
    host_rate: str | None = None,
    host_delay: str | tuple[str, str] | None = None,
    **port: Any,
) -> FatTree:
    """A fat tree of switches with equally many ports [AlFares08 s3].

    With k ports there are k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches and k^3/4 hosts: 1,024
    hosts and 320 switches for 16. Host i is at the edge switch i mod k^2/2, which is in the pod i mod k, so that
    neighbours in number are in different pods. Aggregation switch number a of each pod is linked to the k/2 core
    switches of group a. All links go both ways. Flows between pods have (k/2)^2 ways of equal length, over which they
    are spread: the network's `routing` becomes ``"ecmp"``.

    Parameters
    ----------
    net : Network
        What it is added to.
    ports : int
        Ports of a switch (k), an even number from 2 to 64.
    rate : str, bit/s
        Rate of the links between switches.
    delay : str or (str, str), s
        Propagation delay of the links between switches; of a pair, each draws its own, once per run.
    host_rate, host_delay : optional
        The same for the links of hosts; as between switches if left out.
    **port
        What all ports are like, those of hosts too, as for :meth:`penstock.network.Network.link`.

    Returns
    -------
    FatTree
        ``hosts`` and ``edges`` are groups, ``aggregation`` holds the group of each number (one member for each pod),
        and ``cores`` the groups of core switches.

    Examples
    --------
    >>> from penstock import Cbr, Network
    >>> net = Network()
    >>> tree = fat_tree(net, 4, rate="10 Gbit/s", delay="1 us")
    >>> len(tree.hosts), len(tree.edges), len(tree.aggregation) * len(tree.aggregation[0])
    (16, 8, 8)
    >>> net.flows("next", tree.hosts, tree.hosts, shift=1, source=Cbr(rate="1 Gbit/s", packet="1500 bytes"))
    """
    if not (2 <= ports <= 64 and ports % 2 == 0):
        raise ValueError(f"the switches of a fat tree have an even number of ports from 2 to 64, not {ports}")
    half = ports // 2
    hosts, edges = net.nodes("host", ports * half * half), net.nodes("edge", ports * half)
    aggregation = tuple(net.nodes(f"aggregation{a}", ports) for a in range(half))
    cores = tuple(net.nodes(f"core{a}", half) for a in range(half))

    def both_ways(a: Node, b: Node, rate: str, delay: str | tuple[str, str]) -> None:
        net.link(a, b, rate=rate, delay=delay, **port)
        net.link(b, a, rate=rate, delay=delay, **port)

    both_ways(hosts, edges, host_rate or rate, host_delay or delay)
    for middle, tops in zip(aggregation, cores, strict=True):
        both_ways(edges, middle, rate, delay)
        for c in range(half):
            both_ways(middle, tops[c], rate, delay)
    net.routing = "ecmp"
    return FatTree(hosts, edges, aggregation, cores)
