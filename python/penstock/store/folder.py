"""The files of a store: their checksum, verified before anything is decoded, folders, scenarios and failed runs."""

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.errors import InputError, StoreError
from penstock.printable import path_text
from penstock.store.manifest import Origin, scenario_hash
from penstock.whole_file import write_whole

FORMAT = 5  # version of the layout of files in a store

_LENGTH = 37
_SEAL = re.compile(rb'"([0-9a-f]{32})"\n}\n')


class DamagedError(Exception):
    """A file differs from what was written; the text is a predicate without the file's name, such as "is empty"."""


class NewerError(Exception):
    """A file was written by a newer version."""

    def __init__(self, written: int) -> None:
        super().__init__(written)
        self.format = written


def sealed(lines: list[str]) -> bytes:
    """Returns the members of a JSON object, given as lines that end in commas, as a file with its checksum."""
    content = "\n".join(["{", *lines, ' "checksum": ']).encode("ascii")
    return content + _seal(content)


def sealed_json(members: Mapping[str, Any]) -> bytes:
    """Returns a JSON object as a file with its checksum, one line per member."""
    return sealed([f" {json.dumps(name)}: {json.dumps(value)}," for name, value in members.items()])


def opened(content: bytes, newest: int = FORMAT) -> dict[str, Any]:
    """Returns the members of a file. Raises DamagedError if it was altered, NewerError if its format is later."""
    if not _SEAL.fullmatch(content[-_LENGTH:]):
        raise DamagedError("does not end in a checksum" if content else "is empty")
    if _seal(content[:-_LENGTH]) != content[-_LENGTH:]:
        raise DamagedError("does not match its checksum")
    try:
        data = dict(json.loads(content))
        written = int(data["format"])
    except Exception as error:  # decoders raise many types, RecursionError among them
        raise DamagedError(f"matches its checksum but cannot be decoded ({type(error).__name__})") from error
    if written > newest:
        raise NewerError(written)
    return data


def _seal(content: bytes) -> bytes:
    return b'"%s"\n}\n' % hashlib.blake2b(content, digest_size=16).hexdigest().encode()


_ELSEWHERE = "Choose another folder with --store DIR or PENSTOCK_STORE."


def names(folder: Path) -> list[str]:
    """Returns the names in a folder, sorted; none if the folder does not exist."""
    with suppress(FileNotFoundError):
        return sorted(os.listdir(folder))  # noqa: PTH208, a path per name would cost more than the listing
    return []


def write(path: Path, content: bytes) -> None:
    """Writes a file as a whole, and creates its folder if necessary. Raises OSError with the path in ``filename``."""
    try:
        try:
            write_whole(path, content)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
    except OSError as error:
        error.filename = error.filename if isinstance(error, (FileExistsError, NotADirectoryError)) else path
        raise


class Texts:
    """The scenarios that a store's runs were made from, in ``scenarios/``, each named by its hash."""

    def __init__(self, store: Path) -> None:
        self._folder = store / "scenarios"

    def file(self, name: str) -> Path:
        """Returns the path of the text with this hash."""
        return self._folder / f"{name}.toml"

    def keep(self, texts: Iterable[str]) -> None:
        """Writes missing and altered texts; makes others young, so that `penstock gc` keeps them. Raises OSError."""
        for text in texts:
            name = scenario_hash(text)
            if self.get(name) is None:
                write(self.file(name), text.encode("utf-8", "surrogatepass"))
            else:
                with suppress(OSError):  # the file of another user
                    os.utime(self.file(name))

    def get(self, name: str) -> str | None:
        """Returns the text with this hash; None if it is missing or altered."""
        try:
            text = self.file(name).read_bytes().decode("utf-8", "surrogatepass")
        except (OSError, UnicodeDecodeError):
            return None
        return text if scenario_hash(text) == name else None


@contextmanager
def reported(folder: Path) -> Iterator[None]:
    """Turns system errors into a StoreError that names the place and what to do; `folder` is the store's."""
    try:
        yield
    except OSError as error:
        raise _failure(error, folder) from error


def _failure(error: OSError, folder: Path) -> StoreError:
    file = folder if error.filename is None else Path(os.fsdecode(error.filename))
    place, shown = path_text(file), path_text(folder)
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return StoreError(
                f"the disk is full: {place} could not be written.\n"
                f"Runs finished before it are kept in {shown}; free some space and repeat the command to continue.\n"
                f"{_ELSEWHERE}"
            )
        case errno.EEXIST | errno.ENOTDIR:
            culprit = next((path for path in (file, *file.parents) if path.exists() and not path.is_dir()), file)
            wrong = StoreError(f"the store must be a folder, but {path_text(culprit)} is a file.\n{_ELSEWHERE}")
            if culprit == folder or culprit in folder.parents:
                wrong.exit_code = InputError.exit_code
            return wrong
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return StoreError(f"no permission to use the store {shown}: {place}: {error.strerror}.\n{_ELSEWHERE}")
    return StoreError(f"the store {shown} cannot be used: {place}: {error.strerror or error}.\n{_ELSEWHERE}")


@dataclass(frozen=True, slots=True)
class Failed(Origin):
    """A failed run; `made` says where and when it was last tried."""

    message: str  # why it failed
    ours: bool  # whether the fault is the simulator's
    attempts: int  # number of attempts

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return self.described(message=self.message, ours=self.ours, attempts=self.attempts)
