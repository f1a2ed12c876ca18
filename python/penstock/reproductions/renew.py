"""Renews the stored results of a study: ``python -m penstock.reproductions.renew STUDY``.

Writes, in this order:

- ``runs.json``: the numbers of all runs, and the digest of the first run of every scenario, for tests to repeat;
- ``fits.json``: the verdicts under the text's own answers, one fitted answer at a time and all together;
- ``verdicts.json``: what ``penstock reproduce STUDY --claims --format json`` prints;
- ``summary.json``: what ``penstock reproduce STUDY --summary --format json`` prints;
- ``origin.json``: the model version and the date of these results.

``--cross-validate`` writes ``cross_validated.json`` instead, with what ``penstock reproduce STUDY --cross-validate
--format json`` prints.

``--pilot`` writes ``pilot.json`` instead, and only where there is none: the tolerances that follow from it are not to
move with the runs that they judge.
"""

from __future__ import annotations

import argparse
import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.progress import Progress
from penstock.reproductions import cross_validated, cross_validation, fits, pilot
from penstock.reproductions.claims import judge
from penstock.reproductions.fits import Looked, Stored
from penstock.reproductions.loading import load
from penstock.reproductions.pilot import Pilot
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce
from penstock.reproductions.sequential import hops_looked_at, reproduce_looked_at
from penstock.reproductions.shipped import ORIGIN, SUMMARY, VERDICTS, Origin
from penstock.reproductions.stored import as_text
from penstock.reproductions.summary import summarise
from penstock.store import Store
from penstock.studies.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.reproductions.claims import Judgement
    from penstock.reproductions.cross_validation import CrossValidation
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.study import Study

__all__ = ["Renewal", "main"]


class Renewal:
    """The runs that a renewal makes.

    Parameters
    ----------
    study : Study
        Which study.
    runs : int
        Runs of each row.
    jobs : int, optional
        Runs at the same time.
    store : Store, optional
        Where finished runs are kept.
    """

    def __init__(self, study: Study, runs: int, jobs: int | None = None, store: Store | None = None) -> None:
        self.study = study
        self.runs = runs
        self._options: dict[str, Any] = {"jobs": jobs, "store": store}

    def _runner(self, progress: Progress) -> Runner:
        return Runner(progress=progress, **self._options)

    def outcome(self, readings: Readings, *, claims: bool = True, runs: int | None = None) -> Outcome:
        """All rows under some readings, and with `claims` the experiments; `runs` instead of the usual number."""
        with Progress() as progress:
            return reproduce(self.study, [], readings, runs or self.runs, self._runner(progress), claims=claims)

    def cross_validated(self, runs: int, budget: int | None) -> CrossValidation:
        """The agreement under answers that are chosen without the table that is scored."""
        with Progress() as progress:
            return cross_validation.cross_validate(
                self.study, runs=runs, budget=budget, runner=self._runner(progress), tell=print
            )

    def under_the_text(self, chosen: Outcome, printed: Outcome, most: float) -> Stored:
        """Verdicts with the text's own answers: all together, and one fitted answer at a time.

        The latter for claims that need at most `most` packet-hops a run; the former only with as many runs as the
        chosen answers have, as fewer runs leave more claims undecided.
        """
        known = {judgement.claim: judgement for judgement in judge(self.study, chosen)}
        answers = {}
        for question in chosen.readings.fitted:
            if question.as_printed == question.chosen:
                continue
            readings = chosen.readings.with_answer(question.id, question.as_printed)
            claims = self._affordable(question.id, known, readings, most)
            looked = Looked()
            for claim in claims:
                looked.update(claim.looked)
            with Progress() as progress:
                outcome = reproduce_looked_at(self.study, looked, readings, self.runs, self._runner(progress))
            found = judge(self.study, outcome, before=known, only=[claim.claim for claim in claims])
            answers[question.id] = {judgement.claim: judgement.finding.verdict for judgement in found}
        judged = judge(self.study, printed) if printed.runs == chosen.runs else []
        return Stored({judgement.claim: judgement.finding.verdict for judgement in judged}, answers)

    def _affordable(
        self, question: str, known: dict[str, Judgement], readings: Readings, most: float
    ) -> list[Judgement]:
        resting = [judgement for judgement in known.values() if question in judgement.fitted]
        return [claim for claim in resting if hops_looked_at(self.study, claim.looked, readings) <= most]


def main(arguments: Sequence[str] | None = None) -> None:
    """Renews the files of one study.

    Raises
    ------
    InputError
        If there is a pilot already and another is asked for.
    """
    parser = argparse.ArgumentParser(prog="python -m penstock.reproductions.renew", description=__doc__)
    parser.add_argument("study")
    parser.add_argument("--runs", type=int, help="runs a row; the study's own number if left out")
    parser.add_argument("--printed-runs", type=int, help="runs a row under the text as printed, if fewer")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--pilot", action="store_true", help="write the pilot, where there is none")
    parser.add_argument("--cross-validate", action="store_true", help="write the cross-validated agreement")
    parser.add_argument("--budget", type=int, help="with --cross-validate: the most runs")
    parser.add_argument(
        "--most", type=float, default=1e9, help="packet-hops a run that a claim may take under another answer"
    )
    given = parser.parse_args(arguments)
    study = load(given.study)
    renewal = Renewal(study, given.runs or study.runs, given.jobs, Store(given.store))
    folder = Path(str(resources.files(__package__))) / study.document.id
    if given.pilot:
        if (folder / pilot.FILE).exists():
            raise InputError(f"{folder / pilot.FILE} exists; remove it if its tolerances are to change")
        outcome = renewal.outcome(Readings(study.document), claims=False)
        _write(folder / pilot.FILE, Pilot.of(outcome).text(study.document))
        return
    if given.cross_validate:
        runs = given.runs or cross_validation.RUNS
        found = renewal.cross_validated(runs, given.budget)
        _write_json(folder / cross_validated.FILE, cross_validated.to_store(found))
        return
    chosen = renewal.outcome(Readings(study.document))
    _write(folder / "runs.json", as_text(study, chosen))
    printed = renewal.outcome(Readings.as_printed(study.document), runs=given.printed_runs)
    _write_json(folder / fits.FILE, renewal.under_the_text(chosen, printed, given.most).as_json())
    judgements = judge(study, chosen)
    _write_json(folder / VERDICTS, [judgement.as_json() for judgement in judgements])
    _write_json(folder / SUMMARY, summarise(study, chosen, printed).as_json())
    _write_json(folder / ORIGIN, Origin.of_this_core().as_json())


def _write_json(path: Path, data: Any) -> None:
    _write(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
