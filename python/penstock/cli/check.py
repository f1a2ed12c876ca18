"""``penstock check``: finds all mistakes of a scenario, a study file or a study's folder without running it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from penstock.cli import options
from penstock.cli.options import Format, read_sets
from penstock.cli.verb import argument

if TYPE_CHECKING:
    from penstock._core import Mistake


def check(
    file: Annotated[Path, argument("FILE", "A scenario or study (TOML), or a study's folder.")],
    sets: options.Set = None,
    output: options.Output = "table",
) -> int | None:
    """Find all mistakes of a scenario or study.

    Reports all of them at once, each with its place and the allowed values; nothing is run. Warnings (what is probably
    not meant) go to standard error.
    """
    from penstock.cli.console import emit, warn
    from penstock.cli.studies import plan_of
    from penstock.errors import ScenarioError
    from penstock.printable import json_text, path_text, things
    from penstock.studies.request import warnings_of
    from penstock.studies.verify import ends, verify

    if file.suffix != ".toml" or file.name == "document.toml":  # no other name can be a study's folder
        from penstock.reproductions.loading import has_document

        if has_document(file.parent if file.name == "document.toml" else file):
            return _check_folder(file, output)
    mistakes: list[Mistake] = []
    try:
        plan = plan_of(file, read_sets(sets), ranges={})
        asked = plan.read()
        if plan.ranges:
            asked += plan.at(ends(plan)).read()
        verify(plan, asked)
        warn(warnings_of(asked))
    except ScenarioError as error:
        if output != "json":
            raise
        mistakes = error.mistakes
    if output == "json":
        emit(json_text({"scenario": file.stem, "mistakes": mistakes}))
        return 2 if mistakes else 0
    if plan.is_file or len(asked) > 1:
        emit(f"{path_text(file)}: sound at {'all ' * (len(asked) > 1)}{things(len(asked), 'point')}.")
        return None
    scenario = asked[0].scenario
    begin, end = scenario.window
    counts = zip(scenario.sizes, ("node", "link", "flow"), strict=True)
    sizes = ", ".join(things(count, thing) for count, thing in counts)
    run = f"{sizes} for {end:g} s, counting from {begin:g} s, with seed {scenario.seed}"
    emit(f"{path_text(file)}: sound. It would run {run}.")
    for node, link, needed, given in scenario.headrooms:
        has = "none of its own" if given is None else f"{given:,} bytes"
        needs = f"what comes after a pause takes up to {needed:,} bytes over the link {link}"
        emit(f"Headroom of {node} for each link and paused class: {has}; {needs}.")
    return None


def _check_folder(file: Path, output: Format) -> int | None:
    from penstock.cli.console import emit, warn
    from penstock.errors import ScenarioError
    from penstock.printable import json_text, path_text, things
    from penstock.reproductions.answers import check_answers
    from penstock.reproductions.loading import load

    mistakes: list[Mistake] = []
    try:
        study = load(f"{file}/" if file.is_dir() else str(file))
        checked = check_answers(study)
        warn(checked.warnings)
    except ScenarioError as error:
        if output != "json":
            raise
        mistakes = error.mistakes
    if output == "json":
        emit(json_text({"scenario": file.stem, "mistakes": mistakes}))
        return 2 if mistakes else 0
    numbers = sum(len(table.numbers()) for table in study.document.tables)
    answers = f", and with {things(checked.answers, 'other answer')}" if checked.answers else ""
    emit(f"{path_text(file)}: sound, with {checked.scenarios} scenarios for {numbers} printed numbers{answers}.")
    return None
