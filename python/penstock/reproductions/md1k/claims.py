"""How the claims are tested, on the runs of all rows. Margins stand in the claims' ``test`` texts too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, above, below, decide, within
from penstock.reproductions.finding import Finding
from penstock.reproductions.telling import failures, held, unsettled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome

__all__ = ["CLAIMS"]

TARGET = 2.0
"""Loss in percent that must not be reached."""
MARGIN = 0.03


def enough(load: float, buffers: int) -> ClaimTest:
    """That so many buffers keep losses below the target, and one fewer does not."""

    def test(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        with_, without = (
            Estimate.of(outcome.values("1", "loss", {"load": load, "buffers": number}))
            for number in (buffers, buffers - 1)
        )
        decision = decide(
            [below(f"{buffers} buffers", with_, TARGET), above(f"{buffers - 1} buffers", without, TARGET)]
        )
        return Finding.of(
            decision,
            f"With {buffers} buffers {with_.mean:.3f} % are lost and with {buffers - 1} {without.mean:.3f} %; "
            f"{held(decision)} comparisons with 2 % hold.{failures(decision.failed)}",
            unsettled(decision.open),
        )

    return test


def pollaczek_khinchin(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """md1k-c04."""
    tests, ratios = [], []
    for row in outcome.rows("2"):
        load = float(row.key["load"])
        formula = load + load**2 / (2 * (1 - load))
        estimate = Estimate.of(outcome.values("2", "packets", row.key))
        tests.append(within(f"{load:.0%}", estimate, (1 - MARGIN) * formula, (1 + MARGIN) * formula))
        ratios.append(estimate.mean / formula - 1)
    decision = decide(tests)
    return Finding.of(
        decision,
        f"Our means differ from the formula by {min(ratios):+.2%} to {max(ratios):+.2%}; {held(decision)} are within "
        f"3 %.{failures(decision.failed)}",
        unsettled(decision.open),
    )


CLAIMS: Mapping[str, ClaimTest] = {
    "md1k-c01": enough(0.70, 4),
    "md1k-c02": enough(0.80, 6),
    "md1k-c03": enough(0.90, 9),
    "md1k-c04": pollaczek_khinchin,
}
