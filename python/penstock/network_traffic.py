"""Traffic of a network that is built in Python: flows, finite transfers and calls."""

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.arguments import Node, copied, entries, name_of, named, one_or_uniform, part, plain, word
from penstock.component import Component

_TABLES = ("links", "circuits", "flows", "transfers", "calls", "measure", "trace", "series")
"""The lists of tables of a scenario, in the order of its text."""


class NetworkTraffic:
    """The part of a :class:`~penstock.network.Network` that describes its traffic."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._tables: dict[str, list[dict[str, Any]]] = {name: [] for name in _TABLES}

    def _node(self, where: str, node: Node | str | None) -> str | None:
        """The name of an existing node, group, or members of one; None for none."""
        if node is None:
            return None
        name = name_of(node)
        word(where, name.partition("[")[0], self._nodes, "node")
        return name

    def _route(self, where: str, nodes: Sequence[Node | str] | None) -> list[str | None] | None:
        return None if nodes is None else [self._node(where, node) for node in nodes]

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
        """Adds a group of equal flows; flow i runs from the i-th origin to the i-th destination (cyclic).

        Parameters
        ----------
        name : str
            Name of the group in results.
        origin, destination : Node or str, optional
            Ends of the flows; not with `matrix`.
        source : Component
            What the application sends.
        matrix : str or sequence of sequence of str or float, optional
            A flow from each node to each other. Rows, with nodes in the first row and column, or a CSV or Parquet file
            of them, relative to the current folder. An entry is a rate with its unit, or a multiple of that of
            `source`.
        transport : Component, optional
            Transport protocol; UDP by default.
        count : int, optional
            Number of flows; the size of the larger group by default.
        traffic_class : str, optional
            Class for schedulers.
        precedence : int, optional
            Initial drop precedence of packets.
        start : str or (str, str), s, optional
            Start time; each flow draws its own between the two of a pair.
        stop : str, s, optional
            Time at which sources stop.
        route, route_back : sequence of Node or str, optional
            Nodes of the route there and back, including both ends; the route of minimum weight by default.
        **more
            Other keys of the table, with underscores for hyphens.
        """
        given = {
            "from": self._node("Network.flows: origin", origin),
            "to": self._node("Network.flows: destination", destination),
            "matrix": matrix if matrix is None or isinstance(matrix, str) else [list(row) for row in matrix],
            "count": count,
            "class": traffic_class,
            "precedence": precedence,
            "start": None if start is None else one_or_uniform(start),
            "stop": stop,
            "route": self._route("Network.flows: route", route),
            "route-back": self._route("Network.flows: route_back", route_back),
        }
        self._add_traffic("flows", name, given, {"source": source, "transport": transport}, more)

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
        """Adds finite transfers that arrive over time, each between two different nodes.

        `name`, `traffic_class`, `precedence` and `more` are as for :meth:`flows`.

        Parameters
        ----------
        origin, destination : Node or str, optional
            Nodes from which each transfer draws its ends; not with `file`.
        file : str, optional
            CSV or Parquet file that lists all of them, with columns ``start``, ``from``, ``to``, ``bytes`` and
            ``class``; relative to the current folder.
        size : str or mapping, bytes, optional
            Size of each: ``"10 kB"``, or a law such as ``{"distribution": "web-search"}``.
        count : int, optional
            Maximum number of transfers.
        interval : str, s, optional
            Mean interarrival time of a Poisson process, over all nodes.
        load : str, bit/s, optional
            Mean rate of bits without headers, instead of `interval`.
        at : sequence of str, s, optional
            Arrival times, instead of `interval` or `load`.
        transport : Component, optional
            Transport protocol; TCP with its defaults if left out.
        start : str, s, optional
            Added to all times.
        """
        given = {
            "file": file,
            "from": self._node("Network.transfers: origin", origin),
            "to": self._node("Network.transfers: destination", destination),
            "size": size,
            "count": count,
            "interval": interval,
            "load": load,
            "at": None if at is None else list(at),
            "class": traffic_class,
            "precedence": precedence,
            "start": start,
        }
        self._add_traffic("transfers", name, given, {"transport": transport}, more)

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
        """Adds a group of equal aggregates of calls; aggregate i runs from the i-th origin to the i-th destination.

        `name`, `traffic_class`, `precedence`, `route` and `more` are as for :meth:`flows`.

        Parameters
        ----------
        origin, destination : Node or str
            Ingress and egress of calls.
        source : Component
            What each call sends.
        arrivals : Component, optional
            Arrival process of calls; none by default.
        holding : Component, optional
            Duration of calls; without it, all calls last to the end, and there must be initial calls.
        initial : int or sequence of int, optional
            Number of calls of each aggregate at the start, without admission; a sequence has one number per aggregate.
        spread : str, s, optional
            Interval after the start in which initial calls begin.
        admission : Component, optional
            Admission control; admits all calls by default.
        termination : Component, optional
            Flow termination; none by default.
        processing : str, s, optional
            Added to the propagation delay of every signal between ingress and egress.
        request_packet : str, bytes, optional
            Size of a packet that carries each request through the queues; requests bypass them by default.
        count : int, optional
            Number of aggregates; the size of the larger group by default.
        start : str or (str, str), s, optional
            Start time; each aggregate draws its own between the two of a pair.
        stop : str, s, optional
            Time at which calls stop sending and arriving.
        """
        given = {
            "from": self._node("Network.calls: origin", origin),
            "to": self._node("Network.calls: destination", destination),
            "count": count,
            "class": traffic_class,
            "precedence": precedence,
            "start": None if start is None else one_or_uniform(start),
            "stop": stop,
            "route": self._route("Network.calls: route", route),
            "initial.calls": initial if initial is None or isinstance(initial, int) else list(initial),
            "initial.spread": spread,
            "signalling.processing": processing,
            "signalling.packet": request_packet,
        }
        parts = {"source": source, "arrivals": arrivals, "holding": holding}
        parts |= {"admission": admission, "termination": termination}
        self._add_traffic("calls", name, given, parts, more)

    def _add_traffic(
        self,
        what: str,
        name: str,
        given: Mapping[str, Any],
        parts: Mapping[str, Component | None],
        more: Mapping[str, Any],
    ) -> None:
        entries(f"Network.{what}", {**parts, **more}, f"{what}[]")
        entry: dict[str, Any] = {"name": name} | {key: item for key, item in given.items() if item is not None}
        for key, each in parts.items():
            entry |= part(key, each)
        self._tables[what].append(copied(entry) | plain(more))
