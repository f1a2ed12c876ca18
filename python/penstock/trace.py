"""Traces: the events of a run, as frames, Parquet or CSV, and captures of what links transmit."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError
from penstock.printable import path_text
from penstock.rows import RowStream, cannot_be_written
from penstock.whole_file import WholeFile

if TYPE_CHECKING:
    from penstock.rows import Names

__all__ = ["PacketTrace"]

CAPTURED = 1 << 24
"""Bytes of captures held in memory before they are written."""

LONGEST_FILE_NAME = 255
"""Maximum length of a file name in bytes on common file systems."""


class PacketTrace(RowStream):
    """The events of a run in the order of time, to be read once.

    Any of `at`, `flows`, `events`, `start` and `stop` replaces the scenario's ``[[trace]]``.

    Parameters
    ----------
    scenario : str
        TOML text of the scenario.
    at : str or sequence of str, optional
        Nodes (with the ports of the links that begin there), links or groups of them.
    flows : str or sequence of str, optional
        Groups of flows or calls, or members such as ``"tcp[3]"``.
    events : str or sequence of str, optional
        ``send``, ``accept``, ``mark``, ``drop``, ``transmit``, ``receive``, ``timer``, ``window``,
        ``duplicate``.
    start, stop : str, s, optional
        Beginning and end of the trace, both inclusive.
    **run
        As for :class:`penstock.rows.RowStream`: ``name``, ``folder``, ``sets``, ``seed``, ``replication``,
        ``executor`` and ``threads``.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or an option names what does not exist.
    """

    section = "trace"
    _of_core = _core.Trace
    _rows: _core.Trace

    def __init__(
        self,
        scenario: str | _core.Scenario,
        *,
        at: Names | None = None,
        flows: Names | None = None,
        events: Names | None = None,
        start: str | None = None,
        stop: str | None = None,
        **run: Any,
    ) -> None:
        kinds = [events] if isinstance(events, str) else events
        super().__init__(scenario, {"at": at, "flows": flows, "events": kinds, "start": start, "stop": stop}, **run)

    def write_pcapng(self, folder: str | Path) -> dict[str, int]:
        """Writes transmitted packets into a folder, as a capture ``LINK.pcapng`` for each link that transmits any.

        A name above 255 bytes is cut and ends with a hash. The trace's places, flows and times select packets; its
        kinds of events do not.

        Returns
        -------
        dict of str to int
            Number of packets of each link's capture.

        Raises
        ------
        InputError
            If the folder is a file.
        PenstockError
            If a file cannot be written; captures that were there stay as they were.
        """
        return _Captures(Path(folder)).write(self._rows)


class _Captures:
    """The captures in a folder, written completely or not at all."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{path_text(str(folder))} is a file; give the name of a folder.")
        self._folder = folder
        self._packets: dict[str, int] = {}
        self._files: dict[str, WholeFile] = {}

    def write(self, trace: _core.Trace) -> dict[str, int]:
        """Writes all captures; returns the number of packets of each."""
        is_new = not self._folder.exists()
        path = self._folder
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            while parts := trace.next_captures(CAPTURED):
                for link, packets, data in parts:
                    path = self._path(link)
                    self._packets[link] = self._packets.get(link, 0) + packets
                    self._append(link, path, data)
            for link, made in self._files.items():
                path = self._path(link)
                made.keep()
        except BaseException as error:
            self._remove(with_folder=is_new)
            if isinstance(error, OSError):
                raise cannot_be_written(path, error) from None
            raise
        return self._packets

    def _append(self, link: str, path: Path, data: bytes) -> None:
        """Writes the next piece of a capture; there may be more captures than a process may have open files."""
        if link in self._files:
            with self._files[link].place.open("ab") as file:
                file.write(data)
            return
        made = self._files[link] = WholeFile(path)
        with made.open() as file:
            file.write(data)

    def _path(self, link: str) -> Path:
        return self._folder / file_name(link)

    def _remove(self, *, with_folder: bool) -> None:
        for made in self._files.values():
            made.discard()
        if with_folder:
            with suppress(OSError):
                self._folder.rmdir()


def file_name(link: str) -> str:
    """Returns the file name of a link's capture: the link's name, or its beginning and a hash if it is too long."""
    name = f"{link}.pcapng"
    if len(name.encode()) <= LONGEST_FILE_NAME:
        return name
    rest = f"-{sha256(link.encode()).hexdigest()[:16]}.pcapng"
    return link.encode()[: LONGEST_FILE_NAME - len(rest)].decode(errors="ignore") + rest
