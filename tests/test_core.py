"""The extension module is the one that these sources make."""

import hashlib
from importlib.metadata import version
from pathlib import Path

import penstock

ROOT = Path(__file__).parent.parent


def digest_of_sources() -> str:
    """Repeat what crates/penstock-py/build.rs documents, written a second time."""
    files = [ROOT / "Cargo.lock", ROOT / "Cargo.toml", *ROOT.glob("crates/*/Cargo.toml")]
    files += [path for path in ROOT.glob("crates/*/src/**/*") if path.is_file()]
    digest = hashlib.sha256()
    for name in sorted(path.relative_to(ROOT).as_posix() for path in files):
        for part in (name.encode(), (ROOT / name).read_bytes()):
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:32]


def test_the_model_version_is_the_digest_of_the_sources() -> None:
    assert digest_of_sources() == penstock.MODEL_VERSION


def test_core_and_package_have_one_version() -> None:
    assert version("penstock") == penstock.__version__
