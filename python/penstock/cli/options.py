"""Options that several verbs share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.printable import quoted, utf8

__all__ = [
    "MOST_RUNS",
    "THREADS",
    "DryRunOption",
    "Format",
    "FormatOption",
    "FrameFormat",
    "FrameFormatOption",
    "JobsOption",
    "MemoryOption",
    "OnOption",
    "RangeOption",
    "ResultsOption",
    "RunsOption",
    "SeedOption",
    "SetOption",
    "StoreOption",
    "StudyArgument",
    "StudyRunsOption",
    "ThreadsOption",
    "one_file",
    "out_option",
    "plot_option",
    "read_sets",
    "whole_number",
]


def whole_number(text: str) -> int:
    """What seeds and replications may be; the help would spell out the largest of them.

    Raises
    ------
    typer.BadParameter
        If it is no whole number, negative, or above 2^64 - 1.
    """
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < 2**64:
        raise typer.BadParameter(f"{quoted(text)} is not a whole number from 0 to 2^64 - 1.")
    return number


def memory_size(text: str) -> int:
    """How much memory runs may take.

    Raises
    ------
    typer.BadParameter
        If it is no size.
    """
    from penstock.memory import read_size

    try:
        return read_size(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


MOST_RUNS = 100_000
"""The most runs of one scenario that a command makes; their results are held until they are shown."""


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"


class FrameFormat(StrEnum):
    """How results that are rows of numbers are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


FormatOption = Annotated[Format, typer.Option("--format", help="A table for people, or JSON for programs.")]
FrameFormatOption = Annotated[
    FrameFormat,
    typer.Option(
        "--format",
        help="A table for people; JSON, CSV or Parquet for programs. Parquet is not text: redirect it to a file.",
    ),
]
ResultsOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write the results into this file, whose ending says the format: .json, .csv or .parquet.",
        show_default=False,
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where finished runs are kept; $PENSTOCK_STORE, else penstock in your cache folder.",
        show_default=False,
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        max=1024,
        help="How many runs at the same time; all cores by default.",
        show_default=False,
    ),
]


def workers(text: str) -> str:
    """Who makes runs.

    Raises
    ------
    typer.BadParameter
        If there are no such workers.
    """
    from penstock.errors import ArgumentError
    from penstock.workers.place import Place

    try:
        Place.read(text)
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None
    return text


THREADS = "threads"
OnOption = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="WORKERS",
        parser=workers,
        help="Who makes the runs: threads of this process; processes, of which one that crashes or is killed costs no "
        "more than the run that it was making; or a Dask cluster: dask on this machine, dask://HOST:PORT, or dask:NAME "
        "of the settings file. The numbers are the same.",
    ),
]
ThreadsOption = Annotated[
    int,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        max=64,
        help="How many cores one run may use, at most those of the machine; 1 by default. For one large run: several "
        "runs are done sooner side by side (--jobs). The numbers are the same.",
        show_default=False,
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option(
        "--runs", "-n", metavar="N", min=1, max=MOST_RUNS, help="How many independent runs.", show_default=False
    ),
]
StudyArgument = Annotated[Path, typer.Argument(help="The scenario or study, a TOML file.", metavar="FILE")]
StudyRunsOption = Annotated[
    int | None,
    typer.Option(
        "--runs",
        "-n",
        metavar="N",
        min=1,
        max=MOST_RUNS,
        help="How many independent runs of each point; 5, or what a study says, by default.",
        show_default=False,
    ),
]
RangeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="PATH=LOW..HIGH",
        help="Values of a setting, such as 'a-b.rate=1 Mbit/s..10 Mbit/s', with ' log' behind it for steps of equal "
        "ratio; or choices, PATH=A,B,C. May be repeated; a study file has them in [ranges].",
        show_default=False,
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Only show the points, the runs, what is stored, and about how long it takes."),
]
MemoryOption = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=memory_size,
        help="How much memory the runs may take, such as '4 GB', instead of what is available; runs that are estimated "
        "to take more are refused.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        parser=whole_number,
        help="Root of the random numbers; the scenario's own by default.",
        show_default=False,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change a setting of the scenario; may be repeated. Several values, PATH=A,B, make a sweep.",
        show_default=False,
    ),
]


def out_option(what: str, metavar: str = "FILE") -> Any:
    """The option of a verb that writes `what`."""
    return typer.Option("--out", "-o", metavar=metavar, help=what, show_default=False)


def one_file(argument: Path | None, out: Path | None, what: str) -> Path:
    """The file that a verb writes, which is an argument or follows --out.

    Raises
    ------
    InputError
        If there is none, or there are two.
    """
    from penstock.errors import InputError

    if argument is not None and out is not None:
        raise InputError(f"{what} is named twice, with and without --out; leave one of them out.")
    found = out if argument is None else argument
    if found is None:
        raise InputError(f"{what} needs a name: write it behind the verb, or --out FILE.")
    return found


def plot_option(what: str) -> Any:
    """The option of a verb that draws `what` beside its numbers."""
    return typer.Option(
        "--plot", metavar="FILE", help=f"Draw {what}: .svg, .pdf or .png; may be repeated.", show_default=False
    )


def read_sets(given: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Splits ``path=value``; what the value means is the scenario reader's business.

    Raises
    ------
    typer.BadParameter
        If there is no path or no equals sign, or it is not UTF-8.
    """
    pairs = []
    for text in given or []:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise typer.BadParameter(
                f"{quoted(text)} is not of the form path=value, such as duration='20 s'.", param_hint="'--set'"
            )
        if utf8(text) != text:
            raise typer.BadParameter(f"{quoted(text)} is not UTF-8 text.", param_hint="'--set'")
        pairs.append((path.strip(), value.strip()))
    return tuple(pairs)
