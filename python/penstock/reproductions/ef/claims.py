"""Tests of the claims that no statement of the document's data can test: those about counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.ef.measure import received, sum_of
from penstock.reproductions.ef.network import EF
from penstock.reproductions.ef.scenario import SIZES, most_flows
from penstock.reproductions.finding import CONFIRMED, REFUTED, Finding
from penstock.reproductions.telling import between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome


def nothing_dropped(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c13: in no run of tables 1 to 3 and with 36 flows an EF packet is lost."""
    rows = [(table, row.key) for table in ("1", "2", "3") for row in outcome.rows(table)]
    most = [run for size in SIZES for run in outcome.experiments[most_flows(size)]]
    drops = sum(sum(outcome.values(table, "ef_drops", key)) for table, key in rows)
    drops += sum(sum_of(run, "drops", **{"class": EF}) for run in most)
    columns = ("least_received", "most_received")
    shares = [value for table, key in rows for column in columns for value in outcome.values(table, column, key)]
    shares += [received(run) for run in most]
    sound = drops == 0 and all(abs(share - 1) <= 0.01 for share in shares)
    return Finding(
        CONFIRMED if sound else REFUTED,
        f"{drops:.0f} EF packets were dropped in all runs of tables 1 to 3 and with 36 flows; {between(shares)} of "
        "what EF sources sent was received while counting.",
    )


def lost_in_the_shaper(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c15: what VLLs lose they lose in front of the shapers."""
    path, shaper = (
        sum(sum(outcome.values("4", column, row.key)) for row in outcome.rows("4"))
        for column in ("path_drops", "shaper_drops")
    )
    return Finding(
        CONFIRMED if path == 0 and shaper > 0 else REFUTED,
        f"{path:.0f} packets of VLLs were dropped on the path and {shaper:.0f} in front of the shapers.",
    )


OTHERS: Mapping[str, ClaimTest] = {"ef-c13": nothing_dropped, "ef-c15": lost_in_the_shaper}
