"""The list of mistakes of ``make mutants`` still fits the sources, and the command counts and writes what it finds."""

from __future__ import annotations

import sys
import threading
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "mutants"
sys.path.insert(0, str(FOLDER))

# The command is a program in a folder of its own, not a package: it is imported once its folder is on the path.
from judged import FILE, KINDS, read_draw, read_judgements  # noqa: E402  (the path comes first)
from mistakes import Mistake, read_lists, wrong  # noqa: E402
from mutants import passed_without, try_one  # noqa: E402
from result_page import page, percent, random_page  # noqa: E402  (as above)
from schemata import CRATES, Program, all_programs, chosen  # noqa: E402
from trial import Step, ask, first_failure, module_of, steps_for  # noqa: E402

TEXT = "fn f(a: u32, b: u32) -> u32 {\n    a + b\n}\nfn g(a: u32) -> u32 {\n    a + a\n}\n"


def mistake(text: str, replacement: str = "a - b", **more: str) -> Mistake:
    return Mistake(**{"area": "x", "name": "m", "file": "f.rs", "means": "less"} | more, text=text, mistake=replacement)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "f.rs").write_text(TEXT)
    return tmp_path


def test_every_text_of_the_list_stands_once_in_its_file():
    mistakes = read_lists()
    assert wrong(mistakes) == []
    assert len(mistakes) >= 60
    assert len({it.area for it in mistakes}) >= 8


@pytest.mark.parametrize(
    ("it", "said"),
    [
        (mistake("«a + c»"), "occurs 0 times"),
        (mistake("fn"), "occurs 2 times"),
        (mistake("«a + b»", "a  +  b"), "equals the present text"),
        (mistake("«a + b"), "once each"),
        (mistake("a« + b»", ""), "no expression"),
        (mistake("a + «b»", "b +"), "no expression"),
        (mistake("a", file="none.rs"), "no file"),
        (mistake("a", file="f.py"), "no file"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(it, said, root):
    assert any(said in what for what in wrong([it], root)), wrong([it], root)


def test_names_are_unique_and_texts_do_not_overlap(root):
    one, other = mistake("«a + b»"), mistake("a + «b»", "a", name="n")
    assert wrong([one, mistake("«a + b»", "a * b", name="n")], root) == []
    assert "overlaps" in wrong([one, other], root)[0]
    assert "twice" in wrong([one, one], root)[0]


def test_a_mistake_replaces_what_is_marked():
    it = mistake("b: u32) -> u32 {\n    «a + b»", "a - b")
    assert it.applied(TEXT) == TEXT.replace("a + b", "a - b")
    assert mistake("a + b", "1").applied(TEXT) == TEXT.replace("a + b", "1")


def test_expressions_and_statements_stand_beside_their_mistakes():
    it = mistake("a + b", file="crates/penstock-model/src/x.rs")
    assert chosen("a + b", [it]) == f"(if crate::mutant::is({it.number}) {{ /* m */ a - b }} else {{ a + b }})"
    other = mistake("f();", "", file="crates/penstock-engine/src/x.rs")
    assert chosen("f();", [other]) == f"if penstock_model::mutant::is({it.number}) {{ /* m */  }} else {{ f(); }}"


def test_the_nearest_tests_come_first():
    programs = [
        Program(crate, name)
        for crate in ("penstock-model", "penstock-engine", "penstock-scenario")
        for name in ("unit tests", "slow", "quick", "asked")
    ]
    it = mistake("x", file="crates/penstock-engine/src/port/queueing/mod.rs")
    it = Mistake(**vars(it) | {"asks": ("asked",), "python": ("test_goldens.py",)})
    steps = steps_for(it, programs, {"penstock-engine: slow ": 9.0, "penstock-scenario: slow ": 8.0})
    assert [step.label for step in steps] == [
        "penstock-engine: unit tests port::queueing::",
        "penstock-engine: unit tests port::",
        "penstock-engine: unit tests ",
        "penstock-engine: asked ",
        "penstock-scenario: asked ",
        "penstock-engine: quick ",
        "penstock-scenario: unit tests ",
        "penstock-scenario: quick ",
        "penstock-scenario: slow ",
        "penstock-engine: slow ",
        "test_goldens.py",
    ]
    assert module_of("crates/penstock-model/src/meter/tcm.rs") == ["meter::tcm::", "meter::", ""]


def test_all_programs_of_tests_are_known():
    programs = all_programs(CRATES)
    assert programs[0] == Program("penstock-model", "unit tests")
    assert Program("penstock-engine", "watch") in programs


class Known:
    """What a run knows."""

    def __init__(self):
        self.seconds, self.reached, self.last, self.results, self.kept = {}, {}, {}, {}, 0
        self.lock = threading.RLock()

    def keep(self):
        self.kept += 1


class Script:
    """In the place of a binary of tests."""

    crate, folder = "x", FOLDER

    def __init__(self, code):
        self.code, self.name = code, code


def step(code: str) -> Step:
    return Running("unit tests", Script(code))


class Running(Step):
    """A step that runs its script."""

    def command(self):
        return [sys.executable, "-c", self.program.code]


COMES_BY = (
    "import os; where = os.environ.get('PENSTOCK_MUTANTS_REACHED'); where and open(where, 'w').write('{}\\n{}\\n'); "
)


def test_the_first_step_that_fails_has_noticed(root, monkeypatch):
    number = mistake("a + b").number
    reach, mine = COMES_BY.format(number, number), f"os.environ['PENSTOCK_MUTANT'] == '{number}'"
    elsewhere = step(f"import os; raise SystemExit({mine})")
    failing = step(f"{reach}print('test a::b ... FAILED' if {mine} else ''); raise SystemExit(101 * ({mine}))")
    monkeypatch.setattr("mutants.TREE", root)
    for steps, caught in [([step(f"{reach}pass"), elsewhere, failing, step("1 / 0")], True), ([elsewhere], False)]:
        monkeypatch.setattr("mutants.steps_for", lambda *_, steps=steps: list(steps))
        found = try_one(mistake("a + b"), [], Known())
        assert (found["caught"], found["test"]) == (caught, "a::b" if caught else "")


def test_a_mistake_in_python_stands_in_the_copy_only_while_it_is_tried(root, monkeypatch):
    (root / "f.py").write_text("x = 1\n")
    code = f"raise SystemExit(open({str(root / 'f.py')!r}).read() != 'x = 1\\n')"
    monkeypatch.setattr("mutants.TREE", root)
    monkeypatch.setattr("mutants.steps_for", lambda *_: [step(code)])
    assert try_one(mistake("x = «1»", "2", file="f.py"), [], Known())["caught"]
    assert (root / "f.py").read_text() == "x = 1\n"


def test_what_fails_without_a_mistake_ends_it():
    known = Known()
    passed_without(step("pass"), known)
    passed_without(step("pass"), known)
    assert (len(known.seconds), known.kept) == (1, 1)
    with pytest.raises(SystemExit, match="without any mistake"):
        passed_without(step("1 / 0"), known)
    assert not ask(step("1 / 0")).passed


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("test a::b ... ok\ntest a::c ... FAILED\n", 101, "a::c"),
        ("FAILED tests/python/test_x.py::test_y - assert", 1, "tests/python/test_x.py::test_y"),
        ("", -24, "does not end"),
        ("", -6, "ended by signal 6"),
        ("no tests ran", 5, "ended with status 5"),
        ("", 0, ""),
    ],
)
def test_who_failed_is_named(output, code, said):
    assert first_failure(output, code) == said


def test_the_page_counts_and_names_survivors():
    mistakes = [mistake("a", name="one"), mistake("b", name="two", area="y", survives="nobody looks")]
    results = {"one": {"caught": True, "near": "unit tests"}, "two": {"caught": False, "near": ""}}
    text = page(mistakes, results)
    assert "**1 of 2 mistakes are caught, 50 %.**" in text
    assert "| x | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 0 |" in text
    assert "more of the list" not in text
    text = page([*mistakes, mistake("c", name="three")], results)
    assert "before it came to 1 more of the list" in text
    assert "| x | 2 | 1 | 1 | 1 | 0 | 0 | 0 | 0 |" in text
    assert "| `two` | `f.rs` | less | nobody looks |" in text
    assert percent(1999, 2000) == "99.9 %"


JUDGED = """
[[draw]]
count = 9
seed = 1
caught = 1
tried = 8

[[judged]]
file = "f.rs"
line = "fn g(a: u32) -> u32 {\\na + a"
mistake = "a - b"
kind = "speed"
reason = "nobody looks"
"""


def test_a_judgement_is_found_by_the_lines_until_a_mistake(root, tmp_path):
    path = tmp_path / "judged.toml"
    path.write_text(JUDGED)
    known, other = mistake("a + a", name="known"), mistake("a + b", name="other")
    found = read_judgements([known, other], root, path)
    assert {name: it.reason for name, it in found.items()} == {"known": "nobody looks"}
    path.write_text(JUDGED.replace("(a: u32) -> u32 {", "() {"))
    assert read_judgements([known, other], root, path) == {}


def test_the_page_of_a_draw_names_the_kinds_of_survivors(root, tmp_path):
    path = tmp_path / "judged.toml"
    path.write_text(JUDGED)
    mistakes = [mistake("a + a", name="known"), mistake("a + b", name="other")]
    results = {it.name: {"caught": False, "near": ""} for it in mistakes}
    text = random_page(mistakes, results, read_judgements(mistakes, root, path), read_draw(9, 1, path))
    assert "has 8 mistakes that compile. Tests caught 1 of them, 12.5 %." in text
    assert "**0 of 2 mistakes are caught, 0 %.**" in text
    assert f"| speed | {KINDS['speed']} | 1 |\n|  | not known yet | 1 |" in text
    assert "| `f.rs` | less | speed | nobody looks |\n| `f.rs` | less |  | not known yet |" in text
    assert read_draw(9, 2, path) is None
    assert "None of those tried survived." in random_page([], {}, {}, None)


def test_every_judgement_has_a_known_kind():
    entries = tomllib.loads(FILE.read_text())["judged"]
    assert {entry["kind"] for entry in entries} <= set(KINDS)
    assert all((FILE.parent.parent.parent / entry["file"]).is_file() for entry in entries)
