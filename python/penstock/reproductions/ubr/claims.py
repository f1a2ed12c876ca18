"""How the claims are tested: one function a claim, on the runs of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.finding import UNDECIDED, Finding
from penstock.reproductions.ubr import claims_of_guarantees, claims_of_parameters, claims_of_policies, claims_of_tcp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.document import Document
    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome

__all__ = ["claims_of"]

TESTS: Mapping[str, ClaimTest] = {
    **claims_of_policies.CLAIMS,
    **claims_of_parameters.CLAIMS,
    **claims_of_guarantees.CLAIMS,
    **claims_of_tcp.CLAIMS,
}


def claims_of(document: Document) -> Mapping[str, ClaimTest]:
    """The test of each claim, in the document's order; a claim whose tables are not there yet stays undecided."""
    known = [table.id for table in document.tables if table.is_own]
    return {claim.id: _test(claim.id, claim.tables, known, claim.test) for claim in document.claims}


def _test(claim: str, tables: Sequence[str], known: Sequence[str], told: str) -> ClaimTest:
    test = TESTS.get(claim)
    if test is None or not tables or not set(tables) <= set(known):
        return _open(told)
    return test


def _open(told: str) -> ClaimTest:
    def test(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        del outcome
        return Finding(UNDECIDED, f"It was not tested. {told}")

    return test
