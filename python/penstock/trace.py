"""Traces: every event of a run, as frames, Parquet or CSV, and captures of what links transmit."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from penstock import _core
from penstock.errors import InputError
from penstock.printable import path_text
from penstock.rows import RowStream, cannot_be_written
from penstock.whole_file import WholeFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.rows import Names

__all__ = ["PacketTrace"]

CAPTURED = 1 << 24
"""Bytes of captures that are in memory before they are written."""

LONGEST_FILE_NAME = 255
"""Bytes that the usual file systems allow in the name of a file."""


class PacketTrace(RowStream):
    """A run whose events can be read once, in the order of time.

    Parameters
    ----------
    scenario : str
        The scenario's TOML text.
    name : str
        What it is called in messages.
    folder : str, optional
        Where the files that it names are.
    sets : sequence of (str, str)
        Settings changed after reading, as path and value.
    seed : int, optional
        Root of the random streams; the scenario's own if left out.
    replication : int
        Which of the independent runs, from 0.
    at : str or sequence of str, optional
        Nodes, links or groups of them. A node has the ports of the links that begin there.
    flows : str or sequence of str, optional
        Groups of flows or calls, or members such as ``"tcp[3]"``.
    events : str or sequence of str, optional
        ``send``, ``accept``, ``mark``, ``drop``, ``transmit``, ``receive``, ``timer``, ``window``,
        ``duplicate``.
    start, stop : str, s, optional
        When the trace begins and ends, both inclusive.
    executor : {"horizon", "plain"}
        In which order the engine works; the trace is the same.
    threads : int
        How many cores the run may use; the trace is the same.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or what is asked for does not exist.

    Notes
    -----
    If any of `at`, `flows`, `events`, `start` and `stop` is given, they stand in the place of the scenario's
    ``[[trace]]``.
    """

    section = "trace"
    scenario: _core.Scenario
    """The scenario, with its settings."""

    _of_core = _core.Trace
    _rows: _core.Trace

    def __init__(
        self,
        scenario: str,
        *,
        name: str = "scenario",
        folder: str | None = None,
        sets: Sequence[tuple[str, str]] = (),
        seed: int | None = None,
        replication: int = 0,
        at: Names | None = None,
        flows: Names | None = None,
        events: Names | None = None,
        start: str | None = None,
        stop: str | None = None,
        executor: str = "horizon",
        threads: int = 1,
    ) -> None:
        super().__init__(
            scenario,
            {
                "at": at,
                "flows": flows,
                "events": [events] if isinstance(events, str) else events,
                "start": start,
                "stop": stop,
            },
            name=name,
            folder=folder,
            sets=sets,
            seed=seed,
            replication=replication,
            executor=executor,
            threads=threads,
        )

    def _check(self, read: _core.Scenario, _name: str, _is_asked: bool) -> None:
        self.scenario = read

    def write_pcapng(self, folder: str | Path) -> dict[str, int]:
        """Writes what links transmit into a folder, as a capture ``LINK.pcapng`` for each link that transmits anything.

        Where that name is longer than 255 bytes, the end of the link's name gives way to a hash of the whole.

        Of what the trace keeps, places, flows and times count, and kinds of events do not.

        Returns
        -------
        dict of str to int
            How many packets each link's capture has.

        Raises
        ------
        InputError
            If the folder is a file.
        PenstockError
            If a file cannot be written; captures that were there stay as they were.
        """
        return _Captures(Path(folder)).write(self._rows)


class _Captures:
    """The captures in a folder, which are whole in the end or not there."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{path_text(str(folder))} is a file; give the name of a folder.")
        self._folder = folder
        self._packets: dict[str, int] = {}
        self._files: dict[str, WholeFile] = {}

    def write(self, trace: _core.Trace) -> dict[str, int]:
        """Writes all of them; returns how many packets each has."""
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
        """Writes the next piece of a capture; there may be more of them than files that can be open."""
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
    """The name of a link's capture: that of the link, or its beginning and a hash where that is too long for a file."""
    name = f"{link}.pcapng"
    if len(name.encode()) <= LONGEST_FILE_NAME:
        return name
    rest = f"-{sha256(link.encode()).hexdigest()[:16]}.pcapng"
    return link.encode()[: LONGEST_FILE_NAME - len(rest)].decode(errors="ignore") + rest
