"""What mutations begin with: the examples, the scenarios of the studies, and the catalogue's components."""

from __future__ import annotations

import copy
import json
import math
import re
import tomllib
from pathlib import Path

from penstock import _core, toml
from penstock.reference import PLACES

ROOT = Path(__file__).parent.parent.parent
FORMS = re.compile(r"^# .*$", re.MULTILINE)
"""A comment, which begins another form of an example."""
EXAMPLE = re.compile(r"## Example\n```toml\n(.*?)```", re.DOTALL)


def text_of(tree):
    """A scenario's tree as TOML."""
    if not isinstance(tree, dict):
        return toml.value(tree)
    top, tables = [], []
    for key, value in tree.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            tables += [f"[[{toml.key(key)}]]\n" + _lines(item) for item in value]
        elif isinstance(value, dict):
            tables.append(f"[{toml.key(key)}]\n" + _lines(value))
        else:
            top.append(f"{toml.key(key)} = {toml.value(value)}\n")
    return "".join(top) + "\n" + "\n".join(tables)


def _lines(table):
    return "".join(f"{toml.key(key)} = {toml.value(value)}\n" for key, value in table.items())


class Corpus:
    """Trees to be mutated, and what may be put into them."""

    def __init__(self):
        texts = [file.read_text() for file in sorted((ROOT / "examples").glob("*.toml"))]
        # A case is a single file, so components that need another file are left out.
        self.trees = [tomllib.loads(text) for text in texts if "file =" not in text]
        self.trees += [tomllib.loads(text) for text in _studies()]
        self.catalogue = json.loads(_core.catalogue())
        self.fragments = {}
        """Components as tables by their names, by the key that takes one."""
        self.extras = {}
        """The keys next to a component in its example: the classes of a scheduler."""
        for kind, components in self.catalogue["components"].items():
            for component in components:
                self._add(kind, component)
        self.keys = sorted({p["key"] for section in self.catalogue["sections"] for p in section["parameters"]})
        self.metrics = [metric["name"] for metric in self.catalogue["metrics"]]
        self.values = {}
        """Every value that the trees have under a key."""
        for tree in [*self.trees, *({key: table} for key, tables in self.fragments.items() for table in tables)]:
            self._collect(tree)

    def _add(self, kind, component):
        found = EXAMPLE.search(component["doc"])
        if kind not in PLACES or not found:
            return
        key = PLACES[kind]
        for text in FORMS.split(found[1]):
            table = tomllib.loads(text)
            if key in table:
                self.fragments.setdefault(key, []).append({component["name"]: table[key][component["name"]]})
                self.extras.setdefault(
                    (key, component["name"]), {other: table[other] for other in table if other != key}
                )

    def _collect(self, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                self.values.setdefault(key, []).append(inner)
                self._collect(inner)
        elif isinstance(value, list):
            for inner in value:
                self._collect(inner)

    def tree(self, rng):
        """One of the trees, to be changed; those with very many flows seldom, since they take long."""
        return copy.deepcopy(rng.choice(self.trees))

    def component(self, rng, key, names=None):
        """A component for `key` as a table by its name."""
        found = [it for it in self.fragments[key] if names is None or next(iter(it)) in names]
        return copy.deepcopy(rng.choice(found))


def _studies():
    """A few scenarios of each study: every table's first, middle and last rows."""
    from penstock.reproductions.loading import load, names
    from penstock.reproductions.reading import Readings

    seen = {}
    for name in names():
        study = load(name)
        settings = Readings(study.document).settings()
        for table in study.document.chosen_tables([]):
            rows = table.rows
            for row in {
                0: rows[0],
                math.ceil(len(rows) / 2) - 1: rows[len(rows) // 2],
                len(rows) - 1: rows[-1],
            }.values():
                for text in study.build(settings, table, row).values():
                    # Rows that differ in their numbers alone are one.
                    seen.setdefault(re.sub(r"[0-9.]+", "0", text), text)
        for text in study.experiments(settings).values():
            seen.setdefault(re.sub(r"[0-9.]+", "0", text), text)
    return list(seen.values())
