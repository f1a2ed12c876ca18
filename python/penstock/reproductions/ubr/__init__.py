"""Jain: TCP over the ATM services UBR and GFR, in LANs, WANs and over satellites (1998)."""

from __future__ import annotations

from penstock.reproductions.claim_tests import claim_tests
from penstock.reproductions.document import packaged
from penstock.reproductions.study import Study
from penstock.reproductions.ubr.claims import FACTS, NUMBERS
from penstock.reproductions.ubr.experiments import experiments
from penstock.reproductions.ubr.measure import MEASURED, measure
from penstock.reproductions.ubr.scenario import build, effort

__all__ = ["STUDY"]

DOCUMENT = packaged(__package__)

STUDY = Study(
    document=DOCUMENT,
    build=build,
    measure=measure,
    claims=claim_tests(DOCUMENT, NUMBERS, facts=FACTS),
    runs=5,
    experiments=experiments,
    effort=effort,
    measured=MEASURED,
    sensitive=("53-59-results", "36"),
)
