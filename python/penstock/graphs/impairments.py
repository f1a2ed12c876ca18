"""Loss and jitter of edges as impairments of links."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from penstock.components import Delay, Loss
from penstock.graphs.attributes import JITTER, LOSS, LOSS_UNITS, EdgeError, number_of
from penstock.printable import quoted, represented
from penstock.studies.quantity import Quantity, read_quantity, setting_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.component import Component


@dataclass(slots=True)
class Impaired:
    """The delay of a link and its impairments."""

    delay: str  # as a scenario writes it; the minimum if there is jitter
    parts: list[Component] = field(default_factory=list)  # the impairments
    unitless: list[str] = field(default_factory=list)  # attributes that are left out as plain numbers without a unit


def impaired(edge: Mapping[str, Any], delay: str, loss_unit: str | None, delay_unit: str | None) -> Impaired:
    """Returns the impairments of an edge whose delay without them is `delay`.

    Raises EdgeError if a value is invalid, or jitter exceeds the delay.

    Examples
    --------
    >>> made = impaired({"jitter": "2 ms", "packet_loss": 0.1}, "20 ms", "%", None)
    >>> made.delay, [part.table() for part in made.parts]
    ('18 ms', [{'added': {'uniform': ['0 s', '4 ms']}, 'keep-order': True}, {'probability': 0.001}])
    """
    made = Impaired(delay)
    name = JITTER.attribute(edge, None)
    if name is not None:
        _add_jitter(made, name, edge[name], JITTER.attributes[name] or delay_unit)
    name = LOSS.attribute(edge, None)
    if name is not None:
        _add_loss(made, name, edge[name], LOSS.attributes[name] or loss_unit)
    return made


def _add_jitter(made: Impaired, name: str, value: object, unit: str | None) -> None:
    """Jitter is the maximum deviation from the mean delay, as in netem: uniform, without reordering."""
    if unit is None and number_of(value) is not None:
        made.unitless.append(name)
        return
    try:
        jitter = read_quantity(JITTER.read(value, unit))
    except EdgeError as mistake:
        raise EdgeError(f"{name}: {mistake}") from None
    mean = read_quantity(made.delay)
    if jitter is None or mean is None or not jitter.value:
        return
    if jitter.value > mean.value:
        raise EdgeError(f"{name}: {setting_text(jitter)} is more than the delay, {made.delay}")
    made.delay = setting_text(mean - jitter)
    widest = setting_text(Quantity(2 * jitter.value, jitter.dimension))
    made.parts.append(Delay(added={"uniform": ["0 s", widest]}, keep_order=True))


def _add_loss(made: Impaired, name: str, value: object, unit: str | None) -> None:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.endswith("%"):
        text, unit = text[:-1].strip(), "%"
    number = number_of(text)
    if number is None:
        raise EdgeError(f'{name}: {quoted(represented(value))} is no loss; such as "0.1 %"')
    if unit is None:
        if number:
            made.unitless.append(name)
        return
    probability = number / LOSS_UNITS[unit]
    if not 0 <= probability <= 1:
        raise EdgeError(f"{name}: {quoted(represented(value))} is out of range; 0 % to 100 %")
    if probability:
        made.parts.append(Loss(probability=float(Fraction(probability))))
