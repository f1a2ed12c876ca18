"""Which aggregate has how many calls in a termination run, before the event and from it on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.reproductions.pcn.cases import PLT, RTT, TERMINATION
from penstock.reproductions.pcn.traffic import overload_calls

if TYPE_CHECKING:
    from penstock.reproductions.pcn.cases import Case
    from penstock.reproductions.reading import Settings


@dataclass(frozen=True)
class Share:
    """Calls of each aggregate of a group: there from the start, and added at the event."""

    before: int
    added: int


def remainder(settings: Settings, case: Case) -> int:
    """How many ingresses of RTT have a share of their own, because the load cannot be divided evenly without rest."""
    if case.topology != RTT or case.kind != TERMINATION:
        return 0
    if settings["termination.split_rtt"] == "one-pair":
        return 1
    return overload_calls(settings, case)[1] % case.size


def shares(settings: Settings, case: Case) -> dict[str, Share]:
    """The calls of each aggregate, by the name of its group."""
    before, after = overload_calls(settings, case)
    if case.topology == PLT:
        return _parking_lot(settings["termination.split_plt"], case, before, after - before)
    if case.topology != RTT:
        return {"calls": Share(before, after - before)}
    more = remainder(settings, case)
    each = before // case.size
    if settings["termination.split_rtt"] == "one-pair":
        return {"ingress": Share(each, 0), "more": Share(before - each * (case.size - 1), after - before)}
    final = after // case.size
    named = {"ingress": Share(each, final - each)}
    return {**named, "more": Share(each, final + 1 - each)} if more else named


def _parking_lot(split: str, case: Case, before: int, added: int) -> dict[str, Share]:
    """Of the calls at each bottleneck, those of the long aggregate and of the short one that shares it."""
    if split == "even":
        long = Share(before // 2, added // 2)
        short = Share(before - long.before, added - long.added)
    elif split == "long-pair":
        long, short = Share(0, added), Share(before, 0)
    else:
        long, short = Share(before, 0), Share(0, added)
    return {"long": long, **{f"short{i + 1}": short for i in range(case.size)}}
