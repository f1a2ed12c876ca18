"""Draws the points of ef_schedulers.py, with intervals as bars; equal numbers give equal files."""

from typing import Literal

# Told apart by all eyes (Okabe and Ito).
LOOKS = {
    "PQ": {"color": "#0072b2", "marker": "o"},
    "limited PQ": {"color": "#56b4e9", "marker": "s"},
    "WF2Q+": {"color": "#009e73", "marker": "D"},
    "SCFQ": {"color": "#e69f00", "marker": "^"},
    "WRR": {"color": "#cc79a7", "marker": "v"},
    "DRR": {"color": "#d55e00", "marker": "P"},
    "FIFO": {"color": "#000000", "marker": "x", "linestyle": ":"},
}
MEASURES = {
    "jitter-50": "median jitter, packet times",
    "jitter-90": "90 % jitter, packet times",
    "late-99": "99 % delay beyond an\nempty path's, ms",
}
TOPOLOGIES = {
    "falling": "falling rates, one bottleneck",
    "along": "equal rates, background along",
    "crossing": "equal rates, crossing background",
}
USUAL = {"hops": 6, "short": 4, "long": 4, "burst": 3000}
BOTTLENECK, FLOW = 1500, 56  # kbit/s


def draw(points, folder):
    """All figures."""
    from matplotlib import rc_context

    # Text stays text, and the names of elements depend on nothing.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "penstock", "font.size": 9}):
        for size in (160, 1500):
            of_size = [row for row in points if row["bytes"] == size]
            hops = choose(of_size, short=4, long=4, burst=3000)
            across = "hops", lambda row: row["hops"]
            save(grid(hops, across, list(TOPOLOGIES), size), folder / f"hops-{size}.svg")
            shares = [row for row in choose(of_size, hops=6, burst=3000) if row["short"] == row["long"]]
            across = "EF's share of the bottleneck, %", share
            save(grid(shares, across, ["along", "crossing"], size), folder / f"share-{size}.svg")
        save(delays(points), folder / "delays.svg")
        save(own(points), folder / "own.svg")


def choose(points, **wanted):
    return [row for row in points if all(row[key] == value for key, value in wanted.items())]


def share(row):
    return 100 * (row["short"] + row["long"]) * FLOW / BOTTLENECK


def grid(points, across, topologies, size):
    """A row of panels for each measure, a column for each topology."""
    from matplotlib.ticker import LogLocator, NullLocator

    label, place = across
    canvas, panels = sheet(len(MEASURES), len(topologies), f"EF flows with packets of {size} bytes")
    ticks = sorted({place(row) for row in points})
    labels = [str(x) if isinstance(x, int) else f"{x:.1f}" for x in ticks]
    for (measure, up), row in zip(MEASURES.items(), panels, strict=True):
        for topology, axes in zip(topologies, row, strict=True):
            for scheduler in LOOKS:
                series(axes, choose(points, topology=topology, scheduler=scheduler), place, measure, scheduler)
            axes.set(yscale="log")
            axes.set_xticks(ticks, labels)
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_minor_locator(NullLocator())
            axes.yaxis.set_major_formatter("{x:g}")
            axes.grid(axis="y", color="0.9", linewidth=0.5)
        row[0].set_ylabel(up)
    for topology, top, bottom in zip(topologies, panels[0], panels[-1], strict=True):
        top.set_title(TOPOLOGIES[topology], fontsize=9)
        bottom.set_xlabel(label)
    canvas.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(LOOKS))
    return canvas


def delays(points):
    """What was seen at six hops, and what theory allows."""
    canvas, panels = sheet(1, 2, "EF packets of both sizes over six hops", tall=3.2, share="all")
    for topology, axes in zip(["along", "crossing"], panels[0], strict=True):
        for height, scheduler in enumerate(reversed(LOOKS)):
            rows = choose(points, topology=topology, scheduler=scheduler, **USUAL)
            # Beyond the propagation; of the size that is later.
            late = [[row[measure] for measure in ("late-99", "late-max")] for row in rows]
            sending = [row["empty"] - 5 * row["hops"] for row in rows]
            most = [mean + own for ((mean, _), _), own in zip(late, sending, strict=True)]
            longest = [last + own for (_, last), own in zip(late, sending, strict=True)]
            first = height == 0
            mark(axes, max(most, default=None), height, "99 % of a run's packets" if first else None, "o", "#0072b2")
            mark(axes, max(longest, default=None), height, "the longest of ten runs" if first else None, "D", "#d55e00")
            mark(axes, rows[0]["bound"] if rows else None, height, "the bound" if height == 1 else None, "<", "0.3")
        axes.set(xscale="log", xlabel="delay beyond propagation, ms")
        axes.set_title(TOPOLOGIES[topology], fontsize=9)
        ticks = [50, 100, 200, 500, 1000, 2000]
        axes.set_xticks(ticks, [str(x) for x in ticks])
        axes.set_xticks([], minor=True)
        axes.set_yticks(range(len(LOOKS)), list(reversed(LOOKS)))
        axes.grid(color="0.9", linewidth=0.5)
    canvas.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return canvas


def mark(axes, x, height, label, marker, color):
    if x is not None:
        axes.plot(x, height, marker, color=color, markersize=5, label=label)


def own(points):
    """What EF's own packets do to each other, and what a limit of the priority does."""
    canvas, panels = sheet(1, 3, None, tall=2.9, share=False)
    hops = choose(points, scheduler="PQ", topology="crossing", burst=3000)
    for axes, size, (short, long) in zip(panels[0], (160, 1500), ((8, 0), (0, 8)), strict=False):
        for label, given, look in (
            ("4 flows of each size", {"short": 4, "long": 4}, {"color": "#0072b2", "marker": "o"}),
            (f"8 flows, all {size} bytes", {"short": short, "long": long}, {"color": "#d55e00", "marker": "s"}),
        ):
            series(axes, choose(hops, bytes=size, **given), lambda row: row["hops"], "jitter-90", label, **look)
        axes.set_xticks(sorted({row["hops"] for row in hops}))
        labelled(axes, f"PQ, crossing: packets of {size} bytes", "hops", "90 % jitter, packet times")
    independent(panels[0][1], choose(hops, bytes=1500, short=4))
    limits(panels[0][2], points)
    for axes in panels[0]:
        axes.legend(fontsize=8, loc="upper left" if axes is not panels[0][2] else "upper right")
    return canvas


def independent(axes, rows):
    """What a wait of its own at every hop, uniform within a long packet's 8 ms, would make of the jitter of one hop."""
    if rows:
        one = min(rows, key=lambda row: row["hops"])
        # Of the difference of two such waits, as if it were normal; in packet times of 214 ms.
        more = 1.645 * (2 * 8**2 / 12) ** 0.5 / (8 * 1500 / FLOW)
        places = range(one["hops"], 13)
        up = [(one["jitter-90"][0] ** 2 + (x - one["hops"]) * more**2) ** 0.5 for x in places]
        axes.plot(places, up, color="0.8", linewidth=5, label="4 of each, by theory", zorder=0)


def limits(axes, points):
    for topology, size, color, marker in (
        ("crossing", 160, "#0072b2", "o"),
        ("along", 160, "#56b4e9", "D"),
        ("crossing", 1500, "#d55e00", "s"),
        ("along", 1500, "#e69f00", "^"),
    ):
        limited = choose(points, scheduler="limited PQ", topology=topology, bytes=size, hops=6, short=4, long=4)
        label, look = f"{topology}, {size} bytes", {"color": color, "marker": marker}
        series(axes, limited, lambda row: row["burst"] / 1500, "late-99", label, **look)
        for row in choose(points, scheduler="PQ", topology=topology, bytes=size, **USUAL):
            axes.axhline(row["late-99"][0], color=color, linewidth=0.7, linestyle="--")
    axes.set(xscale="log")
    axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.set_xticks([], minor=True)
    up = "99 % delay beyond an empty path's, ms"
    labelled(axes, "limited PQ over six hops (dashed: PQ)", "burst of the limit, packets of 1500 bytes", up)
    axes.set_ylim(0, 135)


def labelled(axes, title, across, up):
    axes.set(xlabel=across, ylabel=up, ylim=(0, None))
    axes.set_title(title, fontsize=9)


def series(axes, rows, place, measure, label, **look):
    """A line with its intervals."""
    rows = sorted(rows, key=place)
    middle = [row[measure][0] for row in rows]
    bars = [row[measure][1] or 0.0 for row in rows]
    look = {"linewidth": 1, "markersize": 4, "capsize": 2, **LOOKS.get(label, {}), **look}
    axes.errorbar([place(row) for row in rows], middle, bars, label=label, **look)


def sheet(rows, columns, title, tall=2.4, share: bool | Literal["row", "all"] = "row"):
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(3.4 * columns + 0.4, tall * rows + 0.7), layout="constrained")
    if title:
        canvas.suptitle(title, fontsize=10)
    return canvas, canvas.subplots(rows, columns, squeeze=False, sharey=share)


def save(canvas, path):
    canvas.savefig(path, metadata={"Date": None})
