"""``penstock sensitivity``: how far each open question of a published study moves its numbers."""

from typing import Annotated

from penstock.cli import options
from penstock.cli.reproduce import DocumentArgument
from penstock.cli.verb import option
from penstock.memory import allow
from penstock.store import Store


def sensitivity(
    doc: DocumentArgument,
    *,
    tables: options.Table = None,
    all_tables: Annotated[bool, option("--all-tables", "All tables; some studies have fewer by default.")] = False,
    runs: options.Runs = None,
    jobs: options.Jobs = None,
    on: options.On = "threads",
    memory: options.Memory = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Show what a study's open questions change.

    Answers each question in every way, and shows how far each number moves. The number of runs is shown first.
    """
    allow(memory)
    from penstock.reproductions import command

    asked = command.Asked(tuple(tables or ()), {}, runs, jobs, Store(store), on=on, as_json=output == "json")
    command.sensitivity(doc, asked, all_tables=all_tables)
