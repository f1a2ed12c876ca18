"""Published studies, run again from their own descriptions and compared with their printed numbers.

``names`` lists them, ``explain`` tells about one of them, a claim or an open question; ``cli_reproduce`` and
``cli_sensitivity`` are the commands.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.reproductions.loading import names
from penstock.store import Store

__all__ = ["cli_reproduce", "cli_sensitivity", "example_reading", "explain", "names", "summaries"]


def summaries() -> dict[str, str]:
    """What each study is about, by its name."""
    from penstock.reproductions.loading import load

    return {name: load(name).document.summary for name in names()}


def example_reading(doc: str, question: str) -> str:
    """An answer that may be given: to `question` if there is such a question, else to the first of the study."""
    from penstock.reproductions.loading import load

    questions = load(doc).document.questions
    asked = next((own for own in questions if own.id == question), questions[0])
    return f"{asked.id}={(asked.alternatives or asked.options)[0].key}"


def explain(name: str, *, formulas: bool = False) -> str | None:
    """A page in Markdown about a study, a claim or an open question; None if `name` is none of them.

    Dollar signs around formulas stay where `formulas` is set, for pages that typeset them.
    """
    from penstock.reproductions import pages

    return pages.explain(name, formulas=formulas)


def cli_reproduce(
    doc: str,
    tables: Sequence[str] = (),
    readings: Sequence[str] = (),
    runs: int | None = None,
    jobs: int | None = None,
    store: Store | None = None,
    claims: bool = False,
    format: str = "text",  # noqa: A002  (the name of the option)
    *,
    as_printed: bool = False,
    limit: int | None = None,
    summary: bool = False,
    on: str = "threads",
    dry_run: bool = False,
    stored: bool = False,
    cross_validate: bool = False,
    fresh: bool = False,
    alternatives: bool = False,
    budget: int | None = None,
) -> None:
    """Runs a study and prints its numbers next to the printed ones, or with `claims` the verdicts on its claims.

    Verdicts and the counts of `summary` come from the package, unless `fresh` or an option asks for other runs.

    The options are those that ``penstock reproduce`` has.
    """
    from penstock.reproductions import command
    from penstock.reproductions.alternatives import Budget

    asked = command.Asked(tuple(tables), tuple(readings), runs, jobs, store, as_printed=as_printed, on=on)
    if cross_validate:
        command.cross_validate(doc, asked, budget, as_json=format == "json")
    elif stored:
        command.stored(doc, asked, as_json=format == "json")
    elif dry_run:
        command.dry_run(doc, asked, claims=claims, as_json=format == "json")
    elif not (fresh or alternatives or asked.needs_runs or limit is not None) and (
        (summary and command.shipped_summary(doc, as_json=format == "json"))
        or (claims and command.shipped_claims(doc, as_json=format == "json"))
    ):
        return
    elif summary:
        command.summary(doc, asked, as_json=format == "json")
    else:
        others = Budget(budget) if alternatives else None
        command.reproduce(doc, asked, claims=claims, limit=limit, others=others, as_json=format == "json")


def cli_sensitivity(
    doc: str,
    tables: Sequence[str] = (),
    runs: int | None = None,
    jobs: int | None = None,
    store: Store | None = None,
    format: str = "text",  # noqa: A002  (the name of the option)
    *,
    on: str = "threads",
    all_tables: bool = False,
) -> None:
    """Runs every alternative answer to a study's open questions and prints how far each moves each number.

    The options are those that ``penstock sensitivity`` has.
    """
    from penstock.reproductions import command

    asked = command.Asked(tuple(tables), (), runs, jobs, store, on=on)
    command.sensitivity(doc, asked, all_tables=all_tables, as_json=format == "json")
