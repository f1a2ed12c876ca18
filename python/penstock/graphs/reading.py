"""Options for reading the attributes of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.graphs.attributes import DELAY, LOSS_UNITS, RATE, EdgeError, Kind
from penstock.printable import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping


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

    def check(self, source: str) -> None:
        """Raises InputError for the first invalid value; `source` is the graph in the message."""
        for kind in (RATE, DELAY):
            try:
                default, unit = getattr(self, kind.name), getattr(self, f"{kind.name}_unit")
                if default is not None:
                    kind.read(default, None)
                if unit is not None:
                    kind.unit(unit)
            except EdgeError as mistake:
                raise InputError(f"{source}: {kind.name}: {mistake}.") from None
        if self.loss_unit is not None and self.loss_unit not in LOSS_UNITS:
            units = " or ".join(LOSS_UNITS)
            raise InputError(f"{source}: loss: {quoted(str(self.loss_unit))} is no unit of loss; {units}.")
        if self.delay_per_km is not None:
            try:
                DELAY.read(self.delay_per_km, None)
            except EdgeError as mistake:
                raise InputError(f"{source}: delay_per_km: {mistake}.") from None

    def quantity(self, kind: Kind, edge: Mapping[str, Any]) -> str | None:
        """Returns the rate or delay of an edge as a scenario writes it; None if it has none.

        Raises EdgeError if it is invalid.
        """
        name = self.attribute(kind, edge)
        if name is None:
            return None
        try:
            return kind.read(edge[name], kind.attributes.get(name) or getattr(self, f"{kind.name}_unit"))
        except EdgeError as mistake:
            raise EdgeError(f"{name}: {mistake}") from None

    def attribute(self, kind: Kind, edge: Mapping[str, Any]) -> str | None:
        """Returns the attribute of an edge that has a quantity, if any."""
        return kind.attribute(edge, getattr(self, f"{kind.name}_attribute"))
