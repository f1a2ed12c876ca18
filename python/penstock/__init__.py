"""Penstock: a packet-level simulator for traffic management.

Everything that a study needs is here: ``Network``, the components (``Red``, ``Tcp``, ``Cbr``, ...), ``Study``, and
``run_all`` underneath. Names are imported when they are first used, so that small programs start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from penstock import core_choice

_plugin = core_choice.choose()

# The core is imported after the choice of it.
from penstock._core import MODEL_VERSION, version  # noqa: E402
from penstock.exports import COMPONENTS  # noqa: E402

if _plugin is not None:
    COMPONENTS = core_choice.components()

if TYPE_CHECKING:
    from penstock import components, topologies
    from penstock.components import *  # noqa: F403
    from penstock.errors import (
        ArgumentError,
        InputError,
        PenstockError,
        PrecisionMissed,
        RunsFailed,
        ScenarioError,
        StoreError,
    )
    from penstock.graphs import from_networkx
    from penstock.network import Network, Node
    from penstock.reproductions.frame import reproduce
    from penstock.results import to_frame, to_json, to_pandas, to_values
    from penstock.running import Metric, RunFailure, RunRequest, RunResult, run_all
    from penstock.series import TimeSeries
    from penstock.store import Store
    from penstock.studies.result import StudyResult
    from penstock.study import Study
    from penstock.trace import PacketTrace

__version__ = version()

_HOMES = {
    "ArgumentError": "errors",
    "InputError": "errors",
    "Metric": "running",
    "Network": "network",
    "Node": "network",
    "PacketTrace": "trace",
    "PenstockError": "errors",
    "RunFailure": "running",
    "RunRequest": "running",
    "RunResult": "running",
    "PrecisionMissed": "errors",
    "RunsFailed": "errors",
    "ScenarioError": "errors",
    "Store": "store",
    "StoreError": "errors",
    "Study": "study",
    "StudyResult": "studies.result",
    "TimeSeries": "series",
    "from_networkx": "graphs",
    "reproduce": "reproductions.frame",
    "run_all": "running",
    "to_frame": "results",
    "to_json": "results",
    "to_pandas": "results",
    "to_values": "results",
}
"""The modules of what is imported when it is first used; components have a module of their own."""

__all__ = [
    "MODEL_VERSION",
    "ArgumentError",
    "InputError",
    "Metric",
    "Network",
    "Node",
    "PacketTrace",
    "PenstockError",
    "PrecisionMissed",
    "RunFailure",
    "RunRequest",
    "RunResult",
    "RunsFailed",
    "ScenarioError",
    "Store",
    "StoreError",
    "Study",
    "StudyResult",
    "TimeSeries",
    "__version__",
    "from_networkx",
    "reproduce",
    "run_all",
    "to_frame",
    "to_json",
    "to_pandas",
    "to_values",
    "topologies",
]
if TYPE_CHECKING:
    __all__ += components.__all__  # type: ignore[has-type]  # mypy sees it too late, in a circle of imports
else:
    __all__.extend(COMPONENTS)


def __dir__() -> list[str]:
    """What an editor or a notebook offers."""
    return sorted(__all__)


if not TYPE_CHECKING:  # who checks types knows every name from above

    def __getattr__(name):
        """Imports a public name from its module."""
        if name == "topologies":
            value = import_module("penstock.topologies")
        elif name in _HOMES or name in COMPONENTS:
            value = getattr(import_module(f"penstock.{_HOMES.get(name, 'components')}"), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint(name)}")
        globals()[name] = value
        return value


def _hint(name: str) -> str:
    # Who asks whether there is such a thing, as notebooks do for names with underscores, needs no suggestion.
    if name.startswith("_"):
        return ""
    from penstock.cli.suggest import suggestion

    return suggestion(name, __all__, ignore_case=True).removesuffix(".")
