"""Jiang and Jain: backward congestion notification, BCN 2.0, in a 10 Gb/s Ethernet (2006)."""

from __future__ import annotations

from penstock.reproductions.bcn.claims import OTHERS
from penstock.reproductions.bcn.measure import measure
from penstock.reproductions.bcn.scenario import build, experiments
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
    experiments=experiments,
    runs=5,
    measured={"spread.over": ["stddev_over_average"]},
)
