"""``penstock report``: one HTML page of a study, a scenario or a published study."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from penstock.cli import options
from penstock.cli.completion import studies
from penstock.cli.console import emit, warn
from penstock.cli.cores import runner_told
from penstock.cli.files import check_page, read_text, write
from penstock.cli.studies import made_told, plan_of, so_far
from penstock.cli.verb import argument, option
from penstock.errors import InputError, PenstockError
from penstock.memory import allow, size_text
from penstock.printable import file_word, path_text
from penstock.report import render
from penstock.report.content import Report
from penstock.reproductions.loading import DATA, has_document, names
from penstock.store import Store
from penstock.studies.making import stored
from penstock.studies.plan import StudyPlan
from penstock.studies.request import warnings_of
from penstock.studies.result import StudyData
from penstock.studies.verify import verify

if TYPE_CHECKING:
    from penstock.report.making import Makers


def report(
    what: Annotated[str, argument("WHAT", "A study or scenario (TOML), or a published study, such as af.", studies)],
    *,
    out: Annotated[Path | None, option("--out -o FILE", "The page. Default: WHAT's name with .html.")] = None,
    force: options.Force = False,
    only_stored: Annotated[
        bool,
        option(
            "--stored",
            "Run nothing; report the runs stored so far, or, for a published study with missing runs, the runs "
            "that come with Penstock.",
        ),
    ] = False,
    runs: options.Runs = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    jobs: options.Jobs = None,
    on: options.On = "threads",
    memory: options.Memory = None,
    store: options.Store = None,
) -> None:
    """Write a study and its results as one HTML page.

    The page has the question, the topology, the findings, the numbers (next to printed ones and null models, if there
    are any), plots, and the command that repeats it. It loads nothing from elsewhere, so it can be sent, kept and
    printed. Stored runs are not repeated.
    """
    path = Path(what)
    is_published = what in names() or path.name == DATA or has_document(path)
    folder = path.parent if path.name == DATA else path
    stem = folder.resolve().name if has_document(folder) else path.stem
    page = out if out is not None else Path(f"{stem or 'report'}.html")
    check_page(page, force=force)
    allow(memory)
    from penstock.report.making import Makers  # this and the imports below take longer than the help

    makers = Makers(Store(store), jobs, on, only_stored)
    result = None
    if is_published:
        made = _published(what, makers, runs, seed, sets)
    else:
        result, made = _study(Path(what), makers, runs, seed, sets)
    content = render(made).encode("utf-8")
    write(page, content)
    emit(f"{path_text(page)}: written, {size_text(len(content))}.")
    if result is not None:
        result.require_precision()


def _published(what: str, makers: "Makers", runs: int | None, seed: int | None, sets: list[str] | None) -> Report:
    from penstock.report.making import published_report

    why = f"{what}: the runs of a published study are set by the document, so "
    options.refuse_idle({"--set": sets, "--seed": seed}, why)
    if makers.only_stored:
        options.refuse_idle({"--runs": runs}, f"{what}: the runs of a published study are as they were made, so ")
    return published_report(what, makers, runs)


def _study(
    file: Path, makers: "Makers", runs: int | None, seed: int | None, sets: list[str] | None
) -> tuple[StudyData, Report]:
    from penstock.report.study import study_report

    try:
        text = read_text(file)
    except InputError as error:
        known = f" Published studies are {', '.join(names())}."
        raise InputError(f"{error}{'' if file.suffix else known}") from None
    plan = plan_of(file, options.read_sets(sets), runs, seed)
    given = options.words_of({"--set": sets, "--runs": runs, "--seed": seed})
    result = _made(plan, makers, str(file))
    made = study_report(result, file=file_word(file), options=given, study=text if plan.is_file else None)
    number = plan.runs if plan.precision is None else plan.precision.least
    if makers.only_stored and result.run_count < number * len(plan.points):
        made = replace(made, warnings=[so_far(plan, result, number), *made.warnings])
    return result, made


def _made(plan: StudyPlan, makers: "Makers", file: str) -> StudyData:
    """The result, even if it misses its precision target. Raises PenstockError if no run is stored or may be made."""
    asked = plan.read()
    warn(warnings_of(asked))
    if not makers.only_stored:
        verify(plan, asked)
        return made_told(plan, asked, runner_told(1, jobs=makers.jobs, store=makers.store, on=makers.on))
    try:
        return stored(plan, asked, makers.store)
    except InputError:
        raise
    except PenstockError as error:
        raise PenstockError(f"{file}: {str(error).rstrip('.')}; leave --stored out to make them.") from None
