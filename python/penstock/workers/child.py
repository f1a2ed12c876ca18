"""What a worker process does: it makes the runs that it is told to, and ends when nobody is left to tell it."""

from __future__ import annotations

import os
import signal
import sys
from functools import lru_cache
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from penstock import _core
from penstock.printable import utf8
from penstock.records import RunRequest
from penstock.store import Store, run_key
from penstock.workers.job import Failed, How, Made, Stop, failed, make
from penstock.workers.pipe import receive, send

__all__ = ["main"]


def main() -> None:
    """Answers on standard output what is asked on standard input."""
    # Who started it decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = sys.stdin.buffer
    # Anything else that writes there would be taken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    how, folder = receive(asked)
    store = None if folder is None else Store(folder)
    waiting: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_listen, args=(asked, waiting.put), daemon=True).start()
    send(answers, "ready")
    while True:
        send(answers, _made(waiting.get(), how, store))


def _listen(asked: IO[bytes], put: Any) -> None:
    """Passes on what is asked; ends the process, whatever it does, once whoever asks is gone."""
    try:
        while True:
            put(receive(asked))
    except EOFError:
        os._exit(0)


def _made(asked: Any, how: How, store: Store | None) -> Any:
    text, name, sets, seed, replication, folder, key = asked
    request = RunRequest(text, sets, seed, replication, name, folder=folder)
    try:
        scenario = _scenario(text, name, sets, folder)
    except BaseException as error:  # it has been read before, so this is short of memory, or a bug
        return failed(error)
    if run_key(scenario.canonical, seed, replication) != key:
        return Failed("a file that the scenario names has changed since the runs began", ours=False)
    match make(scenario, request, key, how, store, Stop()):
        case Failed() as answer:
            return answer
        case Made() as made:
            # Plain values are taken apart and put together in a fraction of the time.
            rows = [(metric.name, metric.labels, metric.unit, metric.value) for metric in made.metrics]
            content = None if made.record is None else made.record.content
            return made.digest, made.packet_hops, made.threads, rows, content


@lru_cache(maxsize=8)
def _scenario(text: str, name: str, sets: tuple[tuple[str, str], ...], folder: str | None) -> _core.Scenario:
    return _core.Scenario(text, utf8(name), list(sets), folder)


if __name__ == "__main__":
    main()
