"""Networks with few bottlenecks."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from penstock.network import Network, Node


def link_both_ways(net: Network, a: Node, b: Node, **link: Any) -> None:
    """Links two nodes or groups both ways, with equal ports; for plain ports, one entry with ``both-ways`` will do."""
    if link.keys() <= {"rate", "delay", "weight"}:
        net.link(a, b, both_ways=True, **link)
    else:
        net.link(a, b, **link)
        net.link(b, a, **link)


UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class Path:
    """The ends of some traffic, and the names of the bottlenecks between them."""

    start: Node
    end: Node
    crosses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dumbbell:
    """The ends and the routers of :func:`dumbbell`."""

    hosts: Node
    sinks: Node
    routers: tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class Star:
    """The hosts and the switch of :func:`star`."""

    hosts: Node
    hub: Node


def single_link(net: Network, **bottleneck: Any) -> Path:
    """Adds one link, from ``a`` to ``b``.

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
    net: Network, ingresses: int, *, access_delay: str | tuple[str, str], impairments: Any = (), **bottleneck: Any
) -> Path:
    """Adds ingresses in front of one bottleneck, from ``d`` to ``f``.

    Parameters
    ----------
    ingresses : int
        Number of ingresses, the members of the group ``ingress``.
    access_delay : str or (str, str), s
        Propagation delay from each ingress to the bottleneck; each draws its own from a pair, once per run.
    impairments : sequence of Component
        Impairments of the links of the ingresses.
    **bottleneck
        As for :meth:`penstock.network.Network.link`.
    """
    edge, middle, end = net.nodes("ingress", ingresses), net.node("d"), net.node("f")
    net.link(edge, middle, rate=UNLIMITED, delay=access_delay, impairments=impairments)
    net.link(middle, end, **bottleneck)
    return Path(edge, end, ("d-f",))


def parking_lot(
    net: Network, bottlenecks: int, *, delay: str, both_ways: bool = False, **bottleneck: Any
) -> tuple[Path, ...]:
    """Adds bottlenecks in a row: one long path crosses all of them, a short path crosses each.

    Parameters
    ----------
    bottlenecks : int
        Number of bottlenecks, 1 to 12.
    delay : str, s
        Propagation delay of every link, including those to and from the ends of short paths.
    both_ways : bool
        Adds the ways back with plain queues, which acknowledgements need.
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
        net.link(start, end, delay=delay, both_ways=both_ways, **bottleneck)
    for start, end in zip(lower[:-1], upper[:-1], strict=True):
        net.link(start, end, rate=UNLIMITED, delay=delay, both_ways=both_ways)
    # Both ways, the lower nodes between have their links by now.
    for start, end in list(zip(upper[1:], lower[1:], strict=True))[-1 if both_ways else 0 :]:
        net.link(start, end, rate=UNLIMITED, delay=delay, both_ways=both_ways)
    short = (Path(start, end, (name,)) for (start, end), name in zip(pairwise(lower), names, strict=True))
    return (Path(upper[0], upper[-1], names), *short)


def dumbbell(
    net: Network,
    pairs: int,
    *,
    rate: str,
    delay: str | tuple[str, str],
    access_rate: str = UNLIMITED,
    access_delay: str | tuple[str, str] = "1 us",
    **bottleneck: Any,
) -> Dumbbell:
    """Adds hosts and sinks at the two ends of one bottleneck, from ``r1`` to ``r2``; all links go both ways.

    Parameters
    ----------
    pairs : int
        Number of hosts, and of sinks.
    rate, delay
        Rate and delay of the bottleneck, both ways.
    access_rate : str, bit/s
        Rate of the links of hosts and sinks.
    access_delay : str or (str, str), s
        Their propagation delay; each link draws its own from a pair, once per run.
    **bottleneck
        Properties of the bottleneck's ports, both ways, as for :meth:`penstock.network.Network.link`.

    Examples
    --------
    >>> from penstock import Ftp, Network, Tcp
    >>> net = Network()
    >>> ends = dumbbell(net, 10, rate="10 Mbit/s", delay="20 ms", access_delay=("1 ms", "10 ms"))
    >>> net.flows("bulk", ends.hosts, ends.sinks, transport=Tcp(), source=Ftp())
    """
    if pairs < 1:
        raise ValueError(f"a dumbbell has at least one pair of hosts and sinks, not {pairs}")
    hosts, r1, r2, sinks = net.nodes("hosts", pairs), net.node("r1"), net.node("r2"), net.nodes("sinks", pairs)
    link_both_ways(net, hosts, r1, rate=access_rate, delay=access_delay)
    link_both_ways(net, r1, r2, rate=rate, delay=delay, **bottleneck)
    link_both_ways(net, r2, sinks, rate=access_rate, delay=access_delay)
    return Dumbbell(hosts, sinks, (r1, r2))


def star(net: Network, hosts: int, *, rate: str, delay: str | tuple[str, str], **port: Any) -> Star:
    """Adds hosts around one switch, ``hub``; all links go both ways.

    Parameters
    ----------
    hosts : int
        Number of hosts, the members of the group ``host``.
    rate, delay
        Rate and delay of every link; each link draws its own from a pair of delays, once per run.
    **port
        Properties of all ports, as for :meth:`penstock.network.Network.link`.

    Examples
    --------
    >>> from penstock import Network
    >>> len(star(Network(), 8, rate="1 Gbit/s", delay="10 us").hosts)
    8
    """
    if hosts < 1:
        raise ValueError(f"a star has at least one host, not {hosts}")
    made = Star(net.nodes("host", hosts), net.node("hub"))
    link_both_ways(net, made.hosts, made.hub, rate=rate, delay=delay, **port)
    return made
