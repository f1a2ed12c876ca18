"""RFC 2598, appendix A.3: jitter of Expedited Forwarding under WRR and PQ, and TCP over leased lines (1999)."""

from __future__ import annotations

from importlib import resources

from penstock.reproductions.document import Document
from penstock.reproductions.ef.claims import CLAIMS
from penstock.reproductions.ef.experiments import experiments
from penstock.reproductions.ef.measure import measure
from penstock.reproductions.ef.scenario import build
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

STUDY = Study(
    document=Document.parse(resources.files(__package__).joinpath("document.toml").read_text(encoding="utf-8")),
    build=build,
    measure=measure,
    claims=CLAIMS,
    experiments=experiments,
)
