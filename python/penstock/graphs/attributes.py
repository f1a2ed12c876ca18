"""Rates, delays and weights from the attributes of edges, and the options for reading them."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

from penstock.errors import InputError
from penstock.printable import quoted, represented
from penstock.studies.quantity import UNITS, Dimension, Quantity, read_quantity, setting_text


class EdgeError(ValueError):
    """An attribute without a valid meaning."""


def is_given(value: object) -> bool:
    """Whether an attribute has a value."""
    return value is not None and not (isinstance(value, str) and not value)


def chosen_attribute(edge: Mapping[str, Any], names: Collection[str], kind: str) -> str | None:
    """Returns the attribute of an edge among `names`, if any. Raises EdgeError if there are several."""
    there = [name for name in names if is_given(edge.get(name))]
    if len(there) > 1:
        option = f"{kind}_attribute"
        remedy = f"choose one with {option}" if option in Reading.__dataclass_fields__ else "leave one out"
        raise EdgeError(f"has both '{there[0]}' and '{there[1]}'; {remedy}")
    return there[0] if there else None


@dataclass(frozen=True, slots=True)
class Kind:
    """A quantity of edges: the names of its attributes, each with the unit that the name implies."""

    name: str
    attributes: Mapping[str, str | None]
    example: str
    dimension: Dimension
    least: Fraction
    most: Fraction
    limits: str

    def of_edge(self, edge: Mapping[str, Any], name: str, unit: str | None) -> str:
        """Returns :meth:`read` of an attribute, whose plain numbers have the unit of its name or `unit`."""
        try:
            return self.read(edge[name], self.attributes.get(name) or unit)
        except EdgeError as mistake:
            raise EdgeError(f"{name}: {mistake}") from None

    def read(self, value: object, unit: str | None = None) -> str:
        """Returns a value as a scenario writes it; a plain number has `unit`. Raises EdgeError if it is invalid."""
        if self is RATE and value == "unlimited":
            return "unlimited"
        quantity, shown = _quantity(value), quoted(represented(value))
        if quantity is not None and not quantity.dimension:
            if unit is None:
                how = f'write it as "{self.example}", or tell the unit with {self.name}_unit'
                raise EdgeError(f"{shown} has no unit; {how}")
            scale, dimension = UNITS[self.unit(unit)]
            quantity = Quantity(quantity.value * scale, dimension)
        if quantity is None or quantity.dimension != self.dimension:
            raise EdgeError(f'{shown} is no {self.name}; such as "{self.example}"')
        if not self.least <= quantity.value <= self.most:
            raise EdgeError(f"{shown} is out of range; {self.limits}")
        return setting_text(quantity)

    def unit(self, text: str) -> str:
        """Returns a unit as scenarios write it. Raises EdgeError if this quantity does not have it."""
        found = _spelled(text)
        fits = [unit for unit, (_, dimension) in UNITS.items() if dimension == self.dimension]
        if found not in fits:
            raise EdgeError(f"{quoted(text)} is no unit of a {self.name}; one of {', '.join(fits)}")
        return found


def _kinds() -> Iterator[Kind]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    for name, own in tomllib.loads(text).items():
        endings = {f"{each}_{ending}": unit for each in own["names"] for ending, unit in own["endings"].items()}
        attributes = dict.fromkeys(own["names"]) | endings | own.get("more", {})
        low, high = (quantity for each in own["range"] if (quantity := read_quantity(each)) is not None)
        yield Kind(name, attributes, own["example"], high.dimension, low.value, high.value, own["limits"])


RATE, DELAY, JITTER, LOSS = _kinds()
LOSS_UNITS: Mapping[str, int] = {"%": 100, "probability": 1}
"""The units of loss, each with the value of a total loss."""
WEIGHTS = ("weight", "cost")


def weight_of(edge: Mapping[str, Any], chosen: str | None) -> tuple[float | int | None, bool]:
    """Returns the weight of an edge, if it has one, and whether it was rounded. Raises EdgeError if it is none.

    >>> weight_of({"weight": 2.0}, None), weight_of({"cost": "0.12345"}, None), weight_of({}, None)
    ((2, False), (0.123, True), (None, False))
    """
    name = chosen_attribute(edge, WEIGHTS if chosen is None else (chosen,), "weight")
    if name is None:
        return None, False
    number = number_of(edge[name])
    if number is None or not Fraction(1, 2000) < number <= 10**9:
        raise EdgeError(f"{name}: {quoted(represented(edge[name]))} is no weight; 0.001 to 1000000000")
    thousandths = math.floor(number * 1000 + Fraction(1, 2))
    rounded = Fraction(thousandths, 1000) != number
    return thousandths // 1000 if thousandths % 1000 == 0 else thousandths / 1000, rounded


def _quantity(value: object) -> Quantity | None:
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\S*?[\d.])\s*([^\s\d.]*)\s*", value)
        with_unit = None if found is None else read_quantity(f"{found[1]} {_spelled(found[2])}")
        if with_unit is not None:
            return with_unit
    number = number_of(value)
    return None if number is None else Quantity(number)


def number_of(value: object) -> Fraction | None:
    """Returns a number as a decimal fraction; None if `value` is none."""
    if isinstance(value, bool) or not isinstance(value, (str, Real)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return Fraction(repr(number)) if math.isfinite(number) else None


def _spelled(unit: str) -> str:
    """A unit as scenarios write it, from other spellings.

    >>> _spelled("Gbps"), _spelled("kb/s"), _spelled("µs"), _spelled("ms")
    ('Gbit/s', 'kbit/s', 'us', 'ms')
    """
    rate = re.fullmatch(r"([kKMGT]?)(?:bps|b/s|bit/s|bits/s)", unit)
    if rate:
        return f"{rate[1].replace('K', 'k')}bit/s"
    return unit.replace("\N{MICRO SIGN}s", "us").replace("\N{GREEK SMALL LETTER MU}s", "us")


@dataclass(frozen=True, slots=True)
class Reading:
    """Options for reading attributes, with the parameters of :func:`penstock.graphs.from_networkx`."""

    rate: str | None = None
    delay: str | None = None
    rate_attribute: str | None = None
    delay_attribute: str | None = None
    weight_attribute: str | None = None
    rate_unit: str | None = None
    delay_unit: str | None = None
    loss_unit: str | None = None
    delay_per_km: str | None = None
    both_ways: bool = False
    names: str | None = None

    def checked(self, source: str) -> Reading:
        """Returns these options as a scenario writes them. Raises InputError, naming `source`, if one is invalid."""
        if self.loss_unit is not None and self.loss_unit not in LOSS_UNITS:
            units = " or ".join(LOSS_UNITS)
            raise InputError(f"{source}: loss: {quoted(str(self.loss_unit))} is no unit of loss; {units}.")
        found: dict[str, Any] = {}
        for name, said, read in (
            ("rate_unit", "rate", RATE.unit),
            ("delay_unit", "delay", DELAY.unit),
            ("rate", "rate", partial(RATE.read, unit=self.rate_unit)),
            ("delay", "delay", partial(DELAY.read, unit=self.delay_unit)),
            ("delay_per_km", "delay_per_km", DELAY.read),
        ):
            if (value := getattr(self, name)) is not None:
                try:
                    found[name] = read(value)
                except EdgeError as mistake:
                    raise InputError(f"{source}: {said}: {mistake}.") from None
        return replace(self, **found)

    def names_of(self, kind: Kind) -> tuple[str, ...]:
        """The attributes in which edges may have a rate or a delay."""
        chosen = getattr(self, f"{kind.name}_attribute")
        return tuple(kind.attributes) if chosen is None else (chosen,)

    def quantity(self, kind: Kind, edge: Mapping[str, Any]) -> str | None:
        """Returns the rate or delay of an edge as a scenario writes it, if any. Raises EdgeError if it is invalid."""
        name = chosen_attribute(edge, self.names_of(kind), kind.name)
        return None if name is None else kind.of_edge(edge, name, getattr(self, f"{kind.name}_unit"))
