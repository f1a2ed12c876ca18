"""Components that are defined in a notebook, at a prompt or in a program."""

from __future__ import annotations

import linecache
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock import ArgumentError, InputError, Network, PoissonSource, RunRequest, own, run_all
from penstock.own import files

CELL = '''from penstock import own
import math
MOST, NAMES = 5, ("a", "b")
unused = object()

def most(of):
    return floor_of(of) + MOST

def floor_of(of):
    return int(math.floor(of))

@own.discipline(name="short")
class Short:
    """Drops arrivals above a threshold."""

    limit = own.parameter("packets", "3 packets", doc="Packets that may wait, and five more.")

    def on_arrival(self, now, packet, queue):
        return own.ACCEPT if queue.packets < most(self.limit) else own.DROP_OVERFLOW
'''


def cell(text: str, number: int = 1) -> dict[str, Any]:
    """The names of a cell, run as a notebook runs it: with its text in the line cache."""
    name = f"<cell-{number}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), names)
    return names


def drops(cls: type, **parameters: str) -> float:
    net = Network()
    net.use = own.file_of(cls)
    queue = getattr(own.load(net.use), cls.__name__)(**parameters)
    net.link(net.node("a"), net.node("b"), rate="1 Mbit/s", delay="1 ms", queue=queue)
    net.flows("f", "a", "b", source=PoissonSource(rate="2 Mbit/s", packet="500 bytes"))
    net.measure("drops", of="f")
    [run] = run_all([RunRequest(net.toml(duration="2 s"), (), 1, 0, "own.toml")], store=None)
    return run.metrics[0].value


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(files.DEBUG, "1")


def test_a_class_of_a_cell_runs_with_what_it_uses() -> None:
    few, many = (drops(cell(CELL)["Short"], limit=f"{limit} packets") for limit in (1, 40))
    assert few > many > 0
    # Five packets more than the limit, as in a file.
    [text] = {Path(own.file_of(cell(CELL, i)["Short"])).read_text() for i in (2, 3)}
    assert "MOST = 5" in text
    assert "NAMES" not in text
    assert "unused" not in text
    assert text.index("def floor_of") < text.index("class Short")


def test_functions_of_a_cell_that_call_each_other_are_refused_by_line() -> None:
    circle = CELL.replace("int(math.floor(of))", "int(math.floor(of)) if of > 0 else most(1)")
    with pytest.raises(InputError, match=r"short\.py:\d+: the function calls itself; write a loop"):
        own.load(own.file_of(cell(circle)["Short"]))


def test_another_text_is_another_file() -> None:
    one, same, other = (
        own.file_of(cell(text, i)["Short"])
        for i, text in enumerate((CELL, "\n\n" + CELL, CELL.replace("MOST, NAMES = 5", "MOST, NAMES = 6")))
    )
    assert one == same
    assert one != other
    assert "MOST = 6" in Path(other).read_text()


def test_a_class_of_a_real_notebook_cell_is_found(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    program = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        f"shell = InteractiveShell()\nshell.run_cell({'%matplotlib --list' + chr(10) + CELL!r})\n"
        "shell.run_cell('print(own.file_of(Short))')\n"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert made.stdout.splitlines()[-1].endswith("short.py"), made.stdout + made.stderr


def test_a_class_in_a_function_of_a_program_is_found() -> None:
    @own.discipline
    class Nested:
        """Accepts all."""

        def on_arrival(self) -> int:
            return own.ACCEPT

    assert own.load(own.file_of(Nested)).Nested().KEY == "nested"


def test_a_class_without_a_text_says_what_to_do(tmp_path: Path) -> None:
    program = CELL + "\nown.file_of(Short)\n"
    made = subprocess.run([sys.executable], input=program, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert made.returncode == 1
    assert "Short: its text is not known; write it into a file, which `use` and own.load name" in made.stderr


def test_what_cannot_be_written_is_refused() -> None:
    text = CELL.replace("+ MOST", "+ len(str(unused))")
    with pytest.raises(InputError, match="most uses 'unused', which is of the type object; numbers, texts"):
        own.file_of(cell(text)["Short"])
    with pytest.raises(InputError, match="imports 'random'; a file with components may import math"):
        own.load(own.file_of(cell("import random\n" + CELL.replace("+ MOST", "+ random.random()"))["Short"]))
    with pytest.raises(ArgumentError, match="is no component; decorate a class"):
        own.file_of(int)
    with pytest.raises(ArgumentError, match="give a class"):
        own.file_of()
