"""Penstock: a packet-level simulator for traffic management.

Everything that a study needs is here: ``Network``, the components (``Red``, ``Tcp``, ``Cbr``, ...), ``Study``, and
``run_all`` underneath. Names are imported when they are first used, so that small programs start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock._core import MODEL_VERSION, version

if TYPE_CHECKING:
    from penstock.components import *  # noqa: F403
    from penstock.errors import InputError, PenstockError, RunsFailed, ScenarioError, StoreError
    from penstock.network import Network
    from penstock.running import Metric, RunRequest, RunResult, run_all
    from penstock.store import Store
    from penstock.study import Study

__version__ = version()

_HOMES = {
    "InputError": "errors",
    "Metric": "running",
    "Network": "network",
    "PenstockError": "errors",
    "RunRequest": "running",
    "RunResult": "running",
    "RunsFailed": "errors",
    "ScenarioError": "errors",
    "Store": "store",
    "StoreError": "errors",
    "Study": "study",
    "run_all": "running",
}

__all__ = [
    "MODEL_VERSION",
    "InputError",
    "Metric",
    "Network",
    "PenstockError",
    "RunRequest",
    "RunResult",
    "RunsFailed",
    "ScenarioError",
    "Store",
    "StoreError",
    "Study",
    "__version__",
    "run_all",
]


def __getattr__(name: str) -> Any:
    """Finds a public name in its module; other capitalised names are components."""
    if name not in _HOMES and not name[:1].isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f"penstock.{_HOMES.get(name, 'components')}")
    try:
        value = getattr(home, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = value
    return value
