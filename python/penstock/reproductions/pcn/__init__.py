"""Satoh, Ueno, Maeda, Phanachet: one threshold marking for PCN admission control and flow termination (2009)."""

from __future__ import annotations

from penstock.reproductions.loading import packaged
from penstock.reproductions.pcn.claims import FACTS, NUMBERS, OTHERS
from penstock.reproductions.pcn.experiments import experiments
from penstock.reproductions.pcn.measure import MEASURED, gather, measure, part_of
from penstock.reproductions.pcn.oracle import NULLS
from penstock.reproductions.pcn.scenario import build, effort

__all__ = ["STUDY"]

STUDY = packaged(
    __package__,
    numbers=NUMBERS,
    others=OTHERS,
    facts=FACTS,
    build=build,
    measure=measure,
    runs=5,
    gather=gather,
    experiments=experiments,
    effort=effort,
    nulls=NULLS,
    part_of=part_of,
    measured=MEASURED,
)
