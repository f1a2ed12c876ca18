"""Christensen: how many buffers a cell switch needs, as an M/D/1/k queue (1999)."""

from __future__ import annotations

from importlib import resources

from penstock.reproductions.document import Document
from penstock.reproductions.md1k.claims import CLAIMS
from penstock.reproductions.md1k.measure import measure
from penstock.reproductions.md1k.nulls import NULLS
from penstock.reproductions.md1k.scenario import build
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

STUDY = Study(
    document=Document.parse(resources.files(__package__).joinpath("document.toml").read_text(encoding="utf-8")),
    build=build,
    measure=measure,
    claims=CLAIMS,
    nulls=NULLS,
)
