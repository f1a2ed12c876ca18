from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import fake_core

# The package cannot be imported without a core.
if importlib.util.find_spec("penstock") is None or not list(
    Path(importlib.util.find_spec("penstock").submodule_search_locations[0]).glob("_core*.so")
):
    sys.modules["penstock._core"] = fake_core


@pytest.fixture
def core(monkeypatch):
    """The fake core in the place of the real one, with nothing run yet."""
    from penstock import _core

    for name in vars(fake_core):
        if not name.startswith("__"):
            monkeypatch.setattr(_core, name, getattr(fake_core, name), raising=False)
    monkeypatch.setattr(fake_core.Scenario, "runs", 0)
    return fake_core
