"""What a worker process does: it makes the runs that it is told to, and ends when nobody is left to tell it."""

from __future__ import annotations

import os
import signal
import sys
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from penstock.store import Store
from penstock.workers.job import Stop
from penstock.workers.pipe import receive, send
from penstock.workers.wire import answered

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
        send(answers, answered(waiting.get(), how, store, Stop()))


def _listen(asked: IO[bytes], put: Any) -> None:
    """Passes on what is asked; ends the process, whatever it does, once whoever asks is gone."""
    try:
        while True:
            put(receive(asked))
    except EOFError:
        os._exit(0)


if __name__ == "__main__":
    main()
