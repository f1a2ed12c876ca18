"""``penstock series``: the state of ports, flows and their components over time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import MemoryOption, SeedOption, ThreadsOption, read_sets
from penstock.cli.rows import (
    FormatOption,
    LimitOption,
    OutputOption,
    ReplicationOption,
    RowFormat,
    SetOfOneOption,
    StartOption,
    StopOption,
    form_of,
    read_scenario,
    refuse_files,
    show_rows,
    write_rows,
)

if TYPE_CHECKING:
    from penstock.rows import RowStream

__all__ = ["series"]


def series(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            metavar="NAME",
            help="Of this link, node with its ports, group of flows, or a member such as tcp[3]; may be repeated.",
            show_default=False,
        ),
    ] = None,
    what: Annotated[
        list[str] | None,
        typer.Option(
            "--what",
            metavar="VARIABLE",
            help="Only this variable, such as queue, cwnd or queue.red.average; may be repeated.",
            show_default=False,
        ),
    ] = None,
    total: Annotated[
        bool,
        typer.Option("--sum", help="Add up what each --of stands for: one value instead of one of each member."),
    ] = False,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="TIME", help="The interval at which it is read.", show_default=False),
    ] = None,
    on_change: Annotated[
        bool, typer.Option("--on-change", help="Read whenever it has changed, not at intervals.", show_default=False)
    ] = False,
    start: StartOption = None,
    stop: StopOption = None,
    output: OutputOption = None,
    limit: LimitOption = 50,
    seed: SeedOption = None,
    replication: ReplicationOption = 0,
    sets: SetOfOneOption = None,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    form: FormatOption = RowFormat.TABLE,
) -> None:
    """Show the state of ports, flows and components over time.

    One run, with the numbers that it has without. The scenario's [[series]] says what is read and when, or the options
    --of, --what, --sum, --every, --on-change, --start and --stop do instead. A table ends after some rows; other forms
    hold all.
    """
    from penstock.cli.console import warn
    from penstock.cli.cores import cores_told
    from penstock.memory import allow
    from penstock.series import TimeSeries

    form = form_of(form, output)
    refuse_files(form, output)
    allow(memory)
    text, settings = read_scenario(file, "series are"), read_sets(sets)
    made = TimeSeries(
        text,
        name=str(file),
        folder=str(file.parent),
        sets=settings,
        seed=seed,
        replication=replication,
        of=of,
        what=what,
        sum=total,
        every=every,
        on="change" if on_change else None,
        start=start,
        stop=stop,
        threads=threads,
    )
    warn(made.warnings)
    with cores_told(threads) as cores:
        cores.note(made.name, text, lambda: made.scenario)
    write_rows(made, form, output, limit, member="series", count="values", show=_show)


def _show(made: "RowStream", limit: int) -> None:
    show_rows(
        made,
        limit,
        cell=lambda column, value: f"{value:.6g}" if column == "value" else str(value),
        plain=lambda column: column.name == "series" and column.n_unique() == 1,
        empty="Nothing was read: no route uses these ports, or the run ends before.",
    )
