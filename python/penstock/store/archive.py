"""Archives: runs and their scenarios in one file, which another machine verifies before it uses them.

The first member of the compressed tar file, ``archive.json``, lists sizes and hashes of the others; its hash is the
archive's digest. Nothing is unpacked by name: members that differ from the list are refused.
"""

import gzip
import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.errors import InputError, StoreError
from penstock.memory import allowed, too_large
from penstock.printable import path_text
from penstock.store.folder import DamagedError, NewerError, opened, sealed_json
from penstock.store.runfile import LARGEST, StoredRun, decode
from penstock.whole_file import whole_file

FORMAT = 1  # version of the layout of archives
_LIST = "archive.json"
LARGEST_TEXTS = 1 << 28  # maximum size in bytes of all scenarios together, which are in memory at once


@dataclass(frozen=True, slots=True)
class Listed:
    """A member of an archive: its kind, the hash it is named by, its size in bytes, and the hash of its content."""

    kind: str
    name: str
    size: int
    hash: str

    @property
    def path(self) -> str:
        """Name of the member in the archive."""
        return f"scenarios/{self.name}.toml" if self.kind == "scenario" else f"runs/{self.name}.json"


def write_archive(
    path: Path, texts: dict[str, bytes], runs: Iterable[tuple[str, int, str]], read: Callable[[str], bytes]
) -> str:
    """Writes scenarios (`texts` by hash) and `runs` (name, size and hash of the file that `read` returns).

    Returns the digest. Raises InputError if the archive exists, StoreError if writing fails or a run has changed.
    """
    listed = [Listed("scenario", name, len(text), _hash(text)) for name, text in sorted(texts.items())]
    listed += [Listed("run", *run) for run in sorted(runs)]
    head = sealed_json(
        {
            "format": FORMAT,
            "version": _core.version(),
            "model_version": _core.MODEL_VERSION,
            "members": [[it.kind, it.name, it.size, it.hash] for it in listed],
        }
    )
    with (
        _new(path) as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        _add(tar, _LIST, head)
        for member in listed:
            content = texts[member.name] if member.kind == "scenario" else read(member.name)
            if _hash(content) != member.hash:
                raise StoreError(f"run {member.name[:16]} has changed while it was exported; try again.")
            _add(tar, member.path, content)
    return _hash(head)


class Reading:
    """Reads an archive. Raises InputError if there is none; StoreError if its list differs from what was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        name, head = next(self._contents(), ("", b""))
        if name != _LIST:
            raise self._wrong("is no archive of Penstock: it does not begin with its list")
        self.digest = _hash(head)
        try:
            data = opened(head, FORMAT)
            self.model_version, self.version = str(data["model_version"]), str(data["version"])
            self.members = [_listed(*member) for member in data["members"]]
        except NewerError as newer:
            raise self._wrong(
                f"was written by a newer version of Penstock (format {newer.format}; this one reads {FORMAT})"
            ) from None
        except DamagedError as error:
            raise self._wrong(f"is damaged or was altered: its list {error}") from None
        except Exception as error:  # a list that no release has written
            raise self._wrong(f"is no archive of Penstock: its list cannot be read ({type(error).__name__})") from None
        if sum(member.size for member in self.members if member.kind == "scenario") > LARGEST_TEXTS:
            raise self._wrong(f"has scenarios of more than {LARGEST_TEXTS >> 20} MiB together")
        if len({member.path for member in self.members}) != len(self.members):
            raise self._wrong("was altered: its list has a member twice")

    def texts(self) -> dict[str, str]:
        """Returns the scenarios by their hashes; raises StoreError if one differs from the list."""
        found = {}
        for member, content in self._verified():
            if member.kind != "scenario":
                break
            try:
                text = content.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:
                raise self._wrong(f"was altered: {member.path} is no text") from None
            if _hash(content) != member.name:
                raise self._wrong(f"was altered: {member.path} is not the text that it is named by")
            found[member.name] = text
        return found

    def runs(self) -> Iterator[tuple[Listed, bytes, StoredRun]]:
        """Yields the runs with the contents of their files; raises StoreError if one differs from the list."""
        for member, content in self._verified():
            if member.kind != "run":
                continue
            try:
                run = decode(content, member.name)
            except DamagedError as error:
                raise self._wrong(f"was altered: {member.path} {error}") from None
            except NewerError as newer:
                raise self._wrong(f"has a run of a newer format ({newer.format}): {member.path}") from None
            if run is None:
                raise self._wrong(f"has a run of an earlier format: {member.path}")
            yield member, content, run

    def _verified(self) -> Iterator[tuple[Listed, bytes]]:
        """Yields the members with their contents, and verifies that the list has exactly these."""
        contents = self._contents()
        next(contents)
        for member in self.members:
            name, content = next(contents, ("", b""))
            if name != member.path:
                raise self._wrong(f"was cut off or altered: {member.path} is missing")
            if _hash(content) != member.hash:
                raise self._wrong(f"was altered: {name} differs from its list")
            yield member, content
        if next(contents, None) is not None:
            raise self._wrong("was altered: it has members that its list does not have")

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        try:
            with self.path.open("rb") as file, gzip.GzipFile(fileobj=file, mode="rb") as packed:
                with tarfile.open(fileobj=packed, mode="r:") as tar:
                    for info in tar:
                        if (why := too_large(info.size, allowed())) is not None:
                            raise self._wrong(f"cannot be read: {path_text(info.name)} {why}")
                        member = tar.extractfile(info)
                        yield info.name, b"" if member is None else member.read()
                while packed.read(1 << 20):  # to the end, which has the checksum of the compressed data
                    pass
        except FileNotFoundError:
            raise InputError(f"{path_text(self.path)}: there is no such file.") from None
        except (tarfile.TarError, EOFError, ValueError, zlib.error, gzip.BadGzipFile) as error:
            raise self._wrong(f"is no archive of Penstock, or was cut off ({error})") from None
        except OSError as error:
            raise InputError(f"{path_text(self.path)}: cannot be read: {error.strerror or error}.") from None

    def _wrong(self, what: str) -> StoreError:
        return StoreError(f"{path_text(self.path)} {what}. Nothing was taken from it.")


def _listed(kind: Any, name: Any, size: Any, content: Any) -> Listed:
    """Reads an entry of the list; raises ValueError or TypeError if it is malformed."""
    most = _core.LARGEST_SCENARIO if kind == "scenario" else LARGEST
    sound = type(size) is int and 0 <= size <= most and kind in ("scenario", "run")
    if not sound or any(len(it) != 64 or set(it) - set("0123456789abcdef") for it in (name, content)):
        raise ValueError("member")
    return Listed(kind, name, size, content)


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Adds a member whose header depends on its name and size alone."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=32).hexdigest()


@contextmanager
def _new(path: Path) -> Iterator[Any]:
    """Opens a new file that gets its name once it is complete."""
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
