"""Reads scenario files and writes results; the messages say what is wrong with a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from penstock import _core
from penstock.cli.console import emit, emit_bytes, refuse_terminal, say
from penstock.cli.options import FrameFormat
from penstock.errors import InputError, PenstockError
from penstock.memory import require_file
from penstock.printable import path_text, printable_lines, utf8
from penstock.whole_file import write_whole

if TYPE_CHECKING:
    import polars as pl


def read_text(file: Path) -> str:
    """The text of a scenario file. Raises InputError if there is no such file, or it is no text or too large."""
    try:
        require_file(file)
        with file.open("rb") as opened:
            content = opened.read(_core.LARGEST_SCENARIO + 1)
    except FileNotFoundError:
        raise InputError(_missing(file)) from None
    except IsADirectoryError:
        raise InputError(_folder(file)) from None
    except NotADirectoryError:
        culprit = next(parent for parent in file.parents if parent.is_file())
        raise InputError(f"{path_text(file)}: {path_text(culprit)} is a file, not a folder.") from None
    except OSError as error:
        raise InputError(f"{path_text(file)}: cannot be read: {error.strerror or error}.") from None
    if len(content) > _core.LARGEST_SCENARIO:
        most = _core.LARGEST_SCENARIO >> 20
        raise InputError(f"{path_text(file)}: is larger than {most} MiB, which is the most that a scenario may be.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path_text(file)}:{line}: is not UTF-8 text; a scenario is a TOML file in UTF-8.") from None
    if not text.strip():
        raise InputError(f"{path_text(file)}: is empty; 'penstock new FILE' writes a scenario to start from.")
    return text


def read_scenario(file: Path, subject: str) -> str:
    """The text of a scenario; refuses a study, because the `subject` is of one run."""
    from penstock.studies.file import is_study

    text = read_text(file)
    if is_study(text):
        raise InputError(f"{path_text(str(file))} is a study; {subject} of one run: give its scenario, with --set.")
    return text


def _missing(file: Path) -> str:
    if not file.parent.is_dir():
        return f"{path_text(file)}: there is no such file, nor a folder {path_text(file.parent)}."
    names = []
    with suppress(OSError):  # without permission to list the folder, there is no suggestion
        names = sorted(path.name for path in file.parent.iterdir() if path.is_file())
    similar = _similar(file, names)
    hint = (
        f"; did you mean {path_text(similar)}?" if similar else "; 'penstock new FILE' writes a scenario to start from."
    )
    return f"{path_text(file)}: there is no such file{hint}"


def _similar(file: Path, names: list[str]) -> str | None:
    """The nearest name; endings are not compared, since they would make all files similar."""
    ending = file.suffix or ".toml"
    stems = {utf8(name.removesuffix(ending)): name for name in names if name.endswith(ending)}
    others = {utf8(name): name for name in names if not name.endswith(ending)}
    for wanted, known in ((file.name.removesuffix(ending), stems), (file.name, others)):
        if (found := _core.nearest(utf8(wanted), [*known])) is not None:
            return known[found]
    return None


def _folder(file: Path) -> str:
    inside = [path_text(name) for name in sorted(map(str, file.glob("*.toml")))[:3]]
    either = " or ".join(filter(None, (", ".join(inside[:-1]), *inside[-1:])))
    hint = f"did you mean {either}?" if inside else "it holds no .toml files."
    return f"{path_text(file)}: is a folder, and a scenario is a file; {hint}"


def require_folder(file: Path, source: Path | None = None, example: str | None = None) -> None:
    """Refuses a folder, a file in a folder that does not exist, and the file `source`, which is read."""
    if source is not None and all(map(os.path.isfile, (file, source))) and file.samefile(source):
        raise InputError(f"{path_text(file)}: is the file that is read; choose another name.")
    if os.path.isdir(file):  # noqa: PTH112  (no error where the name is too long)
        such = "" if example is None else f", such as {path_text(file / example)}"
        raise InputError(f"{path_text(file)}: is a folder; name a file in it{such}.")
    folder = path_text(file.parent)
    if os.path.isfile(file.parent):  # noqa: PTH113  (no error where the name is too long)
        raise InputError(f"{path_text(file)}: {folder} is a file, not a folder.")
    if not os.path.isdir(file.parent):  # noqa: PTH112  (as above)
        raise InputError(f"{path_text(file)}: there is no folder {folder}; make it first.")


def check_new(file: Path, example: str, advice: str = "choose another name", *, replace: bool = False) -> None:
    """Raises InputError if a new file cannot be written or would replace another; `example` is a name in a folder."""
    require_folder(file, example=example)
    try:
        file.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path_text(file)}: cannot be written: {error.strerror or error}.") from None
    if not replace:
        raise InputError(f"{path_text(file)}: exists and is left as it is; {advice}.")


def check_page(page: Path, *, force: bool) -> None:
    """Checks the name of an HTML page; raises as :func:`check_new`."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path_text(page)}: the page is HTML, so its name ends with .html.")
    check_new(page, "report.html", "choose another name with --out, or add --force", replace=force)


def write(file: Path, content: bytes, *, new: bool = False) -> None:
    """Writes a whole file or nothing. Raises PenstockError if that fails, or the file exists and is to be `new`."""
    try:
        write_whole(file, content, new=new)
    except FileExistsError:
        raise InputError(f"{path_text(file)}: exists and is left as it is; choose another name.") from None
    except OSError as error:
        raise PenstockError(f"{path_text(file)}: cannot be written: {error.strerror or error}.") from None


def format_of(output: FrameFormat, out: Path | None) -> FrameFormat:
    """The format of --format, else that of the file's ending. Raises InputError if neither names one."""
    if out is None or output != "table":
        return output
    endings: dict[str, FrameFormat] = {".json": "json", ".csv": "csv", ".parquet": "parquet"}
    if out.suffix.lower() not in endings:
        raise InputError(f"{path_text(out)}: ends with none of .json, .csv and .parquet; write --format, too.")
    return endings[out.suffix.lower()]


def check_format(output: FrameFormat, file: Path, *, dry_run: bool, out: Path | None = None) -> None:
    """Raises InputError if the format does not suit a dry run or terminal, or `out` cannot be written or is `file`."""
    if dry_run and out is not None:
        raise InputError("--dry-run gives no results, so --out changes nothing; leave one of them out.")
    if dry_run and output in ("csv", "parquet"):
        raise InputError("--dry-run gives no results; its --format is table or json.")
    if out is not None:
        require_folder(out, file)
    if output == "parquet" and out is None:
        refuse_terminal("Parquet")


def emit_as(output: FrameFormat, out: Path | None, json: Callable[[], str], frame: Callable[[], pl.DataFrame]) -> bool:
    """Writes a result as JSON, CSV or Parquet in reproducible bytes; returns False for a table, left to the caller."""
    match output:
        case "json":
            emit_result(json(), out)
        case "csv":
            emit_result(frame().write_csv(), out)
        case "parquet":
            content = BytesIO()
            frame().write_parquet(content)
            if out is None:
                emit_bytes(content.getvalue())
            else:
                _write(out, content.getvalue())
    return output != "table"


def emit_result(text: str, out: Path | None = None) -> None:
    """Writes a text to standard output, or into a file."""
    if out is None:
        emit(text)
    else:
        _write(out, f"{printable_lines(text).removesuffix(chr(10))}\n".encode())


def _write(out: Path, content: bytes) -> None:
    write(out, content)
    say(f"{path_text(out)}: written.")
