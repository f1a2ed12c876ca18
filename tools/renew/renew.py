"""Renews the stored results of a study: ``python tools/renew/renew.py STUDY``.

Writes, in this order:

- ``runs.json``: the numbers of all runs, and the digest of the first run of every scenario, for tests to repeat;
- ``summary.json``: what ``penstock reproduce STUDY --summary --format json`` prints;
- ``origin.json``: the model version and the date of these results;
- ``fits.json``: the verdicts under other answers, one answer at a time and all of the text's own together;
- ``verdicts.json``: what ``penstock reproduce STUDY --claims --format json`` prints.

With ``--alternatives`` only the last two, and only what depends on other answers. Finished runs are in the store, so
the same command continues where an earlier one stopped or had spent its budget. Verdicts that it does not test stay,
and ``fits.json`` names the models that gave them.

``--only TABLE`` runs this table and the experiments; the numbers of all others are taken from ``runs.json``, which is
right where their scenarios have not changed.

``--cross-validate`` writes ``cross_validated.json`` instead, with what ``penstock reproduce STUDY --cross-validate
--format json`` prints. ``--only`` names the tables then, and ``--questions`` those whose answers are chosen: all others
keep the document's chosen answers. That bounds the runs of a large study.

``--second-look CLAIM`` makes the runs that should decide an undecided claim, and writes ``second_look.json`` and the
claim's verdict; later renewals repeat it. ``--alternatives`` then tests it under other answers on as many runs.

``--pilot`` writes ``pilot.json`` instead, and only where there is none: the tolerances that follow from it are not to
move with the runs that they judge.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import second_looks
from penstock import _core
from penstock.errors import InputError
from penstock.progress import Progress
from penstock.reproductions import comparison, cross_validation, fits, worth
from penstock.reproductions.alternatives import Alternatives, Budget
from penstock.reproductions.claims import judge, judgements_of
from penstock.reproductions.evidence import UNDECIDED
from penstock.reproductions.fits import Stored
from penstock.reproductions.loading import load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import Plan, reproduce
from penstock.reproductions.stored import (
    ORIGIN,
    SUMMARY,
    VERDICTS,
    digests,
    first_digests,
    scenario_name,
    shipped,
    stored_outcome,
)
from penstock.reproductions.study import folder_of
from penstock.reproductions.summary import summarise
from penstock.store import Store
from penstock.studies.runner import Runner
from second_looks import claims_looked_at_again, judged_again, look_again, stored_looks
from stored_files import fits_json, joined, known_to, pilot_of, pilot_text, reopened, runs_text, this_core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.claims import Judgement
    from penstock.reproductions.fits import OtherVerdicts
    from penstock.reproductions.study import Study
    from second_looks import SecondLook

BUDGET = 1000
"""Runs under other answers that a renewal makes unless told otherwise."""


class Renewal:
    """The runs of a renewal."""

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

    def partly(self, tables: Sequence[str]) -> tuple[Outcome, dict[str, str]]:
        """Runs the named tables and the experiments; other tables are as stored. Adds the digests of first runs.

        Raises InputError if there is nothing stored, or another number of runs.
        """
        stored, readings = stored_outcome(self.study, without=tables), Readings(self.study.document)
        if stored is None or stored.runs != self.runs:
            raise InputError(f"runs.json has {stored.runs if stored else 0} runs of each row, not {self.runs}")
        with Progress() as progress:
            made = reproduce(self.study, tables, readings, self.runs, self._runner(progress), claims=True)
        known = {table.id for table in stored.tables} - {table.id for table in made.tables}
        outcome = Outcome(self.study.document, readings, self.study.document.chosen_tables([]), self.runs)
        for table in outcome.tables:
            source = stored if table.id in known else made
            for row in table.rows:
                outcome.put(table, row, source.all_values(table, row))
        outcome.experiments.update(made.experiments)
        found = digests(self.study) | first_digests(self.study, made)
        settings = readings.settings()
        names = [
            scenario_name(table.id, row.name, part)
            for table in outcome.tables
            for row in table.rows
            for part in self.study.build(settings, table, row)
        ]
        return outcome, {name: found[name] for name in (*names, *(f"experiment {name}" for name in made.experiments))}

    def cross_validated(
        self, runs: int, budget: int | None, tables: Sequence[str] = (), questions: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The agreement under answers that are chosen without the table that is scored; to all questions if none."""
        document = self.study.document
        asked = [document.question(name).id for name in questions]
        fixed = {each.id: each.chosen for each in document.questions if asked and each.id not in asked}
        with Progress() as progress:
            return cross_validation.cross_validate(
                self.study, tables, fixed, runs, budget, self._runner(progress), tell=print
            )

    def kept(self) -> Outcome:
        """The rows of ``runs.json``, and the runs that only claims need.

        Raises InputError if there is no such file.
        """
        outcome = stored_outcome(self.study)
        if outcome is None:
            raise InputError(f"{self.study.document.id} has no runs.json; leave --alternatives out")
        plan = Plan(self.study, [], outcome.runs)
        plan.add_experiments(outcome)
        with Progress() as progress:
            plan.run(self._runner(progress))
        return outcome

    def judged(self, kept: Outcome) -> list[Judgement]:
        """The claims, judged on stored rows.

        Raises InputError if a claim compares digests, which are not stored.
        """
        try:
            return judge(self.study, kept)
        except KeyError as missing:
            told = f"a claim needs more than runs.json has ({missing.args[0]}); leave --alternatives out"
            raise InputError(told) from None

    def second_looks(self, chosen: Outcome, claims: Sequence[str]) -> dict[str, SecondLook]:
        """More runs for undecided claims."""
        with Progress() as progress:
            return {claim: look_again(self.study, chosen, claim, self._runner(progress)) for claim in claims}

    def others(
        self,
        chosen: Outcome,
        judgements: Sequence[Judgement],
        budget: int | None,
        questions: Sequence[str],
        looks: Mapping[str, SecondLook] | None = None,
    ) -> OtherVerdicts:
        """Verdicts under other answers; stored ones stay where none is tested now, with the model that gave them.

        Claims that have had a second look are tested on as many runs, and none stays that fewer left undecided.
        """
        known, left = known_to(Stored.load(self.study.document), _core.MODEL_VERSION), Budget(budget)
        looks = looks or {}
        tests = Alternatives(self.study, chosen, **self._options)
        once = [judgement for judgement in judgements if judgement.claim not in looks]
        found = tests.run(once, left, questions=questions, known=known)
        known = reopened(known, looks)
        for claim, look in looks.items():
            again = [judgement for judgement in judgements if judgement.claim == claim]
            own = Alternatives(self.study, look.outcome, **self._options)
            found = joined(found, own.run(again, left, questions=questions, known=known), tests.readings)
        return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Renews the files of one study.

    Raises InputError if there is a pilot already and another is asked for, or only some tables of a study that is also
    run under the text's own answers; or with ``--alternatives``, if a claim compares digests, which are not stored.
    """
    given = _options().parse_args(arguments)
    study = load(given.study)
    renewal = Renewal(study, given.runs or study.runs, given.jobs, Store(given.store))
    folder = folder_of(study.document)
    if given.pilot:
        if (folder / comparison.PILOT).exists():
            raise InputError(f"{folder / comparison.PILOT} exists; remove it if its tolerances are to change")
        outcome = renewal.outcome(Readings(study.document), claims=False)
        _write(folder / comparison.PILOT, pilot_text(pilot_of(outcome), study.document))
        return
    if given.cross_validate:
        runs = given.runs or cross_validation.RUNS
        found = renewal.cross_validated(runs, given.budget, given.only, given.questions)
        _write_json(folder / worth.CROSS_VALIDATED, {**asdict(this_core()), **found})
        return
    if given.second_look:
        _look_again(renewal, folder, given.second_look)
        return
    if given.only and Readings.as_printed(study.document).changed:
        raise InputError("runs under the text's own answers are not stored; leave --only out")
    if given.alternatives:
        chosen, as_printed = renewal.kept(), Stored.load(study.document).as_printed
    else:
        if given.only:
            chosen, firsts = renewal.partly(given.only)
            printed = chosen
        else:
            chosen = renewal.outcome(Readings(study.document))
            firsts = None
            printed = renewal.outcome(Readings.as_printed(study.document), runs=given.printed_runs)
        _write(folder / "runs.json", runs_text(study, chosen, firsts))
        # Fewer runs leave more claims undecided.
        judged = judge(study, printed) if printed.runs == chosen.runs else []
        as_printed = {judgement.claim: judgement.finding.verdict for judgement in judged}
        _write_json(folder / SUMMARY, summarise(study, chosen, printed).as_json())
        _write_json(folder / ORIGIN, asdict(this_core()))
    if given.alternatives:
        judgements, looks = renewal.judged(chosen), stored_looks(study)
    else:
        judgements = judge(study, chosen)
        undecided = {judgement.claim for judgement in judgements if judgement.finding.verdict == UNDECIDED}
        looks = renewal.second_looks(chosen, [claim for claim in claims_looked_at_again(study) if claim in undecided])
        _write_looks(folder, chosen, looks)
    judgements = judged_again(study, judgements, looks)
    budget = BUDGET if given.budget is None else given.budget
    tested = renewal.others(chosen, judgements, budget, given.questions, looks)
    _write_json(folder / fits.FILE, fits_json(Stored(as_printed, tested, this_core())))
    _write_json(folder / VERDICTS, [judgement.under(tested).as_json() for judgement in judgements])


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python tools/renew/renew.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study")
    parser.add_argument("--runs", type=int, help="runs a row; the study's own number if left out")
    parser.add_argument("--printed-runs", type=int, help="runs a row under the text as printed, if fewer")
    parser.add_argument("--only", action="append", default=[], metavar="TABLE", help="run this table; repeatable")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--pilot", action="store_true", help="write the pilot, where there is none")
    parser.add_argument("--cross-validate", action="store_true", help="write the cross-validated agreement")
    parser.add_argument(
        "--budget", type=int, help=f"the most runs under other answers ({BUDGET}), or with --cross-validate (no limit)"
    )
    parser.add_argument("--questions", nargs="+", default=[], help="only answers to these questions")
    parser.add_argument(
        "--alternatives", action="store_true", help="only verdicts under other answers; all else stays as it is"
    )
    parser.add_argument(
        "--second-look", nargs="+", default=[], metavar="CLAIM", help="only more runs for these undecided claims"
    )
    return parser


def _look_again(renewal: Renewal, folder: Path, claims: Sequence[str]) -> None:
    """Writes second looks at some claims, and their verdicts."""
    study = renewal.study
    first, shown = stored_outcome(study), shipped(study.document, VERDICTS)
    if first is None or shown is None:
        raise InputError(f"{study.document.id} has no stored runs; renew it first")
    looks = renewal.second_looks(first, claims)
    _write_looks(folder, first, stored_looks(study) | looks)
    verdicts, _ = shown
    judgements = judged_again(study, judgements_of(study.document, verdicts), looks)
    stored = Stored.load(study.document)
    if stored.tested is not None:
        tested = reopened(stored.tested, looks)
        _write_json(folder / fits.FILE, fits_json(replace(stored, tested=tested)))
        judgements = [judgement.under(tested) if judgement.claim in looks else judgement for judgement in judgements]
    _write_json(folder / VERDICTS, [judgement.as_json() for judgement in judgements])


def _write_looks(folder: Path, first: Outcome, looks: Mapping[str, SecondLook]) -> None:
    if looks:
        _write(folder / second_looks.FILE, second_looks.as_text(first, looks))
    else:
        (folder / second_looks.FILE).unlink(missing_ok=True)


def _write_json(path: Path, data: Any) -> None:
    _write(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
