"""Files of a store: listing, writing, texts of scenarios, and error messages that say what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from penstock.errors import InputError, StoreError
from penstock.printable import path_text
from penstock.store.manifest import scenario_hash
from penstock.whole_file import write_whole

_ELSEWHERE = "Choose another folder with --store DIR or PENSTOCK_STORE."


def names(folder: Path) -> list[str]:
    """Returns the names in a folder, sorted; none if the folder does not exist."""
    with suppress(FileNotFoundError):
        return sorted(os.listdir(folder))  # noqa: PTH208, a path per name would cost more than the listing
    return []


def write(path: Path, content: bytes) -> None:
    """Writes a file as a whole, replacing an older one, and creates its folder if necessary.

    Raises OSError with the path in ``filename``.
    """
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
        """Writes the texts that are missing or altered; raises OSError if one cannot be written."""
        for text in texts:
            name = scenario_hash(text)
            if self.get(name) is None:
                write(self.file(name), text.encode("utf-8", "surrogatepass"))

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
