"""``penstock series``: the state of ports, flows and their components over time."""

from typing import Annotated, Any

from penstock.cli import options
from penstock.cli.rows import form_of, one_run, write_rows
from penstock.cli.verb import option
from penstock.memory import allow
from penstock.series import TimeSeries


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

    Samples one run; sampling does not change its numbers. The scenario's [[series]] says what to sample and when; the
    options --of, --what, --sum, --every, --on-change, --start and --stop replace it. A table shows the first rows,
    other formats all.
    """
    form = form_of(form, file, output)
    allow(memory)
    run = one_run(file, "series are", sets, replay, seed=seed, replication=replication, threads=threads)
    on = "change" if on_change else None
    which: dict[str, Any] = {"of": of, "what": what, "sum": total, "every": every, "start": start, "stop": stop}
    made = TimeSeries(run.scenario, name=str(file), on=on, **which, **run.options)
    run.tell(made)
    write_rows(
        made,
        form,
        output,
        limit,
        member="series",
        count="values",
        cell=lambda column, value: f"{value:.6g}" if column == "value" else str(value),
        plain=lambda column: column.name == "series" and column.n_unique() == 1,
        empty="Nothing was read: no route uses these ports, or the run ends before.",
    )
