"""What admission at five times the admissible rate comes to at best: counting calls, by Erlang's formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.pcn.cases import PLT, RTT
from penstock.reproductions.pcn.traffic import admissible_rate, call_interval, mean_rate

if TYPE_CHECKING:
    from penstock.reproductions.pcn.cases import Case
    from penstock.reproductions.reading import Settings

__all__ = ["counted", "erlang_b", "offered"]


def erlang_b(load: float, servers: int) -> float:
    """The share of calls that find `servers` of them present, with a load of `load` erlang.

    Insensitive to the law of the holding times.

    Examples
    --------
    >>> round(erlang_b(5.0, 10), 6), round(erlang_b(5000.0, 1000), 6)
    (0.018385, 0.80005)
    """
    blocking = 1.0
    for n in range(1, servers + 1):
        blocking = load * blocking / (n + load * blocking)
    return blocking


def offered(settings: Settings, case: Case) -> float:
    """The load at a bottleneck in erlang."""
    aggregates = {RTT: case.size, PLT: 2}.get(case.topology, 1)
    holding = settings["traffic.flows.flow_duration_mean_admission_s"]
    return float(holding * aggregates) / float(call_interval(settings, case))


def counted(settings: Settings, case: Case) -> tuple[float, float]:
    """Blocking, and over-admission in percent, if calls are counted without delay and refused beyond AR."""
    ar, mean = admissible_rate(settings, case), mean_rate(settings, case)
    load = offered(settings, case)
    blocking = erlang_b(load, int(ar / mean))
    return blocking, 100 * (load * (1 - blocking) * float(mean) / float(ar) - 1)
