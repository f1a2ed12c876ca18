"""Results of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.drawing import summary_html
from penstock.printable import json_text
from penstock.provenance import Provenance
from penstock.results import free_name
from penstock.search.data import SearchData
from penstock.sensitivity.indices import significant
from penstock.studies.definition import value_text
from penstock.unit_scale import plus_minus

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture
    from penstock.search.data import Finalist, Trial
    from penstock.statistics import Interval


class SearchResult(SearchData):
    """The best setting of a search, with the fields of :class:`~penstock.search.data.SearchData`."""

    def __repr__(self) -> str:
        best = self.finalists[0] if self.finalists else None
        found = "no best" if best is None else f"best {best.trial.parameters}: {best.interval.mean:.6g}"
        return f"<SearchResult {self.plan.name!r}: {len(self.trials)} trials, {found}>"

    def _repr_html_(self) -> str:
        greatest = self.question.greatest
        rows = [
            (
                *(str(each.trial.number), *map(value_text, each.trial.parameters.values())),
                *(plus_minus(each.interval), each.verdict(greatest)),
            )
            for each in self.finalists
        ]
        columns = ("trial", *self.plan.ranges, f"{self.question.metric} ({self.unit})", "verdict")
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
                    "fresh_mean": None if last is None else significant(last.interval.mean),
                    "fresh_low": None if last is None else significant(last.interval.low),
                    "fresh_high": None if last is None else significant(last.interval.high),
                    "verdict": None if last is None else last.verdict(self.question.greatest),
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
            **_interval(each.interval),
            "missed_by": [_interval(missed) for missed in each.missed_by],
            "meets": each.meets,
            "less_best": None
            if less is None
            else {"mean": significant(less.difference), "low": significant(less.low), "high": significant(less.high)},
            "p_holm": significant(each.p),
            "verdict": each.verdict(self.question.greatest),
        }

    def plot(self) -> Picture:
        """Draws the trials, the best so far, and the finalists in fresh runs."""
        from penstock.search.picture import picture

        return picture(self)


def _interval(own: Interval) -> dict[str, float | None]:
    return {"mean": significant(own.mean), "low": significant(own.low), "high": significant(own.high)}
