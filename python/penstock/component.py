"""What all component classes have in common; the classes themselves are generated into ``components``."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

__all__ = ["Component", "kebab"]


def kebab(name: str) -> str:
    """The scenario key of a Python name.

    Examples
    --------
    >>> kebab("max_threshold"), kebab("lambda_")
    ('max-threshold', 'lambda')
    """
    return name.rstrip("_").replace("_", "-")


class Component(BaseModel):
    """A component with its parameters; the core checks their values and units when a scenario is read."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=kebab, validate_by_name=True, validate_by_alias=True
    )

    KIND: ClassVar[str]
    """The kind of component, such as ``discipline``."""
    KEY: ClassVar[str]
    """The component's name in a scenario, such as ``tail-drop``."""

    def table(self) -> dict[str, Any]:
        """The parameters that were given, under their scenario keys; the others keep the core's defaults."""
        made = self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, Component):
                made[field.alias or name] = {value.KEY: value.table()}
        return made
