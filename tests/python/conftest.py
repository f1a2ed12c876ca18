from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import fake_core


@pytest.fixture
def core(monkeypatch):
    """The fake core in the place of the real one, with nothing run yet."""
    from penstock import _core, reference

    for name in vars(fake_core):
        if not name.startswith("__"):
            monkeypatch.setattr(_core, name, getattr(fake_core, name), raising=False)
    monkeypatch.setattr(fake_core.Scenario, "runs", 0)
    reference.catalogue.cache_clear()
    yield fake_core
    reference.catalogue.cache_clear()
