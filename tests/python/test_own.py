"""Components written in Python: equal to the built-in ones, in both gears, on all ways through the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from own_component import (
    EXAMPLES,
    LINE,
    SCENARIO,
    SHORT,
    TEMPLATE,
    WITHOUT_SERIES,
    with_file,
)

from penstock import ArgumentError, Network, PenstockError, RunRequest, Simulation, _core, own, run_all
from penstock.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

CODEL = 'queue.my-codel = { limit = "60 packets", target = "5 ms", interval = "50 ms" }'


def own_and_built_in(name: str, line: str, built_in: str) -> tuple[str, str]:
    """The scenario with a component of an example, and with the built-in one in its place."""
    text = SCENARIO.replace(LINE, line).replace("red.py", f"{name}.py")
    return text, text.replace(f"my-{name}", built_in).replace(f'use = "{name}.py"\n', "")


def run(text: str, sets: list[tuple[str, str]] | None = None, seed: int = 1) -> _core.Run:
    return _core.Scenario(text, "own.toml", SHORT if sets is None else sets, str(EXAMPLES)).run(seed, 0)


@pytest.mark.parametrize(("name", "line"), [("red", LINE), ("codel", CODEL)])
def test_an_example_decides_as_the_built_in_component(name: str, line: str) -> None:
    mine, theirs = own_and_built_in(name, line, name)
    for seed in (1, 2):
        ours, built_in = run(mine, seed=seed), run(theirs, seed=seed)
        assert (ours.digest, ours.drops) == (built_in.digest, built_in.drops)
        assert ours.drops > 100


@pytest.mark.parametrize(("name", "line"), [("red", LINE), ("codel", CODEL)])
@pytest.mark.usefixtures("debugging")
def test_both_gears_give_the_same_numbers(name: str, line: str) -> None:
    mine, theirs = own_and_built_in(name, line, name)
    assert run(mine).digest == run(theirs).digest


def test_its_state_is_a_series_and_its_parameters_change() -> None:
    mine, theirs = own_and_built_in("red", LINE, "red")
    change = '[{ at = "2 s", parameter = "queue.NAME.max-probability", value = 0.5 }]'
    found = []
    for text, name in ((mine, "my-red"), (theirs, "red")):
        sets = [("duration", "6 s"), ("bottleneck.parameter-changes", change.replace("NAME", name))]
        scenario = _core.Scenario(text, "own.toml", sets, str(EXAMPLES))
        found.append(scenario.run(1, 0).digest)
    assert found[0] == found[1]
    assert found[0] != run(mine).digest
    wrong = [("bottleneck.parameter-changes", change.replace("NAME.max-probability", "my-red.weight"))]
    [mistake] = _core.check(mine, "own.toml", wrong, str(EXAMPLES))
    assert "'weight' cannot be changed during a run; one of min-threshold" in mistake["message"]


def test_a_simulation_sets_its_parameters() -> None:
    digests = []
    for text, name in zip(own_and_built_in("red", LINE, "red"), ("my-red", "red"), strict=True):
        sim = Simulation(text, sets=SHORT, folder=str(EXAMPLES), seed=1)
        sim.step_until("2 s")
        sim.set(f"bottleneck.queue.{name}.max-probability", 0.5)
        digests.append(sim.result().digest)
    assert digests[0] == digests[1]


def test_a_fault_ends_a_simulation_and_its_snapshots_go_on(tmp_path: Path) -> None:
    broken = (
        (EXAMPLES / "red.py")
        .read_text()
        .replace("        self.count += 1\n", "        self.count += 1 // (now < 2 * own.SECOND)\n")
    )
    sim = Simulation(with_file(tmp_path, broken), sets=SHORT, folder=str(tmp_path), seed=1)
    sim.step_until("1 s")
    before = sim.snapshot()
    with pytest.raises(PenstockError, match=r"mine\.py.*on_arrival"):
        sim.step_until("3 s")
    with pytest.raises(PenstockError, match="a component has failed in this run; go back to a snapshot"):
        sim.step_until("4 s")
    sim.restore(before)
    sim.step_until("1.5 s")


def test_runs_are_kept_and_found_by_the_text_of_the_file(tmp_path: Path) -> None:
    text = with_file(tmp_path, (EXAMPLES / "red.py").read_text())
    store = Store(tmp_path / "store")

    def key(folder: Path) -> str:
        scenario = _core.Scenario(text, "own.toml", SHORT, str(folder))
        assert not scenario.unidentified_components
        return scenario.canonical

    request = RunRequest(text, tuple(SHORT), 1, 0, "own.toml", folder=str(tmp_path))
    [first] = run_all([request], store=store)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(tmp_path / "mine.py", elsewhere / "mine.py")
    assert key(tmp_path) == key(elsewhere), "a folder is no part of the key"
    [again] = run_all([request], store=store)
    assert again.metrics == first.metrics
    (elsewhere / "mine.py").write_text((tmp_path / "mine.py").read_text().replace("count * p < 2.0", "count * p < 1.5"))
    assert key(tmp_path) != key(elsewhere)


@pytest.mark.parametrize("on", ["processes", "dask"])
def test_worker_processes_give_the_same_numbers(tmp_path: Path, on: str) -> None:
    text = with_file(tmp_path, (EXAMPLES / "red.py").read_text())
    requests = [RunRequest(text, tuple(SHORT), 1, 0, "own.toml", folder=str(tmp_path))]
    here, there = (run_all(requests, jobs=1, on=place) for place in ("threads", on))
    assert here[0].metrics == there[0].metrics
    assert here[0].digest == there[0].digest


def test_stored_runs_are_verified_anywhere_and_imported_if_python_is_allowed(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "own.toml").write_text(with_file(folder, (EXAMPLES / "red.py").read_text()))
    assert penstock("run", folder / "own.toml", "--runs", "1", *WITHOUT_SERIES)[0] == 0
    assert penstock("verify")[0] == 0
    assert penstock("export", "a.tar.gz")[0] == 0
    code, out, err = penstock("import", "a.tar.gz", "--store", "other")
    assert (code, out) == (2, "")
    assert "executes the Python file" in err
    assert not (tmp_path / "other").exists()
    code, out, _ = penstock("import", "a.tar.gz", "--store", "other", "--allow-python")
    assert (code, "1 run verified, 1 of them made again; 1 taken" in out) == (0, True)


def test_code_in_the_cache_is_loaded_without_numba(tmp_path: Path) -> None:
    program = (
        "import sys; from penstock import _core\n"
        f"text = open({str(EXAMPLES / 'red.toml')!r}).read()\n"
        f"run = _core.Scenario(text, 'own.toml', {SHORT!r}, {str(EXAMPLES)!r}).run(1, 0)\n"
        "print(run.digest, 'numba' in sys.modules)"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    told = [
        subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
        for _ in range(2)
    ]
    first, second = (each.stdout.split() for each in told)
    assert (first[1], second[1]) == ("True", "False")
    assert first[0] == second[0]
    [code] = (tmp_path / "penstock-compiled").iterdir()
    code.write_bytes(code.read_bytes()[:-1])
    third = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    assert third.stdout.split() == [first[0], "True"], "damaged code is compiled again"


def test_it_is_explained_and_in_the_schema(penstock: Callable[..., tuple[int, str, str]]) -> None:
    _, shown, _ = penstock("explain", f"{EXAMPLES / 'red.py'}:Red")
    assert "# my-red (discipline)" in shown
    assert "max_p" in shown
    assert "`average` (packets)" in shown
    _, written, _ = penstock("schema", "--use", str(EXAMPLES / "red.py"))
    assert "max-probability" in json.loads(written)["$defs"]["discipline.my-red"]["required"]
    code, _, told = penstock("explain", f"{EXAMPLES / 'red.py'}:Blue")
    assert code == 2
    assert "has no component 'Blue'; it has Red" in told


def test_a_docstring_loses_its_indentation(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TEMPLATE.replace("BODY", "pass").replace("something.", "something.\n\n    More.\n    "))
    _, out, _ = penstock("explain", str(file))
    assert "Does something.\n\nMore.\n" in out


def test_an_example_conforms_to_the_built_in_component(penstock: Callable[..., tuple[int, str, str]]) -> None:
    code, written, _ = penstock("conform", EXAMPLES / "red.py", "--against", "red", "--format", "json")
    found = json.loads(written)
    assert (code, found["conforms"], len(found["properties"])) == (0, True, 7)
    assert found["packets"] > 10_000


def test_the_first_difference_to_a_component_is_shown(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = (EXAMPLES / "red.py").read_text().replace("p / (2.0 - count * p)", "p / (9.0 - count * p)")
    (tmp_path / "other.py").write_text(text)
    code, told, _ = penstock("conform", f"{tmp_path / 'other.py'}:Red", "--against", "red")
    assert code == 1
    assert re.search(r"First difference to red, in 'overload' with seed 1: my-red: accept of .*; red: drop of ", told)
    code, _, told = penstock("conform", f"{tmp_path / 'other.py'}:Red", "--against", "rde")
    assert code == 2
    assert "there is no discipline 'rde'; did you mean 'red'?" in told


def test_a_network_is_built_with_its_class() -> None:
    queues = own.load(EXAMPLES / "red.py")
    with pytest.raises(ArgumentError, match="max_probability is missing"):
        queues.Red(limit="60 packets", min_threshold="5 packets", max_threshold="25 packets")
    red = queues.Red(limit="60 packets", min_threshold="5 packets", max_threshold="25 packets", max_probability=0.1)
    net = Network()
    net.use = "red.py"
    net.link(net.node("a"), net.node("b"), rate="1 Mbit/s", delay="1 ms", queue=red)
    text = net.toml(duration="1 s")
    assert 'use = "red.py"' in text
    assert "queue.my-red = {" in text
