"""Traces of all events of a run, as frames, Parquet or CSV, and captures of the packets on links."""

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
"""Size in bytes of captures in memory before they are written."""

LONGEST_FILE_NAME = 255
"""Maximum length of a file name in bytes on common file systems."""


class PacketTrace(RowStream):
    """A run whose events can be read once, in order.

    Parameters
    ----------
    scenario : str
        TOML text of the scenario.
    name : str
        Name of the scenario in messages.
    folder : str, optional
        Folder of the files that the scenario names.
    sets : sequence of (str, str)
        Settings changed after reading, as path and value.
    seed : int, optional
        Root of the random streams; that of the scenario if left out.
    replication : int
        Number of the independent run, from 0.
    at : str or sequence of str, optional
        Nodes, links or groups of them. A node has the ports of its outgoing links.
    flows : str or sequence of str, optional
        Groups of flows or calls, or members such as ``"tcp[3]"``.
    events : str or sequence of str, optional
        ``send``, ``accept``, ``mark``, ``drop``, ``transmit``, ``receive``, ``timer``, ``window``,
        ``duplicate``.
    start, stop : str, s, optional
        Start and end of the trace, both inclusive.
    executor : {"horizon", "plain"}
        Executor of the engine; does not change the trace.
    threads : int
        Number of cores that the run may use; does not change the trace.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or a requested node, link or flow does not exist.

    Notes
    -----
    Any of `at`, `flows`, `events`, `start` and `stop` replaces the scenario's ``[[trace]]``.
    """

    section = "trace"
    scenario: _core.Scenario
    """The scenario with its settings."""

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
        """Writes the packets on links into a folder, as a capture ``LINK.pcapng`` for each link that transmits any.

        If that name is longer than 255 bytes, a hash replaces the end of the link's name. The captures have the nodes,
        links, flows and times of the trace; its kinds of events do not matter.

        Returns
        -------
        dict of str to int
            Number of packets in each link's capture.

        Raises
        ------
        InputError
            If the folder is a file.
        PenstockError
            If a file cannot be written; existing captures are left unchanged.
        """
        return _Captures(Path(folder)).write(self._rows)


class _Captures:
    """The captures in a folder, which are written completely or not at all."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{path_text(str(folder))} is a file; give the name of a folder.")
        self._folder = folder
        self._packets: dict[str, int] = {}
        self._files: dict[str, WholeFile] = {}

    def write(self, trace: _core.Trace) -> dict[str, int]:
        """Writes all captures; returns their numbers of packets."""
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
        """Appends to a capture; files are not kept open, since there may be too many."""
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
    """Returns the file name of a link's capture; a hash replaces the end of a long name."""
    name = f"{link}.pcapng"
    if len(name.encode()) <= LONGEST_FILE_NAME:
        return name
    rest = f"-{sha256(link.encode()).hexdigest()[:16]}.pcapng"
    return link.encode()[: LONGEST_FILE_NAME - len(rest)].decode(errors="ignore") + rest
