"""Builds the text of a scenario in Python, so a network means exactly what the same TOML means."""

from collections.abc import Mapping, Sequence
from typing import Any

from penstock import toml
from penstock.arguments import (
    Node,
    classes_of,
    component,
    copied,
    entries,
    joined,
    keys,
    name_of,
    named,
    one_or_uniform,
    part,
    plain,
    table_of,
    word,
)
from penstock.component import Component, kebab
from penstock.errors import ArgumentError
from penstock.network_traffic import NetworkTraffic
from penstock.printable import quoted
from penstock.reference import catalogue

__all__ = ["Network", "Node"]


class Network(NetworkTraffic):
    """A network with its traffic and measurements.

    Attributes
    ----------
    routing : str, optional
        Route of a flow among several of minimum weight: ``"first"`` or ``"ecmp"``.
    use : str, optional
        Python file with components of your own; :func:`penstock.own.load` makes their classes.

    Examples
    --------
    >>> net = Network()
    >>> hosts, sink = net.nodes("hosts", 2), net.node("sink")
    >>> net.link(hosts, sink, rate="10 Mbit/s", delay="1 ms")
    >>> print(net.toml(duration="1 s"))
    duration = "1 s"
    <BLANKLINE>
    [nodes]
    hosts = { count = 2 }
    sink = {}
    <BLANKLINE>
    [[links]]
    from = "hosts"
    to = "sink"
    rate = "10 Mbit/s"
    delay = "1 ms"
    <BLANKLINE>
    """

    routing: str | None = None
    use: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self._shared: dict[str, dict[str, Any]] = {}

    def __repr__(self) -> str:
        """Returns the number of nodes, links, flows and calls."""
        parts = {"nodes": self._nodes, **{name: self._tables[name] for name in ("links", "flows", "calls")}}
        told = ", ".join(f"{name} {len(found)}" for name, found in parts.items() if found)
        return f"<Network: {told or 'empty'}>"

    def _repr_html_(self) -> str:
        from penstock.drawing import network_svg

        return network_svg(list(self._nodes.values()), self._tables["links"])

    @named()
    def node(
        self,
        name: str,
        *,
        buffer: Component | None = None,
        pause: Mapping[str, Any] | None = None,
        source_quench: Mapping[str, Any] | None = None,
        congestion_point: Component | None = None,
        reaction_point: Component | None = None,
        latency: str | None = None,
        cell_switch: bool = False,
    ) -> Node:
        """Adds a node.

        Parameters
        ----------
        name : str
            Its name.
        buffer : Component, optional
            How its ports share a buffer, such as ``DynamicThreshold(size="1 MB")``.
        pause : mapping, optional
            When it pauses and resumes the ports that send to it, such as ``{"xoff": "100 kB", "xon": "50 kB"}``; with
            ``"classes": ["storage"]`` it pauses only these classes, each separately.
        source_quench : mapping, optional
            How it tells sources of drops, such as ``{"interval": "10 ms"}``.
        congestion_point : Component, optional
            How its ports tell sources of their queues, such as ``BcnCongestionPoint()``.
        reaction_point : Component, optional
            Rate limiters for what it sends, such as ``BcnReactionPoint()``.
        latency : str, s, optional
            Time of a packet in a switch before it is queued, such as ``"1 us"``.
        cell_switch : bool
            Forwards ATM cells as they arrive; other nodes with cell links segment and reassemble packets.
        """
        parts = {"buffer": buffer, "congestion-point": congestion_point, "reaction-point": reaction_point}
        return self._add(Node(name), parts, {"pause": pause, "source-quench": source_quench}, latency, cell_switch)

    @named()
    def nodes(
        self,
        name: str,
        count: int,
        *,
        buffer: Component | None = None,
        pause: Mapping[str, Any] | None = None,
        source_quench: Mapping[str, Any] | None = None,
        congestion_point: Component | None = None,
        reaction_point: Component | None = None,
        latency: str | None = None,
        cell_switch: bool = False,
    ) -> Node:
        """Adds a group of `count` equal nodes; the other arguments apply to each, as in :meth:`node`."""
        parts = {"buffer": buffer, "congestion-point": congestion_point, "reaction-point": reaction_point}
        tables = {"pause": pause, "source-quench": source_quench}
        return self._add(Node(name, count), parts, tables, latency, cell_switch)

    @named("links[]")
    def link(
        self,
        origin: Node | str | Sequence[Node | str],
        destination: Node | str | Sequence[Node | str],
        *,
        rate: str,
        delay: str | tuple[str, str],
        name: str | None = None,
        weight: float | None = None,
        both_ways: bool = False,
        back: Mapping[str, Any] | None = None,
        queue: Component | None = None,
        queues: Mapping[str, Component] | None = None,
        scheduler: Component | None = None,
        classes: Mapping[str, Mapping[str, Any]] | None = None,
        policer: Component | None = None,
        shaper: Component | None = None,
        marker: Component | None = None,
        marker_at: str | None = None,
        pcn: Sequence[Component] = (),
        pcn_at: str | None = None,
        impairments: Sequence[Component] = (),
        **more: Any,
    ) -> None:
        """Adds one-way links; between a group and a node there is one for each member.

        Parameters
        ----------
        origin, destination : Node, str or sequence of them
            Ends of the links; nodes that exist. A sequence is like one group, and needs a ``name``.
        rate : str, bit/s
            Such as ``"10 Mbit/s"``; ``"unlimited"`` for access links that must not matter.
        delay : str or (str, str), s
            Propagation delay, such as ``"1 ms"``; each link draws its own between the two of a pair, once per run.
        name : str, optional
            ``origin-destination`` by default.
        weight : float, optional
            Weight for routing, 1 by default; flows use routes of minimum weight.
        both_ways : bool
            Adds the way back, with the same rate, weight and delay and plain queues.
        back : mapping, optional
            Differences of the way back, such as ``{"rate": "1 Mbit/s", "queue": TailDrop()}``. Keys as in ``back``
            of a scenario, with underscores for hyphens; ``classes`` are the classes of its scheduler.
        queue : Component, optional
            Discipline of the only queue, or of classes without their own.
        queues : mapping of str to Component, optional
            Discipline of each traffic class.
        scheduler : Component, optional
            Chooses the queue that sends next.
        classes : mapping of str to mapping, optional
            Settings of each class, such as ``{"voice": {"weight": 3, "queue": TailDrop()}}``. Keys as in
            ``class.NAME`` of a scenario, with underscores for hyphens; a class with a scheduler of its
            own has ``classes``.
        policer : Component, optional
            Drops what exceeds a profile, before anything else.
        shaper : Component, optional
            Delays packets until they conform to a profile.
        marker : Component, optional
            A meter that colours packets.
        marker_at : str, optional
            When it meters them: ``"arrival"`` or ``"departure"``.
        pcn : sequence of Component
            PCN meters, in order.
        pcn_at : str, optional
            Which packets they meter: ``"accepted"``, ``"offered"`` or ``"departure"``.
        impairments : sequence of Component
            Impairments of the wire.
        **more
            Other keys of a link, with underscores for hyphens.
        """
        one = {"queue": queue, "scheduler": scheduler, "policer": policer, "shaper": shaper, "marker": marker}
        entries("Network.link", one | more, "links[]")
        for place, kind, several in (
            *((f"queues[{quoted(name)}]", "discipline", [each]) for name, each in (queues or {}).items()),
            ("pcn", "pcn-meter", pcn),
            ("impairments", "impairment", impairments),
        ):
            for each in several:
                component(f"Network.link: {place}", each, kind, "links[]")
        plain_queues = {f"class.{toml.key(name)}.queue": each for name, each in (queues or {}).items()}
        entry = joined(
            "Network.link",
            {
                "from": self._ends("Network.link: origin", origin),
                "to": self._ends("Network.link: destination", destination),
                "rate": rate,
                "delay": one_or_uniform(delay),
                "name": name,
                "weight": weight,
                "both-ways": both_ways or None,
            },
            table_of("back", "back", back or {}, "links[].back"),
            part("queue", queue) | part("scheduler", scheduler) | part("marker", marker),
            part("policer", policer) | part("shaper", shaper) | {"marker.at": marker_at},
            *(part(path, discipline) for path, discipline in plain_queues.items()),
            classes_of("", classes or {}),
            *(part("pcn", meter) for meter in pcn),
            {"pcn-at": pcn_at},
            *(part("impairment", impairment) for impairment in impairments),
            plain(more),
        )
        self._tables["links"].append(copied({key: item for key, item in entry.items() if item is not None}))

    def _ends(self, where: str, nodes: Node | str | Sequence[Node | str]) -> str | list[str | None] | None:
        if isinstance(nodes, Node | str):
            return self._node(where, nodes)
        return [self._node(where, node) for node in nodes]

    @named("circuits[]")
    def circuit(self, name: str, flows: str | Sequence[str], **more: Any) -> None:
        """Adds a virtual circuit of cell links that flows share, or that has a guarantee.

        Parameters
        ----------
        name : str
            Its name, for parameters that are set per circuit.
        flows : str or sequence of str
            The groups of flows that it carries.
        **more
            Other keys of a circuit, with underscores for hyphens: ``mcr`` (minimum cell rate, such as ``"12
            kcells/s"``) and ``max_frame`` (of a packet, such as ``"9180 bytes"``).
        """
        carried = flows if isinstance(flows, str) else list(flows)
        self._tables["circuits"].append({"name": name, "flows": carried} | plain(more))

    @named("measure[]")
    def measure(self, metric: str, **options: Any) -> None:
        """Measures a metric; `options` are its keys, such as ``of="voice"``, with underscores for hyphens."""
        word("Network.measure", metric, [each["name"] for each in catalogue()["metrics"]], "metric")
        self._tables["measure"].append({"metric": metric} | plain(options))

    @named("trace[]")
    def trace(self, **options: Any) -> None:
        """Selects events of a trace by ``at``, ``flows``, ``events``, ``start`` and ``stop``; several calls add up."""
        self._tables["trace"].append(plain(options))

    @named("series[]")
    def series(self, **options: Any) -> None:
        """Selects time series by ``of``, ``what``, ``sum``, ``every``, ``on``, ``start`` and ``stop``."""
        self._tables["series"].append(plain(options))

    @named("")
    def toml(self, **top: Any) -> str:
        """Returns the scenario's text, with top-level keys such as ``duration`` and ``warm_up``; None omits one."""
        nodes = {
            toml.key(node.name): ({} if node.count is None else {"count": node.count}) | self._shared[node.name]
            for node in self._nodes.values()
        }
        blocks = [
            toml.lines(plain(top | {"routing": top.get("routing", self.routing), "use": top.get("use", self.use)})),
            ["[nodes]", *toml.lines(nodes)],
        ]
        for header, tables in self._tables.items():
            blocks += [[f"[[{header}]]", *toml.lines(table)] for table in tables]
        return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"

    def _add(
        self,
        node: Node,
        parts: Mapping[str, Component | None],
        tables: Mapping[str, Mapping[str, Any] | None],
        latency: str | None,
        cell_switch: bool,
    ) -> Node:
        if name_of(node) in self._nodes:
            raise ArgumentError(f"Network: there is a node called {quoted(node.name)} already; use another name.")
        shared: dict[str, Any] = {}
        for kind, each in parts.items():
            if each is not None:
                component(f"Network.node{'s' * (node.count is not None)}: {kind.replace('-', '_')}", each, kind)
                shared[kind] = {each.KEY: each.table()}
        shared |= {"latency": latency, "cell-switch": cell_switch or None}
        for name, table in tables.items():
            keys(f"Network.node: {name.replace('-', '_')}", table or {}, f"nodes.NAME.{name}")
            shared[name] = None if table is None else {kebab(key): value for key, value in table.items()}
        self._nodes[node.name] = node
        self._shared[node.name] = copied({key: item for key, item in shared.items() if item is not None})
        return node
