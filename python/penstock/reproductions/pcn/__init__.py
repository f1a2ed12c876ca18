"""Satoh, Ueno, Maeda, Phanachet: one threshold marking for PCN admission control and flow termination (2009)."""

from __future__ import annotations

from importlib import resources

from penstock.reproductions.document import Document
from penstock.reproductions.pcn.claims import CLAIMS
from penstock.reproductions.pcn.experiments import experiments
from penstock.reproductions.pcn.measure import MEASURED, gather, measure, part_of
from penstock.reproductions.pcn.nulls import NULLS
from penstock.reproductions.pcn.scenario import build, effort
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

STUDY = Study(
    document=Document.parse(resources.files(__package__).joinpath("document.toml").read_text(encoding="utf-8")),
    build=build,
    measure=measure,
    claims=CLAIMS,
    runs=5,
    gather=gather,
    experiments=experiments,
    effort=effort,
    nulls=NULLS,
    part_of=part_of,
    measured=MEASURED,
)
