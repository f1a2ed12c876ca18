"""`make new` and `make try`: what they write is what a component is, and what they refuse is named."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem + "_script", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


new = load(ROOT / "tools" / "new" / "new.py")
attempt = load(ROOT / "tools" / "try.py")


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources, without what was built."""
    for name in ("crates", "examples/plugin", "Cargo.toml", "Cargo.lock", "rustfmt.toml"):
        source = ROOT / name
        shutil.copytree(source, tmp_path / name) if source.is_dir() else shutil.copy(source, tmp_path / name)
    return tmp_path


def write(tree, kind, name):
    changed = new.changes(kind, name, tree)
    for path, text in changed.items():
        (tree / path).write_text(text, encoding="utf-8")
    return changed


def only_adds(changed, file):
    """Elsewhere than in `file` lines were added, none was changed, and each is of the new component."""
    for path in changed.keys() - {file}:
        old = (ROOT / path).read_text(encoding="utf-8").splitlines()
        lines = changed[path].splitlines()
        added = [line for line in lines if re.search(r"brand[-_]new|BrandNew", line)]
        assert added
        assert [line for line in lines if line not in added] == old


def test_a_metric_is_one_file_and_its_lines(tree):
    changed = write(tree, "metric", "brand-new")
    file = "crates/penstock-scenario/src/metrics/brand_new.rs"
    assert sorted(changed) == [file, "crates/penstock-scenario/src/metrics/mod.rs"]
    assert "#[test]" in changed[file]
    assert "@" not in changed[file]
    assert "\nmod brand_new;\n" in changed["crates/penstock-scenario/src/metrics/mod.rs"]
    only_adds(changed, file)


@pytest.mark.parametrize("kind", [kind for kind in new.kinds() if kind != "metric"])
def test_a_component_is_one_file_and_its_lines(tree, kind):
    before = {component.name for component in attempt.components(tree / "crates" / "penstock-model" / "src")}
    changed = write(tree, kind, "brand-new")
    [file] = [path for path in changed if not (ROOT / path).exists()]
    assert file.endswith("/brand_new.rs")
    text = changed[file]
    headings = [text.index(f"/// ## {word}\n") for word in ("Decides", "State", "Departures", "Example", "References")]
    assert headings == sorted(headings)
    assert "#[test]" in text
    assert "@" not in text
    only_adds(changed, file)
    assert changed.keys() == {file, str(Path(file).with_name("mod.rs"))}
    after = {component.name for component in attempt.components(tree / "crates" / "penstock-model" / "src")}
    assert after - before == {"brand-new"}


@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="`make test` needs cargo only; `make lint` has rustfmt")
def test_all_kinds_together_have_their_form(tree):
    files = [tree / path for kind in new.kinds() for path in write(tree, kind, f"brand-new-{kind}")]
    done = subprocess.run(
        ["rustfmt", "--check", "--edition", "2021", *{*files}], cwd=tree, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_a_component_of_each_kind_compiles(tree):
    for kind in new.kinds():
        write(tree, kind, f"brand-new-{kind}")
    environment = os.environ | {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))}
    command = ["cargo", "check", "--locked", "--offline", "--quiet", "--package", "penstock-model"]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("discpline", "brand-new", "KIND=discpline: unknown kind; did you mean discipline? one of admission, buffer, "),
        ("discipline", "red", "NAME=red: crates/penstock-model/src/discipline/mod.rs lists this name already"),
        ("metric", "delay", "NAME=delay: crates/penstock-scenario/src/metrics/delay.rs exists; choose another name"),
        ("recovery", "flight", "NAME=flight: crates/penstock-model/src/transport/recovery/flight.rs exists"),
        ("transport", "recovery", "NAME=recovery: crates/penstock-model/src/transport/recovery exists"),
        ("discipline", "Brand New", "NAME=Brand New: not a valid key; lower-case letters and digits, words joined by"),
        ("discipline", "new--er", "NAME=new--er: not a valid key"),
        ("discipline", "4-new", "NAME=4-new: not a valid key"),
        ("discipline", "match", "NAME=match: a reserved word of Rust"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_written(kind, name, message):
    with pytest.raises(new.RefusedError, match=re.escape(message)):
        new.changes(kind, name, ROOT)


def test_a_template_whose_place_has_gone_says_so(tree):
    file = tree / "crates/penstock-model/src/discipline/mod.rs"
    file.write_text(file.read_text(encoding="utf-8").replace("disciplines! {", "others! {"), encoding="utf-8")
    with pytest.raises(new.RefusedError, match=r"discipline/mod.rs: has no line with '\^disciplines! {'"):
        new.changes("discipline", "brand-new", tree)


def test_every_component_can_be_tried():
    from penstock.reference import catalogue

    listed = {entry["name"] for of_kind in catalogue()["components"].values() for entry in of_kind}
    assert {component.name for component in attempt.components()} == listed
    metrics = {metric.name: metric for metric in attempt.metrics()}
    assert metrics.keys() == {entry["name"] for entry in catalogue()["metrics"]}
    assert all(metric.file.is_file() for metric in metrics.values())
    assert (metrics["ef-error"].is_metric, metrics["ef-error"].module) == (True, "metrics::ef_error")


def test_references_without_an_entry_in_the_bibliography_are_reported(tmp_path):
    file = tmp_path / "brand_new.rs"
    file.write_text(
        "/// [Floyd93 s2], [Nobody88], [Nobody99 s3.2] and [RFC5681 s3.1], of `hosts[i]`.", encoding="utf-8"
    )
    assert attempt.unlisted([file]) == ["Nobody88", "Nobody99"]


@pytest.mark.parametrize(
    ("name", "crates"), [("goodput", ["scenario"]), ("codel", ["model", "model", "scenario"]), ("delay", [])]
)
def test_a_try_runs_the_tests_of_the_crate(name, crates, monkeypatch, capsys):
    commands = []
    monkeypatch.setattr(attempt, "step", lambda _what, command, *_rest: commands.append(command) or True)
    assert attempt.main([name]) == 0
    of = [command[command.index("-p") + 1] for command in commands if "-p" in command]
    # `delay` names an impairment and a metric.
    assert of == [f"penstock-{crate}" for crate in crates or ["model", "model", "scenario", "scenario"]]
    assert capsys.readouterr().out.startswith(f"{name}: crates/penstock-")


def test_a_missing_reference_is_reported_before_anything_is_built(monkeypatch, capsys):
    printed_before = []
    monkeypatch.setattr(attempt, "step", lambda *_: printed_before.append(capsys.readouterr().out) or True)
    monkeypatch.setattr(attempt, "unlisted", lambda _files: ["Nobody88"])
    assert attempt.main(["red"]) == 1
    assert "docs/bibliography.md: has no entry [Nobody88]" in printed_before[0]


def test_an_unknown_component_is_not_tried(capsys):
    assert attempt.main(["redd"]) == 1
    assert capsys.readouterr().err.startswith("error: COMPONENT=redd: no component of this name; near names: red")
    assert attempt.main([]) == 1
    assert "one of adaptive-red, batch, bbr, bbr3, bcn, " in capsys.readouterr().err
