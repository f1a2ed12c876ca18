"""Shows the progress of runs: a live line on a terminal, otherwise a plain line at intervals."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from penstock.printable import printable_lines, things
from penstock.records import Status

if TYPE_CHECKING:
    from rich.live import Live


class Progress:
    """A progress display for :func:`penstock.running.run_all`, on standard error by default; a context manager."""

    PATIENCE = 2.0
    """Seconds of work before the live line is shown."""
    EVERY = 10.0
    """Seconds between two plain lines."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._begin = time.monotonic()
        self._next = self._begin + self.EVERY
        self._live: Live | None = None
        self._status: Status | None = None
        self._work = 0.0
        self._noted = 0
        self._round = self._begin

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        if kind is KeyboardInterrupt and self._status is not None:
            status = self._status
            print(f"{status.done} of {status.total} runs are finished.", file=self._stream, flush=True)

    def __call__(self, status: Status) -> None:
        """Shows `status` if it is due."""
        self._status = status
        self._note(status)
        now = time.monotonic()
        elapsed = now - self._begin
        if status.work != self._work:
            # A new round of runs, with its own work.
            self._work, self._round = status.work, now
        words = line(status, elapsed, now - self._round)
        if self._stream.isatty():
            if elapsed >= self.PATIENCE:
                self._redraw(status, words)
        elif now >= self._next:
            self._next = now + self.EVERY
            print(words, file=self._stream, flush=True)

    def _note(self, status: Status) -> None:
        for note in status.notes[self._noted :]:
            text = printable_lines(note)
            if self._live is not None:
                self._live.console.print(text, markup=False, highlight=False, soft_wrap=True)
            else:
                print(text, file=self._stream, flush=True)
        self._noted = len(status.notes)

    def _redraw(self, status: Status, words: str) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        if self._live is None:
            self._live = Live(console=Console(file=self._stream), transient=True, auto_refresh=False)
            self._live.start()
        grid = Table.grid(padding=(0, 1))
        grid.add_row(ProgressBar(total=status.total, completed=status.done + status.failed, width=24), words)
        self._live.update(grid, refresh=True)


def line(status: Status, elapsed: float, at_work: float | None = None) -> str:
    """Returns the status as text; `elapsed` is in seconds since the start, `at_work` since that of this round of runs.

    >>> from penstock.records import Status
    >>> line(Status(total=200, done=110, cached=10, failed=0, packet_hops=310_000_000), 10.0)
    '110/200  done 110 (10 from the store), failed 0, left 90  31 M packet-hops/s  9 s to go'
    """
    ended = status.done + status.failed
    cached = f" ({status.cached} from the store)" if status.cached else ""
    parts = [
        f"{ended}/{status.total}",
        f"done {status.done}{cached}, failed {status.failed}, left {status.total - ended}",
    ]
    computed = ended - status.cached
    if status.replaced:
        parts.append(f"{things(status.replaced, 'worker')} replaced")
    if status.packet_hops and elapsed > 0:
        parts.append(f"{_rate(status.packet_hops / elapsed)} packet-hops/s")
    if status.worked > 0 and ended < status.total:
        parts.append(f"{span((elapsed if at_work is None else at_work) * (status.work / status.worked - 1))} to go")
    elif computed > 0 and ended < status.total:
        parts.append(f"{span(elapsed / computed * (status.total - ended))} to go")
    return "  ".join(parts)


def _rate(rate: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {letter}"
    return f"{rate:.3g}"


def span(seconds: float) -> str:
    """Returns a duration as text.

    >>> span(40.4), span(300), span(7200)
    ('40 s', '5 min', '2.0 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
