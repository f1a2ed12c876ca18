"""The traffic of a network that is built in Python: flows, finite transfers and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.arguments import entries, named, word
from penstock.entry import name_of, one_or_uniform, part, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.component import Component
    from penstock.entry import Node

__all__ = ["NetworkTraffic"]


class NetworkTraffic:
    """The part of a :class:`~penstock.network.Network` that says what is sent."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._flows: list[dict[str, Any]] = []
        self._transfers: list[dict[str, Any]] = []
        self._calls: list[dict[str, Any]] = []

    def _node(self, where: str, node: Node | str) -> str:
        """The name of a node, a group or members of one, which must be there by now."""
        name = name_of(node)
        word(where, name.partition("[")[0], self._nodes, "node")
        return name

    @named("flows[]", of="Network")
    def flows(
        self,
        name: str,
        origin: Node | str | None = None,
        destination: Node | str | None = None,
        *,
        source: Component,
        matrix: str | Sequence[Sequence[str | float]] | None = None,
        transport: Component | None = None,
        count: int | None = None,
        traffic_class: str | None = None,
        precedence: int | None = None,
        start: str | tuple[str, str] | None = None,
        stop: str | None = None,
        route: Sequence[Node | str] | None = None,
        route_back: Sequence[Node | str] | None = None,
        **more: Any,
    ) -> None:
        """Adds a group of like flows; flow i runs from the i-th origin to the i-th destination, each counted round.

        Parameters
        ----------
        name : str
            What they are called in results.
        origin, destination : Node or str, optional
            Where they begin and end; not with `matrix`.
        source : Component
            What the application sends.
        matrix : str or sequence of sequence of str or float, optional
            A flow from each node to each other: a CSV or Parquet file, or rows, with nodes in the first row and
            column. An entry is a rate with its unit, or a multiple of that of `source`; relative to the current folder.
        transport : Component, optional
            How it is carried; UDP if left out.
        count : int, optional
            How many; the size of the larger group if left out.
        traffic_class : str, optional
            The class that schedulers tell apart.
        precedence : int, optional
            The drop precedence that packets begin with.
        start : str or (str, str), s, optional
            When they start; a pair draws each one's start uniformly between the two.
        stop : str, s, optional
            When sources fall silent.
        route, route_back : sequence of Node or str, optional
            The nodes on the way there and back, both ends included; the way of least weight if left out.
        **more
            Other keys of flows, with underscores for hyphens.
        """
        entries("Network.flows", {"source": source, "transport": transport, **more}, "flows[]")
        entry: dict[str, Any] = {"name": name}
        given = {
            "from": None if origin is None else self._node("Network.flows: origin", origin),
            "to": None if destination is None else self._node("Network.flows: destination", destination),
            "matrix": matrix if matrix is None or isinstance(matrix, str) else [list(row) for row in matrix],
            "count": count,
            "class": traffic_class,
            "precedence": precedence,
            "start": None if start is None else one_or_uniform(start),
            "stop": stop,
            "route": None if route is None else [self._node("Network.flows: route", node) for node in route],
            "route-back": None
            if route_back is None
            else [self._node("Network.flows: route_back", node) for node in route_back],
        }
        entry |= {key: item for key, item in given.items() if item is not None}
        entry |= part("source", source) | part("transport", transport)
        self._flows.append(entry | plain(more))

    @named("transfers[]", of="Network")
    def transfers(
        self,
        name: str,
        origin: Node | str | None = None,
        destination: Node | str | None = None,
        *,
        file: str | None = None,
        size: str | Mapping[str, Any] | None = None,
        count: int | None = None,
        interval: str | None = None,
        load: str | None = None,
        at: Sequence[str] | None = None,
        transport: Component | None = None,
        traffic_class: str | None = None,
        precedence: int | None = None,
        start: str | None = None,
        **more: Any,
    ) -> None:
        """Adds finite transfers that arrive by themselves, between two different nodes each.

        Parameters
        ----------
        name : str
            What they are called in results.
        origin, destination : Node or str, optional
            The nodes of which each transfer has one at random; not with `file`.
        file : str, optional
            A CSV or Parquet file that lists them all, with the columns ``start``, ``from``, ``to``, ``bytes`` and
            ``class``; relative to the current folder.
        size : str or mapping, bytes, optional
            How many bytes each has: ``"10 kB"``, or a law such as ``{"distribution": "web-search"}``.
        count : int, optional
            How many, at most; those after the end are left out.
        interval : str, s, optional
            Mean time from one to the next of a Poisson process, of all nodes together.
        load : str, bit/s, optional
            The rate at which they bring bits without headers, instead of `interval`.
        at : sequence of str, s, optional
            When they arrive, instead of `interval` or `load`.
        transport : Component, optional
            How they are carried; TCP with its defaults if left out.
        traffic_class : str, optional
            The class that schedulers tell apart.
        precedence : int, optional
            The drop precedence that packets begin with.
        start : str, s, optional
            Added to all times.
        **more
            Other keys of transfers, with underscores for hyphens.
        """
        entries("Network.transfers", {"transport": transport, **more}, "transfers[]")
        given = {
            "file": file,
            "from": None if origin is None else self._node("Network.transfers: origin", origin),
            "to": None if destination is None else self._node("Network.transfers: destination", destination),
            "size": size,
            "count": count,
            "interval": interval,
            "load": load,
            "at": None if at is None else list(at),
            "class": traffic_class,
            "precedence": precedence,
            "start": start,
        }
        entry: dict[str, Any] = {"name": name} | {key: item for key, item in given.items() if item is not None}
        entry |= part("transport", transport)
        self._transfers.append(entry | plain(more))

    @named("calls[]", of="Network")
    def calls(
        self,
        name: str,
        origin: Node | str,
        destination: Node | str,
        *,
        source: Component,
        arrivals: Component | None = None,
        holding: Component | None = None,
        initial: int | Sequence[int] | None = None,
        spread: str | None = None,
        admission: Component | None = None,
        termination: Component | None = None,
        processing: str | None = None,
        request_packet: str | None = None,
        count: int | None = None,
        traffic_class: str | None = None,
        precedence: int | None = None,
        start: str | tuple[str, str] | None = None,
        stop: str | None = None,
        route: Sequence[Node | str] | None = None,
        **more: Any,
    ) -> None:
        """Adds a group of like aggregates of calls; aggregate i runs from the i-th origin to the i-th destination.

        Parameters
        ----------
        name : str
            What they are called in results.
        origin, destination : Node or str
            Where calls begin (the ingress) and end (the egress).
        source : Component
            What each call sends.
        arrivals : Component, optional
            When calls arrive; none do if left out.
        holding : Component, optional
            How long they last; to the end if left out, which only initial calls may.
        initial : int or sequence of int, optional
            Calls of each aggregate that are there from the start, without asking; a sequence gives each its own number.
        spread : str, s, optional
            Each of them begins within this span after the start.
        admission : Component, optional
            Which calls are admitted; all if left out.
        termination : Component, optional
            Which calls are terminated early; none if left out.
        processing : str, s, optional
            Added to the propagation of every signal between ingress and egress.
        request_packet : str, bytes, optional
            The size of a packet that carries each request through the queues; beside them if left out.
        count : int, optional
            How many aggregates; the size of the larger group if left out.
        traffic_class : str, optional
            The class that schedulers tell apart.
        precedence : int, optional
            The drop precedence that packets begin with.
        start : str or (str, str), s, optional
            When they start; a pair draws each aggregate's start uniformly between the two.
        stop : str, s, optional
            When calls fall silent and no more arrive.
        route : sequence of Node or str, optional
            The nodes on the way, both ends included; the way of least weight if left out.
        **more
            Other keys of calls, with underscores for hyphens.
        """
        given_parts = {"source": source, "arrivals": arrivals, "holding": holding}
        given_parts |= {"admission": admission, "termination": termination}
        entries("Network.calls", given_parts | more, "calls[]")
        entry: dict[str, Any] = {
            "name": name,
            "from": self._node("Network.calls: origin", origin),
            "to": self._node("Network.calls: destination", destination),
        }
        given = {
            "count": count,
            "class": traffic_class,
            "precedence": precedence,
            "start": None if start is None else one_or_uniform(start),
            "stop": stop,
            "route": None if route is None else [self._node("Network.calls: route", node) for node in route],
            "initial.calls": initial if initial is None or isinstance(initial, int) else list(initial),
            "initial.spread": spread,
            "signalling.processing": processing,
            "signalling.packet": request_packet,
        }
        entry |= {key: item for key, item in given.items() if item is not None}
        entry |= part("source", source) | part("arrivals", arrivals) | part("holding", holding)
        entry |= part("admission", admission) | part("termination", termination)
        self._calls.append(entry | plain(more))
