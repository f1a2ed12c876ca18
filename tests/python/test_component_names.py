"""Components are named in their own crate only: others ask a plan what it can do, never which one it is."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from test_layers import CRATES, TEST_FILE, TEST_MODULE, module_of

if TYPE_CHECKING:
    from pathlib import Path

PLAN = re.compile(r"pub enum (\w+Plan) of \"")
LISTED = re.compile(r"^\s*\"([a-z0-9-]+)\" => (\w+)\(", re.MULTILINE)
COMMENT = re.compile(r"(?<![:\"])//[^\n]*")
KEY = r"\"[a-z0-9-]+\""
# A text that decides: one side of a comparison, or a pattern of `match` or `matches!`.
KEYS = rf"(?:{KEY} \| )*{KEY}"
DECIDING = re.compile(rf"[=!]= {KEY}|{KEY} [=!]=|{KEYS} (?:if [^\n]*)?=>|matches!\([^;{{}}]*?, {KEYS}\)")

TRANSPORTS = {"TransportPlan::Roce", "TransportPlan::Tcp", "TransportPlan::Udp"}

# What names components outside `penstock-model`, by file, with the reason. The list only shrinks: an entry that no
# longer applies fails the test, and a new component is never a reason for a new entry.
ALLOWED: dict[str, tuple[set[str], str]] = {
    "penstock-engine/src/build/flows.rs": (
        {*TRANSPORTS, "SourcePlan::Ftp", "SourcePlan::Http", "SourcePlan::Packets"},
        "makes the endpoints of each transport, their users and lists of packets: the engine has other code for each",
    ),
    "penstock-engine/src/build/memory.rs": (TRANSPORTS, "the size of the endpoints, which are the engine's"),
    "penstock-engine/src/build/series.rs": (
        TRANSPORTS,
        "finds the endpoints, which are the engine's, that show a state",
    ),
    "penstock-engine/src/port/mod.rs": ({"SchedulerPlan::Fifo"}, "one FIFO queue has a fast path of its own"),
    "penstock-scenario/src/trace/capture/mod.rs": ({"TransportPlan::Tcp"}, "writes TCP's headers into captures"),
    "penstock-scenario/src/traffic/pcn_schemes.rs": (
        {f"AdmissionPlan::{name}" for name in ("Cle", "Rfc6661", "Rfc6662")}
        | {f"TerminationPlan::{name}" for name in ("Cl", "Rfc6661", "Rfc6662", "SingleThreshold", "Sm")},
        "what each scheme must find among the meters of a route; to be methods of the schemes' parameters",
    ),
    "penstock-scenario/src/traffic/trace.rs": ({"SourcePlan::Trace"}, "reads the file that the source replays"),
    "penstock-scenario/src/traffic/transfers.rs": (
        {'"count"'},
        "`count` is a key of transfers, not the admission scheme",
    ),
}


def plans(model: Path) -> tuple[dict[str, set[str]], set[str]]:
    """The variants of each kind's plan, and the scenario keys of all components, from the lists of the model."""
    variants: dict[str, set[str]] = {}
    keys: set[str] = set()
    for path in sorted(model.rglob("mod.rs")):
        text = path.read_text(encoding="utf-8")
        if kinds := PLAN.findall(text):
            listed = LISTED.findall(text)
            keys |= {key for key, _ in listed}
            for kind in kinds:
                variants.setdefault(kind, set()).update(variant for _, variant in listed)
    return variants, keys


def sources(src: Path) -> dict[str, str]:
    """The text of each file without comments and tests."""
    texts = {path: COMMENT.sub("", path.read_text(encoding="utf-8")) for path in sorted(src.rglob("*.rs"))}
    tests = {(*module_of(path, src), name) for path, text in texts.items() for name in TEST_FILE.findall(text)}
    found = {}
    for path, text in texts.items():
        if not any(module_of(path, src)[: len(test)] == test for test in tests):
            found[path.relative_to(src.parents[1]).as_posix()] = without_test_modules(text)
    return found


def without_test_modules(text: str) -> str:
    while found := TEST_MODULE.search(text):
        end = text.find("\n}", found.end())
        text = text[: found.start()] + (text[end + 2 :] if end >= 0 else "")
    return text


def named(text: str, variants: dict[str, set[str]], keys: set[str]) -> set[str]:
    """The variants and keys that a source tells components apart by."""
    pairs = re.findall(r"\b(\w+Plan)::(\w+)", text)
    found = {f"{plan}::{variant}" for plan, variant in pairs if variant in variants.get(plan, ())}
    words = (word for deciding in DECIDING.finditer(text) for word in re.findall(KEY, deciding[0]))
    return found | {word for word in words if word.strip('"') in keys}


def offenders(crates: Path) -> dict[str, set[str]]:
    """What names components in the crates other than the model, by file."""
    variants, keys = plans(crates / "penstock-model" / "src")
    found: dict[str, set[str]] = defaultdict(set)
    for src in sorted(crates.glob("*/src")):
        if src.parent.name != "penstock-model":
            for file, text in sources(src).items():
                found[file] |= named(text, variants, keys)
    return {file: names for file, names in found.items() if names}


def test_components_are_named_in_their_own_crate_only():
    found = offenders(CRATES)
    new = {file: names - ALLOWED.get(file, (set(), ""))[0] for file, names in found.items()}
    assert {file: names for file, names in new.items() if names} == {}, "give the plan a method with a default instead"


def test_what_is_allowed_still_applies_and_has_a_reason():
    found = offenders(CRATES)
    gone = {file: names - found.get(file, set()) for file, (names, _) in ALLOWED.items()}
    assert {file: names for file, names in gone.items() if names} == {}, "remove these from the list"
    assert all(reason for _, reason in ALLOWED.values())


def test_planted_names_are_found(tmp_path):
    listed = '    "red" => Red(red::Parameters),\n    "red-n" => RedN(red_n::Parameters),\n'
    tests = "#[cfg(test)]\nmod tests {\n    DisciplinePlan::Red(_)\n}\n"
    files = {
        "penstock-model/src/discipline/mod.rs": 'pub enum DisciplinePlan of "discipline" {\n' + listed + "}",
        "penstock-model/src/discipline/red.rs": "matches!(plan, DisciplinePlan::Red(_))",
        "penstock-engine/src/port.rs": "match plan { DisciplinePlan::Red(it) => it, _ => DisciplinePlan::NAMES }",
        "penstock-engine/src/names.rs": 'plan.name() == "red-n"; match key { "limit" | "red" if ok => 1 }',
        "penstock-engine/src/words.rs": 'report("red", "has no effect"); // == "red"\n' + tests,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert offenders(tmp_path) == {
        "penstock-engine/src/port.rs": {"DisciplinePlan::Red"},
        "penstock-engine/src/names.rs": {'"red"', '"red-n"'},
    }
