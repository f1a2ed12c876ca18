"""A lab in this process, for tests: served, asked without a browser, or opened in one."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

from penstock.lab.server import Session, listener, served

SCENARIO = """\
description = "A transfer over a short queue"
duration = "1 s"
[nodes]
a = {}
r = {}
b = {}
[[links]]
from = "a"
to = "r"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r"
to = "b"
rate = "1 Mbit/s"
delay = "5 ms"
both-ways = true
queue.tail-drop = { limit = "20 packets" }
[[flows]]
name = "tcp"
from = "a"
to = "b"
source.ftp = {}
start = { uniform = ["0 s", "100 ms"] }
transport.tcp = { variant = "reno", packet = "1000 bytes" }
[[measure]]
metric = "goodput"
of = "tcp"
[[measure]]
metric = "loss"
of = "tcp"
[[measure]]
metric = "queue"
of = "r-b"
[[measure]]
metric = "drops"
of = "r-b"
by = ["cause"]
"""
LIMIT = "r-b.queue.tail-drop.limit"
LONG = SCENARIO.replace('"1 s"\n[nodes]', '"10000000 s"\n[nodes]')
"""A scenario whose run never ends."""


@contextmanager
def opened(folder, text=SCENARIO, runs=3, **options):
    """The address, the scenario's file, and the session of a lab."""
    file = folder / "net.toml"
    file.write_text(text)
    session = Session(file, runs, 2, folder / "store", **options)
    with served(session, listener(None)) as address:
        yield address, file, session


def get(address, headers=()):
    """Status, headers and content of an answer."""
    request = urllib.request.Request(address, headers=dict(headers))
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


def post(address, body, headers=()):
    """Status and JSON of an answer."""
    request = urllib.request.Request(address, json.dumps(body).encode(), dict(headers))
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def look(address, text=SCENARIO, sets=(), runs=3, page="test", until=None, panel=""):
    """The events of a look, up to the first of a kind, with the seconds after which each came."""
    body = {"page": page, "text": text, "sets": [list(each) for each in sets], "runs": runs, "panel": panel}
    request = urllib.request.Request(f"{address}look", json.dumps(body).encode())
    events, begin = [], time.monotonic()
    with urllib.request.urlopen(request, timeout=60) as answer:
        for line in answer:
            events.append({**json.loads(line), "after": time.monotonic() - begin})
            if events[-1]["kind"] == until:
                break
    return events


def last(events, kind):
    """The last event of a kind."""
    return [each for each in events if each["kind"] == kind][-1]
