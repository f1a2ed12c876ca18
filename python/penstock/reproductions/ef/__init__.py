"""RFC 2598, appendix A.3: jitter of Expedited Forwarding under WRR and PQ, and TCP over leased lines (1999)."""

from __future__ import annotations

from penstock.reproductions.claim_tests import claim_tests
from penstock.reproductions.document import packaged
from penstock.reproductions.ef.claims import OTHERS
from penstock.reproductions.ef.measure import measure
from penstock.reproductions.ef.scenario import build, experiments
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

_DOCUMENT = packaged(__package__)
STUDY = Study(
    document=_DOCUMENT,
    build=build,
    measure=measure,
    claims=claim_tests(_DOCUMENT, others=OTHERS),
    experiments=experiments,
)
