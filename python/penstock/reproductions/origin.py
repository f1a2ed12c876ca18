"""Where stored results come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock import _core

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Origin:
    """Where stored results come from."""

    model_version: str  # version of the model that made the runs
    date: str  # day of the renewal, such as `2026-11-27`

    @classmethod
    def of_this_core(cls) -> Origin:
        """The installed core, on the present day."""
        return cls(_core.MODEL_VERSION, datetime.now(UTC).date().isoformat())

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Origin:
        """The origin that a JSON object has."""
        return cls(data["model_version"], data["date"])

    def as_json(self) -> dict[str, str]:
        """The origin as a JSON object."""
        return {"model_version": self.model_version, "date": self.date}

    def short(self) -> str:
        """In few words.

        Examples
        --------
        >>> Origin("0123456789abcdef", "2026-11-27").short()
        '2026-11-27, model 0123456789ab'
        """
        return f"{self.date}, model {self.model_version[:12]}"

    @property
    def is_current(self) -> bool:
        """Whether the installed core is of the same model version."""
        return self.model_version == _core.MODEL_VERSION

    def told(self) -> str:
        """A line that says where the results come from, and how to get others."""
        made = f"Shipped with Penstock: results of {self.short()}"
        if self.is_current:
            return f"{made}, that of the installed core. Nothing was run; --fresh runs the study."
        return (
            f"{made}. The installed core is of another version, model {_core.MODEL_VERSION[:12]}, and may give other "
            "numbers. Nothing was run; --fresh runs the study."
        )
