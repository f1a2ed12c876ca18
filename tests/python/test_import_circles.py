"""Imports of the Python package: no circles, those for type checking and those inside of functions included."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python"
COMPILED = "penstock._core"


def imports(root: Path, folder: str) -> dict[str, set[str]]:
    """The modules below `folder` that each of them imports; packages count only if they are named themselves."""
    files = {path.relative_to(root).with_suffix("").parts: path for path in sorted((root / folder).rglob("*.py"))}
    paths = {".".join(m[:-1] if m[-1] == "__init__" else m): path for m, path in files.items()}
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        found = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names} - {COMPILED}
                found |= {name if name in paths else node.module for name in inner}
        graph[module] = {name for name in found - {module} if name in paths}
    return graph


def circles(graph: dict[str, set[str]], most: int = 2) -> list[list[str]]:
    """Sets of more than `most` files that all reach each other."""

    def reached(start: str) -> set[str]:
        seen, todo = set(), [start]
        while todo:
            todo += (new := graph.get(todo.pop(), set()) - seen)
            seen |= new
        return seen

    reach = {file: reached(file) for file in graph}
    components = {frozenset(other for other in reach[file] if file in reach[other]) for file in graph}
    return sorted(sorted(component) for component in components if len(component) > most)


def test_no_module_imports_itself_by_way_of_others():
    assert circles(imports(PACKAGE, "penstock"), most=1) == []


def test_results_know_no_verbs():
    """``StudyResult`` attaches plots to the data of a study."""
    graph = imports(PACKAGE, "penstock")
    verbs = {"cli", "lab", "plots", "report", "search", "sensitivity", "view"}
    results = [name for name in graph if name.startswith("penstock.studies.")] + [
        "penstock.results",
        "penstock.records",
    ]
    assert {name: found for name in results if (found := {it for it in graph[name] if it.split(".")[1] in verbs})} == {}


def test_the_graph_of_imports_has_edges():
    graph = imports(PACKAGE, "penstock")
    assert "penstock.reproductions.tables" in graph["penstock.reproductions.document"]
    assert "penstock.study_result" in graph["penstock"], "for type checking"
    assert "penstock.emulation.opened" in graph["penstock.cli.run"], "inside of a function"


def test_a_planted_circle_of_two_modules_is_found(tmp_path):
    files = {
        "study/__init__.py": "from study import pages",
        "study/pages.py": "from study.tables import Table",
        "study/tables.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from study.claims import Claim",
        "study/claims.py": "def test():\n    import study.tables",
    }
    (tmp_path / "study").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    graph = imports(tmp_path, "study")
    assert graph["study"] == {"study.pages"}
    assert circles(graph, most=1) == [["study.claims", "study.tables"]]
