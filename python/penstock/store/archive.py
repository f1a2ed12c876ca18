"""Archives: runs and their scenarios in one file, which another machine looks through before it believes it.

An archive is a compressed tar file. Its first member, ``archive.json``, lists all others in their order, each with its
size and its hash, and ends in a checksum; the hash of this list is the archive's digest, the same on any machine. The
others are the files of the store as they are. Nothing is unpacked by name: what is not what the list says is refused.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError, StoreError
from penstock.memory import allowed, too_large
from penstock.printable import path_text
from penstock.store import sealed
from penstock.store.manifest import scenario_hash
from penstock.store.runfile import LARGEST, decode
from penstock.store.sealed import DamagedError, NewerError, checked, decoded
from penstock.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from penstock.store.runfile import StoredRun

__all__ = ["LARGEST_TEXTS", "Listed", "Reading", "write_archive"]

FORMAT = 1
"""Counts changes of the layout of archives."""
_LIST = "archive.json"
_LARGEST_LIST = 1 << 28
LARGEST_TEXTS = 1 << 28
"""Bytes of all scenarios together, which are in memory at the same time."""
_BLOCK = 512
_END = bytes(2 * _BLOCK)
_NOT_WHOLE = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading something raises that is no archive, or only a part of one."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A member of an archive: the hash that it is named by, its size in bytes, and the hash of its content."""

    kind: str
    name: str
    size: int
    hash: str

    @property
    def path(self) -> str:
        """What it is called in the archive."""
        return f"scenarios/{self.name}.toml" if self.kind == "scenario" else f"runs/{self.name}.json"


def write_archive(path: Path, texts: dict[str, bytes], runs: Iterable[tuple[str, int, str]], read: Any) -> str:
    """Writes an archive; gives its digest.

    Parameters
    ----------
    path : Path
        Where; there must be nothing.
    texts : dict
        The scenarios by their hashes.
    runs : iterable of (str, int, str)
        Of each run its name, the size of its file and the hash of that.
    read : callable
        Gives the content of a run's file.

    Raises
    ------
    InputError
        If there is something at `path`.
    StoreError
        If it cannot be written, or a run's file has changed meanwhile.
    """
    listed = [Listed("scenario", name, len(text), _hash(text)) for name, text in sorted(texts.items())]
    listed += [Listed("run", *run) for run in sorted(runs)]
    head = sealed.sealed_json(
        {
            "format": FORMAT,
            "version": _core.version(),
            "model_version": _core.MODEL_VERSION,
            "members": [[it.kind, it.name, it.size, it.hash] for it in listed],
        }
    )
    with _new(path) as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        _add(packed, _LIST, head)
        for member in listed:
            content = texts[member.name] if member.kind == "scenario" else read(member.name)
            if _hash(content) != member.hash:
                raise StoreError(f"run {member.name[:16]} has changed while it was exported; try again.")
            _add(packed, member.path, content)
        packed.write(_END)
    return _hash(head)


class Reading:
    """An archive that is looked through.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        If there is no such file.
    StoreError
        If it is no archive, or its list is not what was written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._opened() as packed:
            head = self._next(packed, _LIST, None)
        self.digest = _hash(head)
        try:
            data = decoded(checked(head))
            self.model_version, self.version = str(data["model_version"]), str(data["version"])
            self.members = [Listed(*_typed(member)) for member in data["members"]]
            if data["format"] != FORMAT:
                raise NewerError(data["format"])
        except NewerError as newer:
            raise self._wrong(
                f"was written by a newer version of Penstock (format {newer.format}; this one reads {FORMAT})"
            ) from None
        except DamagedError as error:
            raise self._wrong(f"is damaged or was altered: its list {error}") from None
        except Exception as error:  # whatever a decoder may raise: RecursionError is among it
            raise self._wrong(f"is no archive of Penstock: its list cannot be read ({type(error).__name__})") from None
        if sum(member.size for member in self.members if member.kind == "scenario") > LARGEST_TEXTS:
            raise self._wrong(f"has scenarios of more than {LARGEST_TEXTS >> 20} MiB together")
        if len({member.path for member in self.members}) != len(self.members):
            raise self._wrong("was altered: its list has a member twice")

    def texts(self) -> dict[str, str]:
        """The scenarios by their hashes.

        Raises
        ------
        StoreError
            If one is not what the list says.
        """
        found = {}
        with self._opened() as packed:
            self._next(packed, _LIST, None)
            for member in self.members:
                if member.kind != "scenario":
                    break
                content = self._next(packed, member.path, member)
                try:
                    text = content.decode("utf-8", "surrogatepass")
                except UnicodeDecodeError:
                    raise self._wrong(f"was altered: {member.path} is no text") from None
                if scenario_hash(text) != member.name:
                    raise self._wrong(f"was altered: {member.path} is not the text that it is named by")
                found[member.name] = text
        return found

    def runs(self) -> Iterator[tuple[Listed, bytes, StoredRun]]:
        """The runs, each with the content of its file.

        Raises
        ------
        StoreError
            If one is not what the list says, or is no run.
        """
        with self._opened() as packed:
            self._next(packed, _LIST, None)
            for member in self.members:
                content = self._next(packed, member.path, member)
                if member.kind != "run":
                    continue
                try:
                    run = decode(checked(content), member.name)
                except DamagedError as error:
                    raise self._wrong(f"was altered: {member.path} {error}") from None
                except NewerError as newer:
                    raise self._wrong(f"has a run of a newer format ({newer.format}): {member.path}") from None
                if run is None or run.manifest is None or not run.manifest.scenario:
                    raise self._wrong(f"was altered: {member.path} says not what it was made from")
                yield member, content, run
            self._end(packed)

    @contextmanager
    def _opened(self) -> Iterator[gzip.GzipFile]:
        try:
            with self.path.open("rb") as file, gzip.GzipFile(fileobj=file, mode="rb") as packed:
                yield packed
        except FileNotFoundError:
            raise InputError(f"{path_text(self.path)}: there is no such file.") from None
        except _NOT_WHOLE as error:
            raise self._wrong(f"is no archive of Penstock, or was cut off ({error})") from None
        except OSError as error:
            raise InputError(f"{path_text(self.path)}: cannot be read: {error.strerror or error}.") from None

    def _next(self, packed: gzip.GzipFile, name: str, listed: Listed | None) -> bytes:
        """The content of the next member, which has to be this one, to the last byte of its header."""
        header = packed.read(_BLOCK)
        if len(header) < _BLOCK:
            raise self._wrong(f"was cut off: {name} is missing")
        if listed is None:
            digits = header[124:135]
            size = int(digits, 8) if digits.isdigit() and not set(digits) & set(b"89") else _LARGEST_LIST + 1
            if size > _LARGEST_LIST:
                raise self._wrong("is no archive of Penstock: it does not begin with its list")
        else:
            size = listed.size
        if header != _header(name, size):
            raise self._wrong(f"was altered: what stands where {name} should is something else")
        if (why := too_large(size, allowed())) is not None:
            raise self._wrong(f"cannot be read: {name} {why}")
        content = packed.read(size)
        if len(content) < size or packed.read(-size % _BLOCK) != bytes(-size % _BLOCK):
            raise self._wrong(f"was cut off or altered within {name}")
        if listed is not None and _hash(content) != listed.hash:
            raise self._wrong(f"was altered: {name} is not what its list says")
        return content

    def _end(self, packed: gzip.GzipFile) -> None:
        if packed.read(len(_END) + 1) != _END:
            raise self._wrong("was altered: there is something behind all that is in its list")

    def _wrong(self, what: str) -> StoreError:
        return StoreError(f"{path_text(self.path)} {what}. Nothing was taken from it.")


def _typed(member: Any) -> tuple[str, str, int, str]:
    kind, name, size, content = member
    most = _core.LARGEST_SCENARIO if kind == "scenario" else LARGEST
    sound = type(size) is int and 0 <= size <= most and kind in ("scenario", "run")
    if not sound or any(len(it) != 64 or set(it) - set("0123456789abcdef") for it in (name, content)):
        raise ValueError("member")
    return kind, name, size, content


def _add(packed: gzip.GzipFile, name: str, content: bytes) -> None:
    packed.write(_header(name, len(content)) + content + bytes(-len(content) % _BLOCK))


def _header(name: str, size: int) -> bytes:
    """A tar header without anything that depends on who writes it, where and when."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(tarfile.USTAR_FORMAT)


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=32).hexdigest()


@contextmanager
def _new(path: Path) -> Iterator[Any]:
    """A file that is there under its name only once it is whole."""
    if path.exists() or path.is_symlink():
        raise InputError(f"{path_text(path)}: there is something by this name already; choose another.")
    try:
        with whole_file(path, new=True) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except FileNotFoundError:
        raise InputError(f"{path_text(path)}: there is no folder {path_text(path.parent)}.") from None
    except OSError as error:
        raise StoreError(f"{path_text(path)} cannot be written: {error.strerror or error}.") from None
