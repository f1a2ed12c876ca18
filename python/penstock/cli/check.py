"""``penstock check``: finds all mistakes of a scenario, a study file or a study's folder without running it."""

from pathlib import Path
from typing import Annotated, Any

from penstock.cli import options
from penstock.cli.console import emit, warn
from penstock.cli.verb import argument
from penstock.errors import ScenarioError
from penstock.printable import json_text, path_text, things
from penstock.reproductions.loading import has_document, load


def check(
    file: Annotated[Path, argument("FILE", "A scenario or study (TOML), or a study's folder.")],
    sets: options.Set = None,
    output: options.Output = "table",
) -> int | None:
    """Find all mistakes of a scenario or study.

    Reports all of them at once, each with its place and the allowed values; nothing is run. Warnings
    (settings that are probably not meant) go to standard error.
    """
    # No other name can be a study's folder.
    is_named_so = file.suffix != ".toml" or file.name == "document.toml"
    is_folder = is_named_so and has_document(file.parent if file.name == "document.toml" else file)
    mistakes: list[Any] = []
    lines: list[str] = []
    try:
        lines = _check_folder(file) if is_folder else _check_file(file, options.read_sets(sets))
    except ScenarioError as error:
        if output != "json":
            raise
        mistakes = error.mistakes
    if output == "json":
        emit(json_text({"scenario": file.stem, "mistakes": mistakes}))
        return 2 if mistakes else 0
    for line in lines:
        emit(line)
    return None


def _check_file(file: Path, sets: tuple[tuple[str, str], ...]) -> list[str]:
    """Says of a sound scenario or study what it would run."""
    from penstock.cli.studies import plan_of
    from penstock.studies.request import warnings_of
    from penstock.studies.verify import ends, verify

    plan = plan_of(file, sets, ranges={})
    asked = plan.read()
    if plan.ranges:
        asked += plan.at(ends(plan)).read()
    verify(plan, asked)
    warn(warnings_of(asked))
    if plan.is_file or len(asked) > 1:
        which = ": the middle of all ranges, and both ends (or each choice) of every range" if plan.ranges else ""
        return [f"{path_text(file)}: sound at {'all ' * (len(asked) > 1)}{things(len(asked), 'point')}{which}."]
    scenario = asked[0].scenario
    begin, end = scenario.window
    counts = zip(scenario.sizes, ("node", "link", "flow"), strict=True)
    sizes = ", ".join(things(count, thing) for count, thing in counts)
    run = f"{sizes} for {end:g} s, counting from {begin:g} s, with seed {scenario.seed}"
    lines = [f"{path_text(file)}: sound. It would run {run}."]
    for node, link, needed, given in scenario.headrooms:
        has = "none of its own" if given is None else f"{given:,} bytes"
        needs = f"what comes after a pause takes up to {needed:,} bytes over the link {link}"
        lines.append(f"Headroom of {node} for each link and paused class: {has}; {needs}.")
    return lines


def _check_folder(file: Path) -> list[str]:
    """Says of a sound published study how much it has."""
    from penstock.reproductions.reproduce import check_answers

    study = load(f"{file}/" if file.is_dir() else str(file))
    checked = check_answers(study)
    warn(checked.warnings)
    numbers = sum(len(table.numbers()) for table in study.document.tables)
    answers = f", and with {things(checked.answers, 'other answer')}" if checked.answers else ""
    scenarios, printed = things(checked.scenarios, "scenario"), things(numbers, "printed number")
    return [f"{path_text(file)}: sound, with {scenarios} for {printed}{answers}."]
