"""One build that holds all mistakes: each is next to the right text, and an environment variable selects one.

An expression ``a + b`` with the mistake ``a - b`` becomes ``(if mutant::is(7) { a - b } else { a + b })`` in a copy of
the tree (mutant schemata: Untch, Offutt and Harrold 1993). So a hundred mistakes cost one compilation, and the copy
without a choice is the program itself, which all tests must pass before anything is counted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mistakes import ROOT, Mistake

HOME = ROOT / "target" / "mutants"
TREE = HOME / "tree"
CORE = "python/penstock/_core.abi3.so"
VARIABLE = "PENSTOCK_MUTANT"
REACHED = "PENSTOCK_MUTANTS_REACHED"
"""Names a file for the numbers of the mistakes that a run comes by."""
DECIDES = ("crates/", "python/", "examples/", "tests/python/", "Cargo")
"""What a verdict can depend on."""
CRATES = ("penstock-model", "penstock-engine", "penstock-scenario")
"""In the order of their dependencies: a crate's tests see what those before it do."""
PROFILE = ("inherits='dev'", "opt-level=1", "debug=false", "incremental=true")
SWITCH = f'''//! Which mistake is at work: none, unless the environment names one.
#![allow(missing_docs, clippy::all)]
use std::io::Write;
use std::sync::{{atomic::AtomicU32, atomic::Ordering::Relaxed, LazyLock}};
static ACTIVE: LazyLock<u32> =
    LazyLock::new(|| std::env::var("{VARIABLE}").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
static REACHED: LazyLock<Option<std::fs::File>> = LazyLock::new(|| {{
    let path = std::env::var_os("{REACHED}")?;
    Some(std::fs::OpenOptions::new().create(true).append(true).open(path).expect("a file for the numbers"))
}});
static LAST: [AtomicU32; 4096] = [const {{ AtomicU32::new(0) }}; 4096];
#[inline]
pub fn is(number: u32) -> bool {{
    if let Some(mut file) = REACHED.as_ref() {{
        if LAST[number as usize % LAST.len()].swap(number, Relaxed) != number {{
            file.write_all(format!("{{number}}\\n").as_bytes()).expect("room for a number");
        }}
    }}
    *ACTIVE == number
}}
'''


@dataclass(frozen=True)
class Program:
    """A binary of tests, built on first use."""

    crate: str
    name: str

    @property
    def is_unit(self) -> bool:
        """Whether it holds the unit tests."""
        return self.name == UNIT

    @property
    def folder(self) -> Path:
        """The folder in which cargo would run it."""
        return TREE / "crates" / self.crate

    def path(self) -> Path:
        """The path of the binary, which is built if necessary."""
        if self not in _built:
            which = ["--lib"] if self.is_unit else ["--test", self.name]
            for message in cargo("test", "--no-run", "--locked", "--package", self.crate, *which):
                if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
                    _built[self] = Path(message["executable"])
        return _built[self]


UNIT = "unit tests"
_built: dict[Program, Path] = {}


def all_programs(crates: tuple[str, ...]) -> list[Program]:
    """All binaries of tests of some crates."""
    found = []
    for crate in crates:
        found.append(Program(crate, UNIT))
        found += [Program(crate, path.stem) for path in sorted((ROOT / "crates" / crate / "tests").glob("*.rs"))]
    return found


def copy_tree(mistakes: list[Mistake]) -> None:
    """Updates the copy to the sources with all mistakes in it; unchanged files keep their modification times."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    if TREE.exists():
        for path in TREE.rglob("*"):
            name = path.relative_to(TREE).as_posix()
            if path.is_file() and name not in names and not name.startswith((".venv/", "results/", CORE)):
                path.unlink()
    texts = with_mistakes(mistakes)
    for name in sorted(names):
        content = texts[name].encode() if name in texts else (ROOT / name).read_bytes()
        write(TREE / name, content, (ROOT / name).stat().st_mode)
    if not (TREE / ".venv").exists():
        (TREE / ".venv").symlink_to(ROOT / ".venv")


def write(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Writes a file unless it has this content."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)


def with_mistakes(mistakes: list[Mistake]) -> dict[str, str]:
    """The Rust files that differ in the copy."""
    library = "crates/penstock-model/src/lib.rs"
    spans: dict[str, dict[tuple[int, int], list[Mistake]]] = {}
    for it in mistakes:
        if it.is_rust:
            span = it.span((ROOT / it.file).read_text())
            spans.setdefault(it.file, {}).setdefault(span, []).append(it)
    texts = {}
    for file, found in spans.items():
        text = (ROOT / file).read_text()
        for (begin, end), same in sorted(found.items(), reverse=True):
            text = text[:begin] + chosen(text[begin:end], same) + text[end:]
        texts[file] = text
    texts[library] = texts.get(library, (ROOT / library).read_text()) + "\n" + f"pub mod mutant {{\n{SWITCH}}}\n"
    return texts


def chosen(original: str, mistakes: list[Mistake]) -> str:
    """The right text and its mistakes; the environment selects one."""
    root = "crate" if mistakes[0].file.startswith("crates/penstock-model/src") else "penstock_model"
    arms = [f"if {root}::mutant::is({it.number}) {{ /* {it.name} */ {it.mistake} }}" for it in mistakes]
    whole = " else ".join([*arms, f"{{ {original} }}"])
    return whole if original.rstrip().endswith((";", "}")) else f"({whole})"


def compiling(mistakes: list[Mistake]) -> list[Mistake]:
    """The random mistakes that compile, since a draw does not know types."""
    while True:
        copy_tree(mistakes)
        failed = set()
        for message in said_by_cargo("check", "--locked", "--package", "penstock-engine")[1]:
            if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
                spans = message["message"]["spans"]
                failed |= {name for span in spans for name in names_at(span)} or names_at(around(spans))
        if not failed:
            return mistakes
        print(f"mutants: {len(failed)} of {len(mistakes)} do not compile and are left out", flush=True)
        mistakes = [it for it in mistakes if it.number not in failed]


def around(spans: list[dict]) -> dict:
    """The range from the first span to the last: a borrow that lasts too long is reported at both of its ends."""
    first, last = (choose(spans, key=lambda it: it["byte_start"]) for choose in (min, max))
    return {"file_name": first["file_name"], "byte_start": first["byte_start"], "byte_end": last["byte_end"]}


def names_at(span: dict) -> set[int]:
    """The numbers of the mistakes on the lines of a compiler error."""
    text = (TREE / span["file_name"]).read_bytes()
    begin = text.rfind(b"\n", 0, span["byte_start"]) + 1
    end = text.find(b"\n", span["byte_end"])
    return {int(it) for it in re.findall(rb"mutant::is\((\d+)\)", text[begin:end])}


def fingerprint(mistakes: list[Mistake]) -> str:
    """A hash of everything that a verdict can depend on."""
    digest = hashlib.sha256()
    for path in sorted(TREE.rglob("*")):
        name = path.relative_to(TREE).as_posix()
        if name.startswith(DECIDES) and path.is_file() and path.suffix not in {".so", ".pyc"}:
            digest.update(name.encode() + b"\0" + path.read_bytes())
    digest.update(repr(mistakes).encode())
    return digest.hexdigest()


def cargo(*arguments: str) -> list[dict]:
    """Cargo's output; ends the program if it fails, as the output names a mistake that does not compile."""
    code, messages = said_by_cargo(*arguments)
    if code != 0:
        for message in messages:
            if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
                print(message["message"]["rendered"])
        sys.exit("the copy with all mistakes does not compile: mend the entries named in the comments above")
    return messages


def said_by_cargo(*arguments: str) -> tuple[int, list[dict]]:
    """Cargo's exit code and its messages."""
    settings = [word for setting in PROFILE for word in ("--config", f"profile.mutants.{setting}")]
    folder = ["--target-dir", str(HOME / "build"), "--manifest-path", str(TREE / "Cargo.toml")]
    command = ["cargo", *settings, *arguments, "--profile", "mutants", "--message-format=json", *folder]
    environment = {key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MFLAGS", VARIABLE}}
    environment["RUSTFLAGS"] = "-Awarnings"
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def provide_core(with_mistakes: bool) -> None:
    """Puts the extension module into the copy of the package: the usual one, or one with all Rust mistakes."""
    if not with_mistakes:
        shutil.copy2(ROOT / CORE, TREE / CORE)
        return
    for message in cargo("build", "--locked", "--package", "penstock-py"):
        if message["reason"] == "compiler-artifact" and "cdylib" in message["target"]["kind"]:
            library = next(Path(name) for name in message["filenames"] if name.endswith((".so", ".dylib")))
            shutil.copy2(library, TREE / CORE)
