"""What a store says of a run: all that it was made from, and of one that failed."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import time

import pytest

from penstock import _core
from penstock.errors import RunsFailed
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import Store, run_key
from penstock.store.manifest import scenario_hash

TEXT = 'description = "A demo"\n[fake]\nrate = 1.0\n'
SETS = (("rate", "2.0"),)


def request(replication=0, text=TEXT, sets=SETS):
    return RunRequest(text, sets, seed=5, replication=replication, name="demo")


def key_of(each):
    return run_key(_core.Scenario(each.scenario, each.name, list(each.sets)).canonical, each.seed, each.replication)


@pytest.mark.usefixtures("core")
def test_a_run_says_all_that_it_was_made_from(tmp_path):
    before = time.time()
    store = Store(tmp_path)
    (made,) = run_all([request(3)], store=store)
    found = store.get(key_of(request(3))).manifest
    assert (found.name, found.settings, found.seed, found.replication) == ("demo", SETS, 5, 3)
    assert (found.digest, found.packet_hops) == (made.digest, made.packet_hops)
    assert (found.version, found.model_version) == ("0.0.0", "fake")
    assert found.scenario == scenario_hash(TEXT)
    assert store.texts.get(found.scenario) == TEXT == (tmp_path / "scenarios" / f"{found.scenario}.toml").read_text()
    assert found.made.host == socket.gethostname()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found.made.begin)
    begin = time.mktime(time.strptime(found.made.begin, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
    # The second is cut off.
    assert before - 1 <= begin <= time.time()
    assert 0 <= found.made.seconds <= time.time() - before


@pytest.mark.usefixtures("core")
def test_a_text_is_kept_once_and_made_good(tmp_path):
    run_all([request(i) for i in range(4)], store=Store(tmp_path))
    (file,) = (tmp_path / "scenarios").iterdir()
    file.write_text(TEXT.replace("1.0", "3.0"))
    assert Store(tmp_path).texts.get(file.stem) is None
    run_all([request(i) for i in range(5)], store=Store(tmp_path))
    assert Store(tmp_path).texts.get(file.stem) == TEXT


@pytest.mark.usefixtures("core")
def test_a_failed_run_is_noted_with_all_that_it_takes_to_try_again(tmp_path):
    text = "[fake]\nfail = [1]\npanic = [2]\n"
    requests = [request(i, text, ()) for i in range(4)]
    store = Store(tmp_path)
    for _ in range(2):
        with pytest.raises(RunsFailed):
            run_all(requests, store=store)
    failures = {failed.replication: failed for failed in store.failures()}
    assert sorted(failures) == [1, 2]
    first, panic = failures[1], failures[2]
    assert (first.message, first.ours, first.attempts) == ("the queue is unstable", False, 2)
    assert (panic.message, panic.ours) == ("index out of bounds", True)
    assert (first.key, first.name, first.seed, first.settings) == (key_of(requests[1]), "demo", 5, ())
    assert store.texts.get(first.scenario) == text
    store.put(first.key, requests[1], "d", 1, [])
    assert [failed.replication for failed in store.failures()] == [2]
    store.forget_failure(panic.key)
    assert store.failures() == []
    assert not list((tmp_path / "failed").glob(f"{panic.key}*"))


@pytest.mark.usefixtures("core")
def test_attempts_are_added_and_a_damaged_note_is_no_note(tmp_path):
    store = Store(tmp_path)
    each = request()
    store.keep_failed(key_of(each), each, "the worker process was killed", ours=True, attempts=3)
    store.keep_failed(key_of(each), each, "again", ours=True, attempts=2)
    assert [(failed.message, failed.attempts) for failed in store.failures()] == [("again", 5)]
    (file,) = (tmp_path / "failed").glob("*.json")
    file.write_bytes(file.read_bytes().replace(b'"attempts": 5', b'"attempts": 6'))
    assert store.failures() == []
    store.keep_failed(key_of(each), each, "once more")
    assert [failed.attempts for failed in store.failures()] == [1]


def test_the_name_of_a_run_is_the_hash_of_what_it_depends_on():
    for canonical, seed, replication in (("{}", 1, 0), ('{"a":"ä"}', 2**64 - 1, 7), ("[1]", 0, 99_999)):
        parts = json.dumps([canonical, str(seed), str(replication), _core.MODEL_VERSION])
        assert run_key(canonical, seed, replication) == hashlib.blake2b(parts.encode(), digest_size=32).hexdigest()
