"""A study in a folder: one link, a table of four printed numbers, three claims and an open question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from one_link import one_link

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = one_link(
    {"stream": 'cbr = { rate = "250 kbit/s", packet = "125 bytes" }'},
    [("utilisation", 'of = "a-b"'), ("throughput", 'of = "stream"')],
    rate="1 Mbit/s",
    limit=None,
)

DOCUMENT = """
[document]
id = "half"
title = "Half of it"
authors = ["A. Nobody"]
runs = 2

[[table]]
id = "1"
caption = "Shares of a link"
columns = [
  { name = "rate", unit = "Mbit/s", role = "key" },
  { name = "share", unit = "%", role = "value", decimals = 0, from = "utilisation[a-b]" },
  { name = "sent", unit = "Mbit/s", role = "value", decimals = 2, from = "throughput[stream]" },
]
rows = [
  { rate = 0.25, share = 25, sent = 0.25 },
  { rate = 0.5, share = 51, sent = 0.5 },
]
[table.set]
stream.source.cbr.rate = "rate * 1 Mbit/s * factor"

[[tolerance]]
columns = ["share", "sent"]
absolute = 0.3
reason = "Counted by whole packets."

[[claim]]
id = "half-c01"
claim = "Twice the rate takes twice of the link, and neither fills it."
holds = ["share < 60", "share[rate=0.5] > 1.9 * share[rate=0.25] and share[rate=0.5] < 2.1 * share[rate=0.25]"]
tables = ["1"]

[[claim]]
id = "half-c02"
claim = "Half of the link is more than half."
holds = ["sent[rate=0.5] > 0.6"]
tables = ["1"]

[[claim]]
id = "half-c03"
claim = "It is simpler."
tables = ["1"]

[[ambiguity]]
id = "half-a01"
question = "Is it all sent?"
options = [
  { key = "all", text = "all of it", set = { factor = 1 } },
  { key = "tenth", text = "a tenth", set = { factor = 0.1 } },
]
chosen = "all"
reason = "Nothing is said of a tenth."
"""


def write_study(folder: Path, document: str = DOCUMENT) -> Path:
    """Write the files of the study into this folder."""
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "document.toml").write_text(document)
    return folder


def change(folder: Path, old: str, new: str) -> None:
    """Replace a part of the document that is there."""
    text = (folder / "document.toml").read_text()
    assert old in text
    (folder / "document.toml").write_text(text.replace(old, new))
