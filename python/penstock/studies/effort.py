"""Estimated work of a run, so that long ones start first; only order and ratios matter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.studies.quantity import read_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

_HOPS = 3
"""Assumed number of links per packet of a source with a rate; its route is not known here."""


def effort(canonical: str) -> float:
    """Returns the bits that a scenario may send over its links: offered rates, or link capacities for greedy sources.

    Examples
    --------
    >>> link = '{"from": "a", "to": "b", "rate": "2 Mbit/s"}'
    >>> effort('{"duration": "10 s", "links": [%s], "flows": [{"source": {"ftp": {}}}]}' % link)
    20000000.0
    """
    page = json.loads(canonical)
    if not isinstance(page, dict):
        return 0.0
    offered, greedy = 0.0, not page.get("flows")
    for flow in page.get("flows", ()):
        source = flow.get("source")
        rates = (
            [_amount(each.get("rate")) for each in source.values() if isinstance(each, dict)]
            if isinstance(source, dict)
            else []
        )
        members = flow.get("count") or _members(page, flow.get("from"))
        if any(rates):
            offered += _HOPS * sum(rates) * (members if isinstance(members, int) else 1)
        else:
            greedy = True
    if greedy:
        for link in page.get("links", ()):
            members = max(_members(page, link.get("from")), _members(page, link.get("to")))
            offered += _amount(link.get("rate")) * members
    return offered * _amount(page.get("duration"))


def _members(page: Mapping[str, Any], group: object) -> int:
    if isinstance(group, list):
        return sum(_members(page, each) for each in group)
    node = page.get("nodes", {}).get(group) if isinstance(group, str) else None
    count = node.get("count", 1) if isinstance(node, dict) else 1
    return count if isinstance(count, int) else 1


def _amount(text: object) -> float:
    quantity = read_quantity(text) if isinstance(text, str) else None
    return float(quantity.value) if quantity is not None else 0.0
