"""Traces: the events of a run, as frames, Parquet or CSV, and captures of what links transmit."""

from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.errors import InputError
from penstock.printable import path_text, things
from penstock.rows import Names, RowStream, cannot_be_written
from penstock.whole_file import whole_path

__all__ = ["PacketTrace"]

CAPTURED = 1 << 24  # bytes of captures held in memory before they are written

LONGEST_FILE_NAME = 255  # maximum length of a file name in bytes on common file systems


class PacketTrace(RowStream):
    """The events of a run in the order of time, to be read once.

    Any of `at`, `flows`, `events`, `start` and `stop` replaces the scenario's ``[[trace]]``. Other options and errors
    are as for :class:`penstock.rows.RowStream`: ``name``, ``folder``, ``sets``, ``seed``, ``replication``,
    ``executor`` and ``threads``.

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
        kinds of events do not. Returns the number of packets of each link's capture. Raises InputError if the folder
        is a file or holds captures that this run does not write, or any row was read before; PenstockError if a file
        cannot be written, and then captures that were there stay as they were.
        """
        self._refuse_again(self._is_begun)
        path = folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{path_text(str(folder))} is a file; give the name of a folder.")
        is_new = not folder.exists()
        captured: dict[str, int] = {}
        places: dict[Path, Path] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with ExitStack() as kept:
                while parts := self._next(self._rows.next_captures, CAPTURED):
                    for link, packets, data in parts:
                        path = folder / file_name(link)
                        captured[link] = captured.get(link, 0) + packets
                        if path not in places:
                            places[path] = kept.enter_context(whole_path(path))
                        # There may be more captures than a process may have open files.
                        with places[path].open("ab") as file:
                            file.write(data)
                older = sorted(each.name for each in folder.glob("*.pcapng") if each not in places)
                if older:
                    raise InputError(
                        f"{path_text(folder)} holds {things(len(older), 'capture')} that this run does not write, "
                        f"such as {path_text(older[0])}; name a new folder."
                    )
        except BaseException as error:
            if is_new:
                with suppress(OSError):
                    folder.rmdir()
            if isinstance(error, OSError):
                raise cannot_be_written(path, error) from None
            raise
        return captured


def file_name(link: str) -> str:
    """Returns the file name of a link's capture: the link's name, or its beginning and a hash if it is too long."""
    name = f"{link}.pcapng"
    if len(name.encode()) <= LONGEST_FILE_NAME:
        return name
    rest = f"-{sha256(link.encode()).hexdigest()[:16]}.pcapng"
    return link.encode()[: LONGEST_FILE_NAME - len(rest)].decode(errors="ignore") + rest
