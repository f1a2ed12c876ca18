"""Positions of nodes by the structure of their network: rows of a fabric, chains, rings, trees, and others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

import networkx as nx

from penstock.results import grouped
from penstock.view.network import Network, group_of

Point = tuple[float, float]

_STEP, _HOP, _GAP = 26.0, 150.0, 26.0
"""Between neighbours in a row, between routers in a chain, and between subtrees."""
_MOST_STRESS = 120
"""Nodes up to which the slower and better of two layouts for arbitrary graphs is used."""


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a group; its text is ``left``, ``right``, ``above`` or ``below`` of its point."""

    text: str
    at: Point
    side: str


@dataclass
class Layout:
    """The position of each node by its index, labels of groups, and what kind of structure was found."""

    kind: str = ""
    at: dict[int, Point] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)


def layout_of(network: Network) -> Layout:
    """The layout of a network, in pixels of a drawing at its natural size; equal for equal networks."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(network.nodes)))
    graph.add_edges_from((link.start, link.end) for link in network.links.values() if link.start != link.end)
    parts = []
    for nodes in sorted(nx.connected_components(graph), key=lambda each: (-len(each), min(each))):
        own = nx.Graph()
        own.add_nodes_from(sorted(nodes))
        own.add_edges_from(sorted(tuple(sorted(edge)) for edge in graph.subgraph(nodes).edges))
        parts.append(_Part(own, network).layout())
    return _side_by_side(parts)


def _side_by_side(parts: Sequence[Layout]) -> Layout:
    """Joins the layouts of separate parts, in rows as wide as the widest part or as a square of all."""
    whole = Layout(parts[0].kind if parts else "")
    places = [tuple(zip(*part.at.values(), strict=True)) for part in parts]
    boxes = [(min(xs), min(ys), max(xs), max(ys)) for xs, ys in places]
    space = 3 * _GAP
    area = sum((right - left + space) * (bottom - top + space) for left, top, right, bottom in boxes)
    most = max([1.5 * math.sqrt(area), *(right - left for left, _, right, _ in boxes)])
    x = y = height = 0.0
    for part, (left, top, right, bottom) in zip(parts, boxes, strict=True):
        if x and x + right - left > most:
            x, y, height = 0.0, y + height + space, 0.0
        dx, dy = x - left, y - top
        whole.at |= {node: (ax + dx, ay + dy) for node, (ax, ay) in part.at.items()}
        whole.labels += [replace(label, at=(label.at[0] + dx, label.at[1] + dy)) for label in part.labels]
        x, height = x + right - left + space, max(height, bottom - top)
    return whole


class _Part:
    def __init__(self, graph: Any, network: Network) -> None:
        self.graph, self.names = graph, network.nodes
        self.sizes = Counter(map(group_of, network.nodes))
        self.flows = [pair for pair in network.flows if pair[0] in graph and pair[1] in graph]
        self.first_link = [(it.start, it.end) for it in network.links.values() if it.start in graph][:1]
        ends = [node for node in graph if graph.degree(node) == 1] if len(graph) > 2 else []
        self.leaves = {node: next(iter(graph[node])) for node in ends}
        self.core = graph.subgraph([node for node in graph if node not in self.leaves])

    def layout(self) -> Layout:
        """The layout by the first structure that fits."""
        most = max((degree for _, degree in self.core.degree()), default=0)
        starts, stops = ({pair[end] for pair in self.flows} for end in (0, 1))
        goes_one_way = nx.is_tree(self.graph) and starts and not starts & stops
        if most <= 2 and nx.is_tree(self.core) and not (goes_one_way and len(self.core) == 1):
            return self._chain()
        if most == 2 and all(degree == 2 for _, degree in self.core.degree()):
            return self._ring()
        if goes_one_way:
            return self._stream()
        for bottom in (set(self.leaves), starts | stops):
            tiers = self._tiers(bottom)
            if tiers is not None:
                return self._fabric(tiers)
        return self._tree() if nx.is_tree(self.graph) else self._free()

    def _tiers(self, bottom: set[int]) -> dict[int, int] | None:
        """The distance of each node from the bottom row, if every link joins neighbouring rows."""
        if not bottom:
            return None
        tiers: dict[int, int] = nx.multi_source_dijkstra_path_length(self.graph, bottom, weight=None)
        joins = all(abs(tiers[a] - tiers[b]) == 1 for a, b in self.graph.edges)
        return tiers if joins and max(tiers.values()) >= 1 else None

    # Rows of a fabric.

    def _fabric(self, tiers: dict[int, int]) -> Layout:
        made = Layout("fabric")
        top = max(tiers.values())
        across: dict[int, float] = {}
        width = self._place(sorted(self.graph), tiers, top, 0.0, across)
        gap = max(width / (1.6 * top), 90.0)
        made.at = {node: (x, -gap * tiers[node]) for node, x in across.items()}
        for tier in range(top + 1):
            row = [node for node in sorted(self.graph) if tiers[node] == tier]
            left = min(made.at[node][0] for node in row)
            if len(row) > 1:
                made.labels.append(Label(_row_text([self.names[node] for node in row]), (left, -gap * tier), "above"))
        return made

    def _place(
        self, nodes: Sequence[int], tiers: dict[int, int], tier: int, left: float, across: dict[int, float]
    ) -> float:
        """Places a subtree: the parts that remain without its top row side by side, the row evenly above them."""
        tops = [node for node in nodes if tiers[node] == tier]
        below = self.graph.subgraph([node for node in nodes if tiers[node] != tier])
        x = left
        parts = sorted(nx.connected_components(below), key=min)
        for number, part in enumerate(parts):
            x += self._place(sorted(part), tiers, tier - 1, x, across)
            x += _GAP * tier / 2 if tier > 1 and number < len(parts) - 1 else 0.0
        width = max(x - left, len(tops) * _STEP)
        for node in (node for part in parts for node in part) if width > x - left else ():
            across[node] += (width - (x - left)) / 2
        for number, node in enumerate(tops):
            across[node] = left + (number + 0.5) * width / len(tops)
        return width

    # Chains and rings of routers with the hosts around them.

    def _hosts(self, router: int) -> list[int]:
        return [leaf for leaf, at in self.leaves.items() if at == router]

    def _chain(self) -> Layout:
        made = Layout("chain")
        routers = self._in_order()
        last = len(routers) - 1
        x = 0.0
        for number, router in enumerate(routers):
            hosts = self._hosts(router)
            inner = 0 < number < last
            half = len(hosts) * _STEP / 2 if inner else 0.0
            x += half
            made.at[router] = (x, 0.0)
            x += max(_HOP, half + _GAP)
            if last == 0:
                self._fan(made, router, hosts, -math.pi / 2, 2 * math.pi * (1 - 1 / max(len(hosts), 2)))
            elif inner:
                self._fan(made, router, hosts, math.pi / 2, 0.6 * math.pi)
            else:
                self._fan(made, router, hosts, math.pi if number == 0 else 0.0, 0.9 * math.pi)
        return made

    def _in_order(self) -> list[int]:
        """The routers of a chain, so that most traffic goes from left to right."""
        if len(self.core) == 1:
            return list(self.core)
        ends = sorted(node for node in self.core if self.core.degree(node) == 1)
        routers: list[int] = nx.shortest_path(self.core, ends[0], ends[-1])
        at = {node: number for number, node in enumerate(routers)}
        at |= {leaf: at[router] for leaf, router in self.leaves.items()}
        ways = self.flows or self.first_link
        return routers[::-1] if sum(at[end] - at[start] for start, end in ways) < 0 else routers

    def _fan(
        self, made: Layout, router: int, hosts: list[int], middle: float, most: float, reach: float = 110.0
    ) -> None:
        """Hosts on an arc around their router; `middle` is its direction, `most` its widest angle."""
        if not hosts:
            return
        x, y = made.at[router]
        length = _STEP * (len(hosts) - 1)
        span = min(most, length / reach)
        radius = max(reach, length / span if span else 0.0)
        # From top to bottom, or from left to right.
        turn = 1.0 if math.cos(middle) > 0.1 else -1.0
        angles = [middle + turn * span * (number / max(len(hosts) - 1, 1) - 0.5) for number in range(len(hosts))]
        for host, angle in zip(hosts, angles, strict=True):
            made.at[host] = (x + radius * math.cos(angle), y + radius * math.sin(angle))
        around = dict(zip(hosts, angles, strict=True))
        for name, members in grouped(hosts, lambda host: group_of(self.names[host])).items():
            own = [around[host] for host in members]
            all_of_it = self.sizes[name]
            if len(own) == all_of_it > 1 or len(own) > 3:
                angle = (own[0] + own[-1]) / 2
                at = (x + (radius + 14) * math.cos(angle), y + (radius + 14) * math.sin(angle))
                count = str(all_of_it) if len(own) == all_of_it else f"{len(own)} of {all_of_it}"
                made.labels.append(Label(f"{name} ({count})", at, _side(angle)))

    def _ring(self) -> Layout:
        made = Layout("ring")
        first = min(self.core)
        routers = [edge[0] for edge in nx.find_cycle(self.core, first)]
        if self.names[routers[1]] > self.names[routers[-1]]:
            routers = [routers[0], *routers[:0:-1]]
        hosts = [self._hosts(router) for router in routers]
        step = max([60.0, *(len(own) * _STEP + _GAP for own in hosts)])
        radius = max(90.0, step * len(routers) / (2 * math.pi))
        for number, (router, own) in enumerate(zip(routers, hosts, strict=True)):
            angle = 2 * math.pi * number / len(routers) - math.pi / 2
            made.at[router] = (radius * math.cos(angle), radius * math.sin(angle))
            self._fan(made, router, own, angle, 0.8 * math.pi)
        return made

    # Trees and other graphs.

    def _stream(self) -> Layout:
        """A tree in which some nodes only send and others only receive: traffic runs from left to right."""
        made = Layout("stream")
        net, used = dict.fromkeys(self.graph.edges, 0), dict.fromkeys(self.graph.edges, 0)
        for start, stop in dict.fromkeys(self.flows):
            for a, b in pairwise(nx.shortest_path(self.graph, start, stop)):
                edge, way = ((a, b), 1) if (a, b) in net else ((b, a), -1)
                net[edge] += way
                used[edge] += 1
        root = max(used, key=lambda edge: used[edge])
        ends = root if net[root] >= 0 else root[::-1]
        across: dict[int, int] = {ends[0]: 0, ends[1]: 1}
        down: dict[int, float] = {}
        halves = self.graph.copy()
        halves.remove_edge(*root)
        for end in ends:
            rows: list[int] = []
            for a, b in nx.dfs_edges(halves, end):
                across[b] = across[a] + (1 if net.get((a, b), -net.get((b, a), 0)) >= 0 else -1)
            for node in nx.dfs_postorder_nodes(halves, end):
                below = [down[other] for other in halves[node] if other in down]
                if below:
                    down[node] = sum(below) / len(below)
                else:
                    down[node] = len(rows) * _STEP
                    rows.append(node)
            middle = down[end]
            for node in nx.node_connected_component(halves, end):
                down[node] -= middle
        height = max(down.values()) - min(down.values())
        hop = max(_HOP, 1.4 * height / max(max(across.values()) - min(across.values()), 1))
        made.at = {node: (hop * across[node], down[node]) for node in across}
        self._label_groups(made)
        return made

    def _label_groups(self, made: Layout) -> None:
        """Labels groups at the outer side of their middle member."""
        xs = [x for x, _ in made.at.values()]
        down = sorted(made.at, key=lambda node: made.at[node][1])
        for name, own in grouped(down, lambda node: group_of(self.names[node])).items():
            if len(own) > 1:
                x = made.at[own[0]][0]
                side = "left" if x == min(xs) else "right" if x == max(xs) else "above"
                at = made.at[own[0] if side == "above" else own[len(own) // 2]]
                made.labels.append(
                    Label(f"{name} ({len(own)})", (at[0] + {"left": -14, "right": 14}.get(side, 0), at[1]), side)
                )

    def _tree(self) -> Layout:
        root = min(nx.center(self.core), key=lambda node: (-self.graph.degree(node), node))
        depth: dict[int, int] = nx.single_source_shortest_path_length(self.graph, root)
        deepest = max(depth.values())
        return replace(self._fabric({node: deepest - own for node, own in depth.items()}), kind="tree", labels=[])

    def _free(self) -> Layout:
        made = Layout("graph")
        if len(self.core) <= _MOST_STRESS:
            found = nx.kamada_kawai_layout(self.core)
        else:
            found = nx.spring_layout(self.core, seed=1, iterations=80)
        lengths = sorted(math.dist(found[a], found[b]) for a, b in self.core.edges)
        closest = min(math.dist(found[a], found[b]) for a, b in combinations(found, 2))
        size = max(130.0 / max(lengths[len(lengths) // 2], 1e-6), min(60.0 / max(closest, 1e-6), 2000.0))
        made.at = {node: (float(x) * size, float(y) * size) for node, (x, y) in found.items()}
        cx, cy = (sum(values) / len(made.at) for values in zip(*made.at.values(), strict=True))
        for router in list(made.at):
            x, y = made.at[router]
            self._fan(made, router, self._hosts(router), math.atan2(y - cy, x - cx), 0.9 * math.pi, 45.0)
        return made


def _side(angle: float) -> str:
    if abs(math.cos(angle)) > 0.5:
        return "right" if math.cos(angle) > 0 else "left"
    return "below" if math.sin(angle) > 0 else "above"


def _row_text(names: Sequence[str]) -> str:
    """The label of a row: its groups, those that differ in their last number only as one, and the number of nodes.

    >>> _row_text(["core0[0]", "core0[1]", "core1[0]", "core1[1]"]), _row_text(["access[0]", "access[1]", "r2"])
    ('core (4)', 'access, r2 (3)')
    """
    groups = dict.fromkeys(map(group_of, names))
    stems = Counter(group.rstrip("0123456789") for group in groups)
    plain = dict.fromkeys(stem if stems[stem := group.rstrip("0123456789")] > 1 else group for group in groups)
    shown = ", ".join(list(plain)[:3]) + (", ..." if len(plain) > 3 else "")
    return f"{shown} ({len(names)})"
