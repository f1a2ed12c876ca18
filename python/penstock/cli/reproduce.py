"""``penstock reproduce``: runs a published study and compares its numbers with the printed ones."""

from pathlib import Path
from typing import Annotated

import click

from penstock import reproductions, suites
from penstock.cli import options
from penstock.cli.completion import studies
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.memory import allow
from penstock.printable import quoted, suggestion
from penstock.records import MOST_RUNS
from penstock.reproductions import example_reading
from penstock.reproductions.loading import DATA, is_folder
from penstock.store import Store

DocumentArgument = Annotated[
    str, argument("DOC", "A study, such as af ('penstock list studies' shows all), or the folder of your own.", studies)
]
SuiteArgument = Annotated[
    str,
    argument(
        "DOC", "A study (af), a suite (l4s), or the folder of a study of your own; 'penstock list' shows all.", studies
    ),
]


def reproduce(
    doc: SuiteArgument,
    *,
    tables: options.Table = None,
    readings: Annotated[
        list[str] | None,
        option("--reading ID=KEY", "Answer an open question differently, such as af-a07=min-1s; repeatable."),
    ] = None,
    as_printed: Annotated[
        bool, option("--as-printed", "Answer every open question by the document's words, without fitting.")
    ] = False,
    runs: options.Runs = None,
    jobs: options.Jobs = None,
    on: options.On = "threads",
    memory: options.Memory = None,
    store: options.Store = None,
    claims: Annotated[
        bool, option("--claims", "Also test the study's claims; answered from the package without a run.")
    ] = False,
    limit: Annotated[
        int | None,
        option(
            "--limit RUNS",
            "With --claims: double the runs of undecided claims up to this number.",
            bounds=(1, MOST_RUNS),
        ),
    ] = None,
    summary: Annotated[
        bool,
        option(
            "--summary",
            "Only count the numbers that agree, next to null models and the text as printed; answered from the "
            "package without a run.",
        ),
    ] = False,
    fresh: Annotated[
        bool,
        option(
            "--fresh",
            "With --summary or --claims: run the study. Implied by --table, --reading, --as-printed, --runs, --limit "
            "and --alternatives, and for a study of your own.",
        ),
    ] = False,
    alternatives: Annotated[
        bool,
        option(
            "--alternatives", "With --claims: test each claim again under every other answer that changes its runs."
        ),
    ] = False,
    cross_validate: Annotated[
        bool,
        option(
            "--cross-validate",
            "Score each table under answers to open questions that are chosen on the other tables; show which "
            "questions the print decides.",
        ),
    ] = False,
    budget: Annotated[
        int | None,
        option(
            "--budget RUNS",
            "With --alternatives: the most runs to make under other answers; stored runs are free. With "
            "--cross-validate: the most runs to need, stored ones included.",
            bounds=(0, None),
        ),
    ] = None,
    dry_run: options.DryRun = False,
    only_stored: options.Stored = False,
    sets: options.Set = None,
    precision: Annotated[
        str | None,
        option(
            "--precision METRIC=WIDTH",
            "Of a suite: run each point until the half-width of this metric's 95 % interval is small enough, such as "
            "'share=5 %'.",
        ),
    ] = None,
    out: Annotated[
        Path | None, option("--out -o FOLDER", "Of a suite: also write its tables and figures into this folder.")
    ] = None,
    output: options.Output = "table",
) -> None:
    """Run a published study again, or a suite of comparisons.

    Shows each number of a study next to the printed one. A suite compares mechanisms without printed numbers; --table
    chooses its parts.
    """
    if doc in suites.names():
        of_study = (readings, as_printed, claims, summary, limit, fresh, alternatives, cross_validate)
        options.refuse_contradictions(
            (any(of_study) or budget is not None, f"{doc} is a suite and has no printed numbers"),
            (dry_run and (only_stored or out is not None), "--dry-run makes no runs"),
            (precision is not None and runs, "--precision determines the number of runs, and --runs gives it"),
        )
        from penstock.cli.studies import read_precision
        from penstock.suites import command

        allow(memory)
        target = None if precision is None else read_precision(precision)
        parts, run = tuple(tables or ()), command.dry_run if dry_run else command.reproduce
        wanted = command.Asked(parts, options.read_sets(sets), runs, target, jobs, on, Store(store), out, only_stored)
        run(suites.load(doc), wanted, as_json=output == "json")
        return
    refuse_unknown(doc)
    of_suite = sets or precision is not None or out is not None
    options.refuse_contradictions(
        (of_suite, "--set, --precision and --out are for suites, and this is a published study")
    )
    answers = read_readings(doc, readings)
    if limit is not None and not claims:
        raise click.BadParameter("is for undecided claims; give --claims too.", param_hint="'--limit'")
    if fresh and not (claims or summary):
        raise click.BadParameter("is for --claims and --summary; all else is run anyway.", param_hint="'--fresh'")
    if alternatives and not claims:
        raise click.BadParameter("is for claims; give --claims too.", param_hint="'--alternatives'")
    if budget is not None and not (alternatives or cross_validate):
        why = "is for other answers; give --alternatives or --cross-validate too."
        raise click.BadParameter(why, param_hint="'--budget'")
    if budget == 0 and cross_validate:
        raise click.BadParameter("is too small for --cross-validate; at least 1.", param_hint="'--budget'")
    options.refuse_contradictions(
        (
            alternatives and (answers or as_printed),
            "--alternatives varies the chosen answers, and other ones are given",
        ),
        (alternatives and dry_run, "--dry-run makes no runs, and --alternatives needs verdicts"),
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
    allow(memory)
    from penstock.reproductions import command as run_again
    from penstock.reproductions.alternatives import Budget

    as_json, chosen = output == "json", (tuple(tables or ()), answers)
    asked = run_again.Asked(*chosen, runs, jobs, Store(store), as_printed, on, fresh, as_json)
    if cross_validate:
        run_again.cross_validate(doc, asked, budget)
    elif only_stored:
        run_again.stored(doc, asked)
    elif dry_run:
        run_again.dry_run(doc, asked, claims=claims)
    elif summary:
        run_again.summary(doc, asked)
    else:
        run_again.reproduce(doc, asked, claims=claims, limit=limit, others=Budget(budget) if alternatives else None)


def refuse_unknown(doc: str) -> None:
    """Raises InputError if there is no study and no suite of this name."""
    studies, questions = reproductions.names(), suites.names()
    if doc in studies or is_folder(doc):
        return
    hint = suggestion(doc, [*studies, *questions], ";")
    there = f"the studies are {', '.join(studies)}, and the suites {', '.join(questions)}"
    if hint != ";":
        there = f"{there[0].upper()}{there[1:]}"
    raise InputError(f"no published study or suite {quoted(doc)}{hint} {there}. A folder with a {DATA} is a study too.")


def read_readings(doc: str, given: list[str] | None) -> dict[str, str]:
    """The answers by question, from ``id=key``. Raises click.BadParameter for other forms and repeated questions."""
    answers: dict[str, str] = {}
    for text in given or []:
        question, equals, key = (part.strip() for part in text.partition("="))
        if not equals or not question or not key:
            raise click.BadParameter(
                f"{quoted(text)} is not of the form id=key, such as {example_reading(doc, question)}.",
                param_hint="'--reading'",
            )
        if answers.setdefault(question, key) != key:
            raise click.BadParameter(f"{quoted(question)} is answered twice.", param_hint="'--reading'")
    return answers
