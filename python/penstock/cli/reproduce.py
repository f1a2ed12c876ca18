"""``penstock reproduce``: runs a published study and compares its numbers with the printed ones."""

from typing import Annotated, Any

import click

from penstock.cli.completion import studies
from penstock.cli.options import (
    MOST_RUNS,
    DryRunOption,
    FormatOption,
    JobsOption,
    MemoryOption,
    OnOption,
    RunsOption,
    StoredOption,
    StoreOption,
    TableOption,
    refuse_contradictions,
)
from penstock.cli.verb import argument, flag, option
from penstock.printable import quoted

__all__ = ["DocumentArgument", "read_readings", "reproduce"]

DocumentArgument = Annotated[
    str, argument("DOC", "A study, such as af ('penstock list studies' shows all), or the folder of your own.", studies)
]


def reproduce(
    doc: DocumentArgument,
    *,
    tables: TableOption = None,
    readings: Annotated[
        list[str] | None,
        option("--reading", "ID=KEY", "Answer an open question differently, such as af-a07=min-1s; repeatable."),
    ] = None,
    as_printed: Annotated[
        bool, flag("--as-printed", "Answer every open question as the text is written, without fitting.")
    ] = False,
    runs: RunsOption = None,
    jobs: JobsOption = None,
    on: OnOption = "threads",
    memory: MemoryOption = None,
    store: StoreOption = None,
    claims: Annotated[
        bool, flag("--claims", "Also test the study's claims; answered from the package without a run.")
    ] = False,
    limit: Annotated[
        int | None,
        option(
            "--limit",
            "RUNS",
            "With --claims: double the runs of undecided claims up to this number.",
            bounds=(1, MOST_RUNS),
        ),
    ] = None,
    summary: Annotated[
        bool,
        flag(
            "--summary",
            "Only count the numbers that agree, next to null models and the text as printed; answered from the "
            "package without a run.",
        ),
    ] = False,
    fresh: Annotated[
        bool,
        flag(
            "--fresh",
            "With --summary or --claims: run the study. Implied by --table, --reading, --as-printed, --runs, --jobs, "
            "--on and --limit, and for a study of your own.",
        ),
    ] = False,
    cross_validate: Annotated[
        bool,
        flag(
            "--cross-validate",
            "Score each table under answers to open questions that are chosen on the other tables; show which "
            "questions the print decides.",
        ),
    ] = False,
    budget: Annotated[
        int | None,
        option(
            "--budget",
            "RUNS",
            "With --cross-validate: the most runs to need, stored ones included.",
            bounds=(1, None),
        ),
    ] = None,
    dry_run: DryRunOption = False,
    only_stored: StoredOption = False,
    output: FormatOption = "table",
) -> None:
    """Run a published study again.

    Shows each number next to the printed one.
    """
    answers = read_readings(doc, readings)
    if limit is not None and not claims:
        raise click.BadParameter("is for undecided claims; give --claims too.", param_hint="'--limit'")
    if budget is not None and not cross_validate:
        raise click.BadParameter("is for choosing answers; give --cross-validate too.", param_hint="'--budget'")
    if fresh and not (claims or summary):
        raise click.BadParameter("is for --claims and --summary; all else is run anyway.", param_hint="'--fresh'")
    refuse_contradictions(
        (cross_validate and as_printed, "--cross-validate chooses the answers, and --as-printed gives them"),
        (cross_validate and claims, "--cross-validate scores numbers, and --claims tests claims"),
        (cross_validate and summary, "--cross-validate has the counts of --summary, and chooses the answers"),
        (cross_validate and dry_run, "--dry-run makes no runs, and --cross-validate needs numbers"),
        (cross_validate and only_stored, "--stored makes no runs, and --cross-validate needs all of them"),
        (as_printed and answers, "--as-printed answers every question, so --reading changes nothing"),
        (as_printed and summary, "--summary has the text as printed, so --as-printed changes nothing"),
        (fresh and dry_run, "--dry-run makes no runs, and --fresh asks for them"),
        (fresh and only_stored, "--stored makes no runs, and --fresh asks for them"),
        (summary and claims, "--summary only counts, and --claims tests"),
        (dry_run and limit is not None, "--dry-run makes no runs, and --limit needs numbers"),
        (dry_run and summary, "--dry-run makes no runs, and --summary needs numbers"),
        (only_stored and claims, "--stored makes no runs, and --claims needs all of them"),
        (only_stored and summary, "--stored makes no runs, and --summary needs all of them"),
        (only_stored and dry_run, "--stored shows the numbers of stored runs, and --dry-run shows no numbers"),
    )
    from penstock import reproductions
    from penstock.memory import allow
    from penstock.store import Store

    allow(memory)
    more: dict[str, Any] = {"as_printed": as_printed, "limit": limit, "summary": summary, "fresh": fresh}
    more |= {"dry_run": dry_run, "stored": only_stored, "cross_validate": cross_validate, "budget": budget}
    asked = {name: value for name, value in more.items() if value}
    if on != "threads":
        asked["on"] = on
    reproductions.cli_reproduce(doc, tables or [], answers, runs, jobs, Store(store), claims, output, **asked)


def read_readings(doc: str, given: list[str] | None) -> list[str]:
    """The answers as given, once they have the form ``id=key``.

    Raises
    ------
    click.BadParameter
        If either is missing, or a question is answered twice.
    """
    answers: dict[str, str] = {}
    for text in given or []:
        question, equals, key = (part.strip() for part in text.partition("="))
        if not equals or not question or not key:
            from penstock.reproductions import example_reading

            raise click.BadParameter(
                f"{quoted(text)} is not of the form id=key, such as {example_reading(doc, question)}.",
                param_hint="'--reading'",
            )
        if answers.setdefault(question, key) != key:
            raise click.BadParameter(f"{quoted(question)} is answered twice.", param_hint="'--reading'")
    return [f"{question}={key}" for question, key in answers.items()]
