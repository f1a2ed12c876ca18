"""Jain: TCP over the ATM services UBR and GFR, in LANs, WANs and over satellites (1998)."""

from __future__ import annotations

from importlib import resources

from penstock.reproductions.document import Document
from penstock.reproductions.study import Study
from penstock.reproductions.ubr.claims import claims_of
from penstock.reproductions.ubr.experiments import experiments
from penstock.reproductions.ubr.measure import MEASURED, measure
from penstock.reproductions.ubr.scenario import build, effort

__all__ = ["STUDY"]

DOCUMENT = Document.parse(resources.files(__package__).joinpath("document.toml").read_text(encoding="utf-8"))

STUDY = Study(
    document=DOCUMENT,
    build=build,
    measure=measure,
    claims=claims_of(DOCUMENT),
    runs=5,
    experiments=experiments,
    effort=effort,
    measured=MEASURED,
    sensitive=("53-59-results", "36"),
)
