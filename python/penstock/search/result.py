"""The trials of a search, its finalists, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.drawing import summary_html
from penstock.plots.request import WIDTHS
from penstock.plots.style import CAP, COLOURS, GREY, style
from penstock.printable import json_text, printable
from penstock.provenance import Provenance
from penstock.results import free_name
from penstock.search.question import Question
from penstock.sensitivity.indices import significant
from penstock.statistics import LEVEL, Comparison, Interval
from penstock.studies.definition import value_text
from penstock.studies.plan import StudyPlan
from penstock.studies.request import PointRequest
from penstock.unit_scale import Scale, scale

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting that was tried.

    Parameters
    ----------
    number : int
        Number of the proposal, from 0.
    parameters : dict of str to value
        The setting.
    point : PointRequest, optional
        The point as it was run; None if its scenario was refused.
    value : float, optional
        Mean of the number over its runs; None if there is none.
    missed_by : tuple of float
        Mean violation of each condition. It is met below zero and, unless it is a strict inequality, at zero.
    is_feasible : bool
        Whether it has a number and meets all conditions.
    interval : Interval, optional
        Interval of the mean; biased for a trial that is chosen for its mean.
    why : str, optional
        Why there is no number.
    """

    number: int
    parameters: dict[str, Any]
    point: PointRequest | None = None
    value: float | None = None
    missed_by: tuple[float, ...] = ()
    is_feasible: bool = False
    interval: Interval | None = None
    why: str | None = None

    @property
    def derived(self) -> dict[str, Any]:
        """The settings and labels that follow from its parameters, by name."""
        return {} if self.point is None else self.point.point.derived

    @property
    def sets(self) -> tuple[tuple[str, str], ...]:
        """All settings of the scenario, as path and value; empty if it was refused."""
        return () if self.point is None else self.point.point.sets


@dataclass(frozen=True, slots=True)
class Finalist:
    """One of the best trials in fresh runs.

    Parameters
    ----------
    trial : Trial
        The trial.
    interval : Interval
        Mean of the number over the fresh runs, with its 95 % interval.
    missed_by : tuple of Interval
        Violation of each condition in the fresh runs.
    meets : str
        Whether it meets all conditions in its fresh runs: ``yes``, ``no``, or ``not sure``.
    values : list of float
        The number in each fresh run.
    less : Comparison, optional
        Paired difference from the best; None for the best itself.
    p : float, optional
        p-value of that difference, adjusted for all finalists [Holm79].
    """

    trial: Trial
    interval: Interval
    missed_by: tuple[Interval, ...]
    meets: str
    values: list[float]
    less: Comparison | None = None
    p: float | None = None

    def verdict(self, greatest: bool) -> str:
        """Returns ``best``, ``worse``, ``better``, or ``cannot be told`` from the best."""
        if self.less is None or self.p is None:
            return "best"
        if self.p >= 1 - LEVEL:
            return "cannot be told"
        return "better" if (self.less.difference > 0) == greatest else "worse"


@dataclass(frozen=True)
class SearchData:
    """A search and its trials.

    Parameters
    ----------
    plan : StudyPlan
        The study with its ranges.
    question : Question
        The aim of the search.
    unit : str
        Unit of the number.
    seed : int
        Seed of runs and proposals.
    trials : list of Trial
        All trials, in their order.
    finalists : list of Finalist
        The best trials in fresh runs, the chosen one first.
    """

    plan: StudyPlan
    question: Question
    unit: str
    seed: int
    trials: list[Trial]
    finalists: list[Finalist] = field(default_factory=list)

    @property
    def best(self) -> Finalist | None:
        """The chosen setting in fresh runs; None if no trial meets the conditions."""
        return self.finalists[0] if self.finalists else None

    def leaders(self, count: int) -> list[Trial]:
        """Returns the best `count` distinct trials, by the runs of the search."""
        feasible = [trial for trial in self.trials if trial.is_feasible]
        found: dict[Any, Trial] = {}
        for trial in sorted(feasible, key=lambda trial: (self._cost(trial), trial.number)):
            assert trial.point is not None
            found.setdefault(trial.point.point.sets, trial)
        return list(found.values())[:count]

    def history(self) -> list[Trial]:
        """Returns the trials that were the best so far when they were made."""
        found: list[Trial] = []
        for trial in self.trials:
            if trial.is_feasible and (not found or self._cost(trial) < self._cost(found[-1])):
                found.append(trial)
        return found

    @property
    def scale(self) -> Scale:
        """The scale of the number that suits the best trial."""
        shown = [trial.value or 0.0 for trial in self.leaders(1) or self.trials]
        return scale(self.question.metric.partition("[")[0], self.unit, shown)

    def _cost(self, trial: Trial) -> float:
        """The number of a feasible trial, so that less is better."""
        return (trial.value or 0.0) * (-1.0 if self.question.greatest else 1.0)

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the best setting, one line each."""
        found = []
        without = [trial for trial in self.trials if trial.value is None]
        for why in dict.fromkeys(trial.why for trial in without):
            own = [str(trial.number) for trial in without if trial.why == why]
            found.append(f"trial{'s' * (len(own) > 1)} {', '.join(own[:5])}{', ...' * (len(own) > 5)}: {why}.")
        better = [each for each in self.finalists if each.verdict(self.question.greatest) == "better"]
        if better:
            numbers = ", ".join(str(each.trial.number) for each in better)
            found.append(f"trial {numbers} did better in fresh runs than the one chosen; more --runs choose better.")
        best = self.best
        if best is not None:
            for condition, missed in zip(self.question.conditions, best.missed_by, strict=True):
                if not condition.is_met(missed.mean):
                    found.append(f"the best setting misses {condition.text} in its fresh runs, on average.")
                elif missed.high is not None and not condition.is_met(missed.high):
                    found.append(f"whether the best setting meets {condition.text} is not sure.")
        return found


class SearchResult(SearchData):
    """The best setting of a search, with the fields of :class:`~penstock.search.result.SearchData`."""

    def __repr__(self) -> str:
        best = self.finalists[0] if self.finalists else None
        found = "no best" if best is None else f"best {best.trial.parameters}: {best.interval.mean:.6g}"
        return f"<SearchResult {self.plan.name!r}: {len(self.trials)} trials, {found}>"

    def _repr_html_(self) -> str:
        greatest, fit = self.question.greatest, self.scale
        rows = [
            (
                *(str(each.trial.number), *map(value_text, each.trial.parameters.values())),
                *(fit.text(each.interval), each.verdict(greatest)),
            )
            for each in self.finalists
        ]
        unit = f" ({fit.unit})" if fit.unit else ""
        columns = ("trial", *self.plan.ranges, f"{self.question.metric}{unit}", "verdict")
        return summary_html(repr(self)[1:-1], columns, rows, self.warnings)

    def frame(self) -> pl.DataFrame:
        """Returns one row per trial.

        Returns
        -------
        polars.DataFrame
            Columns ``study``, ``scenario``, ``trial``, the parameters as texts, ``metric``, ``unit``, ``value``,
            ``feasible``, ``why``; for finalists ``fresh_mean``, ``fresh_low``, ``fresh_high`` and ``verdict``; then
            ``runs`` and what each trial was made from, null for one that was refused.
        """
        import polars as pl

        about = Provenance.columns()
        texts = dict.fromkeys(("study", "scenario", "metric", "unit", "why", "verdict"), pl.String)
        numbers = dict.fromkeys(("value", "fresh_mean", "fresh_low", "fresh_high"), pl.Float64)
        taken = {*texts, *numbers, "trial", "feasible", "runs", *about}
        columns = {name: free_name(name, taken) for name in self.plan.ranges}
        finalists = {each.trial.number: each for each in self.finalists}
        rows = []
        for trial in self.trials:
            last = finalists.get(trial.number)
            fresh = _interval(None if last is None else last.interval)
            rows.append(
                {
                    "study": self.plan.name,
                    "scenario": self.plan.scenario_name,
                    "trial": trial.number,
                    **{columns[name]: value_text(value) for name, value in trial.parameters.items()},
                    "metric": self.question.metric,
                    "unit": self.unit,
                    "value": significant(trial.value),
                    "feasible": trial.is_feasible,
                    "why": trial.why,
                    **{f"fresh_{name}": value for name, value in fresh.items()},
                    "verdict": last and last.verdict(self.question.greatest),
                    "runs": self.plan.runs,
                    **(dict.fromkeys(about) if trial.point is None else trial.point.provenance.row()),
                }
            )
        return pl.DataFrame(rows, schema_overrides={**texts, **numbers, **about})

    @property
    def provenance(self) -> Provenance:
        """What all trials were made from, without the searched parameters."""
        return Provenance.shared([each.point.provenance for each in self.trials if each.point is not None])

    def json(self) -> str:
        """Returns it as JSON, without times, paths and hosts: equal runs give equal bytes."""
        question = self.question
        return json_text(
            {
                "study": self.plan.name,
                "scenario": self.plan.scenario_name,
                "description": self.plan.description,
                "metric": question.metric,
                "unit": self.unit,
                "wanted": "greatest" if question.greatest else "least",
                "subject_to": [each.text for each in question.conditions],
                "runs": self.plan.runs,
                "fresh": question.fresh,
                **{**self.provenance.data(), "seed": self.seed},
                "ranges": {name: each.data() for name, each in self.plan.ranges.items()},
                "trials": [self._trial(trial) for trial in self.trials],
                "history": [trial.number for trial in self.history()],
                "finalists": [self._finalist(each) for each in self.finalists],
                "warnings": self.warnings,
            }
        )

    def _trial(self, trial: Trial) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "parameters": trial.parameters,
            "value": significant(trial.value),
            "missed_by": [significant(each) for each in trial.missed_by],
            "feasible": trial.is_feasible,
            "why": trial.why,
        }

    def _finalist(self, each: Finalist) -> dict[str, Any]:
        less = each.less
        return {
            "trial": each.trial.number,
            "parameters": each.trial.parameters,
            "derived": {name: value_text(value) for name, value in each.trial.derived.items()},
            "settings": dict(each.trial.sets),
            **_interval(each.interval),
            "missed_by": [_interval(missed) for missed in each.missed_by],
            "meets": each.meets,
            "less_best": less and _interval(Interval(less.difference, less.low, less.high, len(each.values))),
            "p_holm": significant(each.p),
            "verdict": each.verdict(self.question.greatest),
        }

    @style()
    def plot(self) -> Picture:
        """Draws the trials, the best so far, and the finalists in fresh runs."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        from penstock.plots.canvas import Picture

        question = self.question
        known = [trial for trial in self.trials if trial.value is not None]
        fit = scale(question.metric.partition("[")[0], self.unit, [trial.value or 0.0 for trial in known])
        figure = Picture(figsize=(WIDTHS["column"], 2.6), layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03))
        axes = figure.subplots()
        kinds = ((True, "o", COLOURS[0], "trial"), (False, "x", GREY, "misses a condition"))
        for feasible, marker, colour, label in kinds:
            own = [trial for trial in known if trial.is_feasible is feasible]
            if own:
                places, values = [trial.number for trial in own], [(trial.value or 0.0) / fit.size for trial in own]
                axes.plot(places, values, linestyle="none", marker=marker, color=colour, label=label, markersize=3)
        history = self.history()
        if history:
            places = [*(trial.number for trial in history), len(self.trials) - 1]
            values = [(trial.value or 0.0) / fit.size for trial in history]
            axes.step(places, [*values, values[-1]], where="post", color=COLOURS[0], label="best so far")
        for turn, each in enumerate(self.finalists):
            low, high = each.interval.low, each.interval.high
            if low is None or high is None:
                continue
            around = [[(each.interval.mean - low) / fit.size], [(high - each.interval.mean) / fit.size]]
            point = ([each.trial.number], [each.interval.mean / fit.size])
            shades: dict[str, Any] = {"color": COLOURS[1], "label": None if turn else "in fresh runs"}
            axes.errorbar(*point, yerr=around, fmt="D", markersize=3, capsize=CAP, elinewidth=0.8, **shades)
        axes.set_xlabel("trial")
        axes.set_ylabel(f"{printable(question.metric)}{f' ({fit.unit})' if fit.unit else ''}")
        figure.legend(loc="outside upper left", ncols=2)
        runs, fresh = self.plan.runs, question.fresh
        note = f"means of {runs} run{'s' * (runs != 1)}; in {fresh} fresh ones with 95 % confidence intervals"
        figure.supxlabel(note, fontsize=6, color=GREY, x=0.99, ha="right")
        return figure


def _interval(own: Interval | None) -> dict[str, float | None]:
    return {name: significant(None if own is None else getattr(own, name)) for name in ("mean", "low", "high")}
