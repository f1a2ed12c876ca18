"""Satoh, Ueno, Maeda, Phanachet: one threshold marking for PCN admission control and flow termination (2009)."""

from __future__ import annotations

from penstock.reproductions.claim_tests import claim_tests
from penstock.reproductions.document import packaged
from penstock.reproductions.pcn.claims import FACTS, NUMBERS, OTHERS
from penstock.reproductions.pcn.experiments import experiments
from penstock.reproductions.pcn.measure import MEASURED, gather, measure, part_of
from penstock.reproductions.pcn.oracle import NULLS
from penstock.reproductions.pcn.scenario import build, effort
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

_DOCUMENT = packaged(__package__)
STUDY = Study(
    document=_DOCUMENT,
    build=build,
    measure=measure,
    claims=claim_tests(_DOCUMENT, NUMBERS, OTHERS, FACTS),
    runs=5,
    gather=gather,
    experiments=experiments,
    effort=effort,
    nulls=NULLS,
    part_of=part_of,
    measured=MEASURED,
)
