"""Number of processor cores that this process may use."""

import os


def available() -> int:
    """Returns the number of cores that this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on every system
        return os.cpu_count() or 1


def usable(threads: int) -> int:
    """Returns `threads`, or the number of cores if that is smaller: further threads would wait for each other."""
    return min(threads, available())
