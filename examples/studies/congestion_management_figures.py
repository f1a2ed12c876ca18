"""Draws the points of congestion_management.py; equal numbers give equal files."""

# Told apart by all eyes (Okabe and Ito).
COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00")
CLASSES = {
    "up to 100000 bytes": "up to 100 kB",
    "100000 bytes to 10000000 bytes": "100 kB to 10 MB",
    "above 10000000 bytes": "above 10 MB",
}


def draw(points, rate_controls, folder):
    """All figures."""
    from matplotlib import rc_context

    # Text stays text, and the names of elements depend on nothing.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "penstock", "font.size": 9}):
        save(bars(points), folder / "hot-port-and-incast.svg")
        for scenario in sorted({row["scenario"] for row in points if row["load"] > 0}):
            save(curves([row for row in points if row["scenario"] == scenario]), folder / f"{scenario}.svg")
        save(curves([row for row in rate_controls if row["load"] > 0]), folder / "rate-controls.svg")


def bars(points):
    """The hot port and the incast: a panel for each number, a bar for each mechanism."""
    wanted = (
        ("hot port", "goodput sum", "goodput, Gbit/s", 1e-9),
        ("hot port", "page-time 0.99", "99 % transaction time, us", 1e6),
        ("hot port", "queue-bytes", "mean queue, kB", 1e-3),
        ("incast", "completion-time max", "last of 32 complete, ms", 1e3),
    )
    canvas, panels = sheet(2, 2)
    for panel, (scenario, key, label, unit) in zip(panels, wanted, strict=True):
        rows = [row for row in points if row["scenario"] == scenario]
        for place, (row, colour) in enumerate(zip(rows, COLOURS, strict=True)):
            mean, half = value(row, key)
            if mean is not None:
                panel.barh(place, mean * unit, xerr=half and half * unit, color=colour)
        panel.set_yticks(range(len(rows)), [row["mechanism"] for row in rows])
        panel.invert_yaxis()
        if scenario == "incast":
            # The spread of some is far greater than what the others take.
            panel.set_xscale("log")
            panel.set_xlim(left=10)
        panel.set_xlabel(label)
    return canvas


def curves(rows):
    """The fabric: completion times over the load, a column for each class of sizes."""
    canvas, panels = sheet(2, len(CLASSES))
    mechanisms = list(dict.fromkeys(row["mechanism"] for row in rows))
    for place, statistic in enumerate(("mean", "0.99")):
        for column, (size, label) in enumerate(CLASSES.items()):
            panel = panels[place * len(CLASSES) + column]
            for mechanism, colour in zip(mechanisms, COLOURS, strict=False):
                of = [row for row in rows if row["mechanism"] == mechanism]
                times = [value(row, f"completion-time {statistic} {size}")[0] for row in of]
                known = [(row["load"], 1e3 * time) for row, time in zip(of, times, strict=True) if time is not None]
                if known:
                    panel.plot(*zip(*known, strict=True), marker="o", markersize=3, color=colour, label=mechanism)
            panel.set_yscale("log")
            panel.set_title(label if place == 0 else "")
            panel.set_xlabel("load" if place == 1 else "")
            panel.set_ylabel(f"{'mean' if statistic == 'mean' else '99 %'} completion, ms" if column == 0 else "")
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(mechanisms), fontsize=7)
    return canvas


def value(row, key):
    return row.get(key, [None, None])


def sheet(rows, columns):
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(3.2 * columns, 2.6 * rows), layout="constrained")
    return canvas, [canvas.add_subplot(rows, columns, place + 1) for place in range(rows * columns)]


def save(canvas, path):
    canvas.savefig(path, metadata={"Date": None})
