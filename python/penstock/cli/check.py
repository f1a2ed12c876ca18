"""``penstock check``: finds all mistakes of a scenario without running it."""

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption, SetOption, read_sets

__all__ = ["check"]


def check(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    sets: SetOption = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """Find the mistakes of a scenario.

    All of them at once, each with its place and what is allowed; nothing is run. What is probably not meant is a
    warning on standard error.
    """
    from penstock import _core
    from penstock.cli.console import emit, warn
    from penstock.cli.files import read_text
    from penstock.errors import ScenarioError
    from penstock.printable import json_text, path_text, utf8
    from penstock.studies.request import distinct
    from penstock.studies.sweep import sweep

    points = sweep(read_sets(sets))
    text, name = read_text(file), utf8(str(file))
    mistakes = distinct(mistake for point in points for mistake in _core.check(text, name, list(point.sets)))
    if not mistakes:
        scenarios = [_core.Scenario(text, name, list(point.sets)) for point in points]
        scenario = scenarios[0]
        warn(list(dict.fromkeys(warning for each in scenarios for warning in each.warnings)))
    if output is Format.JSON:
        emit(json_text({"scenario": file.stem, "mistakes": mistakes}))
        raise typer.Exit(2 if mistakes else 0)
    if mistakes:
        raise ScenarioError(mistakes)
    if len(points) > 1:
        emit(f"{path_text(file)}: sound at all {len(points)} points.")
        return
    begin, end = scenario.window
    counted = zip(scenario.sizes, ("node", "link", "flow"), strict=True)
    sizes = ", ".join(f"{count} {thing}{'s' * (count != 1)}" for count, thing in counted)
    run = f"{sizes} for {end:g} s, counting from {begin:g} s, with seed {scenario.seed}"
    emit(f"{path_text(file)}: sound. It would run {run}.")
