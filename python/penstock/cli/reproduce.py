"""``penstock reproduce``: runs a published study and lays the numbers beside the printed ones."""

from typing import Annotated, Any

import typer

from penstock.cli.completion import studies
from penstock.cli.options import (
    MOST_RUNS,
    THREADS,
    Format,
    FormatOption,
    JobsOption,
    MemoryOption,
    OnOption,
    RunsOption,
    StoreOption,
)
from penstock.printable import quoted

__all__ = ["DocumentArgument", "TableOption", "read_readings", "reproduce"]

DocumentArgument = Annotated[
    str,
    typer.Argument(
        help="The study, such as af ('penstock list studies' shows all), or the folder of one's own.",
        metavar="DOC",
        autocompletion=studies,
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="ID", help="Only this table or figure; may be repeated.", show_default=False),
]


def reproduce(
    doc: DocumentArgument,
    *,
    tables: TableOption = None,
    readings: Annotated[
        list[str] | None,
        typer.Option(
            "--reading",
            metavar="ID=KEY",
            help="Answer an open question another way, such as af-a07=min-1s; may be repeated.",
            show_default=False,
        ),
    ] = None,
    as_printed: Annotated[
        bool,
        typer.Option("--as-printed", help="Answer every open question as the text has it, and fit nothing."),
    ] = False,
    runs: RunsOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    memory: MemoryOption = None,
    store: StoreOption = None,
    claims: Annotated[bool, typer.Option("--claims", help="Test the study's claims too.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="RUNS",
            min=1,
            max=MOST_RUNS,
            help="With --claims: more runs for undecided ones, doubling up to this many.",
            show_default=False,
        ),
    ] = None,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Only count what agrees, beside null models and the text as printed."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only show what would be run, what of it is stored, and about how long the rest takes."
        ),
    ] = False,
    only_stored: Annotated[
        bool,
        typer.Option(
            "--stored", help="Run nothing, and show what the store has by now: also while another command is at it."
        ),
    ] = False,
    output: FormatOption = Format.TABLE,
) -> None:
    """Run a published study again.

    The numbers stand beside the printed ones.
    """
    answers = read_readings(doc, readings)
    for refused, why in (
        (as_printed and answers, "answers every question; leave --reading out."),
        (as_printed and summary, "is part of --summary; leave one of the two out."),
    ):
        if refused:
            raise typer.BadParameter(why, param_hint="'--as-printed'")
    if limit is not None and not claims:
        raise typer.BadParameter("is for undecided claims; give --claims too.", param_hint="'--limit'")
    if dry_run and (limit is not None or summary):
        other = "'--limit'" if limit is not None else "'--summary'"
        raise typer.BadParameter(
            f"runs nothing, and {other} needs numbers; leave one of the two out.", param_hint="'--dry-run'"
        )
    if only_stored:
        others = {"--claims": claims, "--summary": summary, "--dry-run": dry_run}
        beside = next((name for name, is_given in others.items() if is_given), None)
        if beside is not None:
            why = "shows no numbers" if dry_run else "needs all runs"
            raise typer.BadParameter(
                f"runs nothing, and '{beside}' {why}; leave one of the two out.", param_hint="'--stored'"
            )
    if summary and claims:
        raise typer.BadParameter("only counts; leave --claims out.", param_hint="'--summary'")
    from penstock import reproductions
    from penstock.memory import allow
    from penstock.store import Store

    allow(memory)
    more: dict[str, Any] = {"as_printed": as_printed, "limit": limit, "summary": summary}
    more |= {"dry_run": dry_run, "stored": only_stored}
    asked = {name: value for name, value in more.items() if value}
    if on != THREADS:
        asked["on"] = on
    reproductions.cli_reproduce(doc, tables or [], answers, runs, jobs, Store(store), claims, output.value, **asked)


def read_readings(doc: str, given: list[str] | None) -> list[str]:
    """The answers as given, once they have the form ``id=key``.

    Raises
    ------
    typer.BadParameter
        If either is missing, or a question is answered twice.
    """
    answers: dict[str, str] = {}
    for text in given or []:
        question, equals, key = (part.strip() for part in text.partition("="))
        if not equals or not question or not key:
            from penstock.reproductions import example_reading

            raise typer.BadParameter(
                f"{quoted(text)} is not of the form id=key, such as {example_reading(doc, question)}.",
                param_hint="'--reading'",
            )
        if answers.setdefault(question, key) != key:
            raise typer.BadParameter(f"{quoted(question)} is answered twice.", param_hint="'--reading'")
    return [f"{question}={key}" for question, key in answers.items()]
