"""Rows, scenarios and their contents, for tests of the PCN study."""

import tomllib
from pathlib import Path

from penstock.records import RunRequest, RunResult
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings

ROOT = Path(__file__).resolve().parents[2]
STUDY = load("pcn")
DOCUMENT = STUDY.document
CHOSEN = Readings(DOCUMENT).settings()


def settings(*answers):
    return Readings(DOCUMENT, dict(each.split("=") for each in answers)).settings()


def row(table, **key):
    (found,) = (row for row in DOCUMENT.table(table).rows if row.matches(key))
    return found


def built(table, part="", answers=(), **key):
    text = STUDY.build(settings(*answers), DOCUMENT.table(table), row(table, **key))[part]
    return tomllib.loads(text)


def link(data, start, end):
    (found,) = (link for link in data["links"] if (link["from"], link["to"]) == (start, end))
    return found


def calls(data, name):
    (found,) = (group for group in data["calls"] if group["name"] == name)
    return found


def run(*metrics):
    return RunResult(RunRequest(""), list(metrics), "d", 0)
