"""Tests of the claims that no statement of the document's data can test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.finding import CONFIRMED, REFUTED, UNDECIDED, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome


def marker_without_dps(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c08: without drop precedences both markers give the same runs."""
    keys = [{"udp_rate": udp, "drop_precedences": "none"} for udp in ("1.28M", "128k")]
    pairs = [pair for key in keys for pair in zip(*(outcome.digests(table, key) for table in ("2", "3")), strict=True)]
    equal = sum(left == right for left, right in pairs)
    return Finding(
        CONFIRMED if equal == len(pairs) else REFUTED,
        f"{equal} of {len(pairs)} pairs of runs without DPs have equal digests for both markers.",
    )


def three_needed(_: Outcome, findings: Mapping[str, Finding]) -> Finding:
    """af-c10: refuted if a third precedence improves nothing and two tell UDP from TCP."""
    third, apart = findings["af-c03"].verdict, findings["af-c06"].verdict
    refuted = third == apart == CONFIRMED
    return Finding(
        REFUTED if refuted else UNDECIDED,
        f"That a third DP improves nothing (af-c03) is {third}, and that two tell UDP from TCP (af-c06) is {apart}.",
    )


OTHERS: Mapping[str, ClaimTest] = {"af-c08": marker_without_dps, "af-c10": three_needed}
