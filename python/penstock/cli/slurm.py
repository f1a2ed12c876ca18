"""``penstock slurm``: writes a job script that makes a study's runs in an array of Slurm jobs."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.console import emit
from penstock.cli.files import check_new, write
from penstock.cli.studies import plan_of
from penstock.cli.verb import option
from penstock.errors import InputError
from penstock.printable import command_text, file_word, path_text, quoted, things
from penstock.store import Store
from penstock.studies.plan import refuse_unknown_runs


def slurm(
    file: options.StudyFile,
    *,
    shards: Annotated[int, option("--shards N", "Number of jobs, 10 by default.", bounds=(1, 10_000))] = 10,
    cpus: Annotated[
        int, option("--cpus N", "Cores per job, 1 by default; each makes one run at a time.", bounds=(1, 1024))
    ] = 1,
    time: Annotated[str, option("--time TIME", "Time limit of a job for Slurm, 01:00:00 by default.")] = "01:00:00",
    out: Annotated[Path | None, option("--out -o SCRIPT", "The script. Default: FILE's name with .sbatch.")] = None,
    runs: options.Runs = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    store: options.Store = None,
) -> None:
    """Write a Slurm job script for a study.

    Each job of the array makes its share of the runs (penstock run --shard) and keeps them in one store, a folder on a
    shared disk. Finished runs of an interrupted job are kept, and a restarted job continues there. Nothing is run now.
    """
    script = out if out is not None else Path(f"{file.stem or 'study'}.sbatch")
    if re.fullmatch(r"(\d+-)?\d+(:\d\d){0,2}", time, re.ASCII) is None:
        raise InputError(f"--time {quoted(time)} is no time of Slurm, such as 01:30:00 or 2-12:00:00.")
    check_new(script, "study.sbatch", "choose another name with --out")
    plan = plan_of(file, options.read_sets(sets), runs, seed)
    refuse_unknown_runs(plan, "an array of jobs")
    total = sum(len(point.replications) for point in plan.read())
    count = min(shards, total)
    given = options.words_of({"--set": sets, "--runs": runs, "--seed": seed})
    folder = Store(store).folder.absolute()
    text = _script(file.absolute(), given, count, cpus, time, folder)
    write(script, text.encode("utf-8", "surrogateescape"), new=True)
    submit = command_text(["sbatch", file_word(script)])
    show = command_text(["penstock", "run", file_word(file), *given, "--store", str(folder)])
    emit(f"{path_text(script)}: written, {things(total, 'run')} in {things(count, 'job')}. Submit: {submit}")
    emit(f"When they are done: {show}")


def _script(file: Path, given: Sequence[str], shards: int, cpus: int, time: str, store: Path) -> str:
    words = [sys.executable, "-m", "penstock", "run", str(file), *given, "--store", str(store)]
    name = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in file.stem)
    script = Path(__file__).with_suffix(".sbatch").read_text(encoding="utf-8")
    return script.format(name=name, shards=shards, cpus=cpus, time=time, command=command_text(words))
