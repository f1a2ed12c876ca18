"""Jain: TCP over the ATM services UBR and GFR, in LANs, WANs and over satellites (1998)."""

from __future__ import annotations

from penstock.reproductions.loading import packaged
from penstock.reproductions.ubr.claims import FACTS, NUMBERS
from penstock.reproductions.ubr.measure import MEASURED, measure
from penstock.reproductions.ubr.scenario import build, effort, experiments

__all__ = ["STUDY"]

STUDY = packaged(
    __package__,
    numbers=NUMBERS,
    facts=FACTS,
    build=build,
    measure=measure,
    runs=5,
    experiments=experiments,
    effort=effort,
    measured=MEASURED,
    sensitive=("53-59-results", "36"),
)
