"""Goyal, Misra, Jain: how many drop precedences does Assured Forwarding need (1999)."""

from __future__ import annotations

from importlib import resources

from penstock.reproductions.af.claims import CLAIMS
from penstock.reproductions.af.measure import measure
from penstock.reproductions.af.scenario import build
from penstock.reproductions.document import Document
from penstock.reproductions.study import Study

__all__ = ["STUDY"]

STUDY = Study(
    document=Document.parse(resources.files(__package__).joinpath("document.toml").read_text(encoding="utf-8")),
    build=build,
    measure=measure,
    claims=CLAIMS,
    measured={"fairness.over": ("fairness",)},
)
