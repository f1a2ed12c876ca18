"""Plot of a sensitivity: bars of each parameter with their intervals, and the effect of noise alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.layout_engine import ConstrainedLayoutEngine

from penstock.parameter_columns import short_names
from penstock.plots.canvas import Picture
from penstock.plots.request import WIDTHS
from penstock.plots.style import CAP, GREY, look, style
from penstock.printable import printable
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from penstock.sensitivity.indices import Index
    from penstock.sensitivity.result import Analysis, SensitivityData

_SHOWN = {"morris": {"mu_star": "mu*", "sigma": "sigma"}, "sobol": {"ST": "total", "S1": "first order"}}


@style()
def picture(result: SensitivityData, analysis: Analysis) -> Picture:
    """Draws the measures of one number, the largest on top."""
    shown = _SHOWN[result.design.method]
    first = next(iter(shown))
    order = [each.parameters[0] for each in analysis.of(first)]
    names = short_names(result.parameters)
    values = {name: {each.parameters[0]: each for each in analysis.of(name)} for name in shown}
    size, unit = 1.0, ""
    if result.design.method == "morris":
        fit = scale(analysis.metric.partition("[")[0], analysis.unit, [e.value or 0.0 for e in values[first].values()])
        size, unit = fit.size, f" ({fit.unit})" if fit.unit else ""
    figure = Picture(
        figsize=(WIDTHS["column"], 1.15 + 0.36 * len(order)), layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03)
    )
    axes = figure.subplots()
    high = 0.8 / len(shown)
    for turn, (name, label) in enumerate(shown.items()):
        own = look(turn)
        for row, parameter in enumerate(order):
            each = values[name][parameter]
            bar = -row + 0.4 - high * (turn + 0.5)
            axes.barh(
                bar,
                (each.value or 0.0) / size,
                high * 0.9,
                color=own.colour,
                hatch=own.hatch,
                edgecolor="white",
                linewidth=0.4,
                label=label if row == 0 else None,
            )
            _interval(axes, each, bar, size)
    noise = analysis.noise
    if noise is not None:
        line = noise.effect / size if result.design.method == "morris" else noise.share or 0.0
        what = "mu* of noise alone" if result.design.method == "morris" else "share of noise"
        axes.axvline(line, color="black", linestyle=":", linewidth=1.0, label=what)
    handles, labels = axes.get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    listed = [*shown.values(), *(label for label in labels if label not in shown.values())]
    axes.set_yticks([-row for row in range(len(order))], [printable(names[parameter]) for parameter in order])
    axes.grid(axis="y", visible=False)
    low = min(0.0, *(each.low / size for own in values.values() for each in own.values() if each.low is not None), 0.0)
    axes.set_xlim(left=1.05 * low)
    axes.set_title(printable(analysis.metric))
    axes.set_xlabel(f"effect{unit}" if result.design.method == "morris" else "share of the variance")
    figure.legend([by_label[label] for label in listed], listed, loc="outside upper left", ncols=3)
    runs = f"{len(result.asked)} points of {result.plan.runs} run{'s' * (result.plan.runs != 1)}"
    figure.supxlabel(f"{runs}; bars: 95 % confidence intervals", fontsize=6, color=GREY, x=0.99, ha="right")
    return figure


def _interval(axes: Axes, each: Index, place: float, size: float) -> None:
    if each.value is None or each.low is None or each.high is None:
        return
    around = [[(each.value - each.low) / size], [(each.high - each.value) / size]]
    axes.errorbar([each.value / size], [place], xerr=around, fmt="none", ecolor="black", elinewidth=0.8, capsize=CAP)
