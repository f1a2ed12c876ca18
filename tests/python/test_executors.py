"""Both executors give the same results, on the examples and on rows of every table of every study."""

import tomllib
from pathlib import Path

import pytest

from penstock.records import RunRequest
from penstock.reproductions.loading import load, names
from penstock.reproductions.reading import Readings
from penstock.running import run_all

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))
# Long enough for queues to fill, calls to be refused, and timers to expire; calls of the PCN study join at 50 s.
SHORT, WITH_EVENT = (("duration", "12 s"), ("warm-up", "2 s")), (("duration", "52 s"), ("warm-up", "0 s"))
# Studies of fast links have the same within less time.
BRIEF = {
    "bcn": (("duration", "100 ms"), ("warm-up", "20 ms")),
    "ubr": (("duration", "1100 ms"), ("warm-up", "100 ms")),  # some flows of its tables begin after a second
}

WHOLE = {"scream"}
"""Examples with flows that begin after 12 s."""


def assert_same(*texts, folder=None, sets=SHORT):
    has_event = {text: "surge" in text or 'start = "50 s"' in text for text in texts}
    requests = [RunRequest(text, sets=WITH_EVENT if has_event[text] else sets, folder=folder) for text in texts]
    plain, horizon = (run_all(requests, executor=executor) for executor in ("plain", "horizon"))
    for a, b in zip(plain, horizon, strict=True):
        assert a.digest == b.digest
        # As text, since NaN is not equal to itself.
        assert repr(a.metrics) == repr(b.metrics)
        assert a.packet_hops == b.packet_hops > 0


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples(file):
    text = file.read_text()
    # Networks of fast links have short durations, and 12 s of them would take minutes.
    is_whole = tomllib.loads(text)["duration"].endswith("ms") or file.stem in WHOLE
    assert_same(text, folder=str(file.parent), sets=() if is_whole else SHORT)


COMPARED = set()
"""The scenarios of published studies that were compared already."""


@pytest.mark.parametrize(
    ("study", "table"),
    [(name, table.id) for name in names() for table in load(name).document.tables if table.results()],
)
def test_studies(study, table):
    study = load(study)
    settings = Readings(study.document).settings()
    table = study.document.table(table)
    first, last = table.rows[0], table.rows[-1]
    # Background traffic of the ATM study restarts until the end of longer runs.
    is_long = study.document.id == "pcn" or (study.document.id == "ubr" and table.id in ("4", "11-12"))
    rows = [first] if is_long else [first, last]
    texts = dict.fromkeys(text for row in rows for text in study.build(settings, table, row).values())
    # Several tables may be of the same runs.
    brief = () if is_long and study.document.id == "ubr" else BRIEF.get(study.document.id, SHORT)
    assert_same(*(text for text in texts if text not in COMPARED), sets=brief)
    COMPARED.update(texts)
