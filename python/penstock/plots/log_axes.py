"""Logarithmic axes: which charts can have them, and which numbers have a position on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.plots.data import Datum
    from penstock.plots.places import Across
    from penstock.plots.request import Roles


def check_log_axes(log: str, roles: Roles, place: Across) -> None:
    """Raises InputError if a logarithmic axis would have names, or bars side by side."""
    if log and roles.kind == "heatmap":
        raise InputError("a heat map has no logarithmic axis; leave log out, or draw lines.")
    if "x" not in log or roles.kind == "cdf" or place.is_numeric:
        return
    name = roles.short(roles.x) or roles.x if roles.x is not None else None
    if name is None:
        raise InputError("nothing varies across, so x cannot be logarithmic; leave it out of log.")
    if roles.kind in ("bar", "box"):
        what = "bars are" if roles.kind == "bar" else "boxes are"
        raise InputError(f"{what} next to one another, so {name} cannot be logarithmic; draw lines, or log y alone.")
    raise InputError(f"{name} has names, not numbers, so it cannot be logarithmic; leave x out of log.")


def drawable(numbers: Sequence[Datum], log: str, kind: str, place: Across) -> Sequence[Datum]:
    """Returns the numbers above zero on logarithmic axes of means; a distribution keeps all of its values.

    Raises InputError if there are none.
    """
    if not log:
        return numbers
    found = numbers
    if "x" in log and kind != "cdf":
        found = [each for each in found if place.position(each) > 0]
    if "y" in log and kind not in ("cdf", "box"):
        found = [each for each in found if not each.mean <= 0]
    if "y" in log and kind == "box":
        found = [each for each in found if any(value > 0 for value in each.values or [each.mean])]
    if "x" in log and kind == "cdf":
        found = [each for each in found if any(value > 0 for value in each.values or [each.mean])]
    if numbers and not found:
        raise InputError(
            f"no number {numbers[0].metric} is above 0 and so on a logarithmic axis; leave log out to see them."
        )
    return found
