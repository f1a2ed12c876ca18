"""Data-centre networks, with several paths between hosts over which flows are spread."""

from dataclasses import dataclass
from typing import Any

from penstock.network import Network, Node
from penstock.topologies.small import link_both_ways


@dataclass(frozen=True, slots=True)
class FatTree:
    """The hosts and switches of a fat tree; see :func:`fat_tree`."""

    hosts: Node
    edges: Node
    aggregation: tuple[Node, ...]
    cores: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class LeafSpine:
    """The hosts and switches of :func:`leaf_spine`."""

    hosts: Node
    leaves: Node
    spines: Node


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
    """Adds a fat tree of switches with equal numbers of ports [AlFares08 s3].

    With k ports there are k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches and k^3/4 hosts: 1,024
    hosts and 320 switches for k = 16. Host i is at edge switch i mod k^2/2, which is in pod i mod k, so that hosts with
    consecutive numbers are in different pods. Aggregation switch a of each pod is linked to the k/2 core switches of
    group a. All links go both ways. Flows between pods are spread over (k/2)^2 paths of equal length: the network's
    `routing` becomes ``"ecmp"``.

    Parameters
    ----------
    ports : int
        Ports per switch (k), an even number from 2 to 64.
    rate : str, bit/s
        Rate of the links between switches.
    delay : str or (str, str), s
        Propagation delay of the links between switches; each link draws its own from a pair, once per run.
    host_rate, host_delay : optional
        The same for the links of hosts; by default as between switches.
    **port
        Properties of all ports, including the hosts', as for :meth:`penstock.network.Network.link`.

    Returns
    -------
    FatTree
        ``hosts`` and ``edges`` are groups, ``aggregation`` has a group per aggregation switch number (one member per
        pod), and ``cores`` the groups of core switches.

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


def leaf_spine(
    net: Network,
    leaves: int,
    spines: int,
    hosts: int,
    *,
    rate: str,
    delay: str | tuple[str, str],
    host_rate: str | None = None,
    host_delay: str | tuple[str, str] | None = None,
    **port: Any,
) -> LeafSpine:
    """Adds two layers of switches: each leaf is linked to every spine, and has hosts of its own.

    Host i is at leaf i mod `leaves`, so that hosts with consecutive numbers are at different leaves. All links go both
    ways. Flows between leaves are spread over as many paths of equal length as there are spines: the network's
    `routing` becomes ``"ecmp"``. The oversubscription of a leaf is the total rate of its hosts over that of its links
    to spines: 4 to 1 with 16 hosts and 4 spines at one rate.

    Parameters
    ----------
    leaves, spines : int
        Number of switches of each layer.
    hosts : int
        Number of hosts per leaf.
    rate : str, bit/s
        Rate of the links between leaves and spines.
    delay : str or (str, str), s
        Propagation delay of these links; each link draws its own from a pair, once per run.
    host_rate, host_delay : optional
        The same for the links of hosts; by default as between switches.
    **port
        Properties of all ports, including the hosts', as for :meth:`penstock.network.Network.link`.

    Examples
    --------
    >>> from penstock import Network
    >>> net = Network()
    >>> fabric = leaf_spine(net, 4, 2, 8, rate="40 Gbit/s", delay="1 us", host_rate="10 Gbit/s")
    >>> len(fabric.hosts), len(fabric.leaves), len(fabric.spines), net.routing
    (32, 4, 2, 'ecmp')
    """
    for what, count in {"leaves": leaves, "spines": spines, "hosts at each leaf": hosts}.items():
        if count < 1:
            raise ValueError(f"a leaf-spine network has at least one of its {what}, not {count}")
    fabric = LeafSpine(net.nodes("host", leaves * hosts), net.nodes("leaf", leaves), net.nodes("spine", spines))
    link_both_ways(net, fabric.hosts, fabric.leaves, rate=host_rate or rate, delay=host_delay or delay, **port)
    for spine in range(spines):
        link_both_ways(net, fabric.leaves, fabric.spines[spine], rate=rate, delay=delay, **port)
    net.routing = "ecmp"
    return fabric
