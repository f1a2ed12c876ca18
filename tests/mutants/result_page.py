"""The page of the last result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judged import KINDS

if TYPE_CHECKING:
    from judged import Draw, Judgement
    from mistakes import Mistake

HEAD = """# Mutation testing

`make mutants` checks whether the tests notice mistakes. It makes each mistake listed in `tests/mutants/lists` and looks
for a failing test. An entry has some text of a source file, its replacement (in Rust, an expression or a statement),
and the effect that the mistake would have on a simulation. The mistakes compile, run, and change numbers.

All Rust mistakes are compiled together into a copy of the tree, next to the correct text; an environment variable
selects one. Tests run in this order, until one fails: the test that failed last time, the module of the mistake, its
crate, the crates above, and the Python tests that the entry names. Rust tests that do not execute the changed text are
skipped. A mistake is also caught if a test takes ten times its usual CPU time and at least 20 s.
`tests/mutants/mutants.py NAME` tries the mistakes with NAME in their area or name.

`tests/mutants/mutants.py --random N` draws [N mistakes](mutants-random.md) from the engine instead.
"""
RANDOM_HEAD = """# Random mutants of the engine

The [lists](mutants.md) hold mistakes that somebody thought of. In contrast,
`tests/mutants/mutants.py --random N --seed S` draws mistakes from the syntax trees of the engine's `kernel`, `merge`,
`executor`, `port` and `node`. All mistakes that do not overlap one already drawn are equally likely. A mistake
replaces an operator, a literal, a condition or a method, or leaves out a statement
(`tests/mutants/random_mistakes.py`). With `--quick`, only the tests of the model and the engine run, with a tenth of
their random cases. `--survivors` tries again the mistakes that no test noticed.
`tests/mutants/judged.toml` has the reasons why no test notices them. Percentages are rounded down.
"""


def table(rows: list[list[str]]) -> str:
    """A table of Markdown; the first row is its head."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def percent(caught: int, count: int) -> str:
    """A share in per cent, rounded down, so that 100 % means all."""
    return f"{caught * 1000 // count / 10:g} %"


def page(mistakes: list[Mistake], results: dict[str, dict]) -> str:
    """Findings of the last run of the lists; untried mistakes are reported and not counted."""
    text = f"{HEAD}\n## The last result\n\n{score(mistakes, results)}\n\n{counts(mistakes, results)}\n\n"
    rows = [["survived", "where", "what it would mean", "why no test tells"]]
    for it in survivors(mistakes, results):
        rows.append([f"`{it.name}`", f"`{it.file}`", it.means, it.survives or "not known yet"])
    return text + (f"{table(rows)}\n" if len(rows) > 1 else "None of those tried survived.\n")


def random_page(
    mistakes: list[Mistake], results: dict[str, dict], judgements: dict[str, Judgement], draw: Draw | None
) -> str:
    """Findings of a draw, and the reasons why tests do not notice the survivors."""
    text = f"{RANDOM_HEAD}\n## The last draw\n\n"
    if draw is not None:
        text += f"The draw with seed {draw.seed} has {draw.tried} mistakes that compile. Tests caught {draw.caught} "
        text += f"of them, {percent(draw.caught, draw.tried)}. Tests were then added for those survivors that change a "
        text += "result, a counter, the order of events or a bound on memory.\n\n"
    text += f"{score(mistakes, results)}\n\n{counts(mistakes, results)}\n"
    left = sorted(survivors(mistakes, results), key=lambda it: (it.file, it.at))
    if not left:
        return text + "\nNone of those tried survived.\n"
    kinds = [judgements[it.name].kind for it in left if it.name in judgements]
    rows = [["kind", "meaning", "survivors"]]
    rows += [[kind, meaning, str(kinds.count(kind))] for kind, meaning in KINDS.items() if kind in kinds]
    if len(kinds) < len(left):
        rows.append(["", "not known yet", str(len(left) - len(kinds))])
    text += "\n## What survives\n\nLines are those at the time of the draw, "
    text += f"except in code that has moved to another file since.\n\n{table(rows)}\n\n"
    rows = [["file", "mistake", "kind", "why no test tells"]]
    for it in left:
        judged = judgements.get(it.name)
        kind, reason = (judged.kind, judged.reason) if judged else ("", "not known yet")
        rows.append([f"`{it.file.removeprefix('crates/penstock-engine/src/')}`", it.means, kind, reason])
    return text + table(rows) + "\n"


def survivors(mistakes: list[Mistake], results: dict[str, dict]) -> list[Mistake]:
    """The tried mistakes that no test noticed."""
    return [it for it in mistakes if it.name in results and not results[it.name]["caught"]]


def score(mistakes: list[Mistake], results: dict[str, dict]) -> str:
    """The number of tried mistakes that tests caught, in a sentence."""
    tried = sum(1 for it in mistakes if it.name in results)
    caught = tried - len(survivors(mistakes, results))
    text = f"**{caught} of {tried} mistakes are caught, {percent(caught, max(tried, 1))}.**"
    if tried < len(mistakes):
        text += f" The run ended before it came to {len(mistakes) - tried} more of the list."
    return text


def counts(mistakes: list[Mistake], results: dict[str, dict]) -> str:
    """The counts of each area, in a table."""
    nears = ["unit tests", "the crate's other tests", "tests of the crates above", "Python tests"]
    rows = [["area", "mistakes", "tried", "caught", *(f"by {near}" for near in nears), "survived"]]
    for area in [*sorted({it.area for it in mistakes}), "all"]:
        members = [it for it in mistakes if area in {it.area, "all"}]
        found = [results[it.name] for it in members if it.name in results]
        by = [sum(1 for it in found if it["caught"] and it["near"] == near) for near in nears]
        rows.append([area, *map(str, (len(members), len(found), sum(by), *by, len(found) - sum(by)))])
    return table(rows)
