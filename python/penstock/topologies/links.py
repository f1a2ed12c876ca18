"""Links that go both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.network import Network, Node

__all__ = ["link_both_ways"]


def link_both_ways(net: Network, a: Node, b: Node, **link: Any) -> None:
    """Links two nodes or groups both ways, with like ports.

    One entry of the page does where ports are plain, since ``both-ways`` gives the way back a plain queue.
    """
    if link.keys() <= {"rate", "delay", "weight"}:
        net.link(a, b, both_ways=True, **link)
    else:
        net.link(a, b, **link)
        net.link(b, a, **link)
