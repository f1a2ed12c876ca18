"""``penstock series``: the state of ports, flows and their components over time."""

from typing import TYPE_CHECKING, Annotated

from penstock.cli import options
from penstock.cli.options import read_sets
from penstock.cli.rows import form_of, read_scenario, refuse_files, replayed, show_rows, write_rows
from penstock.cli.verb import option

if TYPE_CHECKING:
    from penstock.rows import RowStream


def series(
    file: options.ScenarioFile,
    *,
    of: Annotated[
        list[str] | None,
        option("--of NAME", "This link, node and its ports, group of flows, or member: tcp[3]; repeatable."),
    ] = None,
    what: Annotated[
        list[str] | None,
        option("--what VARIABLE", "Only this variable, such as queue, cwnd or queue.red.average; repeatable."),
    ] = None,
    total: Annotated[bool, option("--sum", "Add up the members of each --of.")] = False,
    every: Annotated[str | None, option("--every TIME", "Sampling interval.")] = None,
    on_change: Annotated[bool, option("--on-change", "Sample at every change instead of at intervals.")] = False,
    start: options.Start = None,
    stop: options.Stop = None,
    output: options.Rows = None,
    limit: options.Limit = 50,
    seed: options.Seed = None,
    replication: options.Replication = 0,
    sets: options.OneSet = None,
    replay: options.Replay = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    form: options.FrameOutput = "table",
) -> None:
    """Show the state of ports, flows and components over time.

    Samples one run; sampling does not change its numbers. The scenario's [[series]] says what is sampled and when; the
    options --of, --what, --sum, --every, --on-change, --start and --stop replace it. A table shows the first rows,
    other formats all.
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
        replayed(file, text, replay, settings, seed),
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
