"""Scenarios that only the claims need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.bcn.scenario import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings

__all__ = ["OURS", "PUBLISHED", "SCALED", "UNSCALED", "experiments"]

OURS, PUBLISHED = "ours", "published-gain"
SCALED, UNSCALED = "1-gbps-scaled", "1-gbps-unscaled"
SLOWER = 10
"""10 Gbit/s over 1 Gbit/s."""


def experiments(settings: Settings) -> Mapping[str, str]:
    """Both gains at 10 Gbit/s, and 1 Gbit/s with the rate unit scaled and as it is."""
    unit = settings["bcn.aimd_ours.ru_rate_unit_bps"]
    # The published gain takes rates below zero: it needs the floor, which is one rate unit where readings have none.
    floored = settings if settings["bcn.floor"] else settings.having({"bcn.floor": "8 Mbit/s"})
    return {
        OURS: page(settings, managed=True),
        PUBLISHED: page(floored, managed=True, gain=settings["bcn.aimd_cisco.gd_decrease_gain"]),
        SCALED: page(settings, managed=True, unit=unit // SLOWER, slower=SLOWER),
        UNSCALED: page(settings, managed=True, slower=SLOWER),
    }
