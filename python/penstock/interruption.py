"""Ctrl-C, SIGTERM and SIGHUP as :class:`KeyboardInterrupt`, even where the interrupted code swallows exceptions.

Python raises the exception at any instruction. In a callback from compiled code or in a finaliser, it cannot propagate:
Python reports it as ignored, or the caller fails with an error of its own. So the request is remembered, and an ignored
interruption is repeated.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from types import FrameType
from typing import Any

_AGAIN = 0.01
"""Seconds after which an ignored interruption is repeated."""

_asked = threading.Event()


def obey() -> None:
    """Makes SIGTERM, Ctrl-C and SIGHUP raise :class:`KeyboardInterrupt`; must be called in the main thread.

    Ctrl-C and SIGHUP stay ignored if they are: by background processes of a shell, and by ``nohup``.
    """
    _asked.clear()
    signal.signal(signal.SIGTERM, _interrupt)
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    if sys.unraisablehook is sys.__unraisablehook__:  # otherwise it belongs to a calling program
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """Ignores these signals once the command is done.

    Python resets the handlers at exit, so a late signal would make a finished command look killed.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def asked() -> bool:
    """Returns whether an interruption was requested, even if it was ignored."""
    return _asked.is_set()


def ends(handler: Any) -> bool:
    """Returns whether a signal's handler always raises, as ours and Python's do; a calling program's may return."""
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
