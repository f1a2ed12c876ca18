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
    claims: Annotated[bool, flag("--claims", "Also test the study's claims.")] = False,
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
        bool, flag("--summary", "Only count the numbers that agree, next to null models and the text as printed.")
    ] = False,
    dry_run: DryRunOption = False,
    only_stored: StoredOption = False,
    output: FormatOption = "table",
) -> None:
    """Run a published study again.

    Shows each number next to the printed one.
    """
    answers = read_readings(doc, readings)
    for refused, why in (
        (as_printed and answers, "answers every question; leave --reading out."),
        (as_printed and summary, "is part of --summary; leave one of the two out."),
    ):
        if refused:
            raise click.BadParameter(why, param_hint="'--as-printed'")
    if limit is not None and not claims:
        raise click.BadParameter("is for undecided claims; give --claims too.", param_hint="'--limit'")
    if dry_run and (limit is not None or summary):
        other = "'--limit'" if limit is not None else "'--summary'"
        raise click.BadParameter(
            f"runs nothing, and {other} needs numbers; leave one of the two out.", param_hint="'--dry-run'"
        )
    if only_stored:
        others = {"--claims": claims, "--summary": summary, "--dry-run": dry_run}
        beside = next((name for name, is_given in others.items() if is_given), None)
        if beside is not None:
            why = "shows no numbers" if dry_run else "needs all runs"
            raise click.BadParameter(
                f"runs nothing, and '{beside}' {why}; leave one of the two out.", param_hint="'--stored'"
            )
    if summary and claims:
        raise click.BadParameter("only counts; leave --claims out.", param_hint="'--summary'")
    from penstock import reproductions
    from penstock.memory import allow
    from penstock.store import Store

    allow(memory)
    more: dict[str, Any] = {"as_printed": as_printed, "limit": limit, "summary": summary}
    more |= {"dry_run": dry_run, "stored": only_stored}
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
