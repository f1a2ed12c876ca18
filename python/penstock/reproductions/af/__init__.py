"""Goyal, Misra, Jain: how many drop precedences does Assured Forwarding need (1999)."""

from __future__ import annotations

from penstock.reproductions.af.claims import OTHERS
from penstock.reproductions.af.measure import measure
from penstock.reproductions.af.scenario import build
from penstock.reproductions.claim_tests import claim_tests
from penstock.reproductions.document import packaged
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

_DOCUMENT = packaged(__package__)
STUDY = Study(
    document=_DOCUMENT,
    build=build,
    measure=measure,
    claims=claim_tests(_DOCUMENT, others=OTHERS),
    measured={"fairness.over": ("fairness",)},
)
