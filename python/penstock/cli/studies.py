"""Plans of scenarios with settings and of study files, and tables and pictures of their results."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli.console import say, show, table, titled, warn
from penstock.cli.files import check_format, format_of, read_text, require_folder, write
from penstock.cli.options import FrameFormat
from penstock.errors import InputError
from penstock.memory import allow
from penstock.parameter_columns import parameter_columns
from penstock.plots.request import ENDINGS
from penstock.printable import one_line, path_text, quoted, things
from penstock.studies.compare import Compare
from penstock.studies.definition import Definition, alternatives, sweep
from penstock.studies.file import is_study, read_study
from penstock.studies.making import make
from penstock.studies.plan import RUNS, StudyPlan, points_of
from penstock.studies.precision import Precision
from penstock.studies.ranges import Range, read_range
from penstock.studies.request import PointRequest
from penstock.studies.result import StudyData
from penstock.studies.runner import Runner
from penstock.studies.sections import precision_of
from penstock.studies.toml_text import plain_value
from penstock.tabulation import about_means, contrasts_of, how_sure, made_from, table_of

if TYPE_CHECKING:
    from penstock.plots.canvas import Picture


def plan_of(
    file: Path,
    sets: Sequence[tuple[str, str]],
    runs: int | None = None,
    seed: int | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> StudyPlan:
    """The plan of a file, with the command line's values. Raises InputError if it has ranges and `ranges` is None."""
    text = read_text(file)
    points = sweep(sets)
    if is_study(text):
        values = {path: [plain_value(each) for each in alternatives(path, value)] for path, value in sets}
        override = {path: each if len(each) > 1 else each[0] for path, each in values.items()}
        plan = read_study(text, file, read_text, override, ranges)
        if ranges is None and plan.ranges:
            shown = path_text(file)
            raise InputError(
                f"{shown}: has ranges, which 'penstock screen {shown}' and 'penstock search {shown}' take values from."
            )
        if runs is not None and plan.precision is not None:
            raise InputError("the study has a precision target, so --runs changes nothing; leave one of them out.")
        plan = plan if runs is None else replace(plan, runs=runs)
    elif ranges:
        plan = replace(_ranged(file, text, sets, ranges), runs=runs or RUNS)
    else:
        plan = StudyPlan(file.stem, text, str(file), points, runs=runs or RUNS)
    if seed is not None and any(path == "seed" for point in plan.points for path, _ in point.sets):
        raise InputError("--seed: seed is a setting of the points too; leave one of them out.")
    return plan if seed is None else replace(plan, seed=seed)


def read_ranges(given: Sequence[str] | None) -> dict[str, Range]:
    """The ranges of ``--range``. Raises InputError with all mistakes."""
    found: dict[str, Range] = {}
    wrong = []
    for text in given or ():
        path, equals, written = (part.strip() for part in text.partition("="))
        if not equals or not path:
            wrong.append(f"--range {quoted(text)}: is not of the form PATH=LOW..HIGH or PATH=A,B,C.")
            continue
        if path in found:
            wrong.append(f"--range {path}: is given twice.")
        several = [plain_value(each) for each in alternatives(path, written)]
        try:
            found[path] = read_range(several if len(several) > 1 else written)
        except ValueError as error:
            wrong.append(f"--range {path}: {error}.")
    if wrong:
        raise InputError("\n".join(wrong))
    return found


def read_precision(text: str) -> Precision:
    """The target of ``--precision``. Raises InputError with all mistakes."""
    metric, equals, width = (part.strip() for part in text.rpartition("="))
    if not equals or not metric:
        raise InputError(f"--precision {quoted(text)}: is not of the form METRIC=HALF-WIDTH, such as 'share=5 %'.")
    wrong: list[str] = []
    found = precision_of({"metric": metric, "half-width": width}, lambda _, message: wrong.append(message))
    if found is None or wrong:
        raise InputError("\n".join(f"--precision {quoted(text)}: {message}." for message in wrong))
    return found


def _ranged(file: Path, text: str, sets: Sequence[tuple[str, str]], ranges: Mapping[str, Range]) -> StudyPlan:
    settings = {}
    for path, value in sets:
        several = alternatives(path, value)
        if len(several) > 1:
            raise InputError(f"--set {path}: has several values, and only ranges vary here; write it as --range.")
        settings[path] = plain_value(several[0])
    definition = Definition(settings=settings, ranges=dict(ranges))
    points = points_of(definition, text, str(file), str(file))
    origins = {name: None for name, _ in definition.places()}
    return StudyPlan(file.stem, text, str(file), points, place=str(file), origins=origins, definition=definition)


def so_far(plan: StudyPlan, found: StudyData, runs: int) -> str:
    """The progress of a study with `runs` runs per point, or more."""
    there, total = len(found.points), len(plan.points)
    which = f" at {there} of {total} points" if there < total else ""
    least = "at least " * (plan.precision is not None)
    return f"So far: {found.run_count} of {least}{things(runs * total, 'run')}{which}. Nothing was run."


def made_told(plan: StudyPlan, asked: Sequence[PointRequest], making: AbstractContextManager[Runner]) -> StudyData:
    """Makes the missing runs of a study, and warns of what its numbers may hide."""
    with making as runner:
        result = make(plan, asked, runner)
    warn(result.cautions)
    return result


def show_results(result: StudyData, replication: int | None = None) -> None:
    """Shows a line per metric and point; below the table, the number of runs and their intervals."""
    plan = result.plan
    parameters = parameter_columns([point.parameters for point in result.points], result.parameters)
    description = plan.description or result.points[0].asked.scenario.description
    columns, rows = table_of(result.summaries(), parameters)
    show(table(titled(plan.name, description), columns, rows, right=["mean", "runs", "finished"]))
    show(*parameters.notes)
    show(how_sure(result.points, replication))
    show(*about_means(columns, rows))
    show(made_from(result.provenances, result.parameters))
    if plan.precision is not None:
        numbers = [len(point.runs) for point in result.points]
        each = str(numbers[0]) if len(set(numbers)) == 1 else f"{min(numbers)} to {max(numbers)}"
        goal = f"±{plan.precision.goal} of {one_line(plan.precision.metric)}"
        show(f"{each} runs of each point, until {goal} (Law's sequential rule).")
    if result.warm_up is not None and plan.warm_up is not None:
        found = f"warm-up {result.warm_up.text}, by MSER-5 of {one_line(plan.warm_up.metric)}"
        show(f"{found} in {plan.warm_up.windows} windows; the longest of all points.")
    if plan.compare is not None:
        _show_comparisons(result, plan.compare)


def _show_comparisons(result: StudyData, what: Compare) -> None:
    points = [point.parameters for point in result.points]
    heads, baseline, found = contrasts_of(result.comparisons(), what, points, result.parameters)
    rows = [
        (*cells, f"{each.p_holm:.2g}", "yes" if is_sure else "no", str(each.runs)) for each, cells, is_sure in found
    ]
    columns = [*heads, "p", "significant", "pairs"]
    show(table(f"Differences from {heads[-3]} = {baseline}", columns, rows, right=["difference", "p", "pairs"]))
    show("Differences of runs with the same random numbers; p by Holm's procedure over all of them.")


def check_outputs(
    output: FrameFormat, file: Path, out: Path | None, plots: Sequence[Path], memory: int | None, *, dry_run: bool
) -> FrameFormat:
    """Sets the memory limit and returns the format. Raises InputError if an output cannot be written."""
    output = format_of(output, out)
    check_format(output, file, dry_run=dry_run, out=out)
    check_endings(plots)
    allow(memory)
    return output


def check_endings(files: Sequence[Path]) -> None:
    """Raises InputError if a file of a plot has an unknown suffix, or its folder does not exist."""
    for file in files:
        if file.suffix.lower().lstrip(".") not in ENDINGS:
            what = f"ends with {quoted(file.suffix)}" if file.suffix else "has no ending"
            endings = ", ".join(f".{each}" for each in ENDINGS)
            raise InputError(f"{path_text(file)}: {what}; pictures end with {endings}.")
        require_folder(file, example="plot.svg")


def save(drawn: "Picture", file: Path) -> None:
    """Writes a picture in the format of the file's ending; raises as :func:`penstock.cli.files.write`."""
    write(file, drawn.content(file.suffix.lower().lstrip(".")))


def save_plots(picture: Callable[[], "Picture"], files: Sequence[Path]) -> None:
    """Draws the picture in each file."""
    for each in files:
        save(picture(), each)
        say(f"{path_text(each)}: written.")


def show_ranges(ranges: Mapping[str, Range], names: list[str]) -> None:
    """Shows the ranges."""
    told = (
        f"{name} {each.text}{' (rounded to whole numbers)' * each.is_whole}"
        for name, (_, each) in zip(names, ranges.items(), strict=True)
    )
    show(f"ranges: {one_line('; '.join(told))}.")
