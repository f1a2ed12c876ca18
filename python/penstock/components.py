"""The component classes, each made when it is first used; ``components.pyi`` describes them to editors."""

from typing import Any

from penstock.component import aliases, entries, made
from penstock.reference import catalogue

_NAMES = [*entries(catalogue()), *aliases(catalogue())]
__all__ = _NAMES  # noqa: PLE0605


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Makes a class."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = made(name, catalogue())
    return found
