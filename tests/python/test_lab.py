"""The lab's server and what it tells a page, without a browser."""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest
import verbs
from lab_page import LIMIT, LONG, SCENARIO, get, last, look, opened, post

from penstock import _core
from penstock.cli.lab import _open as open_page
from penstock.errors import StoreError
from penstock.lab.alternatives import alternatives
from penstock.lab.look import panels, program
from penstock.lab.parameters import applied, controls, slots
from penstock.store import Store
from penstock.studies.toml_text import parsed

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def lab(tmp_path):
    with opened(tmp_path) as made:
        yield made


def all_controls(text, sets=()):
    document = parsed(text)
    groups = controls(applied(document, sets), document)
    return {each["path"]: each for group in groups for part in group["parts"] for each in _of(part)}


def _of(part):
    return [*part["controls"], *part["defaults"]]


def test_numbers_come_in_rounds_and_then_from_the_store(lab):
    address, _, _ = lab
    events = look(address, runs=5)
    counts = [(each["runs"], each["of"]) for each in events if each["kind"] == "numbers"]
    assert counts == [(2, 5), (4, 5), (5, 5)]
    first, numbers = events[0], last(events, "numbers")
    assert first["kind"] == "controls"
    assert numbers["stored"] == 0
    assert [each["metric"] for each in numbers["metrics"]][:3] == ["goodput", "loss", "queue"]
    assert all(each["low"] <= each["mean"] <= each["high"] for each in numbers["metrics"])
    again = last(look(address, runs=5), "numbers")
    assert again["stored"] == 5
    assert again["metrics"] == numbers["metrics"]


def test_the_numbers_are_those_of_the_command_that_is_copied(lab, tmp_path, penstock):
    address, file, _ = lab
    events = look(address, sets=[(LIMIT, "7 packets")], runs=3)
    copied = last(events, "scenario")["command"]
    assert copied == f"penstock run {file} --set '{LIMIT}=7 packets' --runs 3 --store {tmp_path / 'store'}"
    code, out, _ = penstock(*shlex.split(copied)[1:], "--format", "json")
    assert code == 0
    shown = [(each["name"], each["mean"]) for each in json.loads(out)["metrics"]]
    assert shown == [(each["metric"], each["mean"]) for each in last(events, "numbers")["metrics"]]
    kept = len(list(Store(tmp_path / "store").manifests()))
    assert kept == 3  # the command has run nothing

    written = last(events, "scenario")["python"]
    assert written == program(file, [(LIMIT, "7 packets")], 3, 1, tmp_path / "store")
    names = {}
    exec(compile(written, "copied", "exec"), names)
    assert [run.cached for run in names["results"]] == [True] * 3


def test_what_happens_over_time_is_that_of_the_series(lab):
    from penstock.series import TimeSeries

    address, _, _ = lab
    events = look(address, panel="Queue of r-b")
    panel = last(events, "panel")
    (line,) = panel["lines"]
    every = f"{round(1e9 / 600)} ns"
    frame = TimeSeries(SCENARIO, of="r-b", what="queue", every=every, seed=1).frame()
    assert line["y"] == frame["value"].to_list()
    assert max(line["y"]) > 10
    assert (panel["unit"], panel["left_out"]) == ("packets", 0)
    text = SCENARIO.replace('"tcp"', '"tcp"\ncount = 20', 1)
    many = last(look(address, text, panel="Congestion windows of tcp"), "panel")
    assert [line["name"] for line in many["lines"]] == [f"tcp[{number}]" for number in range(8)]
    assert (many["unit"], many["left_out"]) == ("segments", 12)


def test_a_short_run_has_a_state_over_time(lab):
    text = SCENARIO.replace('start = { uniform = ["0 s", "100 ms"] }\n', "")
    panel = last(look(lab[0], text, sets=[("duration", "1 us")]), "panel")
    assert ("why" in panel, len(panel["lines"][0]["x"])) == (False, 101)  # every 10 ns, both ends included


def test_mistakes_have_lines_or_settings(lab):
    address, _, _ = lab
    text = SCENARIO.replace("tail-drop", "tail-dorp").replace('"5 ms"', "5")
    (found,) = [each for each in look(address, text=text) if each["kind"] == "mistakes"]
    expected = _core.check(text, "net.toml")
    assert [(each["line"], each["message"]) for each in found["mistakes"]] == [
        (each["line"], each["message"]) for each in expected
    ]
    assert {each["line"] for each in found["mistakes"]} == {17, 19}
    (found,) = [each for each in look(address, sets=[(LIMIT, "20")]) if each["kind"] == "mistakes"]
    assert [(each["setting"], each["line"]) for each in found["mistakes"]] == [(LIMIT, None)]
    assert "has no unit" in found["mistakes"][0]["message"]
    controlled, found, *_ = look(address, text="duration = [")
    assert (controlled["groups"], found["mistakes"][0]["line"]) == ([], 1)


@pytest.mark.parametrize(
    ("error", "said"),
    [(StoreError("the disk is full"), "the disk is full"), (KeyError("x"), "This is a bug in Penstock: KeyError: 'x'")],
)
def test_runs_that_fail_say_why(lab, monkeypatch, error, said):
    def make(*_):
        raise error

    monkeypatch.setattr("penstock.lab.look.Runner.make", make)
    assert last(look(lab[0]), "failed")["message"] == said


def test_a_new_look_of_a_page_cancels_its_earlier_one(lab):
    address, _, session = lab
    ends = []
    first = threading.Thread(target=lambda: ends.append(look(address, text=LONG, page="one")))
    first.start()
    while not session._looks:
        time.sleep(0.01)
    events = look(address, page="one", until="numbers")
    assert last(events, "numbers")["runs"] == 2
    first.join(timeout=30)
    assert ends
    assert not any(each["kind"] in ("numbers", "done") for each in ends[0])


def test_a_page_that_goes_away_cancels_its_look(lab):
    address, _, session = lab
    look(address, text=LONG, page="gone", until="scenario")
    end = time.monotonic() + 30
    while session._looks or any(each.name == "penstock-look" for each in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_only_the_address_with_its_token_answers(lab):
    address, _, _ = lab
    parts = urllib.parse.urlsplit(address)
    base, port = f"http://{parts.netloc}", parts.port
    assert get(address)[0] == 200
    for path in ("/", "/wrong/", "/wrong/disk", f"{parts.path}x"[:-3] + "/", "//"):
        status, _, said = get(base + path)
        assert (status, "token" in said) == (403, True), path
    assert post(f"{base}/wrong/save", {"text": "x", "known": None})[0] == 403
    assert post(f"{base}/wrong/look", {})[0] == 403
    assert get(f"{address}assets/nothing.js")[0] == 404
    assert get(f"{address}nothing")[0] == 404
    # A name that a stranger's server has pointed at this machine, and a page of a stranger.
    for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        assert get(address, {"Host": host})[0] == 403, host
    assert get(f"http://localhost:{port}{parts.path}")[0] == 200
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}"):
        assert post(f"{address}save", {"text": "x", "known": None}, {"Origin": origin})[0] == 403, origin


def test_the_page_may_load_nothing_from_elsewhere(lab):
    address, _, _ = lab
    _, headers, page = get(address)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "http" not in policy
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == [
        "data:,",
        "assets/page.css",
        "#results",
        "assets/plots.js",
        "assets/controls.js",
        "assets/page.js",
        "assets/plotly.js",
    ]
    assert headers["referrer-policy"] == "no-referrer"


def test_a_text_is_saved_unless_the_file_has_changed(lab):
    address, file, _ = lab
    known = json.loads(get(f"{address}disk")[2])["digest"]
    status, answer = post(f"{address}save", {"text": SCENARIO + "# mine\n", "known": known})
    assert status == 200
    assert file.read_text() == SCENARIO + "# mine\n"
    file.write_text(SCENARIO + "# another's\n")
    status, said = post(f"{address}save", {"text": SCENARIO, "known": answer["digest"]})
    assert (status, "has changed on disk" in said) == (409, True)
    assert file.read_text() == SCENARIO + "# another's\n"
    assert post(f"{address}save", {"text": SCENARIO, "known": None})[0] == 200
    assert file.read_text() == SCENARIO
    file.unlink()
    assert "there is no such file" in get(f"{address}disk")[2]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": 1, "sets": [], "runs": 1, "panel": ""},
        {"text": "", "sets": [["a"]], "runs": 1, "panel": ""},
        {"text": "", "sets": [["a", 1]], "runs": 1, "panel": ""},
        {"text": "", "sets": [], "runs": 0, "panel": ""},
        {"text": "", "sets": [], "runs": True, "panel": ""},
        {"text": "", "sets": [], "runs": 1001, "panel": ""},
    ],
)
def test_what_is_no_look_is_refused(lab, body):
    assert post(f"{lab[0]}look", body)[0] == 400


def test_controls_have_ranges_units_and_docs():
    found = all_controls(SCENARIO)
    limit = found[LIMIT]
    assert (limit["low"], limit["high"], limit["unit"], limit["log"], limit["whole"]) == (2, 200, "packets", True, True)
    assert limit["doc"] == "Maximum length of the queue."
    assert found["r-b.delay"]["unit"] == "ms"
    assert not {"r-b.from", "r-b.to", "tcp.from"} & found.keys()
    assert found["tcp.transport.tcp.variant"]["kind"] == "choice"
    assert found["tcp.transport.tcp.min-rto"]["default"] == "1 s"
    assert (found["warm-up"]["low"], found["warm-up"]["high"]) == (0, 1)
    moved = all_controls(SCENARIO, [(LIMIT, "50 packets")])[LIMIT]
    assert (moved["value"], moved["written"]) == ("50 packets", "20 packets")
    text = (EXAMPLES / "pfc.toml").read_text().replace("drr", "wrr").replace('quantum = "1500 bytes"', "weight = 2")
    assert all_controls(text)["edge-core.class.storage.weight"]["high"] == 20
    assert [each["path"] for each in slots(parsed(SCENARIO))][:2] == ["r-b.queue", "tcp.source"]


@pytest.mark.parametrize("value", ["abc", "", "true", "1e308 packets", "1e999", "9" * 400], ids=lambda value: value[:8])
def test_a_value_that_is_none_keeps_its_control_and_range(value):
    moved = all_controls(SCENARIO, [(LIMIT, value)])
    assert [moved[LIMIT][end] for end in ("kind", "low", "high", "unit")] == ["slider", 6, 600, "packets"]
    assert moved.keys() == all_controls(SCENARIO).keys()
    json.dumps(moved, allow_nan=False)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.stem)
def test_every_control_of_an_example_can_be_moved(file):
    """The checker knows each path; a value may be refused, as where a threshold passes another."""
    text = file.read_text()
    found = all_controls(text)
    assert len(found) >= 4
    for path, control in found.items():
        if control["kind"] == "slider":
            middle = (control["low"] * control["high"]) ** 0.5 if control["log"] else control["high"] / 2
            assert control["low"] < control["high"], path
            value = f"{round(middle) if control['whole'] else float(f'{middle:.3g}')} {control['unit']}".strip()
        else:
            value = control["value"]
        for mistake in _core.check(text, file.name, [(path, value)], str(EXAMPLES)):
            assert not any(words in mistake["message"] for words in ("unknown", "leads nowhere", "unit")), mistake


@pytest.mark.parametrize("wrong", [5, [5], {"x": 5}], ids=str)
@pytest.mark.parametrize("name", ["pfc", "pcn-admission", "transfers"])
def test_any_value_anywhere_leaves_controls(name, wrong):
    """A scenario with mistakes has controls too, whatever the mistakes are."""
    text = (EXAMPLES / f"{name}.toml").read_text()
    for path in _places(parsed(text)):
        document = parsed(text)
        inner = document
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = wrong
        changed = applied(document, [("nodes.hosts.count", "3"), ("edge-core.class.bulk.quantum", "5"), ("x.y", "1")])
        assert isinstance(controls(changed, document), list)
        panels(changed)
        if name == "pfc":
            for slot in slots(changed)[:1]:
                alternatives(text, [], str(EXAMPLES), changed, slot)


def _places(value, path=()):
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def test_other_components_are_offered_if_they_are_sound(lab):
    address, _, _ = lab
    options = last(look(address), "options")["options"]
    assert {"codel", "red", "pie"} <= {each["name"] for each in options["r-b.queue"]}
    codel = next(each for each in options["r-b.queue"] if each["name"] == "codel")
    assert codel["sets"] == [["r-b.queue", '{ codel = { limit = "20 packets" } }']]
    control = options["tcp.transport.tcp.congestion-control"]
    # The variant names a congestion control too, and gives way.
    cubic = next(each for each in control if each["name"] == "cubic")
    assert cubic["sets"][0][0] == "tcp.transport.tcp"
    assert "variant" not in cubic["sets"][0][1]
    for found in options.values():
        for each in found:
            assert _core.check(SCENARIO, "net.toml", [tuple(pair) for pair in each["sets"]]) == []


def test_a_scheduler_is_exchanged_with_what_its_classes_need(lab):
    address, _, _ = lab
    text = (EXAMPLES / "pfc.toml").read_text()
    options = last(look(address, text=text, runs=1), "options")["options"]["edge-core.scheduler"]
    assert {"wrr", "priority"} & {each["name"] for each in options}
    wrr = next(each for each in options if each["name"] == "wrr")
    assert ["edge-core.class.storage", "{ weight = 1 }"] in wrr["sets"]


@pytest.fixture
def started(tmp_path):
    """Starts the command; gives the process and its address."""
    begun = []

    def start(*words, text=SCENARIO):
        (tmp_path / "net.toml").write_text(text)
        command = [*verbs.COMMAND, "lab", "net.toml", "--no-browser", *words]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=verbs.environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_it_and_keeps_finished_runs(started, tmp_path):
    process, address = started("--runs", "2", "--set", f"{LIMIT}=9 packets")
    listening = psutil.Process(process.pid).net_connections(kind="inet")
    assert {each.laddr.ip for each in listening if each.status == psutil.CONN_LISTEN} == {"127.0.0.1"}
    assert f'[["{LIMIT}", "9 packets"]]'.replace('"', "&#34;") not in get(address)[2]
    look(address, runs=2)
    # One that never ends is under way.
    with closing(socket.create_connection(urllib.parse.urlsplit(address).netloc.split(":"))):
        threading.Thread(target=lambda: _quietly(look, address, text=LONG), daemon=True).start()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "finished runs are kept" in said
    assert len(list(Store(tmp_path / "store").manifests())) == 2


def _quietly(call, *words, **options):
    with suppress(OSError):
        call(*words, **options)


def test_a_port_that_is_in_use_is_told(penstock, tmp_path):
    (tmp_path / "net.toml").write_text(SCENARIO)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = penstock("lab", "net.toml", "--no-browser", "--port", port)
    assert code == 2
    assert f"--port {port}: Address already in use; choose another one" in err


def test_what_cannot_be_opened_is_told(penstock, tmp_path, monkeypatch):
    (tmp_path / "study.toml").write_text('scenario = "net.toml"\n[grid]\n"r-b.delay" = ["1 ms", "2 ms"]\n')
    (tmp_path / "net.toml").write_text(SCENARIO)
    code, _, err = penstock("lab", "study.toml")
    assert code == 2
    assert "is a study file, and the lab opens scenarios: try 'penstock lab net.toml'" in err
    code, _, err = penstock("lab", "nte.toml")
    assert (code, "did you mean net.toml?" in err) == (2, True)
    code, _, err = penstock("lab", "net.toml", "--set", "r-b.delay=1 ms,2 ms")
    assert (code, "the lab shows one setting at a time" in err) == (2, True)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    code, _, err = penstock("lab", "net.toml")
    assert (code, "install them with: pip install 'starlette" in err) == (2, True)


def test_a_browser_is_opened_where_there_is_a_display(monkeypatch, capsys):
    addresses = []
    monkeypatch.setattr("webbrowser.open", lambda address: addresses.append(address) or True)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    open_page("http://127.0.0.1:1/")
    assert addresses == []
    assert "open the address yourself" in capsys.readouterr().err
    monkeypatch.setenv("DISPLAY", ":0")
    open_page("http://127.0.0.1:1/")
    assert addresses == ["http://127.0.0.1:1/"]


def test_help_imports_no_server():
    program = (
        "import sys\nfrom penstock.cli import main\nsys.argv[1:] = ['lab', '--help']\ntry:\n    main()\n"
        "except SystemExit:\n    print({'starlette', 'uvicorn', 'asyncio'} & {*sys.modules})"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "--no-browser" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "set()"
