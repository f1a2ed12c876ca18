"""``penstock check``: finds all mistakes of a scenario without running it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli.options import Format, FormatOption, SetOption, read_sets

__all__ = ["check"]


def check(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    sets: SetOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Find the mistakes of a scenario.

    All of them at once, each with its place and what is allowed; nothing is run.
    """
    import json

    from penstock import _core
    from penstock.cli.console import emit
    from penstock.cli.files import read_text
    from penstock.errors import ScenarioError

    changed = list(read_sets(sets))
    text = read_text(file)
    mistakes = _core.check(text, str(file), changed)
    if output is Format.JSON:
        emit(json.dumps({"scenario": file.stem, "mistakes": mistakes}, indent=2, ensure_ascii=False))
        raise typer.Exit(2 if mistakes else 0)
    if mistakes:
        raise ScenarioError(mistakes)
    emit(f"{file}: sound. {_summary(text)}")


def _summary(text: str) -> str:
    """What would run, in a sentence; the text has been found sound."""
    import tomllib

    scenario: dict[str, Any] = tomllib.loads(text)
    parts = [str(scenario["duration"])] if "duration" in scenario else []
    for key, one, many in (
        ("nodes", "node or group", "nodes or groups"),
        ("links", "link", "links"),
        ("flows", "group of flows", "groups of flows"),
        ("measure", "measure", "measures"),
    ):
        count = len(scenario.get(key, ()))
        if count:
            parts.append(f"{count} {one if count == 1 else many}")
    return f"It would run: {', '.join(parts)}."
