"""``penstock view``: one HTML page that plays a traced run."""

import re
from pathlib import Path
from typing import Annotated, Any

from penstock.cli import options
from penstock.cli.console import emit, say
from penstock.cli.files import check_page, write
from penstock.cli.rows import one_run
from penstock.cli.runs import run_of_key
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.memory import allow, size_text
from penstock.printable import command_text, file_word, path_text
from penstock.store import Store
from penstock.trace import PacketTrace

_MOST_EVENTS = 1_000_000


def view(
    run: Annotated[str, argument("RUN", "A scenario (TOML).")],
    *,
    out: Annotated[Path | None, option("--out -o FILE", "The page. Default: RUN's name with .html.")] = None,
    force: options.Force = False,
    at: options.At = None,
    flows: options.Flows = None,
    start: options.Start = None,
    stop: options.Stop = None,
    limit: Annotated[
        int, option("--limit N", "Events on the page, 1000000 by default, at most 10000000.", bounds=(1, 10_000_000))
    ] = _MOST_EVENTS,
    seed: options.Seed = None,
    replication: options.Replication = 0,
    sets: options.OneSet = None,
    replay: options.Replay = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
) -> None:
    """Write a traced run as one HTML page.

    The page draws every node and plays the run: packets in flight, queues, congestion windows, drops and marks. It
    follows a packet or a flow, and explains a drop in a sentence. The scenario's [[trace]] selects events, or --at,
    --flow, --start and --stop do instead. Two runs are made: one for the events, one for the queues. The page loads
    nothing from elsewhere.
    """
    from penstock.view.page import render, view_of

    file = Path(run)
    if file.suffix in {".html", ".htm"}:
        raise InputError(f"{path_text(run)} is a page already: open it in a browser. RUN is a scenario (TOML).")
    _refuse_stored(run, store)
    page = out if out is not None else Path(f"{file.stem or 'view'}.html")
    check_page(page, force=force)
    allow(memory)
    one = one_run(file, "a view is", sets, replay, seed=seed, replication=replication, threads=threads)
    made = PacketTrace(one.scenario, name=run, at=at, flows=flows, start=start, stop=stop, **one.options)
    one.tell(made)
    shown = view_of(one.scenario, made, file.stem, one.options, limit)
    given: dict[str, Any] = {"--at": at, "--flow": flows, "--set": sets, "--replay": replay}
    given |= {"--start": start, "--stop": stop, "--seed": seed}
    given |= {"--replication": replication or None, "--limit": None if limit == _MOST_EVENTS else limit}
    words = ["penstock", "view", file_word(run), *options.words_of(given)]
    content = render(shown, command_text(words)).encode("utf-8")
    write(page, content)
    for warning in shown.warnings:
        say(warning)
    emit(f"{path_text(page)}: written, {size_text(len(content))}.")


def _refuse_stored(run: str, folder: Path | None) -> None:
    """Refuses a stored run, which has no trace; the message has the command that repeats it."""
    if Path(run).suffix or not re.fullmatch(r"[0-9a-f]{4,64}", run) or Path(run).exists():
        return
    stored = run_of_key(Store(folder), run)
    sets = [f"{path}={value}" for path, value in stored.settings]
    given = options.words_of({"--seed": stored.seed, "--replication": stored.replication, "--set": sets})
    words = ["penstock", "view", f"{stored.name or 'scenario'}.toml", *given]
    raise InputError(
        f"run {stored.key[:12]} is stored without a trace, as all runs are; this makes it again with one: "
        f"{command_text(words)}"
    )
