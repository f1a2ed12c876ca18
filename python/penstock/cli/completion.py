"""What the shell offers for a word of the command line: the names that there are."""

from __future__ import annotations

__all__ = ["explained", "kinds", "studies"]


def studies(incomplete: str) -> list[str]:
    """Published studies."""
    from penstock import reproductions

    return _of(incomplete, [*reproductions.summaries()])


def kinds(incomplete: str) -> list[str]:
    """What ``penstock list`` takes."""
    from penstock.reference import catalogue

    return _of(incomplete, [*catalogue()["components"], "metrics", "sections", "studies"])


def explained(incomplete: str) -> list[str]:
    """What ``penstock explain`` takes."""
    from penstock.explained import known

    return _of(incomplete, known())


def _of(incomplete: str, words: list[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
