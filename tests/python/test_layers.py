"""Imports of the Rust crates: no circle of more than two files, and none up the engine's layers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_import_circles import circles

CRATES = Path(__file__).parents[2] / "crates"

# The engine's folders from the lowest up, each with the reason for its place. A file imports from its own folder and
# from those before it.
LAYERS = {
    "merge": "ordered containers, generic over what they hold",
    "api/trace": "the rows of a trace: plain data",
    "api/series": "state variables to read over time, and the rows: plain data",
    "api/pauses": "counters of pauses: plain data",
    "api/injection": "packets from outside: plain data",
    "api/observations": "what a run reports: plain data that counters are written into",
    "api/cancel": "a flag that stops work: whatever builds or runs looks at it",
    "api/atm": "cell switches and circuits: plain data",
    "api/route_set": "the routes of all flows: plain data",
    "api/switch_plan": "nodes whose ports share something: plain data",
    "api/watch_plan": "records besides the counters: plain data",
    "api/blueprint": "what a run is built from: plain data, read by whoever is built from it",
    "api/changes": "changes of ports and senders at work: plain data",
    "kernel": "events, channels, messages, routes, the journal: what processes are made of and exchange",
    "executor": "runs any processes in any order that is safe; knows nothing of what they do",
    "port": "queues, disciplines and wires; sees packets, not their sources",
    "endpoints": "sources, sinks and transports, which send through the ports of their host",
    "node": "hosts and switches: endpoints and ports as one process",
    "build": "makes processes, channels and routes of a blueprint",
    "api": "builds and runs: the only module that knows all others",
}

# Besides: the executor knows processes by their trait only, and the layers above do not know how they are executed.
FORBIDDEN = {("port", "executor"), ("endpoints", "executor"), ("node", "executor"), ("build", "executor")}

COMMENT = re.compile(r"//[^\n]*")
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))? )?mod \w+ \{")
TEST_FILE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))? )?mod (\w+);")
USE = re.compile(r"\buse\s+((?:crate|super|self)\b[^;]*);")
INLINE = re.compile(r"(?<![\w$:])((?:crate|super)(?:::\w+)+)")


def without_tests(text: str) -> str:
    """Source without comments, strings and modules of tests."""
    text = STRING.sub('""', COMMENT.sub("", text))
    while found := TEST_MODULE.search(text):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: found.start()] + text[end:]
    return text


def expanded(tree: str) -> list[list[str]]:
    """The paths of a `use` tree, such as `a::{b, c::{self, D}}`."""
    head, brace, rest = tree.partition("{")
    prefix = [part for part in head.replace(" ", "").split("::") if part]
    if not brace:
        return [[part.split(" as ")[0].strip() for part in tree.strip().split("::")]]
    parts, depth, start = [], 0, 0
    body = rest[: rest.rindex("}")]
    for i, character in enumerate(body + ","):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(body[start:i])
            start = i + 1
    return [prefix + path for part in parts if part.strip() for path in expanded(part.strip())]


def module_of(path: Path, src: Path) -> tuple[str, ...]:
    parts = path.relative_to(src).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def imports(src: Path) -> dict[str, set[str]]:
    """Which files of a crate each of its files imports from, tests left out; files by their module's path."""
    texts = {module_of(path, src): path.read_text(encoding="utf-8") for path in sorted(src.rglob("*.rs"))}
    tests = {(*module, name) for module, text in texts.items() for name in TEST_FILE.findall(text)}
    texts = {m: t for m, t in texts.items() if not any(m[: len(test)] == test for test in tests)}
    graph: dict[str, set[str]] = {}
    for module, text in texts.items():
        code = without_tests(text)
        paths = [path for tree in USE.findall(code) for path in expanded(tree)]
        paths += [inline.split("::") for inline in INLINE.findall(code)]
        found = set()
        for path in paths:
            at = () if path[0] == "crate" else module
            rest = path[1:] if path[0] in ("crate", "self") else path
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
            target = at
            while rest and (*target, rest[0]) in texts:
                target, rest = (*target, rest[0]), rest[1:]
            found.add(target)
        graph["/".join(module)] = {"/".join(target) for target in found - {module}}
    return graph


def layer(file: str) -> int | None:
    names = [name for name in LAYERS if (file + "/").startswith(name + "/")]
    return list(LAYERS).index(max(names, key=len)) if names else None


def upward(graph: dict[str, set[str]]) -> list[str]:
    """Imports that run up, `lib.rs` left out, which only lists modules."""
    order = list(LAYERS)
    pairs = [(file, target, layer(file), layer(target)) for file, targets in graph.items() for target in targets]
    return sorted(
        f"{file} -> {target}"
        for file, target, own, other in pairs
        if own is not None and other is not None and (own < other or (order[own], order[other]) in FORBIDDEN)
    )


@pytest.mark.parametrize("crate", sorted(path.parent.name for path in CRATES.glob("*/src")))
def test_no_circle_of_imports_has_more_than_two_files(crate):
    assert circles(imports(CRATES / crate / "src")) == []


def test_the_engine_imports_downwards_only():
    graph = imports(CRATES / "penstock-engine" / "src")
    assert {file for file in graph if layer(file) is None} == {""}, "each folder has its layer"
    assert upward(graph) == []


def test_a_planted_circle_and_an_import_upwards_are_found(tmp_path):
    files = {
        "lib.rs": "pub mod kernel;\npub mod merge;\npub mod port;",
        "kernel/mod.rs": "pub mod event;\npub mod route;",
        "kernel/event.rs": "use crate::{merge::{Timed, ring::Ring}, kernel::route};",
        "kernel/route.rs": "fn f() { crate::port::Port::new() }",
        "merge/mod.rs": "pub mod ring;\n#[cfg(test)]\nmod tests { use crate::port::Port; }",
        "merge/ring.rs": "// use crate::port::Port;\nuse super::Timed;",
        "port/mod.rs": "#[cfg(test)]\nmod testing;\nuse crate::kernel::event::Arrival;",
        "port/testing.rs": "use crate::kernel::route::Route; use crate::node::Host;",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = imports(tmp_path)
    assert graph["kernel/event"] == {"merge", "merge/ring", "kernel/route"}
    assert circles(graph) == [["kernel/event", "kernel/route", "port"]]
    assert upward(graph) == ["kernel/route -> port"]
