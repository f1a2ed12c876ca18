"""Refuses runs and files that do not fit into the available memory: the system would kill this process, or others."""

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import InputError
from penstock.printable import path_text, quoted, shortened

_UNITS = {
    **dict.fromkeys(("bytes", "byte", "B"), 1),
    **{"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12},
    **{"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40},
}

_UNLIMITED = 2**60
"""Limits of a control group from this size mean that there is none; version 1 writes the largest number."""

_SMALL = 8 * 2**20  # total size in bytes up to which runs are always accepted; the interpreter itself takes more

_COPIES = 5  # memory for reading a file as a multiple of its size: raw, decoded and parsed
_SMALL_FILE = 64 * 2**20  # memory in bytes up to which files are always read

_given: ContextVar[int | None] = ContextVar("memory", default=None)


@dataclass(frozen=True, slots=True)
class Available:
    """Memory in bytes that runs may take, and where the limit comes from."""

    size: int
    source: str


def allow(size: int | None) -> None:
    """Sets the memory in bytes that runs may take; None means all that is available."""
    _given.set(size)


def allowed() -> int | None:
    """Returns the memory set by :func:`allow`; None if not set."""
    return _given.get()


def read_size(text: str) -> int:
    """Reads a size such as ``4 GB`` or ``512MiB``; raises ValueError if it is malformed.

    >>> read_size("1.5 GB")
    1500000000
    >>> read_size("512MiB")
    536870912
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*", text, re.ASCII)
    if match is None or match[2] not in _UNITS or len(match[1]) > 20:
        raise ValueError(f"{quoted(text)} is not a size such as 4 GB or 512 MiB (units: {', '.join(_UNITS)}).")
    return int(float(match[1]) * _UNITS[match[2]])


def size_text(size: float) -> str:
    """Returns a size in bytes as text, with a decimal prefix.

    >>> size_text(12_345_678_901), size_text(999), size_text(45_000)
    ('12.3 GB', '999 B', '45 kB')
    """
    for unit in ("TB", "GB", "MB", "kB"):
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:.3g} {unit}"
    return f"{size:.0f} B"


def available(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> Available | None:
    """Returns the minimum of the memory left by the system and by each control group; None if unknown."""
    found = [
        Available(int(line.split()[1]) * 1024, "what the system has available")
        for line in _lines(proc / "meminfo")
        if line.startswith("MemAvailable:")
    ]
    return min([*found, *_of_groups(proc, groups)], key=lambda one: one.size, default=None)


def _of_groups(proc: Path, groups: Path) -> Iterator[Available]:
    """Yields the memory left by the control groups of this process and their parents."""
    for line in _lines(proc / "self" / "cgroup"):
        number, controllers, path = [*line.rstrip("\n").split(":", 2), "", ""][:3]
        if number == "0" and not controllers:
            root, names = groups, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = groups / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        below = [part for part in path.split("/") if part not in {"", ".", ".."}]
        # In a container, its own group may be mounted as the root.
        for depth in range(len(below), -1, -1):
            folder = root.joinpath(*below[:depth])
            left = _left(folder, *names)
            if left is not None:
                yield Available(left, f"what the limit of the control group /{'/'.join(below[:depth])} leaves")


def _left(folder: Path, limit_name: str, usage_name: str, cache_name: str) -> int | None:
    """Returns the memory left by a control group, counting reclaimable file pages as free; None without a limit."""
    limit = _number(folder / limit_name)
    if limit is None or limit >= _UNLIMITED:
        return None
    usage = _number(folder / usage_name)
    if usage is None:
        return None
    facts = dict(line.split(maxsplit=1) for line in _lines(folder / "memory.stat"))
    return max(0, limit - max(0, usage - int(facts.get(cache_name, 0))))


def _number(file: Path) -> int | None:
    lines = list(_lines(file))
    return int(lines[0]) if lines and lines[0].strip().isdigit() else None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_bytes().decode(errors="replace").splitlines()
    except OSError:
        return []


def too_large(size: int, given: int | None) -> str | None:
    """Returns why a file of `size` bytes does not fit into memory; None if it does."""
    needed = size * _COPIES
    if needed <= _SMALL_FILE or (limit := _limit(given)) is None or needed <= limit.size:
        return None
    return (
        f"has {size_text(size)}, which take about {size_text(needed)} of memory when they are read, and "
        f"{size_text(limit.size)} is {limit.source}; make it smaller, or give it to a machine with more memory"
    )


def require_file(file: Path, *, is_read_whole: bool = False) -> None:
    """Raises InputError if a file is too large for memory, or a device that `is_read_whole`; OSError if it is none."""
    facts = file.stat()
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if is_read_whole and (stat.S_ISCHR(facts.st_mode) or stat.S_ISBLK(facts.st_mode)):
        raise InputError(f"{path_text(file)}: is a device, not a file.")
    if (why := too_large(facts.st_size, allowed())) is not None:
        raise InputError(f"{path_text(file)}: {why}.")


def _limit(given: int | None) -> Available | None:
    return Available(given, "what --memory allows") if given is not None else available()


def require(estimates: Iterable[tuple[str, int]], at_once: int) -> None:
    """Raises InputError if the `at_once` largest runs do not fit into memory; `estimates` are their names and bytes."""
    largest = sorted(estimates, key=lambda each: -each[1])[: max(at_once, 1)]
    given, needed = allowed(), sum(size for _, size in largest)
    limit = None if given is None and needed <= _SMALL else _limit(given)
    if not largest or limit is None or needed <= limit.size:
        return
    name = shortened(largest[0][0], 100)
    if len(largest) == 1:
        what, fewer = f"a run of {name} takes", "make it smaller"
    else:
        what = f"{len(largest)} runs at once, the largest of {name}, take"
        fewer = f"run fewer at once (--jobs; one takes about {size_text(largest[0][1])})"
    raise InputError(
        f"{what} about {size_text(needed)} of memory, and {size_text(limit.size)} is {limit.source}; {fewer}, or say "
        f"with --memory SIZE how much may be taken, such as --memory '{size_text(needed * 1.1)}'."
    )
