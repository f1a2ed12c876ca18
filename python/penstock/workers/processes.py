"""Workers that are processes: if one dies, a new one repeats its run; a run that ends several has failed."""

import pickle
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.errors import PenstockError
from penstock.workers.job import Failed, How, Job, Lost, Made
from penstock.workers.pipe import STARTS, close, opened, program, receive, send
from penstock.workers.remote import asked

if TYPE_CHECKING:
    from penstock.workers.connection import Connection

DEATHS = 3  # number of worker processes that a run may end before it has failed

_GONE = (OSError, EOFError, pickle.UnpicklingError)  # exceptions of a pipe whose other end has died
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)
"""Signals from outside, such as the system when memory runs out; others are faults of the simulator."""


def command() -> list[str]:
    """Returns the command of a worker."""
    return program("penstock.workers.child")


class Reserve:
    """Idle worker processes, or the connection to a cluster, kept between the rounds of a study."""

    def __init__(self) -> None:
        self._idle: list[subprocess.Popen[bytes]] = []  # threads add and remove processes, both atomically
        self.connection: Connection | None = None

    def take(self) -> subprocess.Popen[bytes] | None:
        """Returns an idle process that is still alive; None if there is none."""
        with suppress(IndexError):
            while (child := self._idle.pop()).poll() is not None:
                close(child)
            return child
        return None

    def give(self, child: subprocess.Popen[bytes]) -> None:
        """Keeps a process that has answered all requests."""
        self._idle.append(child)

    def close(self) -> None:
        """Ends all processes and closes the connection."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None
        while (child := self.take()) is not None:
            child.kill()
            close(child)


class ProcessWorker:
    """Executes runs one after the other in a process of its own, called from one thread."""

    def __init__(self, how: How, lost: Callable[[Lost], None], reserve: Reserve) -> None:
        self._how = how
        self._lost = lost
        self._reserve = reserve
        self._child: subprocess.Popen[bytes] | None = None
        self._has_answered = True
        self._stopped = False

    def make(self, job: Job) -> Made | Failed:
        """Makes a run; repeats it if its process dies. Raises PenstockError if no process can be started."""
        code = 0
        for _ in range(DEATHS):
            child = self._child or self._start()
            if child is None:
                return Failed("stopped", ours=False)
            try:
                self._has_answered = False
                send(child.stdin, asked(job))
                answer: Made | Failed = receive(child.stdout)
                self._has_answered = True
                return answer
            except _GONE:
                code = self._ended(child)
            if self._stopped:
                return Failed("stopped", ours=False)
            self._lost(Lost(job, _how(code)))
        hint = "; the system kills what takes too much memory, and fewer runs at once take less (--jobs)"
        told = f"ended {DEATHS} worker processes, the last one {_how(code)}{hint if -code == signal.SIGKILL else ''}"
        return Failed(told, code >= 0 or -code not in _FROM_OUTSIDE, DEATHS)

    def stop(self) -> None:
        """Kills the process, which holds no results; called by another thread."""
        self._stopped = True
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """Returns the idle process to the reserve, or ends it."""
        child, self._child = self._child, None
        if child is None:
            return
        if self._has_answered and not self._stopped:
            self._reserve.give(child)
        else:
            child.kill()
            close(child)

    def _start(self) -> subprocess.Popen[bytes] | None:
        """Returns a process that is ready; None if the work was stopped."""
        code = 0
        for _ in range(STARTS):
            if self._is_stopped():
                return None
            idle = self._reserve.take()
            try:
                self._child = child = idle or opened(command(), subprocess.PIPE)
            except OSError as error:
                why = f"no worker process can be started: {error.strerror or error}; --on threads needs none."
                raise PenstockError(why) from error
            if self._is_stopped():  # `stop` may have come before there was a process to kill
                child.kill()
            if idle is not None:
                return idle
            try:
                send(child.stdin, self._how)
                receive(child.stdout)
            except _GONE:
                code = self._ended(child)
                if code >= 0:
                    break
            else:
                return child
        if self._is_stopped():
            return None
        raise PenstockError(
            f"no worker process can be started: it ends {_how(code)} before it is ready; --on threads needs none."
        )

    def _is_stopped(self) -> bool:
        return self._stopped

    def _ended(self, child: subprocess.Popen[bytes]) -> int:
        """Forgets a process that is ending; returns its exit code, negative for a signal."""
        self._child = None
        return close(child)


def _how(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"
