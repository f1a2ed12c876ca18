"""The profile of the Rust tests looks at every sum and product, in all crates."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_profile_of_the_tests_has_overflow_checks_in_all_crates():
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    profiles = workspace["profile"]
    # Tests take the profile test, which inherits dev; package entries would be exceptions of single crates.
    for name in ("dev", "test"):
        profile = profiles.get(name, {})
        assert "package" not in profile, name
        assert "build-override" not in profile, name
    assert profiles["dev"]["overflow-checks"] is True
    assert profiles["dev"]["debug-assertions"] is True
    assert profiles.get("test", {}).get("overflow-checks", True) is True
    assert profiles.get("test", {}).get("debug-assertions", True) is True
    members = [path.parent for path in ROOT.glob("crates/*/Cargo.toml")]
    assert members
    for member in members:
        # Cargo ignores profiles of members, so one there would only look as if it counted.
        assert "profile" not in tomllib.loads((member / "Cargo.toml").read_text(encoding="utf-8")), member.name
    config = ROOT / ".cargo" / "config.toml"
    assert not config.exists() or "overflow" not in config.read_text(encoding="utf-8")
