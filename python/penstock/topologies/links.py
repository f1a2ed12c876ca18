"""Links in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.network import Network, Node


def link_both_ways(net: Network, a: Node, b: Node, **link: Any) -> None:
    """Links two nodes or groups both ways, with equal ports.

    Plain ports need one entry of the scenario, since ``both-ways`` gives the way back a plain queue.
    """
    if link.keys() <= {"rate", "delay", "weight"}:
        net.link(a, b, both_ways=True, **link)
    else:
        net.link(a, b, **link)
        net.link(b, a, **link)
