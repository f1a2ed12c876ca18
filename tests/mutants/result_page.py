"""The page of the last result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistakes import Mistake

HEAD = """# Mutation testing

`make mutants` checks whether the tests notice mistakes. It makes each mistake listed in `tests/mutants/lists` and looks
for a failing test. An entry quotes some text of a source file, and has its replacement (in Rust, an expression or a
statement) and what the mistake would mean for a simulation. The mistakes are plausible ones: they compile, run, and
change numbers.

All Rust mistakes are compiled together into a copy of the tree, next to the correct text. An environment variable
selects one mistake; without it, all tests must pass. Tests run in this order, until one fails: the module of the
mistake, its crate, the crates above, and the Python tests that the entry names. Rust tests that do not execute the
changed text are skipped. A test that takes ten times its usual CPU time, and at least 20 s, also catches the mistake.
An interrupted run continues where it stopped. `tests/mutants/mutants.py NAME` tries the mistakes with NAME in their
area or name.

The command writes this page. An ordinary test checks that the text of each entry still occurs once in its file.
`tests/mutants/mutants.py --random N` draws N mistakes from the engine instead, and writes a page of its own.
"""
RANDOM_HEAD = """---
orphan: true
---

# Random mutants of the engine

The [lists of mistakes](mutants.md) hold what somebody thought of. `tests/mutants/mutants.py --random N --seed S` draws
mistakes from the syntax trees of the engine's `kernel`, `merge`, `executor`, `port` and `node` instead, each with the
same probability: an operator, a literal, a condition or a method is exchanged for another, or a statement is left out
(`tests/mutants/random_mistakes.py`). What does not compile is left out. With `--quick`, only the engine's own tests are
asked, with a tenth of their random cases; `--survivors` then asks all tests about what is left.

Some mistakes change nothing that a run gives: a guess of how long a visit should be decides about speed alone. Those
count as survivors too.
"""


def table(rows: list[list[str]]) -> str:
    """A table of Markdown; the first row is its head."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def percent(caught: int, count: int) -> str:
    """A share, rounded down: 100 % is all of them."""
    return f"{caught * 1000 // count / 10:g} %"


def page(mistakes: list[Mistake], results: dict[str, dict], head: str = HEAD) -> str:
    """Findings of the last run; untried mistakes are reported and not counted."""
    nears = ["unit tests", "the crate's other tests", "tests of the crates above", "Python tests"]
    tried = [it for it in mistakes if it.name in results]
    rows = [["area", "mistakes", "tried", "caught", *(f"by {near}" for near in nears), "survived"]]
    for area in [*sorted({it.area for it in mistakes}), "all"]:
        found = [results[it.name] for it in tried if area in {it.area, "all"}]
        by = [sum(1 for it in found if it["caught"] and it["near"] == near) for near in nears]
        count = sum(1 for it in mistakes if area in {it.area, "all"})
        rows.append([area, *map(str, (count, len(found), sum(by), *by, len(found) - sum(by)))])
    caught = sum(1 for it in tried if results[it.name]["caught"])
    text = f"{head}\n## The last result\n\n**{caught} of {len(tried)} mistakes are caught, "
    text += f"{percent(caught, max(len(tried), 1))}.**"
    if len(tried) < len(mistakes):
        text += f" The run ended before it came to {len(mistakes) - len(tried)} more of the list."
    text += f"\n\n{table(rows)}\n\n"
    survivors = [it for it in tried if not results[it.name]["caught"]]
    if not survivors:
        return text + "None of those tried survived.\n"
    rows = [["survived", "where", "what it would mean", "why no test tells"]]
    rows += [[f"`{it.name}`", f"`{it.file}`", it.means, it.survives or "not known yet"] for it in survivors]
    return text + table(rows) + "\n"
