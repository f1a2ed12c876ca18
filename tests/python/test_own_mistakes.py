"""Mistakes in files with components: in declarations, and in code that cannot be compiled."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from own_component import (
    MINE,
    SCENARIO,
    SHORT,
    TEMPLATE,
    mistakes,
    run_mine,
)

from penstock import _core
from penstock.errors import advice
from penstock.own import files


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("self.mean = cuont", "'cuont' is not known"),
        ("self.cuont += 1", "self has no 'cuont'; did you mean 'count'?"),
        ("self.limit = 3", "'limit' is a parameter and cannot be assigned"),
        ("self.count = TABLE[0]", "'TABLE' cannot be used in a hook"),
        ("self.count = packet.sise", "packet has no 'sise'; did you mean 'size'?"),
        ("global TABLE", "globals cannot change"),
        ("self.mean = 1e10 ** 40", "10000000000.0 ** 40 is no number that a float holds"),
        ("self.mean = 0 ** -1", "0 ** -1 is no number that a float holds"),
        ("self.mean = round(self.mean, 1)", "write one argument, as in round(10.0 * x) / 10.0"),
        (
            "self.count = self.drops.random()",
            "a stream has unit(), exponential(), below(n) and chance(p), not 'random'",
        ),
        ("self.count = [1, 2][0]", "a list cannot be made in a hook"),
        ("self.count = 1.5", "a whole number is needed, not float64; write int(...)"),
        ("eval('1')", "'eval' is not allowed"),
        ("if (n := packet.size) > 3: self.count = n", "an assignment within an expression cannot be compiled"),
        ("own.ACCEPT = 5", "own.ACCEPT cannot be assigned; keep the value in the state"),
        ("self.count = own.mul_div(1, 2)", "mul_div is called with 2 arguments; it has 3"),
        ("for i in range(1.5): self.count += i", "a whole number is needed, not float64; write int(...)"),
        ("self.mean = self.slots[1:]", "a number is needed, not a list"),
        ("self.mean = packet", "a number is needed, not an object"),
        ("self.count = 'a'", "a whole number is needed, not a text"),
        ("self.mean = None", "a number is needed, but some way through the method gives no value"),
        ("self.mean = print(1)", "a number is needed, but some way through the method gives no value"),
        ("nonlocal TABLE", "no binding for nonlocal 'TABLE' found"),
        ("if packet.size > 3: return", "a whole number is needed, but some way through the method gives no value"),
        ("while True: self.count += 1", "the loop never ends; give it a condition, a break or a return"),
        ("while True:\n            while self.count: break", "the loop never ends"),
    ],
)
def test_code_that_cannot_be_compiled_is_a_mistake_with_its_line(tmp_path: Path, body: str, message: str) -> None:
    [told] = mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE)
    line = next(i for i, each in enumerate(TEMPLATE.splitlines(), 1) if "BODY" in each)
    assert message in told
    at = int(told.split(":")[1])
    assert at == line or (at == line - 1 and "no value" in message), told


@pytest.mark.usefixtures("debugging")
def test_calls_have_as_many_arguments_as_functions(tmp_path: Path) -> None:
    body = "self.count = twice(1, 2) + self.next()"
    text = "def twice(n):\n    return 2 * n\n" + TEMPLATE.replace("BODY", body)
    text += "\n    def next(self, n):\n        return n\n"
    assert mistakes(tmp_path, text, MINE) == [
        "mine.py:18: twice is called with 2 arguments; it has 1",
        "mine.py:18: next is called with 0 arguments; it has 1",
    ]


@pytest.mark.usefixtures("debugging")
def test_a_pattern_of_several_values_is_refused(tmp_path: Path) -> None:
    body = "match packet.size, self.count:\n            case (40, _): self.count = 1"
    assert mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE) == [
        "mine.py:17: a pattern of several values cannot be compiled; compare one value, or write if"
    ]


@pytest.mark.usefixtures("debugging")
@pytest.mark.parametrize(
    ("functions", "lines"),
    [
        ("def f(n):\n    return f(n + 1) if n else 0\n", [4]),
        ("def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\n", [4, 6]),
    ],
)
def test_functions_that_call_themselves_are_refused(tmp_path: Path, functions: str, lines: list[int]) -> None:
    text = TEMPLATE.replace("TABLE = [1, 2]\n", f"TABLE = [1, 2]\n{functions}").replace("BODY", "self.count = f(1)")
    said = [f"mine.py:{line}: the function calls itself; write a loop" for line in lines]
    assert mistakes(tmp_path, text, MINE) == said


@pytest.mark.usefixtures("debugging")
def test_a_method_that_calls_itself_is_refused(tmp_path: Path) -> None:
    body = "return self.deep(1)\n\n    def deep(self, n):\n        return self.deep(n + 1)\n\n    def other(self):"
    [told] = mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE)
    assert "the function calls itself; write a loop" in told


@pytest.mark.usefixtures("debugging")
def test_a_loop_without_a_condition_ends_with_a_break_or_a_return(tmp_path: Path) -> None:
    for way_out in ("break", "return own.ACCEPT"):
        body = f"while True:\n            if self.count: {way_out}\n            self.count += 1"
        assert mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import numpy\n" + TEMPLATE, "mine.py:1: imports 'numpy'; a file with components may import math, penstock"),
        (TEMPLATE.replace("count: int = 0", "count = 0"), "mine.py:11: 'count' declares no type"),
        (TEMPLATE.replace("count: int = 0", "count: str = ''"), "'count' is of the type str; one of int, float, bool"),
        (TEMPLATE.replace("count: int = 0", "count: int = 1.5"), "begins as 1.5, which is not a finite int"),
        (TEMPLATE.replace("count: int = 0", "count: int = 2**63"), "begins as 9223372036854775808, which is not"),
        (TEMPLATE.replace("count: int = 0", "count: float = 10**400"), "which is not a finite float of 64 bits"),
        (
            TEMPLATE.replace("on_arrival", "on_arival"),
            "mine.py:6: Mine has no method on_arrival(self, now, packet, queue)",
        ),
        (
            TEMPLATE.replace("now, packet", "time, packet"),
            "on_arrival has no argument 'time'; it has now, packet, queue",
        ),
        (
            TEMPLATE.replace('"limit", "60', '"lenght", "60'),
            "mine.py:9: parameter 'limit': there is no kind 'lenght'; one of limit,",
        ),
        (
            TEMPLATE.replace("@own.discipline", '@own.discipline(name="red")'),
            "'mine.py': there is a discipline 'red' already",
        ),
        (TEMPLATE.replace('"""Does something."""', ""), "Mine has no docstring"),
        (
            TEMPLATE.replace("count: int = 0", "next_timer: list[int] = [5]")
            + "\n    def on_timer(self, now, queue):\n        pass\n",
            "mine.py:19: on_timer needs the state next_timer, the time of its next call",
        ),
        (
            TEMPLATE.replace("count: int", 'more = own.stream("mine")\n    count: int'),
            "mine.py:11: 'more' draws the numbers of another stream 'mine'; rename it",
        ),
        (
            TEMPLATE.replace("@own", "class Base:\n    pass\n\n\n@own").replace("class Mine:", "class Mine(Base):"),
            "mine.py:10: Mine inherits from Base; write all parts of a component in its own class",
        ),
        (
            TEMPLATE.replace("count: int = 0", "count: int = 0\n\n    def __init__(self):\n        self.count = 5\n"),
            "mine.py:13: __init__ is never called; write initial values into the declarations",
        ),
        (
            TEMPLATE + "\n    def on_arrival(self):\n        return own.DROP_EARLY\n",
            "mine.py:19: 'on_arrival' is declared in line 15 already; rename one of them",
        ),
        (
            TEMPLATE.replace("count: int = 0", "count: int = 0\n    count: int = 1"),
            "mine.py:12: 'count' is declared in line 11 already",
        ),
        (TEMPLATE + TEMPLATE.partition("[1, 2]")[2], "mine.py:21: 'Mine' is declared in line 6 already"),
        (TEMPLATE.replace("def on_arrival", "async def on_arrival"), "on_arrival: write a method, with def at the top"),
        (
            TEMPLATE.replace("count: int", "on_leave = own.mul_div\n    count: int"),
            "mine.py:11: on_leave: write a method",
        ),
        (TEMPLATE.replace("TABLE = [1, 2]", "TABLE = 1 / 0"), "mine.py:3: ZeroDivisionError: division by zero"),
        (TEMPLATE.replace("TABLE = [1, 2]", "raise SystemExit(3)"), "mine.py:3: SystemExit: 3"),
        ("x = (", "mine.py:1: '(' was never closed"),
        ("x = 1\0", "mine.py:1: source code string cannot contain null bytes"),
        (f"x = {'-' * 100_000}1", "mine.py: is nested too deeply"),
        (f"x = {'1 + ' * 100_000}1", "mine.py: is nested too deeply"),
        ("from penstock import own\n", "mine.py: has no component"),
        *(
            (TEMPLATE.replace('"limit", "60 packets", doc="Its limit."', arguments), f"mine.py:9: parameter: {message}")
            for arguments, message in (
                ('"limit", doc=5', "doc is 5; it must be a text"),
                ('5, doc=""', "kind is 5; it must be a text"),
                ('"limit", [60], doc=""', "default is [60]; it must be a text, a number, True or False"),
                ('"limit", doc="", changeable="no"', "changeable is 'no'; it must be True or False"),
                ('"choice", doc=""', "a choice needs words; write words=[...]"),
                ('"choice", doc="", words="ab"', "words is 'ab'; it must be a list of texts"),
                ('"choice", doc="", words=[1, 2]', "word is 1; it must be a text"),
                ('"choice", doc="", words={"a": 5}', "word is 5; it must be a text"),
                ('"choice", doc="", words=["a", "b", "a"]', "words has a word twice (a, b, a)"),
                ('"choice", "c", doc="", words=["a", "b"]', "default is 'c', not one of a, b"),
            )
        ),
        (
            TEMPLATE.replace('doc="Its', 'words=["a"], doc="Its'),
            "mine.py:9: parameter 'limit': only a choice has words",
        ),
        (TEMPLATE.replace("int = 0", "int = own.state(0, doc=5)"), "mine.py:11: state: doc is 5; it must be a text"),
        (TEMPLATE.replace("int = 0", 'int = own.state(0, unit="")'), "mine.py:11: state: unit is empty; write '1'"),
        (TEMPLATE.replace('stream("mine")', 'stream("")'), "mine.py:10: stream: name is empty"),
        (TEMPLATE.replace('stream("mine")', "stream(5)"), "mine.py:10: stream: name is 5; it must be a text"),
        (
            TEMPLATE.replace("@own.discipline", "@own.discipline(name=5)"),
            "mine.py:5: discipline: name is 5; it must be a text",
        ),
        (
            TEMPLATE.replace("@own.discipline", '@own.discipline(name="")'),
            "'' is no name for a discipline",
        ),
        (
            TEMPLATE.replace("@own.discipline", "@own.meter\n@own.discipline"),
            "mine.py:5: meter: Mine is a discipline already; a class is one component",
        ),
        (
            TEMPLATE.replace("    def on_arrival", "    @staticmethod\n    def on_arrival"),
            "on_arrival: write a method without decorators and defaults",
        ),
        *(
            (
                TEMPLATE + f"\n{head}\n" + indent(TEMPLATE[TEMPLATE.index("@own") :], "    ") + tail,
                "mine.py:21: Mine is within another statement; write a component at the top level of the file",
            )
            for head, tail in (
                ("if True:", ""),
                ("try:", "finally:\n    pass\n"),
                ("def make():", "    return Mine\nOther = make()\n"),
                ("class Outer:", ""),
            )
        ),
    ],
)
def test_a_declaration_that_is_wrong_is_a_mistake(tmp_path: Path, text: str, message: str) -> None:
    told = mistakes(tmp_path, text.replace("BODY", "pass"), MINE)
    assert any(message in each for each in told), told


def test_a_class_may_have_any_name_that_python_allows(tmp_path: Path) -> None:
    text = TEMPLATE.replace("@own.discipline", '@own.discipline(name="mine")').replace("Mine", "Größe")
    text = text.replace("count", "zähler").replace("BODY", "self.erhöhe()") + (
        "\n    def erhöhe(self):\n        self.zähler += 1\n"
    )
    assert run_mine(tmp_path, text).packet_hops > 0


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "\ufeff" + TEMPLATE.replace("BODY", "pass"), MINE) == []


def test_a_file_that_is_missing_or_no_python_is_a_mistake(tmp_path: Path) -> None:
    missing = _core.check(SCENARIO, "own.toml", SHORT, str(tmp_path))
    assert [(each["path"], each["message"]) for each in missing] == [
        ("use", "red.py: there is no such file; names are relative to the scenario's folder")
    ]
    (tmp_path / "red.txt").write_text("raise ValueError('executed')")
    for value in ('"red.txt"', '["red.py"]'):
        [other] = _core.check(SCENARIO.replace('"red.py"', value), "own.toml", SHORT, str(tmp_path))
        assert 'write use = "my_queues.py"' in other["message"]


def test_missing_numba_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.own.compiled.util.find_spec", lambda _: None)
    [told] = mistakes(tmp_path, TEMPLATE.replace("BODY", "pass"), MINE)
    assert f"install it with: {advice('jit')}" in told
    monkeypatch.setenv(files.DEBUG, "1")
    assert mistakes(tmp_path, TEMPLATE.replace("BODY", "pass"), MINE) == []
