"""Options of the verbs that take some of the runs in a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Store
    from penstock.store.selection import Selection

__all__ = [
    "SAMPLE",
    "NameOption",
    "SampleOption",
    "StudyOption",
    "WhereOption",
    "age_text",
    "sample_size",
    "selection",
    "settings_text",
    "size_text",
]


def sample_size(text: str) -> int:
    """How many runs are made again; all of them as -1.

    Raises
    ------
    typer.BadParameter
        If it is no number and not "all".
    """
    from penstock.printable import quoted

    if text == "all":
        return -1
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise typer.BadParameter(f"{quoted(text)} is not a number of runs, nor 'all'.", param_hint="'--sample'")
    return int(text)


NameOption = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="Only runs of scenarios with this name; * stands for anything.",
        show_default=False,
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="PATH=VALUE",
        help="Only runs with this setting, as it was given or stands in the scenario; may be repeated.",
        show_default=False,
    ),
]


SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample",
        metavar="N|all",
        parser=sample_size,
        help="How many of the runs are made again; 5 by default.",
        show_default=False,
    ),
]
StudyOption = Annotated[
    Path | None,
    typer.Option(
        "--study",
        metavar="FILE",
        help="Only the runs of this scenario or study, as its file is now.",
        show_default=False,
    ),
]


def selection(
    store: Store,
    name: str | None,
    where: Sequence[str] | None,
    seed: int | None = None,
    study: Path | None = None,
    *,
    other_models: bool | None = None,
) -> Selection:
    """The runs that a command line means.

    Raises
    ------
    typer.BadParameter
        If a condition has not the form ``path=value``.
    """
    from penstock.printable import quoted
    from penstock.store.selection import Selection

    pairs = []
    for text in where or []:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise typer.BadParameter(
                f"{quoted(text)} is not of the form path=value, such as duration='20 s'.", param_hint="'--where'"
            )
        pairs.append((path.strip(), value.strip()))
    points = None
    if study is not None:
        from penstock.cli.studies import plan_of
        from penstock.store.points import point_of

        points = {point_of(each.first()) for each in plan_of(study, ()).read()}
    return Selection(store.texts, name, pairs, seed, other_models, points)


SAMPLE = 5
"""How many runs are made again unless told otherwise."""


def settings_text(settings: Sequence[tuple[str, str]], most: int = 60) -> str:
    """Settings on one line."""
    from penstock.printable import shortened

    return shortened(", ".join(f"{path}={value}" for path, value in settings), most)


def size_text(size: float) -> str:
    """Bytes for people.

    Examples
    --------
    >>> size_text(999), size_text(12_345), size_text(3.2e9)
    ('999 B', '12.3 kB', '3.2 GB')
    """
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def age_text(text: str) -> float:
    """Seconds of an age such as ``30 days``.

    Raises
    ------
    typer.BadParameter
        If it is none.

    Examples
    --------
    >>> age_text("2 h"), age_text("30 days")
    (7200.0, 2592000.0)
    """
    from penstock.printable import quoted

    number, _, unit = text.strip().partition(" ")
    seconds = {"h": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "weeks": 604800, "week": 604800}
    if not number.isascii() or not number.isdigit() or len(number) > 6 or unit.strip() not in seconds:
        raise typer.BadParameter(f"{quoted(text)} is not an age such as '30 days' or '12 hours'.")
    return float(int(number) * seconds[unit.strip()])
