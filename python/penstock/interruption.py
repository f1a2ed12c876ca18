"""Ctrl-C, SIGTERM and SIGHUP as :class:`KeyboardInterrupt`, whatever the code that they reach makes of it.

Python raises the exception wherever it stands. Where that is a call out of compiled code (polars asking Python of which
type a column is, a finaliser), nobody may hand it on: Python reports it as ignored and goes on, or the caller fails
with an error of its own. So it is remembered that an interruption was asked for, and one that was ignored is repeated.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["asked", "ends", "ignore", "obey"]

_AGAIN = 0.01
"""Seconds after which an ignored interruption is repeated, when the code that ignored it has returned."""

_asked = threading.Event()


def obey() -> None:
    """Lets SIGTERM, and Ctrl-C and SIGHUP where the process does not ignore them, raise :class:`KeyboardInterrupt`.

    A shell lets processes in the background ignore Ctrl-C; ``nohup`` lets them ignore SIGHUP, the end of a terminal.
    To be called in the main thread.
    """
    _asked.clear()
    signal.signal(signal.SIGTERM, _interrupt)
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    if sys.unraisablehook is sys.__unraisablehook__:  # not that of a program which calls this one
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """Lets no signal that :func:`obey` obeys do anything any more: the command is done, only its process is not.

    Python would forget the handlers on its way out, so that a late signal would say that a finished command was killed.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def asked() -> bool:
    """Whether an interruption was asked for, whatever has become of it."""
    return _asked.is_set()


def ends(handler: Any) -> bool:
    """Returns whether a signal's handler always raises, as ours and Python's own do; a calling program's may return."""
    return handler in (_interrupt, signal.default_int_handler)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    _asked.set()
    raise KeyboardInterrupt


def _unraisable(ignored: sys.UnraisableHookArgs) -> None:
    """Repeats an interruption that was ignored; reports anything else as Python does."""
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    again = threading.Timer(_AGAIN, _thread.interrupt_main, [signal.SIGTERM])
    again.daemon = True
    again.start()
