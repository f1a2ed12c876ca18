"""``penstock trace``: every event of a run."""

from pathlib import Path
from typing import Annotated, Any

from penstock.cli import options
from penstock.cli.console import say
from penstock.cli.rows import form_of, one_run, write_rows
from penstock.cli.verb import option
from penstock.errors import InputError
from penstock.memory import allow
from penstock.printable import path_text, things
from penstock.trace import PacketTrace


def trace(
    file: options.ScenarioFile,
    *,
    at: options.At = None,
    flows: options.Flows = None,
    events: Annotated[
        list[str] | None,
        option(
            "--event --events KIND",
            "Only send, accept, mark, drop, transmit, receive, timer, window or duplicate events; repeatable.",
        ),
    ] = None,
    start: options.Start = None,
    stop: options.Stop = None,
    output: options.Rows = None,
    pcap: Annotated[
        Path | None,
        option(
            "--pcap DIR",
            "Capture what each link transmits in this folder, as LINK.pcapng (nanoseconds). Captures of the same links "
            "are replaced; a folder with others is refused.",
        ),
    ] = None,
    limit: options.Limit = 50,
    seed: options.Seed = None,
    replication: options.Replication = 0,
    sets: options.OneSet = None,
    replay: options.Replay = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    executor: options.Executor = "horizon",
    form: options.FrameOutput = "table",
) -> None:
    """Trace every packet of a run: what happens, when and where.

    Traces one run; tracing does not change its numbers. The scenario's [[trace]] selects events; the options --at,
    --flow, --event, --start and --stop replace it. A table shows the first rows, other formats all. With --pcap,
    captures for tshark and Wireshark take the place of the table.
    """
    if pcap is not None:
        for is_given, why in (
            (form != "table", f"--pcap writes captures; leave out --format {form}, or --pcap."),
            (output is not None, "--pcap names the folder of the captures; leave out --out."),
            (events, "captures hold transmissions alone; leave out --event, or --pcap."),
        ):
            if is_given:
                raise InputError(why)
    form = form_of(form, file, output)
    allow(memory)
    run = one_run(file, "a trace is", sets, replay, seed=seed, replication=replication, threads=threads)
    which: dict[str, Any] = {"at": at, "flows": flows, "events": events, "start": start, "stop": stop}
    made = PacketTrace(run.scenario, name=str(file), executor=executor, **which, **run.options)
    run.tell(made, is_plain=executor == "plain")
    if pcap is not None:
        packets = made.write_pcapng(pcap)
        captured = f"{things(sum(packets.values()), 'packet')} of {things(len(packets), 'link')}"
        none = "No link transmits a packet that is asked for (cells are not captured); no capture was written."
        say(f"{captured} in {path_text(str(pcap))}." if packets else none)
        return
    write_rows(
        made,
        form,
        output,
        limit,
        member="events",
        count="events",
        cell=_cell,
        plain=lambda column: column.name == "retransmission" and not column.any(),
        empty="No such event.",
    )


def _cell(column: str, value: Any) -> str:
    match column:
        case "retransmission":
            return "yes" if value else ""
        case "cwnd" | "ssthresh":
            return f"{value:.4g}"
    return str(value)
