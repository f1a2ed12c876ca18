"""Texts of the scenarios that runs were made from, in ``scenarios/``, each named by its hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.store.folder import write
from penstock.store.manifest import scenario_hash

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Texts:
    """The scenarios of a store."""

    def __init__(self, store: Path) -> None:
        self._folder = store / "scenarios"

    def file(self, name: str) -> Path:
        """Returns the path of the text with this hash."""
        return self._folder / f"{name}.toml"

    def keep(self, texts: Iterable[str]) -> None:
        """Writes the texts that are missing or altered; raises OSError if one cannot be written."""
        for text in texts:
            name = scenario_hash(text)
            if self.get(name) is None:
                write(self.file(name), text.encode("utf-8", "surrogatepass"))

    def get(self, name: str) -> str | None:
        """Returns the text with this hash; None if it is missing or altered."""
        try:
            text = self.file(name).read_bytes().decode("utf-8", "surrogatepass")
        except (OSError, UnicodeDecodeError):
            return None
        return text if scenario_hash(text) == name else None
