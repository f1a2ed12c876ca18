"""Selections of stored runs, and short texts about them."""

from collections.abc import Sequence
from pathlib import Path

from penstock.cli.options import pairs
from penstock.printable import quoted, shortened
from penstock.store import Store
from penstock.store.selection import Selection


def selection(
    store: Store,
    name: str | None,
    where: list[str] | None,
    seed: int | None = None,
    study: Path | None = None,
    *,
    other_models: bool | None = None,
) -> Selection:
    """The selection that options of the command line describe.

    Raises click.BadParameter if a condition is not of the form ``path=value``.
    """
    points = None
    if study is not None:
        from penstock.cli.studies import plan_of
        from penstock.store.manifest import point_of

        points = {point_of(each.first()) for each in plan_of(study, ()).read()}
    return Selection(store.texts, name, pairs(where, "--where"), seed, other_models, points)


def settings_text(settings: Sequence[tuple[str, str]], most: int = 60) -> str:
    """Settings on one line."""
    return shortened(", ".join(f"{path}={value}" for path, value in settings), most)


def age_text(text: str) -> float:
    """Seconds of an age such as ``30 days``.

    Raises ValueError if it is none.

    Examples
    --------
    >>> age_text("2 h"), age_text("30 days")
    (7200.0, 2592000.0)
    """
    number, _, unit = text.strip().partition(" ")
    seconds = {"h": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "weeks": 604800, "week": 604800}
    if not number.isascii() or not number.isdigit() or len(number) > 6 or unit.strip() not in seconds:
        raise ValueError(f"{quoted(text)} is not an age such as '30 days' or '12 hours'.")
    return float(int(number) * seconds[unit.strip()])
