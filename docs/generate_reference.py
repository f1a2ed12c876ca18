"""Writes the pages that the core already knows: components, metrics, sections, commands, studies.

``make docs`` does it before every build (see ``conf.py``), so these pages cannot drift from the program and are not
kept under version control. ``python docs/generate_reference.py`` does it alone.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parent.parent / "bench"))
import benchmarks_page
import gallery
from table_page import table_page, table_picture

from penstock import components, reproductions, suites
from penstock.cli.app import app
from penstock.reference import catalogue, kind_of, pages, places, statistics_of
from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import load
from penstock.reproductions.stored import stored_outcome

if TYPE_CHECKING:
    from penstock._core import Catalogue, Component, Parameter, Section
    from penstock._core import _Metric as Metric

HERE = Path(__file__).parent
VERBS = tuple(app.commands)


def texts() -> dict[str, str]:
    """Every generated page, by its path below ``docs``."""
    made = {}
    everything = catalogue(formulas=True)
    for kind, of_kind in everything["components"].items():
        made[f"reference/{kind}/index.md"] = _kind(kind, of_kind)
        for component in of_kind:
            title = f"# {component['name']} ({kind})"
            [page] = [page for page in pages(component["name"], formulas=True) if page.startswith(title)]
            made[f"reference/{kind}/{component['name']}.md"] = page
    made["generated/kinds.md"] = _kinds()
    made["generated/metrics.md"] = _metrics(everything["metrics"])
    made["generated/state.md"] = _states(everything)
    for section in everything["sections"]:
        made[f"generated/sections/{section['name']}.md"] = _section(section)
    for verb in VERBS:
        made[f"generated/cli/{verb}.txt"] = _help(verb)
    made["generated/classes.md"] = _classes()
    made["generated/contributing.md"] = _from_here((HERE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    for study in reproductions.names():
        made |= _study(study)
        made |= _parts(study)
    for suite in suites.names():
        made[f"generated/suites/{suite}.md"] = _suite(suite)
    return made | gallery.texts() | benchmarks_page.texts()


def write(folder: Path = HERE) -> None:
    """Writes changed files and removes files that are no longer generated."""
    made = texts()
    for path, text in made.items():
        file = folder / path
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    for file in [*folder.glob("generated/**/*.*"), *folder.glob("reference/*/*.md"), *folder.glob("studies/parts/*.*")]:
        if str(file.relative_to(folder)) not in made:
            file.unlink()


def _suite(name: str) -> str:
    """The page of a suite below its title, with the figures that are in the folder of its name."""
    suite = suites.load(name)
    text = suite.page().partition("\n")[2]
    drawn = [
        f"```{{image}} {name}/{figure.name}.svg\n:alt: {figure.caption}\n```\n\n*{figure.caption}.*\n"
        for part in suite.parts
        for figure in part.figures
        if (HERE / "suites" / name / f"{figure.name}.svg").is_file()
    ]
    return "\n".join([text, *(["## Figures\n", *drawn] if drawn else [])])


def _kind(kind: str, of_kind: list[Component]) -> str:
    rows = "\n".join(f"| [`{entry['name']}`]({entry['name']}.md) | {_line(entry['summary'])} |" for entry in of_kind)
    entries = "\n".join(entry["name"] for entry in of_kind)
    return (
        f"# {_plural(kind)}\n\nIn a scenario: {_written(kind, ' = { ... }')}\n\n"
        f"| name | what it does |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"
    )


def _plural(kind: str) -> str:
    """The kind as a title."""
    words = kind.replace("-", " ").capitalize().replace("Pcn", "PCN")
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def _written(kind: str, value: str = "") -> str:
    return " or ".join(f"`{place}.NAME{value}`" for place in places()[kind])


def _kinds() -> str:
    everything = catalogue()["components"]
    rows = "\n".join(
        f"| [{_plural(kind)}](../reference/{kind}/index.md) | {_written(kind)} | "
        + ", ".join(f"[`{entry['name']}`](../reference/{kind}/{entry['name']}.md)" for entry in of_kind)
        + " |"
        for kind, of_kind in everything.items()
    )
    entries = "\n".join(f"{kind}/index" for kind in everything)
    head = "| kind | in a scenario | names |\n|---|---|---|\n"
    return f"{head}{rows}\n\n```{{toctree}}\n:hidden:\n\n{entries}\nmetrics\n```\n"


def _metrics(metrics: list[Metric]) -> str:
    rows = []
    for metric in metrics:
        take = statistics_of(metric)
        doc = _line(metric["doc"]) + (f" *Take:* {take}." if take else "")
        if metric["quantiles"]:
            doc += " *Quantiles.*"
        if metric["by"]:
            doc += f" *By:* {', '.join(metric['by'])}."
        rows.append(f"| `{metric['name']}` | {metric['unit']} | {', '.join(metric['applies-to'])} | {doc} |")
    return "| metric | unit | of | what it is |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _states(everything: Catalogue) -> str:
    """All variables of series, by what shows them."""
    rows = [(entry["name"], variable) for entry in everything["state"] for variable in entry["state"]]
    for kind, of_kind in everything["components"].items():
        place = {"congestion-control": "congestion-control"}.get(kind) or places()[kind][0]
        rows += [(f"{place}.{entry['name']}", variable) for entry in of_kind for variable in entry.get("state", [])]
    head = "| component | variable | unit | what it is |\n|---|---|---|---|\n"
    lines = [f"| `{of}` | `{shown['name']}` | {shown['unit']} | {_line(shown['doc'])} |" for of, shown in rows]
    return head + "\n".join(lines) + "\n"


def _section(section: Section) -> str:
    rows = [_key(parameter) for parameter in section["parameters"]]
    for part in section["parts"]:
        need = "yes" if part["required"] else ""
        rows.append(f"| `{part['key']}` | {part['takes']} ({part['of']}) | {need} | {_line(part['doc'])} |")
    head = "| key | takes | needed, or default | what it says |\n|---|---|---|---|\n"
    return section["doc"].strip() + "\n\n" + head + "\n".join(rows) + "\n"


def _key(parameter: Parameter) -> str:
    takes = [kind_of(parameter)]
    if "choices" in parameter:
        takes = [" or ".join(f"`{choice['word']}`" for choice in parameter["choices"])]
        # All metrics in one cell would hide the rest; they have a table of their own.
        takes = takes if len(parameter["choices"]) < 8 else ["one of many words"]
    if "names" in parameter:
        takes.append(f"one of {', '.join(f'`{name}`' for name in parameter['names'])}")
    if "example" in parameter:
        takes.append(f"such as `{parameter['example']}`")
    if "range" in parameter:
        takes.append(parameter["range"])
    need = "yes" if parameter["required"] else f"`{parameter['default']}`" if "default" in parameter else ""
    doc = _line(parameter["doc"])
    choices = parameter.get("choices", [])
    if 0 < len(choices) < 8:
        doc += "".join(f" `{choice['word']}`: {_line(choice['doc'])}" for choice in choices)
    return f"| `{parameter['key']}` | {_line(', '.join(takes))} | {need} | {doc} |"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _help(verb: str) -> str:
    program = f"import sys; from penstock.cli import main; sys.argv[:] = ['penstock', '{verb}', '--help']; main()"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def _classes() -> str:
    entries = "\n".join(f".. autoclass:: {name}" for name in components.__all__)
    return f"```{{eval-rst}}\n.. currentmodule:: penstock.components\n\n{entries}\n```\n"


def _study(name: str) -> dict[str, str]:
    document = load(name).document
    page = reproductions.explain(name, formulas=True) or ""
    _, _, body = page.partition("\n")
    made = {f"generated/studies/{name}.md": body.strip() + "\n"}
    for part, title, asked in (
        ("claims", "Claims in detail", document.claims),
        ("questions", "Open questions in detail", document.questions),
    ):
        explained = "\n".join(_lowered(reproductions.explain(one.id, formulas=True) or "", 1) for one in asked)
        made[f"studies/parts/{name}-{part}.md"] = f"# {title}\n\n{explained or 'None.'}\n"
    return made


def _parts(name: str) -> dict[str, str]:
    """A page and a picture of each table that has runs stored, and the list of all parts of the study's page."""
    study = load(name)
    outcome = stored_outcome(study)
    made: dict[str, str] = {}
    parts = []
    if outcome is not None:
        comparisons = compare(study.document, outcome)
        for table in outcome.tables:
            own = [comparison for comparison in comparisons if comparison.table == table.id]
            if own:
                part = f"{name}-table-{table.id.lower().replace('.', '-')}"
                parts.append(part)
                picture = table_picture(study.document, table, own).content("svg").decode()
                made[f"studies/parts/{part}.svg"] = picture
                made[f"studies/parts/{part}.md"] = table_page(study.document, table, own, f"{part}.svg")
    entries = "\n".join(f"/studies/parts/{part}" for part in [*parts, f"{name}-claims", f"{name}-questions"])
    made[f"generated/studies/{name}-parts.md"] = f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
    return made


def _from_here(text: str) -> str:
    """A page of the root with its links seen from ``docs``; those to sources become plain text."""
    text = re.sub(r"\[([^\]]*)\]\((?:crates|python)/[^)]*\)", r"\1", text)
    return text.replace("](docs/", "](").replace("](CHANGELOG.md)", "](changelog.md)")


def _lowered(page: str, levels: int) -> str:
    return "\n".join(f"{'#' * levels}{line}" if line.startswith("#") else line for line in page.split("\n"))


if __name__ == "__main__":
    write()
