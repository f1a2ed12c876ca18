"""``penstock list``: the names that a scenario may use, and the published studies."""

from typing import Annotated, Any

from penstock import reproductions, suites
from penstock.cli import options
from penstock.cli.console import emit, show, table
from penstock.cli.verb import argument
from penstock.errors import InputError
from penstock.printable import json_text, quoted, suggestion
from penstock.reference import catalogue, places

_OTHERS = ["metrics", "sections", "studies", "suites"]


def _kinds() -> list[str]:
    return [*catalogue()["components"], *_OTHERS]


def list_(
    kind: Annotated[
        str | None,
        argument(
            "KIND",
            "Only this kind of component (discipline), a key that accepts one (queue), metrics, sections, studies or "
            "suites.",
            _kinds,
        ),
    ] = None,
    output: options.Output = "table",
) -> None:
    """List components, metrics, sections, studies and suites.

    Components are listed by kind, with the keys of a scenario that accept them.
    """
    everything = catalogue()
    keys = places()
    of_key = {place.rpartition(".")[2]: found for found, of_kind in reversed(keys.items()) for place in of_kind}
    allowed = _kinds()
    wanted = kind if kind in allowed or kind is None else of_key.get(kind, kind)
    if wanted is not None and wanted not in allowed:
        hint = suggestion(wanted, [*allowed, *of_key], ".")
        raise InputError(f"there is no kind {quoted(wanted)}{hint} The kinds are {', '.join(allowed)}.")
    components = {name: found for name, found in everything["components"].items() if wanted in (None, name)}
    metrics = everything["metrics"] if wanted in (None, "metrics") else []
    sections = everything["sections"] if wanted in (None, "sections") else []
    studies = reproductions.summaries() if wanted in (None, "studies") else {}
    questions = suites.summaries() if wanted in (None, "suites") else {}
    if output == "json":
        chosen: dict[str, Any] = dict(everything) if wanted is None else {"components": components, "metrics": metrics}
        if wanted == "sections":
            chosen["sections"] = sections
        for key, found in (("studies", studies), ("suites", questions)):
            if wanted in (None, key):
                chosen[key] = [{"name": name, "summary": summary} for name, summary in found.items()]
        emit(json_text(chosen))
        return
    for name, of_kind in components.items():
        rows = [(component["name"], component["summary"]) for component in of_kind]
        place = f"{' or '.join(f'{place}.NAME' for place in keys[name])} in a scenario"
        if kind in of_key and kind != name:
            place = f"`{kind}` takes a{'n' * (name[0] in 'aeiou')} {name}"
        show(table(f"{name} ({place})", ["name", "what it does"], rows), "")
    if metrics:
        lines = [(metric["name"], metric["unit"], " ".join(metric["doc"].split())) for metric in metrics]
        show(table("metrics", ["name", "unit", "what it says"], lines), "")
    if sections:
        tables = [(section["name"], section["path"], " ".join(section["summary"].split())) for section in sections]
        show(table("sections of a scenario", ["name", "path", "what it describes"], tables), "")
    if studies:
        show(table("published studies (penstock reproduce NAME)", ["name", "about"], list(studies.items())), "")
    if questions:
        show(table("suites (penstock reproduce NAME)", ["name", "question"], list(questions.items())), "")
    show("More about one: penstock explain NAME")
