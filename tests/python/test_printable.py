"""What comes from outside acts on no terminal, hides nothing, and is shortened: in every verb, and in Python."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata

import pytest

import penstock
from penstock import _core
from penstock.cli import main
from penstock.errors import InputError, RunsFailed, ScenarioError, StoreError
from penstock.network import Node
from penstock.printable import command_text, json_text, printable, quoted, shortened
from penstock.records import Metric, RunFailure, RunRequest, RunResult
from penstock.results import to_frame
from penstock.store import Store

ESCAPED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""What must not be printed; written apart from what it tests. Lines end in a line feed."""
LONGEST = 1500
"""Characters of a line that repeats something; messages of mistakes have at most 1000."""

# Clears the screen and sets the title, colours, turns the direction round, breaks the line, hides.
CONTROL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066\u2028\u200b\r\n\x08"
LONG = "n" * 10_000
HOSTILE = [CONTROL, LONG, CONTROL + LONG, "\x1b" * 5000]
FILE_NAMES = ["\x1b[2J\u202e\n\x07.toml", "n" * 240 + ".toml", "\x1b" * 240 + ".toml"]

PAGE = """\
description = DESCRIPTION
duration = "20 ms"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "640 kbit/s", packet = "160 bytes" }
"""


def page(description="a page", **changes):
    text = PAGE.replace("DESCRIPTION", json.dumps(description))
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Calls the command line; gives exit code, standard output and standard error, which are printable."""
    monkeypatch.setenv("PENSTOCK_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["penstock", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert_printable(captured.err)
        assert_printable(captured.out, longest=100_000 if "json" in arguments else LONGEST)
        assert "this is a bug" not in captured.err
        return ended.value.code or 0, captured.out, captured.err

    return run


def assert_printable(text, longest=LONGEST):
    found = ESCAPED.search(text)
    assert found is None, repr(text[max(0, found.start() - 80) : found.end() + 80])
    assert max(map(len, text.splitlines()), default=0) <= longest


def test_the_core_escapes_what_python_escapes():
    numbers = [number for number in range(0x110000) if not 0xD800 <= number < 0xE000]
    doubtful = {number for number in numbers if unicodedata.category(chr(number)) in ("Cc", "Cf", "Zl", "Zp")}
    escaped = {number for number in numbers if printable(chr(number)) != chr(number)}
    # Blanks that are letters are none of those categories; the rest of the tags' plane has no characters yet.
    edges = {number + step for number in escaped for step in (-1, 1) if number < 0xE0000 or number == 0xE0FFF}
    wrong = []
    for number in sorted((doubtful | edges | {number for number in escaped if number < 0xE0200}) - {-1}):
        (message,) = {it["message"] for it in _core.check(f'"x\\U{number:08x}y" = 1') if "unknown key" in it["message"]}
        if f"'x{printable(chr(number))}y'" not in message:
            wrong.append(hex(number))
    assert not wrong
    # Of the doubtful ones only signs that are seen stay: before numbers of several scripts, and joints of hieroglyphs.
    seen = {number for number in doubtful - escaped if number not in (0x6DD, 0x70F, 0x8E2, 0x110BD, 0x110CD)}
    assert all(0x600 <= it <= 0x605 or 0x890 <= it <= 0x891 or 0x13430 <= it <= 0x1345F for it in seen), seen


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_printable_and_short(text):
    for shown in (shortened(text, 100), quoted(text)):
        assert_printable(shown)
        assert "\n" not in shown
        assert len(shown) <= 100
    assert printable(printable(text)) == printable(text)
    decoded = json.loads(written := json_text({text: [text]}))
    assert decoded == {text: [text]}
    assert ESCAPED.search(written) is None


@pytest.mark.parametrize("text", [CONTROL, "it's", "\\x41", "$HOME `id`", "caf\udce9", "\x01" + "5"])
def test_a_shell_reads_a_command_as_it_was(text):
    shown = command_text(["printf", "%s", text])
    assert_printable(shown)
    ended = subprocess.run(["bash", "-c", shown], capture_output=True, check=True)
    assert ended.stdout == os.fsencode(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_that_do_not_exist(call, text):
    for verb in ("explain", "list", "bench", "reproduce", "sensitivity"):
        code, _, err = call(verb, text)
        assert code == 2
        assert len(err) < 2500
    assert call("reproduce", "af", "--table", text)[0] == 2
    assert call("reproduce", "af", "--reading", text)[0] == 2
    assert call("reproduce", "af", "--reading", f"af-a07={text}")[0] == 2
    assert call("reproduce", "af", "--reading", f"{text}=x")[0] == 2
    assert call("explain", text, "--format", "json")[0] == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_options_and_verbs(call, tmp_path, text):
    file = tmp_path / "page.toml"
    file.write_text(page())
    assert call(text)[0] == 2
    for words in (
        [f"--{text}"],
        ["--runs", text],
        ["--seed", text],
        ["--set", text],
        ["--set", f"{text}=1"],
        ["--set", f"duration={text}"],
        ["--set", f"a-b.queue={text}"],
        ["--format", text],
        ["--executor", text],
    ):
        code, _, err = call("run", file, *words)
        assert code == 2
        assert len(err) < 2500
    assert call("bench", "cbr", "--duration", text)[0] == 2
    assert call("check", file, "--set", f"description={text}")[0] == 0


@pytest.mark.parametrize("name", FILE_NAMES)
def test_file_names(call, tmp_path, name):
    file = tmp_path / name
    for verb in ("run", "check"):
        assert call(verb, file)[0] == 2
        assert call(verb, file / "below.toml")[0] == 2
    assert call("new", file)[0] == 0
    assert call("new", file)[0] == 2
    assert call("check", tmp_path / f"{name}x")[0] == 2
    assert call("check", file)[0] == 0
    code, out, _ = call("run", file, "--runs", 1, "--set", "duration=2.01 s", "--format", "json")
    assert (code, json.loads(out)["scenario"]) == (0, file.stem)
    file.write_text(page(ms="parsecs"))
    code, out, _ = call("check", file, "--format", "json")
    assert (code, json.loads(out)["mistakes"][0]["file"]) == (2, str(file))
    assert call("run", file)[0] == 2
    file.write_bytes(b"\xff")
    assert call("check", file)[0] == 2
    file.unlink()
    file.mkdir()
    assert call("run", file)[0] == 2
    assert call("new", file)[0] == 2


def test_a_file_name_that_is_too_long_or_not_utf8(call, tmp_path):
    for verb in ("run", "check", "new"):
        assert call(verb, LONG)[0] == 2
        assert call(verb, f"{LONG}/{LONG}")[0] == 2
    file = tmp_path / "caf\udce9.toml"
    file.write_text(page())
    assert call("check", file)[0] == 0
    code, out, _ = call("run", file, "--runs", 1)
    assert code == 0
    assert "caf\\uDCE9: a page" in out
    assert json.loads(call("run", file, "--runs", 1, "--format", "json")[1])["scenario"] == "caf\udce9"
    file.write_text(page(ms="parsecs"))
    assert call("run", file)[0] == 2
    assert call("check", file, "--set", "duration=\udce9")[0] == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_descriptions(call, tmp_path, text):
    file = tmp_path / "page.toml"
    file.write_text(page(text))
    code, out, _ = call("run", file, "--runs", 1)
    assert code == 0
    assert out.startswith("page:")
    code, out, _ = call("run", file, "--runs", 1, "--format", "json")
    assert json.loads(out)["description"] == text


def test_a_description_of_several_lines_is_one_line(call, tmp_path):
    file = tmp_path / "page.toml"
    file.write_text(page("Two flows\n  and a queue.\n"))
    assert call("run", file, "--runs", 1)[1].startswith("page: Two flows and a queue.\n")


@pytest.mark.parametrize("text", HOSTILE)
def test_keys_and_values_of_scenarios(call, tmp_path, text):
    file = tmp_path / "page.toml"
    word = json.dumps(text)
    for changes in (
        {'"1 Mbit/s"': word},
        {'"f"': word},
        {"a = {}": f"{word} = {{}}"},
        {'from = "a"': f"from = {word}"},
        {"source.cbr": f"source.{word}"},
        {"delay =": f"{word} ="},
    ):
        file.write_text(page(**changes))
        assert call("run", file)[0] == 2
        code, out, _ = call("check", file, "--format", "json")
        assert code == 2
        assert json.loads(out)["mistakes"]


@pytest.mark.parametrize("text", HOSTILE)
def test_stores(call, tmp_path, text):
    file = tmp_path / "page.toml"
    file.write_text(page())
    call("run", file, "--runs", 1, "--store", text)
    blocked = tmp_path / f"\x1b{text[:50]}"
    blocked.write_text("a file")
    assert call("run", file, "--runs", 1, "--store", blocked)[0] == 2
    filled = tmp_path / f"\x9b{text[:50]}"
    filled.mkdir()
    (filled / "runs").write_text("a file")
    assert call("run", file, "--runs", 1, "--store", filled)[0] == 1
    said = []
    store = Store(tmp_path / f"\x85{text[:50]}", warn=said.append)
    store.put("ab" * 32, RunRequest(page()), "00", 1, [Metric("delay", {}, "s", 1.0)])
    kept = store.folder / "runs" / "ab" / f"{'ab' * 32}.json"
    kept.write_bytes(b"{}")
    assert store.get("ab" * 32) is None
    assert_printable(said[0])
    with pytest.raises(StoreError) as wrong:
        Store(blocked).put("ab" * 32, RunRequest(page()), "00", 1, [])
    assert_printable(str(wrong.value))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_python_raises_and_shows(text):
    with pytest.raises(_core.ScenarioError) as refused:
        _core.Scenario(page(ms="parsecs"), text)
    assert_printable(str(refused.value))
    assert_printable(str(ScenarioError(refused.value.mistakes)))
    assert refused.value.mistakes[0]["file"] == text
    scenario = _core.Scenario(page())
    with pytest.raises(ValueError, match="there is no executor") as unknown:
        scenario.run(1, 0, executor=text)
    assert_printable(str(unknown.value))
    assert_printable(str(InputError(f"no {text[:200]}")))
    request = RunRequest(page(text), (("description", "x"),), 1, 0, text[:900])
    failed = RunsFailed([RunFailure(request, text[:900], ours=True)], 1)
    assert ESCAPED.search(str(failed)) is None
    for shown in (request, failed.failures[0], Node(text), penstock.TailDrop(limit=text)):
        assert ESCAPED.search(repr(shown)) is None
    net = penstock.Network()
    net.node(text)
    with pytest.raises(ValueError, match="already") as twice:
        net.node(text)
    assert_printable(str(twice.value))
    written = net.toml(duration="1 s", description=text)
    assert ESCAPED.search(written) is None
    frame = to_frame([RunResult(request, [Metric("drops", {"cause": text}, "1", 1.0)], "00", 1)])
    assert ESCAPED.search(str(frame)) is None


def test_what_the_builder_writes_is_read_as_it_was():
    text = CONTROL + '\U000e0041 \\ " Größe'
    net = penstock.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Mbit/s", delay="1 ms")
    net.flows("f", a, b, source=penstock.Cbr(rate="64 kbit/s", packet="160 bytes"))
    assert _core.Scenario(net.toml(duration="1 s", description=text)).description == text


def test_a_bug_is_owned_up_to_in_printable_words(monkeypatch, capsys):
    def break_down(*_):
        raise RuntimeError(CONTROL + LONG)

    monkeypatch.setattr("penstock.cli.list_.catalogue", break_down)
    for traceback in ("0", "1"):
        monkeypatch.setenv("PENSTOCK_TRACEBACK", traceback)
        monkeypatch.setattr(sys, "argv", ["penstock", "list", CONTROL])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 1
        said = capsys.readouterr().err
        assert "this is a bug" in said
        assert ESCAPED.search(said) is None


def test_a_terminal_is_only_coloured(tmp_path):
    file = tmp_path / "\x1b[2J\u202e.toml"
    file.write_text(page(CONTROL))
    environment = {**os.environ, "PENSTOCK_STORE": str(tmp_path / "store"), "TERM": "xterm-256color", "COLUMNS": "100"}
    shown = b""
    for verb in (["run", "--runs", "1"], ["check"], ["check", "--set", f"{CONTROL}=1"]):
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "penstock.cli", verb[0], str(file), *verb[1:]]
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # what Linux says when the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        process.wait()
    text = shown.decode().replace("\r\n", "\n")
    assert "\\u001B[2J" in text
    assert ESCAPED.search(re.sub(r"\x1b\[[0-9;]*m", "", text)) is None, repr(text)
