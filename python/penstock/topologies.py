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

__all__ = ["Path", "fan_in", "parking_lot", "single_link"]

UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class Path:
    """Where some traffic begins and ends, and the names of the bottlenecks between."""

    start: Node
    end: Node
    crosses: tuple[str, ...]


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
