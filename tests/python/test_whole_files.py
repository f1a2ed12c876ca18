"""A file has its name only once it is whole: in every verb that writes one, whatever ends the process."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys

import pytest
import verbs

from penstock.whole_file import whole_file, whole_path, write_whole

HOOK = """\
import os
import signal
import sys
from pathlib import Path

FINAL = os.environ["FINAL"]

def is_final(path):
    return isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).endswith(FINAL)

def heard(event, arguments):
    if event == "open" and is_final(arguments[0]) and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR):
        Path(os.environ["OPENED"]).touch()
    if event in ("os.rename", "os.link") and is_final(arguments[1]):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(heard)
"""
"""Kills the process just before a file gets its name, and notes if it is opened for writing under it."""


def test_every_verb_that_names_a_file_is_gone_over():
    naming = {"--output", "--out", "--plot", "--pcap"}
    writing = {verb for verb, command in verbs.verbs().items() if any(naming & {*each.opts} for each in command.params)}
    # What `reproduce` writes for a suite is a folder of several files; `test_suites` sees to it that they are whole.
    assert {name.partition(" ")[0] for name in verbs.FILES} == {*writing, "new", "export"} - {"reproduce"}


@pytest.mark.parametrize("name", verbs.FILES)
def test_nothing_looks_whole_before_it_is(tmp_path, name):
    verbs.prepare(tmp_path)
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    final = ".pcapng" if name == "trace pcap" else os.sep + verbs.FILES[name]
    environment = {
        **verbs.environment(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(hook), *filter(None, sys.path)]),
        "FINAL": final,
        "OPENED": str(tmp_path / "opened"),
    }
    command = [str(tmp_path / word) if word == verbs.FILES[name] else word for word in verbs.words(name)]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not (tmp_path / "opened").exists()
    assert [file for file in tmp_path.rglob("*") if str(file).endswith(final) and file.is_file()] == []
    left = [file for file in tmp_path.rglob("*.part") if file.name.startswith(".")]
    assert len(left) == 1
    again = subprocess.run(
        command, cwd=tmp_path, env=verbs.environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr


def test_a_file_is_there_once_it_is_kept(tmp_path):
    file = tmp_path / "file"
    with whole_path(file) as place:
        place.write_bytes(b"whole")
        assert not file.exists()
        assert [place] == list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"whole"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ValueError])
def test_what_was_there_stays_if_it_cannot_be_written(tmp_path, error):
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail():
        with whole_file(file) as opened:
            opened.write(b"new")
            raise error

    with pytest.raises(error):
        fail()
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"old"


def test_an_interruption_while_it_is_opened_leaves_nothing(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def interrupted(*_):
        assert len(list(tmp_path.iterdir())) == 2  # the new one is there by then
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fchmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, b"new")
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"old"


def test_a_new_file_replaces_nothing(tmp_path):
    file = tmp_path / "file"
    with pytest.raises(FileExistsError), whole_file(file, new=True):
        file.write_bytes(b"of somebody else")
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"of somebody else"


def test_a_new_file_where_there_are_no_hard_links(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os, "link", refused)
    file = tmp_path / "file"
    write_whole(file, b"whole", new=True)
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(FileExistsError):
        write_whole(file, b"other", new=True)
    assert file.read_bytes() == b"whole"


def test_rights_links_long_names_and_devices(tmp_path):
    file, link = tmp_path / ("n" * 250), tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o600)
    link.symlink_to(file)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", 0o600)
    write_whole("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116  (as the system says it)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"through")
    assert os.read(reading, 100) == b"through"
    os.close(reading)
