"""Why a run with ``--threads`` has fewer cores than were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.printable import shortened

if TYPE_CHECKING:
    from penstock._core import Division
    from penstock.studies.result import StudyResult

__all__ = ["fewer_cores"]


def fewer_cores(name: str, result: StudyResult, threads: int) -> str | None:
    """A sentence on the first run that was made now, and on fewer cores than `threads`; None if there is none."""
    if threads == 1:
        return None
    for point in result.points:
        for run in point.runs:
            if run.threads is not None and run.threads < threads:
                return f"{name} {_why(run.threads, point.asked.scenario.division(threads), threads)}."
    return None


def _why(used: int, division: Division, threads: int) -> str:
    """On how many cores a run was made, and why on no more."""
    parts = division["parts"]
    reasons = [_bound(division)] if parts < threads else []
    if used < parts:
        reasons.append(f"one core handled more events a second than {parts} when both were tried")
    cores = "one core" if used == 1 else f"{used} of {threads} cores"
    return f"runs on {cores}: {'; and '.join(reasons)}"


def _bound(division: Division) -> str:
    """What the network allows, and why no more."""
    parts, most = division["parts"], division["most"]
    if division["clusters"] <= 1:
        return "its network cannot be cut, since everything in it is joined without delay"
    if most == division["clusters"]:
        why = f"only {most} parts of it have a delay between them"
    else:
        share, busiest = division["share"], shortened(division["busiest"], 100)
        why = (
            f"{busiest} has {share * 100:.0f} % of the load, counted in flows that pass, and a part with it has no less"
        )
    if parts == most:
        return f"its network allows {most} parts at most, since {why}"
    if parts == 1:
        return f"no cut of its network does a quarter more than one core ({why}, which allows {most} parts at most)"
    return f"its network is cut into {parts} parts, as evenly as its delays allow ({why})"
