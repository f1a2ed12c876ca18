"""Program of a worker process: makes the runs that it receives, and ends when its parent does."""

import os
import signal
import sys
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from penstock.workers.job import Stop
from penstock.workers.pipe import receive, send
from penstock.workers.remote import answered


def main() -> None:
    """Answers requests from standard input on standard output."""
    # The parent decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = sys.stdin.buffer
    # Other output must not be mistaken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    how = receive(requests)
    waiting: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_listen, args=(requests, waiting.put), daemon=True).start()
    send(answers, "ready")
    while True:
        send(answers, answered(waiting.get(), how, Stop()))


def _listen(requests: IO[bytes], put: Any) -> None:
    """Queues requests; ends the process, even during a run, when the parent has ended."""
    try:
        while True:
            put(receive(requests))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
