"""What a message advises to install is what the package declares."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from penstock.errors import InputError, advice
from penstock.sensitivity.indices import Design

ROOT = Path(__file__).parent.parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_the_advice_names_the_packages_of_the_extra(extra):
    pip, install, *packages = shlex.split(advice(extra))
    assert (pip, install) == ("pip", "install")

    def parts(requirement):
        return sorted(re.split(r",|(?<=\w)(?=[<>=])", requirement))

    assert sorted(map(parts, packages)) == sorted(map(parts, EXTRAS[extra]))


def test_no_message_names_the_package_of_a_registry():
    for file in (ROOT / "python").rglob("*.py"):
        assert "pip install 'penstock" not in file.read_text(), file


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"sensitivity needs SALib; install it with: pip install 'salib"):
        Design.of("morris", 20, False)
