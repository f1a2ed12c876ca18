"""Christensen: how many buffers a cell switch needs, as an M/D/1/k queue (1999)."""

from __future__ import annotations

from penstock.reproductions.claim_tests import claim_tests
from penstock.reproductions.document import packaged
from penstock.reproductions.md1k.measure import NULLS, measure
from penstock.reproductions.md1k.scenario import build
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

_DOCUMENT = packaged(__package__)
STUDY = Study(document=_DOCUMENT, build=build, measure=measure, claims=claim_tests(_DOCUMENT), nulls=NULLS)
