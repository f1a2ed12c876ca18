"""Runs what a report needs, or reads it from the store."""

import json
from dataclasses import dataclass

from penstock.errors import PenstockError
from penstock.progress import Progress
from penstock.report.content import Report
from penstock.report.reproduction import Reproduced, reproduction_report
from penstock.reproductions.claims import judge
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import planned, reproduce
from penstock.reproductions.stored import SUMMARY, VERDICTS, digests, first_digests, stored_outcome
from penstock.reproductions.study import Study, text_beside
from penstock.reproductions.summary import summarise
from penstock.store import Store
from penstock.studies.runner import Runner, there


@dataclass(frozen=True, slots=True)
class Makers:
    """The store, the number of parallel runs, the kind of workers, and whether only stored runs are used."""

    store: Store
    jobs: int | None = None
    on: str = "threads"
    only_stored: bool = False


def published_report(name: str, makers: Makers, runs: int | None = None) -> Report:
    """The report of a published study, from new or stored runs; `runs` of each row, else the study's own number."""
    study = load(name)
    is_packaged = False
    if makers.only_stored:
        points = planned(study, [], Readings(study.document), study.runs, claims=True)[0].points()
        kept = there(points, makers.store)
        is_packaged = any(len(own) < len(each.replications) for each, own in zip(points, kept, strict=True))
    made = _packaged(study) if is_packaged else _reproduced(study, makers, runs or study.runs)
    return reproduction_report(study, made)


def _packaged(study: Study) -> Reproduced:
    name = study.document.id
    outcome = stored_outcome(study)
    verdicts, summary = (text_beside(study.document, file) for file in (VERDICTS, SUMMARY))
    if outcome is None or verdicts is None or summary is None:
        raise PenstockError(f"{name}: none of its runs is stored; leave --stored out to make them.")
    origin = "those that come with Penstock"
    return Reproduced(outcome, json.loads(verdicts), json.loads(summary), digests(study), origin)


def _reproduced(study: Study, makers: Makers, runs: int) -> Reproduced:
    with Progress() as progress:
        runner = Runner(jobs=makers.jobs, store=makers.store, progress=progress, on=makers.on)
        outcome = reproduce(study, [], Readings(study.document), runs, runner, claims=True)
    verdicts = [judgement.as_json() for judgement in judge(study, outcome)]
    summary = summarise(study, outcome, None).as_json()
    origin = "all in the store" if makers.only_stored else "made here, or before and stored here"
    return Reproduced(outcome, verdicts, summary, first_digests(study, outcome), origin)
