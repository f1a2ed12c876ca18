"""Penstock: a packet-level simulator for traffic management.

Everything that a study needs is here: ``Network``, the components (``Red``, ``Tcp``, ``Cbr``, ...), ``Study``, and
``run_all`` underneath. Names are imported when they are first used, so that small programs start quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from penstock import core_choice

core_choice.choose()

# The core is imported after the choice of it.
from penstock._core import MODEL_VERSION as MODEL_VERSION  # noqa: E402  (the choice comes first)
from penstock._core import version  # noqa: E402  (as above)

if TYPE_CHECKING:
    from penstock import own as own
    from penstock import topologies as topologies
    from penstock.components import *  # noqa: F403  (its ``__all__`` lists them)
    from penstock.errors import *  # noqa: F403  (its ``__all__`` lists them)
    from penstock.graphs import from_networkx as from_networkx
    from penstock.network import *  # noqa: F403  (its ``__all__`` lists them)
    from penstock.own import congestion_control as congestion_control
    from penstock.own import discipline as discipline
    from penstock.reproductions.frame import reproduce as reproduce
    from penstock.results import to_frame as to_frame
    from penstock.results import to_json as to_json
    from penstock.results import to_pandas as to_pandas
    from penstock.results import to_values as to_values
    from penstock.running import Metric as Metric
    from penstock.running import RunFailure as RunFailure
    from penstock.running import RunRequest as RunRequest
    from penstock.running import RunResult as RunResult
    from penstock.running import run_all as run_all
    from penstock.series import TimeSeries as TimeSeries
    from penstock.simulation import Simulation as Simulation
    from penstock.store import Store as Store
    from penstock.study import Study as Study
    from penstock.study_result import StudyResult as StudyResult
    from penstock.trace import PacketTrace as PacketTrace

__version__ = version()

_HOMES = {
    "errors": "ArgumentError InputError PenstockError PrecisionMissed RunsFailed ScenarioError StoreError",
    "graphs": "from_networkx",
    "network": "Network Node",
    "own": "congestion_control discipline",
    "reproductions.frame": "reproduce",
    "results": "to_frame to_json to_pandas to_values",
    "running": "Metric RunFailure RunRequest RunResult run_all",
    "series": "TimeSeries",
    "simulation": "Simulation",
    "store": "Store",
    "study": "Study",
    "study_result": "StudyResult",
    "trace": "PacketTrace",
}
"""Modules with the names that are imported from them when they are first used; all others are components."""


def __dir__() -> list[str]:
    """The names that an editor or a notebook offers."""
    return sorted(_public())


def _public() -> list[str]:
    own = " ".join(_HOMES.values()).split()
    return ["MODEL_VERSION", "__version__", "own", "topologies", *own, *import_module("penstock.components").__all__]


if not TYPE_CHECKING:  # type checkers know every name from above

    def __getattr__(name):
        """Imports a public name from its module."""
        home = next((home for home, names in _HOMES.items() if name in names.split()), "components")
        if name == "__all__":
            value = _public()
        elif name in ("own", "topologies"):
            value = import_module(f"penstock.{name}")
        elif home != "components" or (not name.startswith("_") and name in _public()):
            value = getattr(import_module(f"penstock.{home}"), name)
        else:
            # Notebooks ask for names with underscores, and need no suggestion.
            hint = "" if name.startswith("_") else import_module("penstock.printable").suggestion(name, _public())
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
        globals()[name] = value
        return value
