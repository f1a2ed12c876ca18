"""Suites: comparisons of mechanisms that come with the package, each a set of studies with figures and findings."""

from __future__ import annotations

from penstock.suites.suite import Suite, load, names

__all__ = ["Suite", "explain", "load", "names", "summaries"]


def summaries() -> dict[str, str]:
    """Returns the question of each suite by its name."""
    return {name: load(name).question for name in names()}


def explain(name: str) -> str | None:
    """Returns a page in Markdown about a suite; None if there is none of this name."""
    return load(name).page() if name in names() else None
