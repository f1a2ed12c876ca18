from __future__ import annotations

import csv
import json

import pytest

from penstock.cli.app import app

pytestmark = pytest.mark.usefixtures("core")


def test_run_shows_how_many_runs_and_how_sure(penstock, demo):
    code, out, _ = penstock("run", demo)
    assert code == 0
    assert "demo: A demo" in out
    line = next(line for line in out.splitlines() if line.startswith("goodput"))
    assert line.split() == ["goodput", "bulk", "4.20", "±0.20", "bit/s", "5"]
    assert "5 runs, seed 3; ± is half of the 95 % confidence interval." in out
    assert out.splitlines()[-1] == "duration 20 s, warm-up 0.5 s, model fake."
    assert "\x1b" not in out


def test_run_names_the_settings_that_it_was_given(penstock, demo):
    _, out, _ = penstock("run", demo, "--set", "rate=2.5", "--set", "size=7,8")
    assert out.splitlines()[-1] == "duration 20 s, warm-up 0.5 s, model fake, with rate = 2.5."


def test_csv_has_a_row_for_each_number(penstock, demo):
    code, out, _ = penstock("run", demo, "--set", "rate=1,2", "--runs", 2, "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert (code, len(rows)) == (0, 4)
    goodput = [row for row in rows if row["metric"] == "goodput"]
    assert [(row["rate"], float(row["mean"]), row["runs"]) for row in goodput] == [
        ("1", pytest.approx(4.05), "2"),
        ("2", pytest.approx(5.05), "2"),
    ]
    made_from = {"settings": '{"rate": "1"}', "duration_s": "20.0", "warm_up_s": "0.5", "seed": "3"}
    assert made_from.items() <= goodput[0].items()
    assert (goodput[0]["scenario"], goodput[0]["model_version"]) == ("demo", "fake")


def test_csv_of_single_runs(penstock, demo):
    _, out, _ = penstock("run", demo, "--runs", 2, "--format", "csv", "--values")
    rows = [row for row in csv.DictReader(out.splitlines()) if row["metric"] == "goodput"]
    assert [(row["replication"], float(row["value"])) for row in rows] == [("0", 4.0), ("1", pytest.approx(4.1))]


def test_frames_on_the_command_line_are_refused_where_there_are_none(penstock, demo):
    for arguments, said in (
        (["--values"], "--values needs --format csv or parquet; JSON has the numbers of single runs anyway.\n"),
        (["--dry-run", "--format", "csv"], "--dry-run gives no results; its --format is table or json.\n"),
    ):
        assert penstock("run", demo, *arguments) == (2, "", said)


def test_a_value_that_an_option_does_not_have_is_told_with_those_that_it_has(penstock, demo):
    code, _, told = penstock("run", demo, "--format", "xml")
    assert code == 2
    assert "Invalid value for '--format': 'xml' is not one of 'table', 'json', 'csv', 'parquet'." in told


def test_parquet_is_not_shown_on_a_terminal(penstock, demo, monkeypatch, core):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    said = "Parquet is not text and is not shown on a terminal; redirect it with '> FILE'.\n"
    assert penstock("run", demo, "--format", "parquet") == (2, "", said)
    assert core.Scenario.runs == 0


def test_json_is_the_public_interface(penstock, demo):
    code, out, _ = penstock("run", demo, "--runs", 2, "--seed", 1, "--format", "json")
    assert code == 0
    result = json.loads(out)
    assert result["scenario"] == "demo"
    metric = result["metrics"][0]
    assert list(metric) == ["name", "labels", "unit", "mean", "ci_low", "ci_high", "runs", "method", "values"]
    assert (metric["name"], metric["labels"], metric["unit"]) == ("goodput", {"flow": "bulk"}, "bit/s")
    assert metric["values"] == [2.0, 2.1]
    assert metric["mean"] == pytest.approx(2.05)
    # Half of it by hand: t(0.975, 1) = 12.706 times 0.0707 / sqrt(2).
    assert metric["ci_high"] - metric["mean"] == pytest.approx(12.7062 * 0.05, rel=1e-4)
    assert str(demo.parent) not in out


def test_json_of_one_run_knows_no_interval(penstock, demo):
    _, out, _ = penstock("run", demo, "--runs", 1, "--format", "json")
    metric = json.loads(out)["metrics"][0]
    assert (metric["ci_low"], metric["ci_high"], metric["runs"]) == (None, None, 1)


def test_json_is_the_same_for_any_number_of_workers_and_from_the_store(penstock, demo, tmp_path):
    arguments = ("run", demo, "--format", "json", "--runs", 6)
    outputs = {penstock(*arguments, "--jobs", jobs, "--store", tmp_path / f"{jobs}")[1] for jobs in (1, 2, 7)}
    outputs.add(penstock(*arguments, "--store", tmp_path / "1")[1])
    assert len(outputs) == 1


def test_one_replication_alone(penstock, demo):
    _, out, _ = penstock("run", demo, "--replication", 4, "--format", "json")
    assert json.loads(out)["metrics"][0]["values"] == [1.0 + 3 + 0.4]


def test_settings_are_handed_on_as_given(penstock, demo):
    _, out, _ = penstock("run", demo, "--set", "rate = 7.5", "--runs", 1, "--format", "json")
    assert json.loads(out)["metrics"][0]["values"] == [10.5]


def test_check_lists_all_mistakes(penstock, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("durations = 1\nfoo = 2\n")
    for command in ("check", "run"):
        code, out, err = penstock(command, file)
        assert (code, out) == (2, "")
        assert f"{file}:1: durations: unknown key 'durations'; did you mean 'duration'?" in err
        assert err.endswith("2 mistakes, nothing was run.\n")


def test_check_as_json(penstock, demo, tmp_path):
    code, out, _ = penstock("check", demo, "--format", "json")
    assert (code, json.loads(out)) == (0, {"scenario": "demo", "mistakes": []})
    (tmp_path / "bad.toml").write_text("foo = 2\n")
    code, out, _ = penstock("check", "bad.toml", "--format", "json")
    assert (code, json.loads(out)["mistakes"][0]["path"]) == (2, "foo")


def test_check_of_a_sound_scenario_says_what_would_run(penstock, tmp_path):
    (tmp_path / "a.toml").write_text("seed = 4\n")
    said = "a.toml: sound. It would run 3 nodes, 2 links, 1 flow for 20 s, counting from 0.5 s, with seed 4.\n"
    assert penstock("check", "a.toml") == (0, said, "")


@pytest.mark.parametrize(
    ("make", "name", "said"),
    [
        (lambda _: None, "dmeo.toml", "dmeo.toml: there is no such file; did you mean demo.toml?"),
        (lambda _: None, "demo", "demo: there is no such file; did you mean demo.toml?"),
        (lambda _: None, "demo.tml", "demo.tml: there is no such file; did you mean demo.toml?"),
        (lambda _: None, "ab.toml", "ab.toml: there is no such file; 'penstock new FILE' writes"),
        (lambda _: None, "zzz", "zzz: there is no such file; 'penstock new FILE' writes"),
        (lambda _: None, "nowhere/a.toml", "nowhere/a.toml: there is no such file, nor a folder nowhere."),
        (lambda _: None, ".", ".: is a folder, and a scenario is a file; did you mean demo.toml?"),
        (
            lambda p: (p / "empty").mkdir(),
            "empty",
            "empty: is a folder, and a scenario is a file; it holds no .toml files.",
        ),
        (lambda _: None, "demo.toml/a", "demo.toml/a: demo.toml is a file, not a folder."),
        (lambda p: (p / "e.toml").write_text(" \n"), "e.toml", "e.toml: is empty; 'penstock new FILE' writes"),
        (lambda p: (p / "l.toml").write_bytes(b"a = 1\nb = '\xe4'\n"), "l.toml", "l.toml:2: is not UTF-8 text;"),
    ],
)
@pytest.mark.usefixtures("demo")
def test_files_that_cannot_be_read(penstock, tmp_path, make, name, said):
    make(tmp_path)
    for command in ("run", "check"):
        code, out, err = penstock(command, name)
        assert (code, out) == (2, "")
        assert err.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["run", "demo.toml", "--runs", "0"],
            "Invalid value for '--runs' / '-n': 0 is not in the range 1<=x<=100000.",
        ),
        (
            ["run", "demo.toml", "--jobs", "-1"],
            "Invalid value for '--jobs' / '-j': -1 is not in the range 1<=x<=1024.",
        ),
        (
            ["run", "demo.toml", "--seed", "-1"],
            "Invalid value for '--seed': '-1' is not a whole number from 0 to 2^64 - 1.",
        ),
        (
            ["run", "demo.toml", "--runs", "many"],
            "Invalid value for '--runs' / '-n': 'many' is not a valid integer.",
        ),
        (["run", "demo.toml", "--format", "xml"], "'xml' is not one of 'table', 'json', 'csv', 'parquet'"),
        (["run", "demo.toml", "--set", "duration"], "'duration' is not of the form path=value"),
        (["run", "demo.toml", "--rnus", "3"], "No such option '--rnus'. (Did you mean one of: '--on', '--runs'?)"),
        (["run"], "Missing argument 'FILE'"),
        (["rnu", "demo.toml"], "No such command 'rnu'. Did you mean 'run'?"),
        (["reproduce", "af", "--reading", "af-a07"], "'af-a07' is not of the form id=key"),
        (["reproduce", "af", "--reading", "a=b", "--reading", "a=c"], "'a' is answered twice"),
        (["bench", "cbrr"], "there is no workload 'cbrr'; did you mean 'cbr'? The workloads are cbr, "),
        (["bench", "tcp-bulk", "--flows", "3"], "--flows changes nothing in tcp-bulk"),
        (["list", "disciplin"], "there is no kind 'disciplin'; did you mean 'discipline'? The kinds are "),
        (["explain", "rde"], "there is nothing called 'rde'; did you mean 'red'? 'penstock list' shows what there is."),
        (["explain", "zzzz"], "there is nothing called 'zzzz'. 'penstock list' shows what there is."),
        (["run", "demo.toml", "--seed", "x"], "'x' is not a whole number from 0 to 2^64 - 1."),
        (["run", "demo.toml", "--executor", "plain", "--store", "kept"], "--executor plain keeps no runs, so --store"),
        (["run", "demo.toml", "--executor", "plain", "--threads", "2"], "--executor plain has one core, so --threads"),
        (["run", "demo.toml", "--executor", "fast"], "'fast' is not one of 'horizon', 'plain'"),
        (["run", "demo.toml", "--replication", "1", "--runs", "3"], "--replication makes one run, so --runs changes"),
        (["reproduce", "af", "--reading", "af-a08"], "such as af-a08=periodic."),
        (["reproduce", "af", "--table", "9"], "no table '9' in af; its tables are 2 and 3."),
    ],
)
@pytest.mark.usefixtures("demo")
def test_what_was_asked_for_wrongly(penstock, arguments, said):
    code, out, err = penstock(*arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_a_failed_run_ends_with_1_and_says_how_to_repeat_it(penstock, tmp_path):
    (tmp_path / "f.toml").write_text("[fake]\nfail = [2]\n")
    code, out, err = penstock("run", "f.toml")
    assert (code, out) == (1, "")
    assert "f, seed 1, replication 2 failed: the queue is unstable" in err
    command = next(line for line in err.splitlines() if "repeat that one run: penstock" in line).split("penstock ")[1]
    code, _, err = penstock(*command.split())
    assert code == 1
    assert "the queue is unstable" in err


def test_a_store_that_is_a_file(penstock, demo):
    code, out, err = penstock("run", demo, "--store", demo)
    assert (code, out) == (2, "")
    assert f"the store must be a folder, but {demo} is a file" in err


def test_a_bug_of_ours_is_called_so(penstock, demo, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("penstock.cli.studies.read_text", broken)
    code, out, err = penstock("run", demo)
    assert (code, out) == (1, "")
    assert err.startswith("this is a bug in Penstock, not a mistake of yours: ZeroDivisionError: division by zero")
    assert f"PENSTOCK_TRACEBACK=1 penstock run {demo}" in err


def test_an_interruption_ends_with_130(penstock, demo, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("penstock.cli.studies.read_text", interrupt)
    code, out, err = penstock("run", demo)
    assert (code, out) == (130, "")
    assert "finished runs are kept" in err


def test_new_writes_once(penstock, tmp_path):
    assert penstock("new", "a.toml")[0] == 0
    content = (tmp_path / "a.toml").read_text()
    assert "[[flows]]" in content
    code, _, err = penstock("new", "a.toml")
    assert (code, err) == (2, "a.toml: exists and is left as it is; choose another name.\n")
    assert (tmp_path / "a.toml").read_text() == content
    code, _, err = penstock("new", "no/a.toml")
    assert (code, err) == (2, "no/a.toml: there is no folder no; make it first.\n")
    code, _, err = penstock("new", tmp_path)
    assert code == 2
    assert "is a folder" in err


@pytest.mark.parametrize(("verb", "option"), [("run", "--out"), ("emulate", "--log"), ("compare-hosts", "--windows")])
def test_a_folder_is_refused_as_a_result_before_anything_is_run(penstock, tmp_path, verb, option):
    penstock("new", "a.toml")
    code, _, err = penstock(verb, "a.toml", *(["--format", "json"] if verb == "run" else []), option, tmp_path)
    assert (code, err) == (2, f"{tmp_path}: is a folder; name a file in it.\n")


def test_list(penstock):
    code, out, _ = penstock("list")
    assert code == 0
    assert "discipline (queue.NAME in a scenario)" in out
    assert "effect of drop precedences in Assured Forwarding" in out
    assert ["link", "links[]", "A", "link."] in [line.split() for line in out.splitlines()]
    assert all(line == line.rstrip() for line in out.splitlines())
    assert penstock("list", "queue")[1].startswith("discipline (`queue` takes a discipline)\n")
    assert json.loads(penstock("list", "queue", "--format", "json")[1]) == json.loads(
        penstock("list", "discipline", "--format", "json")[1]
    )
    assert "Random early detection." in out
    assert "goodput" in out
    assert "goodput" not in penstock("list", "discipline")[1]
    assert "red" not in penstock("list", "metrics")[1].split()
    everything = json.loads(penstock("list", "--format", "json")[1])
    assert list(everything["components"]) == ["discipline"]
    for kind in ("studies", "suites"):
        assert everything[kind] == json.loads(penstock("list", kind, "--format", "json")[1])[kind] != []


def test_versions(penstock):
    import penstock as package

    said = f"penstock {package.__version__}, model {package.MODEL_VERSION}\n"
    assert penstock("--version") == penstock("--version", "run") == (0, said, "")


def test_the_example_of_a_reading_can_be_given(penstock):
    help_text = " ".join(penstock("reproduce", "--help")[1].split())
    reading = help_text.split("differently, such as ")[1].split(";")[0]
    question, key = reading.split("=")
    from penstock.reproductions.loading import load

    assert load("af").document.question(question).option(key).key == key


@pytest.mark.parametrize("verb", ["run", "check", "new", "list", "explain", "reproduce", "sensitivity", "bench"])
def test_help_names_what_is_to_be_given(penstock, verb):
    code, out, err = penstock(verb, "--help")
    assert (code, err) == (0, "")
    assert "range" not in out
    assert "{" not in out
    assert str(2**64 - 1) not in out


def test_the_list_of_verbs_says_each_in_one_line(penstock):
    lines = penstock("--help")[1].partition("Commands:\n")[2].splitlines()
    assert len(lines) > 20
    assert [line for line in lines if line.endswith("...") or not line.endswith(".")] == []


def test_the_list_of_verbs_says_of_each_what_its_own_help_says_first():
    for verb in app.commands.values():
        first = verb.get_short_help_str(100)
        assert verb.loaded().help.startswith(f"{first}\n\n")


def test_explain(penstock):
    code, out, _ = penstock("explain", "red")
    assert code == 0
    assert "max-probability" in out
    assert "Dropping probability at the upper threshold (max_p)." in out
    assert "default 0.1" in out
    code, out, _ = penstock("explain", "goodput")
    assert (code, "Unit: bit/s" in out) == (0, True)
    code, out, _ = penstock("explain", "link")
    assert (code, "`queue` (one component: discipline; may be left out): What it takes." in out) == (0, True)


def test_a_sensitivity_study_says_first_what_it_takes(penstock, monkeypatch):
    from penstock.reproductions import command

    seen = []
    monkeypatch.setattr(command, "vary", lambda _, tables, *__: seen.append(tuple(tables)) or [])
    code, _, told = penstock("sensitivity", "ubr", "--runs", 2)
    assert (code, seen) == (0, [("53-59-results", "36")])
    assert told.startswith("ubr: every answer to every open question, tables 53-59-results, 36: ")
    assert "G packet-hops. Of all tables: " in told
    assert "G packet-hops, with --all-tables." in told
    code, _, told = penstock("sensitivity", "md1k", "--runs", 2)
    assert told.startswith("md1k: every answer to every open question, its tables: ")
    assert penstock("sensitivity", "md1k", "--all-tables")[0] == 0
    assert seen[1:] == [(), ()]
    code, _, error = penstock("sensitivity", "ubr", "--all-tables", "--table", "36")
    assert (code, "--all-tables takes every table; leave --table out" in error) == (2, True)


def test_studies_are_handed_on(penstock, monkeypatch):
    from penstock.reproductions import command

    seen = []
    monkeypatch.setattr(command, "reproduce", lambda *given, **more: seen.append((*given, more["claims"])))
    monkeypatch.setattr(command, "sensitivity", lambda *given, **_: seen.append(given))
    options = ["--table", "2", "--table", "3", "--runs", "4", "--jobs", "2", "--format", "json"]
    assert penstock("reproduce", "af", *options, "--reading", "af-a07 = x", "--claims")[0] == 0
    assert penstock("sensitivity", "af", *options)[0] == 0
    (doc, asked, claims), (other, varied) = seen
    assert (doc, claims, other) == ("af", True, "af")
    for each in (asked, varied):
        assert (each.tables, each.runs, each.jobs, each.as_json) == (("2", "3"), 4, 2, True)
        assert each.store.folder.name == "store"
    assert (asked.readings, varied.readings) == ({"af-a07": "x"}, {})
