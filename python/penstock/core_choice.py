"""Chooses the core: the package's own, or that of a plug-in.

A plug-in is an extension module with the core and further components (``examples/plugin``). The environment variable
``PENSTOCK_CORE`` names it, so that worker processes use it too.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

VARIABLE = "PENSTOCK_CORE"
"""Environment variable with the name of the plug-in's module."""

INTERFACE = 2
"""Version of the interface between this package and the core of a plug-in."""


def choose() -> None:
    """Replaces the package's core by that of a plug-in.

    In the command, an error prints a message and exits with code 2: the command line is imported after the package, so
    it cannot catch an exception.

    Raises ImportError if there is no such module, or its core is missing or for another version of the package.
    """
    name = os.environ.get(VARIABLE, "")
    if not name:
        return
    try:
        core = _core_of(name)
    except ImportError as error:
        # During the import of the package, `python -m penstock` is known as "-m".
        if Path(sys.argv[0]).name in {"penstock", "-m"}:
            sys.stderr.write(f"error: {error}\n")
            sys.exit(2)
        raise
    sys.modules["penstock._core"] = core
    # An assignment would make mypy take the module for a variable.
    setattr(sys.modules["penstock"], "_core", core)  # noqa: B010


def _core_of(name: str) -> ModuleType:
    """Returns the core in the module of this name."""
    try:
        plugin = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        message = f"{VARIABLE}={name}: there is no module '{name}'; build the plug-in and put its folder on PYTHONPATH"
        raise ImportError(message) from None
    core: ModuleType | None = getattr(plugin, "core", None)
    if core is None:
        message = f"{VARIABLE}={name}: module '{name}' has no core; examples/plugin/src/lib.rs shows how it gets one"
        raise ImportError(message)
    built_for = getattr(core, "PLUGIN_INTERFACE", None)
    if built_for != INTERFACE:
        message = f"built for version {built_for} of the plug-in interface; this is version {INTERFACE}"
        raise ImportError(f"{VARIABLE}={name}: {message}, so build it again")
    return core
