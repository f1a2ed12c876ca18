"""Builds the wheel and the source distribution, and tries both in empty environments.

``make packages`` runs it. Both must satisfy ``twine check --strict``; each is installed without the other and without
the checkout, and there a run must give the numbers that the checkout's gives. ``docs/packages.json`` has the sizes and
the import time. ``--record`` writes it; without this option, a package that has grown by more than a fifth is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "packages.json"
BUILT = ROOT / "target" / "packages"
BIN = Path(sys.executable).parent
GROWTH = 1.2
TIMES = 5


def call(*command: str | Path, folder: Path = ROOT, **environment: str) -> str:
    """What a command prints; ends this program if it fails, with what it said."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"packages: {' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return done.stdout


def build() -> tuple[Path, Path]:
    """The wheel and the source distribution."""
    shutil.rmtree(BUILT, ignore_errors=True)
    call(BIN / "maturin", "build", "--release", "--locked", "--out", BUILT)
    call(BIN / "maturin", "sdist", "--out", BUILT)
    (wheel,), (source,) = BUILT.glob("*.whl"), BUILT.glob("*.tar.gz")
    if not re.search(r"-cp3\d+-abi3-manylinux_\d+_\d+_", wheel.name):
        sys.exit(f"packages: {wheel.name} is not for manylinux with the stable interface")
    print(call(BIN / "twine", "check", "--strict", wheel, source).strip())
    return wheel, source


def installed(package: Path, folder: Path) -> Path:
    """The programs of an empty environment in which the package is, with the locked versions of what it needs."""
    call(sys.executable, "-m", "venv", "--without-pip", folder)
    into = ("--quiet", "--python", folder / "bin" / "python")
    locked = ROOT / "requirements.lock"
    call(BIN / "uv", "pip", "install", *into, "--only-binary", ":all:", "--require-hashes", "-r", locked)
    constraint = ROOT / "requirements-setup.lock"
    # The source distribution compiles its own crates; other crates are the same files, and have been compiled.
    target = {"CARGO_TARGET_DIR": str(ROOT / "target")}
    call(BIN / "uv", "pip", "install", *into, "--no-deps", "--build-constraint", constraint, package, **target)
    return folder / "bin"


def numbers(programs: Path, folder: Path) -> object:
    """What a run gives, its model version apart: a source distribution has rewritten manifests."""
    call(programs / "penstock", "new", "page.toml", folder=folder)
    call(programs / "penstock", "check", "page.toml", folder=folder)
    printed = call(
        programs / "penstock",
        *["run", "page.toml", "--runs", "2", "--format", "json", "--store", "store"],
        folder=folder,
    )
    return json.loads(printed)["metrics"]


def megabytes(folder: Path, name: str = "*") -> float:
    """Of the packages of this name, as they are installed."""
    where = next((folder / "lib").glob("python3*")) / "site-packages"
    files = (file for own in where.glob(name) for file in ([own] if own.is_file() else own.rglob("*")))
    return round(sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink()) / 1e6, 1)


def seconds(*command: str | Path, folder: Path) -> float:
    """CPU seconds of a command, the median of a few."""

    def once() -> float:
        before = os.times()
        call(*command, folder=folder)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    once()
    return round(statistics.median(once() for _ in range(TIMES)), 3)


def main() -> None:
    """Builds, checks, installs, runs and measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)}")
    given = parser.parse_args()
    wheel, source = build()
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        (here := Path(temporary) / "checkout").mkdir()
        expected = numbers(BIN, here)
        for kind, package in (("wheel", wheel), ("source distribution", source)):
            folder = Path(temporary) / kind.partition(" ")[0]
            programs = installed(package, folder / "environment")
            if numbers(programs, folder) != expected:
                sys.exit(f"packages: the run of the {kind} has other numbers than the checkout's")
            print(f"packages: the {kind} installs in an empty environment, and its run has the checkout's numbers")
        environment = Path(temporary) / "wheel" / "environment"
        measured = {
            "wheel_bytes": wheel.stat().st_size,
            "source_bytes": source.stat().st_size,
            "installed_megabytes": megabytes(environment),
            "of_which": {
                name: megabytes(environment, f"*{name}*") for name in ("penstock", "scipy", "numpy", "polars")
            },
            "import_cpu_seconds": seconds(environment / "bin" / "python", "-c", "import penstock", folder=here),
            "help_cpu_seconds": seconds(environment / "bin" / "penstock", "--help", folder=here),
            "python_cpu_seconds": seconds(environment / "bin" / "python", "-c", "pass", folder=here),
        }
    print(json.dumps(measured, indent=1))
    if given.record:
        RECORD.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    for key in ("wheel_bytes", "source_bytes", "installed_megabytes"):
        if key in known and measured[key] > GROWTH * known[key]:
            sys.exit(f"packages: {key} is {measured[key]}, and {known[key]} are recorded; --record if that is meant")


if __name__ == "__main__":
    main()
