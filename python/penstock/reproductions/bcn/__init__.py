"""Jiang and Jain: backward congestion notification, BCN 2.0, in a 10 Gb/s Ethernet (2006)."""

from __future__ import annotations

from importlib import resources

from penstock.reproductions.bcn.claims import CLAIMS
from penstock.reproductions.bcn.experiments import experiments
from penstock.reproductions.bcn.measure import measure
from penstock.reproductions.bcn.scenario import build
from penstock.reproductions.document import Document
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

STUDY = Study(
    document=Document.parse(resources.files(__package__).joinpath("document.toml").read_text(encoding="utf-8")),
    build=build,
    measure=measure,
    claims=CLAIMS,
    experiments=experiments,
    runs=5,
    measured={"spread.over": ["stddev_over_average"]},
)
