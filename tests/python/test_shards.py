"""Shards: parts of a study that several machines make into one store, and the job script that has Slurm do so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from penstock.cli.studies import plan_of
from penstock.errors import InputError
from penstock.studies.plan import Shard
from penstock.template import TEMPLATE

SETS = ("--set", "duration=2 s,3 s", "--set", "warm-up=1 s")


@pytest.fixture
def first(tmp_path):
    file = tmp_path / "first.toml"
    file.write_text(TEMPLATE, encoding="utf-8")
    return file


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_every_run_belongs_to_one_shard_and_points_are_spread(first, count):
    asked = plan_of(first, (("duration", "100 s,200 s,300 s"),), runs=5).read()
    every = [(point.point.sets, number) for point in asked for number in point.replications]
    shards = [Shard(number, count).of(asked) for number in range(1, count + 1)]
    dealt = [(point.point.sets, number) for shard in shards for point in shard for number in point.replications]
    assert sorted(dealt) == sorted(every)
    sizes = [sum(len(point.replications) for point in shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3", "is not of the form I/N, such as 2/8"),
        ("0/4", "of 4 shards there are 1/4 to 4/4"),
        ("5/4", "of 4 shards there are 1/4 to 4/4"),
        ("1/0", "a study has 1 to 10000 shards, not 0"),
        ("1/20000", "a study has 1 to 10000 shards, not 20000"),
        ("-1/4", "is not of the form"),
    ],
)
def test_shards_that_do_not_exist(text, told):
    with pytest.raises(InputError, match=told):
        Shard.read(text)


def test_shards_together_are_the_study(penstock, first, tmp_path):
    told = [
        penstock("run", first, *SETS, "--shard", f"{n}/3", "--store", tmp_path / "shared")[1].splitlines()[0]
        for n in (1, 2, 3)
    ]
    assert [line.partition(" runs")[0] for line in told] == [
        "shard 1/3: 4 of 10",
        "shard 2/3: 3 of 10",
        "shard 3/3: 3 of 10",
    ]
    _, again, _ = penstock("run", first, *SETS, "--shard", "2/3", "--store", tmp_path / "shared")
    assert again.startswith("shard 2/3: 3 of 10 runs (3 from the store).")
    code, joined, _ = penstock("run", first, *SETS, "--stored", "--format", "json", "--store", tmp_path / "shared")
    assert code == 0
    assert joined == penstock("run", first, *SETS, "--format", "json", "--store", tmp_path / "own")[1]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--dry-run"], "--shard divides runs, and --dry-run makes none"),
        (["--stored"], "--shard divides runs, and --stored makes none"),
        (["--executor", "plain"], "--shard is for a store"),
        (["--replication", "1"], "--replication makes one run"),
        (["--format", "json"], "--shard shows no numbers"),
    ],
)
def test_what_contradicts_a_shard(penstock, first, more, told):
    code, _, err = penstock("run", first, "--shard", "1/2", *more)
    assert code == 2
    assert told in err


def test_a_study_whose_runs_are_not_known_is_not_divided(penstock, first, tmp_path):
    assert first.is_file()
    study = tmp_path / "enough.toml"
    text = 'scenario = "first.toml"\n[precision]\nmetric = "METRIC"\nhalf-width = "3 %"\n'
    study.write_text(text, encoding="utf-8")
    for words in (["run", study, "--shard", "1/2"], ["slurm", study]):
        code, out, err = penstock(*words)
        assert (code, out) == (2, "")
        assert "enough has a precision target, so which runs there are depends on others" in err
    assert not (tmp_path / "enough.sbatch").exists()


def test_the_jobs_of_a_script_make_the_study(penstock, first, tmp_path):
    """As Slurm starts them: the script, with the number of the job in its environment. Slurm itself is not asked."""
    store = tmp_path / "shared"
    code, out, _ = penstock("slurm", first, *SETS, "--runs", "2", "--shards", "2", "--cpus", "1", "--store", store)
    assert code == 0
    assert out.startswith("first.sbatch: written, 4 runs in 2 jobs. Submit: sbatch first.sbatch\n")
    script = (tmp_path / "first.sbatch").read_text(encoding="utf-8")
    assert script.startswith("#!/bin/bash\n#SBATCH --job-name=penstock-first\n#SBATCH --array=1-2\n")
    assert "#SBATCH --requeue\n" in script
    for number in (1, 2):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(number), "PYTHONPATH": os.pathsep.join(sys.path)}
        job = ["bash", str(tmp_path / "first.sbatch")]
        ended = subprocess.run(job, env=environment, cwd="/", capture_output=True, text=True, check=True)
        assert ended.stdout.startswith(f"shard {number}/2: 2 of 4 runs.")
    _, joined, _ = penstock("run", first, *SETS, "--runs", "2", "--stored", "--format", "json", "--store", store)
    assert joined == penstock("run", first, *SETS, "--runs", "2", "--format", "json", "--store", tmp_path / "own")[1]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--time", "soon"], "--time 'soon' is no time of Slurm"),
        (["--out", "there.sbatch"], "there.sbatch: exists and is left as it is"),
        (["--out", "nowhere/job"], "there is no folder nowhere"),
    ],
)
def test_scripts_that_are_not_written(penstock, first, tmp_path, more, told):
    (tmp_path / "there.sbatch").write_text("mine", encoding="utf-8")
    code, out, err = penstock("slurm", first, *more)
    assert (code, out) == (2, "")
    assert told in err
    assert (tmp_path / "there.sbatch").read_text(encoding="utf-8") == "mine"
