"""A plug-in of Rust components, built from the example and used through the command and the package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
SCENARIO = PLUGIN / "queue.toml"


@pytest.fixture(scope="module")
def plugin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built extension module, as a user would put it on PYTHONPATH."""
    command = [
        "cargo",
        "build",
        "--locked",
        "--quiet",
        "--package",
        "penstock-example-plugin",
        "--message-format",
        "json",
    ]
    built = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    messages = [json.loads(line) for line in built.splitlines() if line.startswith("{")]
    [library] = [
        name
        for message in messages
        if message.get("target", {}).get("name") == "example_plugin"
        for name in message["filenames"]
        if name.endswith(".so")
    ]
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copy(library, folder / "example_plugin.abi3.so")
    return folder


def python(folder: Path, *arguments: str, core: str = "example_plugin") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PENSTOCK_CORE": core, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)


def penstock(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(folder, "-m", "penstock", *arguments)


def test_the_command_runs_its_components(plugin_folder: Path, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"))
    first = penstock(
        plugin_folder, "run", str(SCENARIO), "--runs", "2", "--format", "json", "--set", "duration=4 s", *store
    )
    assert first.returncode == 0, first.stderr
    made = json.loads(first.stdout)
    assert made["metrics"]
    again = penstock(
        plugin_folder, "run", str(SCENARIO), "--runs", "2", "--format", "json", "--set", "duration=4 s", *store
    )
    assert again.stdout == first.stdout
    kept = list((tmp_path / "store").rglob("*"))
    assert kept, "a component with a source is kept"


def test_it_is_explained_listed_and_described(plugin_folder: Path) -> None:
    explained = penstock(plugin_folder, "explain", "linear-drop")
    assert explained.returncode == 0, explained.stderr
    assert "probability that rises with the length of the queue" in " ".join(explained.stdout.split())
    listed = penstock(plugin_folder, "list").stdout
    assert "linear-drop" in listed
    assert "mean-packet" in listed
    assert "bytes" in penstock(plugin_folder, "explain", "mean-packet").stdout
    assert "discipline.linear-drop" in json.loads(penstock(plugin_folder, "schema").stdout)["$defs"]


@pytest.mark.parametrize("name", ["linear-drop", "periodic-loss", "mean-packet"])
def test_its_components_conform(plugin_folder: Path, name: str) -> None:
    made = penstock(plugin_folder, "conform", name, "--format", "json")
    assert made.returncode == 0, made.stderr + made.stdout
    found = json.loads(made.stdout)
    assert len(found["properties"]) == 6
    assert found["packets"] > 1000


def test_its_component_is_compared_with_a_built_in_one(plugin_folder: Path) -> None:
    same = penstock(plugin_folder, "conform", "linear-drop", "--against", "linear-drop")
    assert same.returncode == 0, same.stderr + same.stdout
    other = penstock(plugin_folder, "conform", "linear-drop", "--against", "red")
    assert other.returncode == 1
    assert "First difference to red, in 'overload' with seed 1: " in other.stdout


def test_its_mistakes_have_a_place(plugin_folder: Path) -> None:
    wrong = penstock(plugin_folder, "check", str(SCENARIO), "--set", "bottleneck.impairment.periodic-loss.every=1")
    assert wrong.returncode == 2
    assert "every packet would be lost; write every = 2 or more" in wrong.stderr + wrong.stdout


def test_its_state_is_a_series(plugin_folder: Path, tmp_path: Path) -> None:
    text = SCENARIO.read_text() + '\n[[series]]\nof = ["bottleneck"]\nwhat = ["probability"]\nevery = "1 s"\n'
    file = tmp_path / "series.toml"
    file.write_text(text)
    made = penstock(plugin_folder, "series", str(file), "--format", "csv")
    assert made.returncode == 0, made.stderr
    assert "queue.linear-drop" in made.stdout


def test_it_has_a_python_class(plugin_folder: Path) -> None:
    program = (
        "import penstock as ps\n"
        "network = ps.Network()\n"
        "a, b = network.node('a'), network.node('b')\n"
        "network.link(a, b, rate='1 Mbit/s', delay='1 ms', queue=ps.LinearDrop(start=5, limit=50, most=0.2))\n"
        "assert 'LinearDrop' in dir(ps) and ps.Red is not None\n"
        "network.link(b, a, rate='1 Mbit/s', delay='1 ms')\n"
        "network.flows('f', a, b, source=ps.Ftp(), transport=ps.GoBackN(window=4))\n"
        "print(network.toml(duration='2 s'))\n"
    )
    made = python(plugin_folder, "-c", program)
    assert made.returncode == 0, made.stderr
    assert "linear-drop" in made.stdout
    assert "go-back-n" in made.stdout


def test_a_core_that_is_none_is_refused(tmp_path: Path) -> None:
    missing = python(tmp_path, "-c", "import penstock", core="nobodys_plugin")
    assert "PENSTOCK_CORE=nobodys_plugin: there is no module 'nobodys_plugin'" in missing.stderr
    (tmp_path / "empty_plugin.py").write_text("")
    assert "has no core" in python(tmp_path, "-c", "import penstock", core="empty_plugin").stderr
    (tmp_path / "old_plugin.py").write_text("class core: PLUGIN_INTERFACE = 0\n")
    assert (
        "built for version 0 of the plug-in interface"
        in python(tmp_path, "-c", "import penstock", core="old_plugin").stderr
    )


def test_the_command_says_it_without_a_traceback(tmp_path: Path) -> None:
    for command in (["-m", "penstock"], [str(Path(sys.executable).with_name("penstock"))]):
        made = python(tmp_path, *command, "list", core="nobodys_plugin")
        assert made.returncode == 2
        assert made.stderr.startswith("error: PENSTOCK_CORE=nobodys_plugin: there is no module 'nobodys_plugin'; build")
        assert "Traceback" not in made.stderr
