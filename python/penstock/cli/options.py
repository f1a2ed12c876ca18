"""Options and arguments that several verbs share, and their common checks."""

from pathlib import Path
from typing import Annotated, Any, Literal

import click

from penstock.cli.verb import Declaration, argument, option
from penstock.errors import InputError
from penstock.memory import read_size
from penstock.printable import quoted, utf8
from penstock.records import MOST_RUNS

SAMPLE = 5  # stored runs that are repeated by default


def whole_number(text: str) -> int:
    """Reads a seed or the number of a replication. Raises ValueError unless it is from 0 to 2^64 - 1."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < 2**64:
        raise ValueError(f"{quoted(text)} is not a whole number from 0 to 2^64 - 1.")
    return number


def workers(text: str) -> str:
    """Checks the value of ``--on``; raises ArgumentError if there are no such workers."""
    from penstock.workers.place import Place

    Place.read(text)
    return text


def sample_size(text: str) -> int:
    """Reads a number of runs to repeat, -1 for "all". Raises ValueError if it is neither."""
    if text == "all":
        return -1
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValueError(f"{quoted(text)} is not a number of runs, nor 'all'.")
    return int(text)


def runs_option(text: str) -> Declaration:
    """The option ``--runs`` of a verb for which the number means `text`."""
    return option("--runs -n N", text, bounds=(1, MOST_RUNS))


def number_option(name: str, text: str) -> Declaration:
    """An option for a seed, or for the number of a replication."""
    return option(f"{name} N", text, parser=whole_number)


def plot_option(what: str) -> Declaration:
    """The option ``--plot`` of a verb that draws `what`."""
    return option("--plot FILE", f"Also draw {what}, as .svg, .pdf or .png; repeatable.")


# Arguments
StudyFile = Annotated[Path, argument("FILE", "A scenario or study (TOML).")]
ScenarioFile = Annotated[Path, argument("FILE", "A scenario (TOML).")]

# Runs and settings
Runs = Annotated[int | None, runs_option("Number of independent runs.")]
StudyRuns = Annotated[int | None, runs_option("Independent runs per point. Default: as the study says, else 5.")]
Seed = Annotated[int | None, number_option("--seed", "Root of the random numbers. Default: the scenario's.")]
SeedOfRun = Annotated[int | None, number_option("--seed", "Only runs with this root of the random numbers.")]
Replication = Annotated[int, number_option("--replication", "Which of the independent runs, from 0 (the default).")]
Set = Annotated[
    list[str] | None,
    option("--set PATH=VALUE", "Change a setting of the scenario; repeatable. Several values, PATH=A,B, make a sweep."),
]
OneSet = Annotated[
    list[str] | None, option("--set PATH=VALUE", "Change a setting of the scenario, to one value; repeatable.")
]
Range = Annotated[
    list[str] | None,
    option(
        "--range PATH=LOW..HIGH",
        "Range of a setting, such as 'a-b.rate=1 Mbit/s..10 Mbit/s'; append ' log' for steps of equal ratio. "
        "PATH=A,B,C lists choices. Repeatable. A study file has them in [ranges].",
    ),
]
DryRun = Annotated[bool, option("--dry-run", "Run nothing; show points, runs, stored runs, and the estimated time.")]
Stored = Annotated[
    bool, option("--stored", "Run nothing; show the runs stored so far, also while another command is running.")
]

# How it is run
Jobs = Annotated[
    int | None, option("--jobs -j N", "Runs in parallel, at most 1024. Default: one per core.", bounds=(1, 1024))
]
On = Annotated[
    str,
    option(
        "--on WORKERS",
        "Where runs are made: threads of this process (the default); processes (a crash loses only the run in "
        "progress); or a Dask cluster: dask (on this machine), dask://HOST:PORT, or dask:NAME from the settings file. "
        "The numbers are the same.",
        parser=workers,
    ),
]
Threads = Annotated[
    int,
    option(
        "--threads N",
        "Cores per run, 1 (the default) to 64, for one large run; several runs finish sooner side by side. "
        "The numbers are the same.",
        bounds=(1, 64),
    ),
]
Memory = Annotated[
    int | None,
    option(
        "--memory SIZE",
        "Memory limit, such as '4 GB'; runs estimated to need more are refused. Default: what is available.",
        parser=read_size,
    ),
]
Executor = Annotated[
    Literal["horizon", "plain"],
    option(
        "--executor",
        "Order of execution: horizon is fast (the default); plain handles one event after the other and ignores the "
        "store. The numbers are the same.",
    ),
]

# Where results are
Store = Annotated[
    Path | None,
    option("--store DIR", "Folder of finished runs. Default: $PENSTOCK_STORE, else penstock in your cache folder."),
]
Format = Literal["table", "json"]
Output = Annotated[Format, option("--format", "table for people (the default), json for programs.")]
FrameFormat = Literal["table", "json", "csv", "parquet"]
FrameOutput = Annotated[
    FrameFormat,
    option(
        "--format",
        "table for people (the default); json, csv or parquet for programs. Redirect parquet: it is not text.",
    ),
]
Results = Annotated[
    Path | None,
    option("--out -o FILE", "Write the results to a file, in the format of its ending: .json, .csv or .parquet."),
]
Rows = Annotated[
    Path | None,
    option("--out -o --output FILE", "Write a file, .csv or .parquet. Default: standard output (not for parquet)."),
]
Limit = Annotated[int, option("--limit N", "Rows of a table, 50 by default.", bounds=(1, None))]
Force = Annotated[bool, option("--force", "Overwrite an existing page.")]

Replay = Annotated[
    Path | None,
    option("--replay LOG", "Repeat the arrivals that 'penstock emulate --log LOG' wrote; nothing is stored."),
]

# Parts of a run
At = Annotated[
    list[str] | None, option("--at NAME", "Only at this node and its ports, link, or group of them; repeatable.")
]
Flows = Annotated[
    list[str] | None, option("--flow NAME", "Only this group of flows or calls, or a member: tcp[3]; repeatable.")
]
Start = Annotated[str | None, option("--start TIME", "Only from this simulated time on.")]
Stop = Annotated[str | None, option("--stop TIME", "Only up to this simulated time.")]

# Stored runs
Name = Annotated[str | None, option("--name NAME", "Only runs of scenarios with this name; * matches anything.")]
Where = Annotated[
    list[str] | None,
    option("--where PATH=VALUE", "Only runs with this setting, from --set or the scenario; repeatable."),
]
OfStudy = Annotated[Path | None, option("--study FILE", "Only runs of this scenario or study, in its current form.")]
Sample = Annotated[
    int | None, option("--sample N|all", f"Number of runs to repeat, {SAMPLE} by default.", parser=sample_size)
]

# Published studies
Table = Annotated[list[str] | None, option("--table ID", "Only this table or figure; repeatable.")]


def pairs(
    given: list[str] | None, option: str, form: str = "path=value, such as duration='20 s'"
) -> list[tuple[str, str]]:
    """Splits values of the form ``path=value``. Raises click.BadParameter if one has another form or is not UTF-8."""
    found = []
    for text in given or []:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise click.BadParameter(f"{quoted(text)} is not of the form {form}.", param_hint=f"'{option}'")
        if utf8(text) != text:
            raise click.BadParameter(f"{quoted(text)} is not UTF-8 text.", param_hint=f"'{option}'")
        found.append((path.strip(), value.strip()))
    return found


def read_sets(given: list[str] | None) -> tuple[tuple[str, str], ...]:
    """The settings of ``--set``, split by :func:`pairs`; the scenario's reader checks what they mean."""
    return tuple(pairs(given, "--set"))


def one_file(argument: Path | None, out: Path | None, what: str) -> Path:
    """The file that a verb writes, an argument or ``--out``. Raises InputError unless exactly one is given."""
    if argument is not None and out is not None:
        raise InputError(f"{what} is named twice, with and without --out; leave one of them out.")
    found = out if argument is None else argument
    if found is None:
        raise InputError(f"{what} needs a name: write it behind the verb, or --out FILE.")
    return found


def refuse_contradictions(*contradictions: tuple[object, str]) -> None:
    """Refuses options that contradict each other: those for which the first of a pair is true."""
    for is_there, why in contradictions:
        if is_there:
            raise InputError(f"{why}; leave one of them out.")


def refuse_idle(given: dict[str, Any], why: str) -> None:
    """Refuses options that would change nothing; `why` begins the message."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise InputError(f"{why}{name} changes nothing; leave it out.")


def words_of(given: dict[str, Any]) -> list[str]:
    """The words of a command line that has these options; None stands for one that is not given.

    >>> words_of({"--set": ["seed=2", "duration=1 s"], "--runs": 3, "--seed": None})
    ['--set', 'seed=2', '--set', 'duration=1 s', '--runs', '3']
    """
    several = {
        name: value if isinstance(value, list) else [value] for name, value in given.items() if value is not None
    }
    return [word for name, values in several.items() for value in values for word in (name, str(value))]
