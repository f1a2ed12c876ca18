"""Plot of a search: every trial, the best so far, and the finalists in fresh runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.layout_engine import ConstrainedLayoutEngine

from penstock.plots.canvas import Picture
from penstock.plots.request import WIDTHS
from penstock.plots.style import CAP, COLOURS, GREY, style
from penstock.printable import printable
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from penstock.search.result import SearchData


@style()
def picture(result: SearchData) -> Picture:
    """Draws the trials from left to right."""
    question = result.question
    known = [trial for trial in result.trials if trial.value is not None]
    fit = scale(question.metric.partition("[")[0], result.unit, [trial.value or 0.0 for trial in known])
    figure = Picture(figsize=(WIDTHS["column"], 2.6), layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03))
    axes = figure.subplots()
    for feasible, marker, colour, label in ((True, "o", COLOURS[0], "trial"), (False, "x", GREY, "misses a condition")):
        own = [trial for trial in known if trial.is_feasible is feasible]
        if own:
            places, values = [trial.number for trial in own], [(trial.value or 0.0) / fit.size for trial in own]
            axes.plot(places, values, linestyle="none", marker=marker, color=colour, label=label, markersize=3)
    history = result.history()
    if history:
        places = [*(trial.number for trial in history), len(result.trials) - 1]
        values = [(trial.value or 0.0) / fit.size for trial in history]
        axes.step(places, [*values, values[-1]], where="post", color=COLOURS[0], label="best so far")
    for turn, each in enumerate(result.finalists):
        low, high = each.interval.low, each.interval.high
        if low is None or high is None:
            continue
        around = [[(each.interval.mean - low) / fit.size], [(high - each.interval.mean) / fit.size]]
        axes.errorbar(
            [each.trial.number],
            [each.interval.mean / fit.size],
            yerr=around,
            fmt="D",
            color=COLOURS[1],
            markersize=3,
            capsize=CAP,
            elinewidth=0.8,
            label="in fresh runs" if turn == 0 else None,
        )
    axes.set_xlabel("trial")
    axes.set_ylabel(f"{printable(question.metric)}{f' ({fit.unit})' if fit.unit else ''}")
    figure.legend(loc="outside upper left", ncols=2)
    runs, fresh = result.plan.runs, question.fresh
    note = f"means of {runs} run{'s' * (runs != 1)}; in {fresh} fresh ones with 95 % confidence intervals"
    figure.supxlabel(note, fontsize=6, color=GREY, x=0.99, ha="right")
    return figure
