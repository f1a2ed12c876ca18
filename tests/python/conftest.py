from __future__ import annotations

import fcntl
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import fake_core

# What nohup and a shell's & let the suite ignore, all that it starts would ignore too.
for _name in ("SIGHUP", "SIGQUIT", "SIGINT"):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def own_store(tmp_path_factory):
    """No test finds what an earlier suite, or the user, has kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PENSTOCK_STORE", str(tmp_path_factory.mktemp("store")))
        yield


@pytest.fixture
def namespaces(tmp_path_factory):
    """No other test makes network namespaces at the same time: all processes see them."""
    with (tmp_path_factory.getbasetemp().parent / "namespaces.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def core(monkeypatch):
    """The fake core in the place of the real one, with nothing run yet."""
    from penstock import _core, bench, reference  # noqa: F401, its workloads are made of the real core's components

    for name in vars(fake_core):
        if not name.startswith("__"):
            monkeypatch.setattr(_core, name, getattr(fake_core, name), raising=False)
    monkeypatch.setattr(fake_core.Scenario, "runs", 0)
    reference.catalogue.cache_clear()
    yield fake_core
    reference.catalogue.cache_clear()


@pytest.fixture
def debugging(monkeypatch):
    """Hooks of components run in Python, not compiled."""
    from penstock.own.files import DEBUG

    monkeypatch.setenv(DEBUG, "1")


@pytest.fixture(params=["", "1"], ids=["compiled", "in-python"])
def gear(request, monkeypatch):
    """Each test runs with compiled hooks, then with hooks in Python."""
    from penstock.own.files import DEBUG

    monkeypatch.setenv(DEBUG, request.param)


@pytest.fixture
def penstock(monkeypatch, capsys, tmp_path):
    """Calls the command line; gives exit code, standard output and standard error."""
    from penstock.cli import main

    monkeypatch.setenv("PENSTOCK_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("PENSTOCK_TRACEBACK", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["penstock", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return ended.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture
def demo(tmp_path):
    """A scenario of the fake core."""
    file = tmp_path / "demo.toml"
    file.write_text('description = "A demo"\nseed = 3\n[fake]\nrate = 1.0\n')
    return file


@pytest.fixture(scope="session")
def captured(tmp_path_factory):
    """The folder of a scenario's captures, and its trace; see ``captured_network``."""
    from functools import cache

    from captured_network import text

    from penstock.trace import PacketTrace

    @cache
    def make(scenario):
        folder = tmp_path_factory.mktemp("captures") / "new" / "folder"
        packets = PacketTrace(text(scenario)).write_pcapng(folder)
        assert {file.stem for file in folder.iterdir()} == set(packets)
        return folder, PacketTrace(text(scenario), events="transmit").frame()

    return make


@pytest.fixture(scope="module")
def browser():
    """A running Chromium."""
    from browser_page import CHROMIUM
    from playwright.sync_api import sync_playwright

    assert CHROMIUM is not None, "Chromium is not installed: make browser"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM)
        yield running
        running.close()


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def command(penstock):
    """Calls the command line; gives a result as ``subprocess`` has it."""
    return lambda *words: Done(*penstock(*words))


@pytest.fixture(autouse=True)
def no_memory_left_over():
    """What one test allows with ``--memory`` holds for no other."""
    yield
    from penstock.memory import allow

    allow(None)
