"""Style of plots: for columns of a paper, distinguishable without colours, reproducible to the byte."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
"""Distinguishable with any colour vision [Okabe08]; yellow is last because it is faint on paper."""
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (7, 2)), (0, (2, 1)), (0, (4, 2, 1, 2)))
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++", "||||")
GREY = "0.35"
CAP = 2.0

_SETTINGS = Path(__file__).with_name("plots.mplstyle")


@dataclass(frozen=True)
class Look:
    """The look of a series, distinct in three ways."""

    colour: str
    marker: str
    dashes: str | tuple[int, tuple[int, ...]]
    hatch: str


def look(turn: int) -> Look:
    """Returns the look of the n-th series; 8 differ in everything, 24 in something other than colour."""
    n, again = turn % len(COLOURS), turn // len(COLOURS)
    shifted = (n + 3 * again) % len(DASHES)
    return Look(COLOURS[n], MARKERS[(n + again) % len(MARKERS)], DASHES[shifted], HATCHES[shifted])


@contextmanager
def style() -> Iterator[None]:
    """Uses these settings alone; the user's matplotlibrc would change the bytes."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(mpl.rc_params_from_file(_SETTINGS, use_default_template=False))
        yield
