"""No value of any option of any verb acts on a terminal, on a picture or on a page."""

from __future__ import annotations

import logging
import pkgutil
import re
import sys
import warnings
from xml.etree import ElementTree

import pytest
import verbs
from test_printable import CONTROL, ESCAPED

from penstock.cli import main

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SHOWN = (".svg", ".html", ".sbatch", ".toml")
"""Endings of files that people look at."""
QUICK = {
    "reproduce": ("md1k", "--dry-run"),
    "sensitivity": ("af", "--table", "none"),
    # A study file is refused, after all options have been read.
    "lab": ("study.toml", "--no-browser"),
    "screen": (*verbs.COMMANDS["screen"], "--dry-run"),
    "search": (*verbs.COMMANDS["search"], "--dry-run"),
}
"""What says as much as the whole would, and sooner."""
PICTURES = ("--title", "--x-label", "--y-label")
LIBRARY = (pkgutil.get_data("plotly", "package_data/plotly.min.js") or b"").decode()
"""What every report has for its plots."""


def options():
    """The verb, the option (or its place among the arguments) and a value, of all that take one."""
    for verb, command in verbs.verbs().items():
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                yield verb, 0, CONTROL
                yield verb, 0, f"{CONTROL}.{'tar.gz' if verb == 'export' else 'toml'}"
            elif not parameter.is_flag:
                option = parameter.opts[0]
                yield verb, option, CONTROL
                metavar = str(parameter.metavar)
                if "=" in metavar:
                    yield verb, option, f"{CONTROL}=1"
                    yield verb, option, f"duration={CONTROL}"
                    yield verb, option, f"f.source.cbr.rate={CONTROL}..{CONTROL}"
                if metavar == "FILE":
                    yield verb, option, f"{CONTROL}.svg"
                    yield verb, option, f"{CONTROL}.html"


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Calls a verb as on a terminal, and looks at all that it says and writes."""
    monkeypatch.setenv("PENSTOCK_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    verbs.prepare(tmp_path)

    def run(*arguments):
        before = {*tmp_path.iterdir()}
        monkeypatch.setattr(sys, "argv", ["penstock", *arguments])
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        for text in (COLOUR.sub("", said.out), said.err):
            assert ESCAPED.search(text) is None, repr(text)
        assert "this is a bug" not in said.err, said.err
        for file in {*tmp_path.iterdir()} - before:
            # Rows have the form that --format names, and arrivals and windows are CSV, whatever the ending.
            if file.suffix in SHOWN and not {"--format", "--log", "--windows"} & {*arguments}:
                text = file.read_text().replace(LIBRARY, "").replace("\t", " ")
                assert ESCAPED.search(text) is None, file
                if file.suffix == ".svg":
                    ElementTree.fromstring(text)
            if file.is_file():
                file.unlink()
        return ended.value.code

    return run


@pytest.mark.parametrize("verb", verbs.verbs())
def test_every_option_of_a_verb(call, verb):
    usual = QUICK.get(verb, verbs.COMMANDS[verb])
    tried = [(option, value) for other, option, value in options() if other == verb]
    for option, value in tried:
        given = [value, *usual[1:]] if option == 0 else [*usual, option, value]
        code = call(verb, *given)
        # Words of a picture may be anything, and so may a folder's name.
        assert code in ((0,) if option in PICTURES else (0, 1, 2)), (option, value)


@pytest.mark.parametrize("kind", ["line", "bar", "box", "cdf", "heatmap", "series"])
@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_words_of_a_picture(call, kind, ending):
    across = () if kind == "cdf" else ("--x", "f.source.cbr.packet", "--by", "a-b.delay")
    chosen = ("page.toml", "--series") if kind == "series" else ("study.toml", "--kind", kind, *across)
    words = [part for option in PICTURES for part in (option, CONTROL)]
    assert call("plot", *chosen, "--out", f"picture.{ending}", *words) == 0


def test_a_warning_of_a_library_is_one_printable_line(call, capsys):
    assert call("check", "page.toml") == 0
    warnings.simplefilter("always")
    warnings.warn(f"font {CONTROL} is\nmissing", UserWarning, stacklevel=1)
    logging.lastResort.handle(logging.makeLogRecord({"msg": "glyph %s", "args": (CONTROL,)}))
    one, other = capsys.readouterr().err.splitlines()
    assert one.startswith("warning: font \\u001B[2J")
    assert other.startswith("warning: glyph \\u001B[2J")
    assert ESCAPED.search(one + other) is None
