"""Scenarios that only the claims need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.bcn.scenario import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings

OURS = "ours"
SCALED, UNSCALED = "1-gbps-scaled", "1-gbps-unscaled"
SLOWER = 10
"""10 Gbit/s over 1 Gbit/s."""


_GI, _GD, _W = (f"bcn.aimd_ours.{name}" for name in ("gi_increase_gain", "gd_decrease_gain", "w_derivative_weight"))
_VARIED = {
    "Gi-1": {_GI: 1.0},
    "Gi-16": {_GI: 16.0},
    "Gd-0.0031": {_GD: 0.0031},
    "Gd-0.0062": {_GD: 0.0062},
    "W-1": {_W: 1.0},
    "W-0.5": {_W: 0.5},
}
"""One parameter at a time, a quarter to four times the authors' values; greater G_d or W take rates below zero."""
FAST = (OURS, *_VARIED)
"""Settings of the parameters at 10 Gbit/s."""
SLOW = {UNSCALED: OURS, **{f"1-gbps-{name}": name for name in ("Gd-0.0031", "Gd-0.0062")}}
"""Some at 1 Gbit/s, and what they are at 10."""


def experiments(settings: Settings) -> Mapping[str, str]:
    """Several settings at 10 Gbit/s, and 1 Gbit/s with the rate unit scaled and as it is."""
    unit = settings["bcn.aimd_ours.ru_rate_unit_bps"]
    settings = settings.having({f"run.{name}": settings[f"experiment.{name}"] for name in ("duration", "warm_up")})

    def varied(name: str, slower: int = 1) -> str:
        return page(settings.having(_VARIED.get(name, {})), managed=True, slower=slower, observed=True)

    return {
        **{name: varied(name) for name in FAST},
        SCALED: page(settings, managed=True, unit=unit // SLOWER, slower=SLOWER),
        **{name: varied(fast, SLOWER) for name, fast in SLOW.items()},
    }


def published_gain(settings: Settings) -> str:
    """The scenario with the published gain of the decrease.

    It takes rates below zero, so it needs the floor, which is one rate unit where readings have none.
    """
    floored = settings if settings["bcn.floor"] else settings.having({"bcn.floor": "8 Mbit/s"})
    return page(floored, managed=True, gain=settings["bcn.aimd_cisco.gd_decrease_gain"], observed=True)
