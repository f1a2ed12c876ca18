"""Networks as SVG and results as HTML for notebooks, in the colour of the surrounding text."""

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.arguments import Node
from penstock.printable import shortened, things
from penstock.results import grouped

_MOST_BOXES = 60
_MOST_LABELS = 3
_MOST_ROWS = 100
_WIDE, _HIGH = 120, 34
_COLUMN, _ROW, _MARGIN = 270, 78, 24


def escaped(text: str, most: int = 60) -> str:
    """Returns a text as HTML, escaped and shortened.

    >>> escaped("<b>r1</b>"), escaped("x" * 9, 5)
    ('&lt;b&gt;r1&lt;/b&gt;', 'xx...')
    """
    return html.escape(shortened(text, most))


def summary_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Returns a title, a table (without a head if `columns` is empty), and a paragraph per note."""
    more = len(rows) - _MOST_ROWS
    notes = [*notes, *([f"{things(more, 'row')} more in frame()."] if more > 0 else [])]
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escaped(cell, 100)}</td>' for cell in row)}</tr>" for row in rows[:_MOST_ROWS])
    table = f"<table>{f'<thead><tr>{head}</tr></thead>' if columns else ''}<tbody>{body}</tbody></table>"
    said = "".join(f"<p>{escaped(note, 500)}</p>" for note in notes)
    return f"<p><b>{escaped(title, 300)}</b></p>{table}{said}"


@dataclass(frozen=True, slots=True)
class Box:
    """A node or a group as it is drawn, with its count."""

    name: str
    count: int | str | None = None


@dataclass(slots=True)
class _Edge:
    """All links between two nodes or groups: labels of those along `ends`, and of those against them."""

    ends: tuple[str, str]
    there: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)


def network_svg(nodes: Sequence[Node | Box], links: Sequence[Mapping[str, Any]]) -> str:
    """Returns the drawing of a network, a box for each node or group; directed traffic runs from left to right."""
    if len(nodes) > _MOST_BOXES:
        return f"<p>{len(nodes)} nodes and groups are too many to be drawn; {_MOST_BOXES} are not.</p>"
    names = [node.name for node in nodes]
    edges = _edges(links, set(names))
    places = _places(names, edges)
    width = max((x for x, _ in places.values()), default=0) + _WIDE + _MARGIN
    height = max((y for _, y in places.values()), default=0) + _HIGH + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'style="max-width: 100%" fill="none" stroke="currentColor" font-family="sans-serif" font-size="11">'
    ]
    for edge in edges:
        parts += _line(edge, *(places[end] for end in edge.ends))
    for node in nodes:
        parts += _box(node, places[node.name])
    return "\n".join([*parts, "</svg>"])


def _edges(links: Iterable[Mapping[str, Any]], known: set[str]) -> list[_Edge]:
    found: dict[frozenset[str], _Edge] = {}
    joined = [(link, ends) for link in links for ends in ends_of(link) if known.issuperset(ends)]
    for link, ends in joined:
        edge = found.setdefault(frozenset(ends), _Edge((ends[0], ends[1])))
        there, back = (edge.there, edge.back) if edge.ends == ends else (edge.back, edge.there)
        there.append(_label(link))
        if link.get("both-ways"):  # a plain queue, unless the keys of `back` say otherwise
            said = {key.removeprefix("back."): value for key, value in link.items() if key.startswith("back.")}
            back.append(_label({"rate": link["rate"], "delay": link["delay"], **said}))
    return list(found.values())


def ends_of(link: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The pairs of nodes or groups that a link joins; the shorter of two lists repeats."""
    starts, ends = (
        [str(name).partition("[")[0] for name in (link[key] if isinstance(link[key], list) else [link[key]])]
        for key in ("from", "to")
    )
    pairs = ((starts[i % len(starts)], ends[i % len(ends)]) for i in range(max(len(starts), len(ends))))
    return dict.fromkeys(pairs)


def _label(link: Mapping[str, Any]) -> str:
    delay = link["delay"] if isinstance(link["delay"], str) else " to ".join(link["delay"]["uniform"])
    does = [key.partition(".")[2] for key in link if key.startswith(("queue.", "scheduler."))]
    return ", ".join([str(link["rate"]), delay, *does])


def _places(names: Sequence[str], edges: Sequence[_Edge]) -> dict[str, tuple[int, int]]:
    """The upper left corners: columns by distance from the sources of links, rows in the nodes' order."""
    from networkx import DiGraph, multi_source_dijkstra_path_length

    ways = DiGraph(edge.ends for edge in edges)
    ways.add_nodes_from(names)
    roots = {name for name in names if ways.succ[name] and not ways.pred[name]} or {*names[:1]}
    column: dict[str, int] = {}
    for graph in (ways.to_undirected(as_view=True), ways) if roots else ():
        column |= multi_source_dijkstra_path_length(graph, roots, weight=None)
    columns = grouped(names, lambda name: column.get(name, 0))
    most = max(map(len, columns.values()), default=0)
    return {
        name: (_MARGIN + at * _COLUMN, _MARGIN + row * _ROW + (most - len(found)) * _ROW // 2)
        for at, found in columns.items()
        for row, name in enumerate(found)
    }


def _box(node: Node | Box, place: tuple[int, int]) -> list[str]:
    x, y = place
    shapes = []
    if node.count is not None:
        shapes.append(f'<rect x="{x + 5}" y="{y + 5}" width="{_WIDE}" height="{_HIGH}" rx="6" stroke-opacity="0.5"/>')
    shapes.append(f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="6" fill="Canvas" fill-opacity="0.85"/>')
    text = escaped(node.name, 16) + (f" &#215; {escaped(str(node.count), 16)}" if node.count is not None else "")
    middle = f'x="{x + _WIDE // 2}" y="{y + _HIGH // 2 + 4}"'
    return [*shapes, f'<text {middle} text-anchor="middle" fill="currentColor" stroke="none">{text}</text>']


def _line(edge: _Edge, begin: tuple[int, int], end: tuple[int, int]) -> list[str]:
    """A line between two boxes, with an arrowhead for each direction of packets, and its label."""
    (ax, ay), (bx, by) = begin, end
    if ax == bx:  # one above the other
        down = ay <= by
        start, stop = (ax + _WIDE // 2, ay + (_HIGH if down else 0)), (bx + _WIDE // 2, by + (0 if down else _HIGH))
        arrows = "\u2193\u2191" if down else "\u2191\u2193"
    else:
        right = ax < bx
        start, stop = (ax + (_WIDE if right else 0), ay + _HIGH // 2), (bx + (0 if right else _WIDE), by + _HIGH // 2)
        arrows = "\u2192\u2190" if right else "\u2190\u2192"
    (x1, y1), (x2, y2) = start, stop
    parts = [f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>']
    parts += [_head(start, stop)] if edge.there else []
    parts += [_head(stop, start)] if edge.back else []
    x, y = (x1 + x2) // 2, (y1 + y2) // 2 - 5
    for number, line in enumerate(_said(edge, arrows)):
        # Readable across the line, too: with a rim in the colour of the page.
        rim = 'stroke="Canvas" stroke-width="4" stroke-opacity="0.9" paint-order="stroke"'
        at = y + number * 17
        parts.append(f'<text x="{x}" y="{at}" text-anchor="middle" fill="currentColor" {rim}>{line}</text>')
    return parts


def _said(edge: _Edge, arrows: str) -> list[str]:
    """The lines of an edge's label: each direction has its own, with an arrow, unless both are equal."""
    there, back = _distinct(edge.there), _distinct(edge.back)
    if not edge.back or there == back:
        return [line for label in there for line in _lines(label)]
    return [
        line
        for arrow, labels in zip(arrows, (there, back), strict=True)
        for label in labels
        for line in _lines(label, f"{arrow} ")
    ]


def _distinct(labels: Sequence[str]) -> list[str]:
    """Labels of parallel links, equal ones with their count."""
    found = Counter(labels)
    shown = [label if count == 1 else f"{count} x {label}" for label, count in found.items()]
    more = len(shown) - _MOST_LABELS
    return shown if more <= 0 else [*shown[: _MOST_LABELS - 1], f"and {more + 1} more"]


def _lines(label: str, before: str = "") -> list[str]:
    words = [escaped(part, 24) for part in label.split(", ", 2)]
    return [f"{before}{', '.join(words[:2])}", *words[2:]]


def _head(start: tuple[int, int], stop: tuple[int, int]) -> str:
    (x1, y1), (x2, y2) = start, stop
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1.0)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    left = f"{x2 - 8 * dx + 4 * dy:.1f},{y2 - 8 * dy - 4 * dx:.1f}"
    right = f"{x2 - 8 * dx - 4 * dy:.1f},{y2 - 8 * dy + 4 * dx:.1f}"
    return f'<polygon points="{x2},{y2} {left} {right}" fill="currentColor"/>'
