"""Changes to scenarios: to their structure, to their values, to their text, and by settings."""

from __future__ import annotations

import copy
import re
import tomllib

from corpus import text_of
from fabrics import fabric
from networks import network

QUANTITY = re.compile(r"([0-9_.]+) ([A-Za-z/]+)")
UNITS = {
    "time": ["s", "ms", "us", "ns", "ps", "min"],
    "rate": ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"],
    "size": ["bytes", "B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "packets", "packet"],
}
EXTREMES = {
    "time": [
        "0 s",
        "1 ps",
        "7 ps",
        "999 ps",
        "1 ns",
        "1 us",
        "1 s",
        "1000000 s",
        "17280000 s",
        "18446744 s",
        "213503 min",
    ],
    "rate": ["1 bit/s", "7 bit/s", "1 kbit/s", "333333333 bit/s", "90 Tbit/s", "99.999999999999 Tbit/s", "100 Tbit/s"],
    "size": [
        *["1 byte", "2 bytes", "39 bytes", "40 bytes", "41 bytes", "1500 bytes", "65535 bytes", "65536 bytes"],
        *["4294967295 bytes", "4294967296 bytes", "4 GB", "2305843009213693952 bytes", "18446744073709551615 bytes"],
        *["1 packet", "2 packets", "4294967295 packets"],
    ],
}
INTEGERS = [
    0,
    1,
    2,
    3,
    7,
    100,
    1000,
    20_000,
    255,
    256,
    257,
    2**16 - 1,
    2**31,
    2**32 - 1,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -1,
]
FLOATS = [
    0.0,
    -0.0,
    1e-300,
    1e-12,
    1e-6,
    0.5,
    1 - 1e-15,
    1.0,
    1 + 1e-15,
    2.0,
    1e12,
    1e300,
    float("nan"),
    float("inf"),
    -1.0,
]
TEXTS = [
    "",
    " ",
    "a",
    "default",
    "0",
    "1/0",
    "1/3",
    "100 %",
    "200 %",
    "nan",
    "\x1b[2J\u202e",
    "x" * 300,
    "h[0]",
    "h[9]",
    "r0-r1",
]


def kind_of(text):
    """Whether a text is a time, a rate or a size; None if it is none of them."""
    found = QUANTITY.fullmatch(text)
    return next((kind for kind, units in UNITS.items() if found and found[2] in units), None)


def places(tree):
    """Every (container, key) in the tree."""
    found = []

    def walk(value):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            found.append((value, key))
            if isinstance(value[key], (dict, list)):
                walk(value[key])

    walk(tree)
    return found


class Mutations:
    """Makes cases of a corpus; a case is a text and settings."""

    def __init__(self, corpus):
        self.corpus = corpus

    def case(self, rng):
        """A case, and what kind it is."""
        chance = rng.random()
        if chance < 0.5:
            make, kind = (fabric, "random fabric") if chance < 0.25 else (network, "random network")
            # A copy, since parts of the tables that it chooses from are changed below.
            tree = copy.deepcopy(make(self.corpus, rng))
            changes = rng.choice([0, 0, 1, 1, 2, 4])
        else:
            tree, kind = self.corpus.tree(rng), "mutated scenario"
            changes = min(1 + int(rng.expovariate(0.5)), 12)
        for _ in range(changes):
            self.mutate(tree, rng)
        sets = [self._set(tree, rng) for _ in range(rng.choice([0] * 8 + [1, 3]))]
        text = text_of(tree)
        if rng.random() < 0.06:
            text, kind = _damaged(text, rng), "damaged text"
        return text, sets, kind

    def mutate(self, tree, rng):
        """Changes one thing; a tree without anything is left as it is."""
        found = places(tree)
        if not found:
            return
        container, key = rng.choice(found)
        chance = rng.random()
        if chance < 0.5:
            # A value: those are what most places are not.
            values = [place for place in found if not isinstance(place[0][place[1]], (dict, list))]
            container, key = rng.choice(values or found)
            container[key] = self._value(container[key], rng)
        elif chance < 0.6:
            del container[key]
        elif chance < 0.72:
            self._replace(container, key, rng)
        elif chance < 0.8:
            lists = [place for place in found if isinstance(place[0][place[1]], list) and place[0][place[1]]]
            if lists:
                container, key = rng.choice(lists)
                items = container[key]
                items.insert(rng.randrange(len(items) + 1), copy.deepcopy(rng.choice(items)))
        elif chance < 0.95:
            self._add(found, rng)
        else:
            container[key] = rng.choice(
                [[container[key]], {"a": container[key]}, [], {}, True, None.__class__.__name__]
            )

    def _value(self, value, rng):
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return rng.choice([rng.choice(INTEGERS), value + 1, value - 1, value * 2, float(value)])
        if isinstance(value, float):
            return rng.choice(
                [rng.choice(FLOATS), value * 2, value / 1000, -value, int(value) if abs(value) < 1e9 else 1]
            )
        return self._text(value, rng) if isinstance(value, str) else value

    def _text(self, text, rng):
        kind = kind_of(text)
        if kind is None or rng.random() < 0.05:
            return rng.choice(TEXTS) if rng.random() < 0.5 else self._other_text(rng)
        if rng.random() < 0.6:
            return rng.choice(EXTREMES[kind])
        number, unit = QUANTITY.fullmatch(text).groups()
        return f"{number} {rng.choice(UNITS[kind])}" if rng.random() < 0.5 else f"{number}{rng.randrange(1000)} {unit}"

    def _other_text(self, rng):
        texts = [text for text in self.corpus.values[rng.choice(sorted(self.corpus.values))] if isinstance(text, str)]
        return rng.choice(texts) if texts else "x"

    def _replace(self, container, key, rng):
        """By what another scenario has under this key, or by another component."""
        if key in self.corpus.fragments and rng.random() < 0.7:
            container[key] = self.corpus.component(rng, key)
        elif key in self.corpus.values:
            container[key] = copy.deepcopy(rng.choice(self.corpus.values[key]))

    def _add(self, found, rng):
        """A key that another scenario, or the catalogue, has."""
        tables = [container[key] for container, key in found if isinstance(container[key], dict)]
        table = rng.choice(tables) if tables else None
        if table is None:
            return
        key = rng.choice(
            [
                rng.choice(sorted(self.corpus.fragments)),
                rng.choice(sorted(self.corpus.values)),
                rng.choice(self.corpus.keys),
            ]
        )
        if key in self.corpus.fragments and rng.random() < 0.7:
            table[key] = self.corpus.component(rng, key)
        else:
            table[key] = copy.deepcopy(rng.choice(self.corpus.values.get(key, TEXTS)))

    def _set(self, tree, rng):
        """A setting, of something that is there for the most part."""
        path, value = [], tree
        while isinstance(value, (dict, list)) and value and (not path or rng.random() < 0.9):
            if isinstance(value, dict):
                key = rng.choice(list(value))
                path.append(str(key))
            else:
                key = rng.randrange(len(value))
                path[-1] += f"[{key + (rng.random() < 0.05)}]"
            value = value[key]
        new = self._value(value, rng) if not isinstance(value, (dict, list)) else self._other_text(rng)
        if rng.random() < 0.2 and path:
            path[rng.randrange(len(path))] = rng.choice(
                [*self.corpus.keys, *sorted(self.corpus.fragments), "", "x[", "[1]"]
            )
        return [".".join(path) or "x", str(new).encode("utf-8", "replace").decode()]


def repaired(text, mistaken):
    """The case without its mistakes, or with something sound in their place; None if that changes nothing."""
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
    changed = [_repair(tree, _segments(path)) for path in sorted(set(mistaken), reverse=True)]
    return text_of(tree) if any(changed) else None


def _segments(path):
    return [int(it) if it.isdigit() else it for it in re.findall(r"[^.\[\]]+", path)]


SOUND = {
    "duration": "1 s",
    "rate": "10 Mbit/s",
    "delay": "1 ms",
    "source": {"cbr": {"rate": "64 kbit/s", "packet": "160 bytes"}},
}
"""Replacements for required values."""


def _repair(tree, segments):
    """Leaves out the component, the measure or the key that is mistaken, or puts something sound there."""
    target = segments[: 2 if segments[:1] == ["measure"] else 3]
    container = tree
    for segment in target[:-1]:
        if not _has(container, segment):
            return False
        container = container[segment]
    key = target[-1] if target else None
    if key in SOUND and isinstance(container, dict):
        container[key] = copy.deepcopy(SOUND[key])
    elif not _has(container, key):
        return False
    elif len(target) > 2 and key in ("class", "scheduler"):
        container.pop("class", None)
        container.pop("scheduler", None)
    else:
        del container[key]
    return True


def _has(value, key):
    if isinstance(value, list):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value


def _damaged(text, rng):
    """A text with some of it removed, repeated or replaced."""
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + int(rng.expovariate(0.05)))
        middle = rng.choice(
            [
                "",
                text[at:end] * 2,
                rng.choice('[]{}"=.\n#\x00\x7f,\u202e\ufeff'),
                '"""',
                "[" * rng.choice([3, 200, 100_000]),
            ]
        )
        text = text[:at] + middle + text[end:]
    return text
