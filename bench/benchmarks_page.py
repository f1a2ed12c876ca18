"""Tables and figures of docs/benchmarks.md, from the numbers in docs/benchmarks.

    python bench/benchmarks_page.py

draws the figures again; the tables are written when the pages are built. `bench/peers/compare.py --keep` and
`bench/growth.py` measure the numbers.
"""

import json
import statistics
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from penstock import MODEL_VERSION, __version__

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
FOLDER = PAGE.with_suffix("")
PEERS, GROWTH = FOLDER / "peers.json", FOLDER / "growth.json"
NETWORKS = ("hosts", "nodes")
"""What a curve over the size of a network grows in."""
SIMULATORS = ("ns-2", "ns-3", "htsim")
"""What Penstock is compared with."""
UNNOTED = "before such notes were kept"
"""When numbers were measured that do not say it."""
SINCE_CHANGED = {"provider": "over shorter links, of 0.12 to 19 ms; a new measurement has links of 1 to 30 ms"}
"""Differences between curves of that time and present measurements under their names."""


def measured() -> dict[str, str]:
    """Provenance of a measurement: the version of Penstock, that of its model, and the day."""
    return {"version": __version__, "model": MODEL_VERSION, "date": datetime.now(UTC).date().isoformat()}


def when(one: dict) -> str:
    """The versions with which a curve or a comparison was measured, and the day."""
    if "measured" not in one:
        return UNNOTED
    return "with Penstock {version}, model {model}, on {date}".format(**one["measured"])


def note(named: Iterable[tuple[str, str]]) -> list[str]:
    """The note below a table: when its numbers were measured, by name if not all at the same time."""
    groups: dict[str, list[str]] = {}
    for name, told in named:
        groups.setdefault(told, []).append(name)
    if not groups:
        return []
    if len(groups) == 1:
        return ["", f"Measured {next(iter(groups))}."]
    each = "; ".join(f"{', '.join(names)} {told}" for told, names in groups.items())
    return ["", f"Measured: {each}."]


def rows(head: list[str], lines: list[list[str]]) -> list[str]:
    """A table in Markdown."""
    return [f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *lines]]


def peer_rows(compared: list[dict], peer: str) -> list[str]:
    """Ratios of Penstock to one peer, workload by workload."""
    head = ["workload", "ratio", "from to", "without set-up", "set-up", f"MiB, {peer}", "MiB, Penstock", "faster form"]
    lines = []
    for one in compared:
        if one["peer"] == peer:
            main = one["forms"][one["main"]]
            ratio, steady = statistics.median(main["ratios"]), without_setup(main)
            span = f"{digits(min(main['ratios']))} to {digits(max(main['ratios']))}"
            sizes = [f"{side['peak_bytes'] / 2**20:.0f}" for side in (main, one["penstock"])]
            ratios = [digits(ratio), span, "" if steady is None else digits(steady), digits(main["setup_ratio"])]
            lines.append([one["workload"], *ratios, *sizes, one["main"]])
    return rows(head, lines)


def without_setup(form: dict) -> float | None:
    """The ratio without set-up; none if set-up is nearly all of the peer's run, since the rest is then noise."""
    whole = statistics.median(run["cpu"] for run in form["runs"])
    return statistics.median(form["steady_ratios"]) if form["setup_cpu_seconds"] < 0.8 * whole else None


def work_rows(compared: list[dict], peer: str) -> list[str]:
    """Difference between the work of both, and its permitted maximum."""
    head = ["workload", "simulated", "packet-hops", "delivered", "goodput", "drops"]
    lines = []
    for one in compared:
        if one["peer"] == peer:
            time = "all of it" if one["seconds"] is None else f"{one['seconds']:g} s"
            cells = []
            for what in ("packet_hops", "delivered", "goodput", "drops"):
                both, band = one["work"].get(what), one["bands"].get(what)
                cells.append("" if both is None else f"{apart(both['penstock'], both['peer']):+.1%} (of {band:.0%})")
            lines.append([one["workload"], time, *cells])
    return rows(head, lines)


def trees(compared: list[dict]) -> list[tuple[int, dict]]:
    """The comparisons on fat trees with their numbers of hosts, in ascending order."""
    found = [one for one in compared if one["workload"].startswith("fat-tree-")]
    ports = [int(one["workload"].removeprefix("fat-tree-")) for one in found]
    return sorted(((k**3 // 4, one) for k, one in zip(ports, found, strict=True)), key=lambda pair: pair[0])


def tree_rows(compared: list[dict]) -> list[str]:
    """Time of each simulator of each pair on fat trees, set-up included, and its rate without set-up."""
    head = [
        "hosts",
        "simulator",
        "simulated",
        "packet-hops",
        "CPU, s",
        "packet-hops per CPU second",
        "rate",
        "ratio",
        "load",
    ]
    lines = []
    for hosts, one in trees(compared):
        form = one["forms"][one["main"]]
        least, middle, most = (digits(of(form["ratios"])) for of in (min, statistics.median, max))
        span = f"{middle} ({least} to {most})"
        load = f"{one['load'][0]:.1f} to {one['load'][1]:.1f}"
        for name, side, told in ((one["peer"], form, [span, load]), ("Penstock", one["penstock"], ["", ""])):
            run = [
                f"{side['runs'][0]['packet_hops']:,}",
                f"{statistics.median(run['cpu'] for run in side['runs']):.2f}",
            ]
            speed = [f"{side['packet_hops_per_cpu_second'] / 1e6:.2f} M", f"{tree_rate(one, side):.4f}"]
            lines.append([f"{hosts:,}", name, f"{one['seconds'] * 1000:g} ms", *run, *speed, *told])
    return rows(head, lines)


def tree_rate(one: dict, side: dict) -> float:
    """Packet-hops per CPU second of one side, without set-up, relative to the reference that ran in between."""
    return statistics.median(side["steady"]) / one["reference"]


def apart(ours: float, theirs: float) -> float:
    """Penstock's excess over the peer, as a share of the larger number."""
    return (ours - theirs) / max(ours, theirs, 1)


def digits(value: float) -> str:
    """Two or three digits."""
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}"


def growth_rows(curve: dict) -> list[str]:
    """A curve: time of a packet-hop, set-up and memory at each size."""
    first = curve["points"][0]
    head = [curve["what"], "packet-hops", "time per packet-hop", "set-up", "peak, MiB"]
    by_flow, by_network = curve["what"] == "flows", curve["what"] in NETWORKS
    lines = []
    for point in curve["points"]:
        time = point["time"] / point["packet_hops"]
        cells = [f"{point['size']:,}", f"{point['packet_hops']:,}", f"{time:.2f}", f"{point['setup']:,.0f}"]
        cells.append(f"{point['peak_bytes'] / 2**20:.0f}")
        if by_network:
            cells.append(f"{1 / time:.3f}")
        if by_flow:
            more = point["size"] - first["size"]
            cells.append(f"{(point['peak_bytes'] - first['peak_bytes']) / more:,.0f}" if more >= 5000 else "")
            cells.append(f"{point['setup'] / point['size']:.1f}")
        lines.append(cells)
    more_columns = ["bytes per flow", "set-up per flow"] if by_flow else ["rate"] if by_network else []
    return rows(head + more_columns, lines)


def growth_note(name: str, curve: dict) -> list[str]:
    """When a curve was measured, and how its definition differs from the present one of the same name."""
    changed = f", {SINCE_CHANGED[name]}" if name in SINCE_CHANGED and "measured" not in curve else ""
    return note([(name, when(curve) + changed)])


def tables() -> dict[str, list[str]]:
    """The lines of each table of the page whose numbers exist, by its name."""
    parts = {}
    if PEERS.exists():
        compared = json.loads(PEERS.read_text())
        parts |= {
            f"{peer}-ratios": peer_rows(compared, peer)
            + note((one["workload"], when(one)) for one in compared if one["peer"] == peer)
            for peer in SIMULATORS
        }
        parts |= {f"{peer}-work": work_rows(compared, peer) for peer in SIMULATORS}
        in_trees = ((f"{hosts:,} hosts against {one['peer']}", when(one)) for hosts, one in trees(compared))
        parts["fat-tree-peers"] = tree_rows(compared) + note(in_trees)
    if GROWTH.exists():
        curves = json.loads(GROWTH.read_text())
        parts |= {f"growth-{name}": growth_rows(curve) + growth_note(name, curve) for name, curve in curves.items()}
    return parts


def texts() -> dict[str, str]:
    """The generated pages, by their paths below `docs`."""
    return {f"generated/benchmarks/{name}.md": "\n".join(lines) + "\n" for name, lines in tables().items()}


def renew() -> None:
    """Draws the figures."""
    if GROWTH.exists():
        draw(json.loads(GROWTH.read_text()), json.loads(PEERS.read_text()) if PEERS.exists() else [])


def draw(curves: dict, compared: list[dict]) -> None:
    """The figures: time over size, set-up and memory over flows, each next to a straight line; rates."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "growth", "font.size": 8})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(8, 6), layout="constrained")
    for axis, prefix in zip(axes.flat, ("flows", "hops", "calls", "time"), strict=True):
        for curve in (curve for name, curve in curves.items() if name.startswith(prefix)):
            # Simulated time differs from point to point, and is the growing quantity of the last panel.
            times = [p["time"] if prefix == "time" else p["time"] / p["seconds"] for p in curve["points"]]
            line(axis, curve, times, 1e6)
        finish(axis, "time" if prefix == "time" else "time per simulated second")
    figure.savefig(FOLDER / "growth-time.svg", metadata={"Date": None})
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for curve in (curve for name, curve in curves.items() if name.startswith("flows")):
        line(axes[0], curve, [point["setup"] for point in curve["points"]], 1e6)
        line(axes[1], curve, [point["peak_bytes"] for point in curve["points"]], 2**20, straight=False)
    finish(axes[0], "set-up")
    finish(axes[1], "peak memory of the process, MiB", relative=False)
    figure.savefig(FOLDER / "growth-setup.svg", metadata={"Date": None})
    figure, axis = plt.subplots(figsize=(4.5, 3.8), layout="constrained")
    for curve in (curve for curve in curves.values() if curve["what"] in NETWORKS):
        line(axis, curve, [point["packet_hops"] / point["time"] for point in curve["points"]], 1, straight=False)
    for peer in SIMULATORS:
        points = [
            (hosts, tree_rate(one, one["forms"][one["main"]])) for hosts, one in trees(compared) if one["peer"] == peer
        ]
        if points:
            axis.loglog(*zip(*points, strict=True), "s--", markersize=3, label=f"fat tree in {peer}")
    axis.set_xlabel("hosts, or nodes that send")
    finish(axis, "packet-hops per CPU second\n(1: the reference)", relative=False, legend=False)
    figure.legend(fontsize=7, loc="outside upper center", ncols=2)
    figure.savefig(FOLDER / "growth-networks.svg", metadata={"Date": None})


def line(axis, curve: dict, values: list[float], unit: float, *, straight: bool = True) -> None:
    """A curve, and a straight line through its middle point."""
    sizes = [point["size"] for point in curve["points"]]
    [drawn] = axis.loglog(sizes, [value / unit for value in values], "o-", markersize=3, label=curve["doc"])
    if straight:
        middle = len(sizes) // 2
        ends = [sizes[0], sizes[-1]]
        through = [values[middle] / unit * size / sizes[middle] for size in ends]
        axis.loglog(ends, through, ":", color=drawn.get_color(), linewidth=1)
    axis.set_xlabel(curve["what"])


def finish(axis, label: str, *, relative: bool = True, legend: bool = True) -> None:
    axis.set_ylabel(f"{label}\n(1: a million packet-hops of the reference)" if relative else label)
    axis.grid(alpha=0.3)
    if legend:
        axis.legend(fontsize=7)


if __name__ == "__main__":
    renew()
