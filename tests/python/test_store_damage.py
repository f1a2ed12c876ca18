"""Damage to a store: every kind is noticed, nothing damaged is believed, and nothing is written outside."""

from __future__ import annotations

import os

import pytest
from store_damage import ALL, ASIDE, CONTENT, KEY, METRICS, NEWER, OTHER, REFUSED, REQUEST, failing, of

from penstock.errors import StoreError
from penstock.store import Store, runfile


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def put(store):
    store.put(KEY, REQUEST, "3f" * 16, 123456, METRICS[:1])


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    root = tmp_path / "store"
    for key in (KEY, OTHER):
        of(root, key).parent.mkdir(parents=True)
        of(root, key).write_bytes(runfile.encode(key, REQUEST, "3f" * 16, 123456, METRICS))
    return root


def test_there_are_three_hundred_kinds():
    assert len({kind.name for kind in ALL}) == len(ALL) >= 300


def test_what_is_not_damaged_is_read(root):
    warnings = []
    found = Store(root, warn=warnings.append).get(KEY)
    assert of(root, KEY).read_bytes() == CONTENT
    assert (found.digest, found.packet_hops, found.metrics[0]) == ("3f" * 16, 123456, METRICS[0])
    assert warnings == []


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_damage_is_noticed(root, tmp_path, kind):
    kind.do(root, of(root, KEY))
    outside = listed(tmp_path / "outside") if (tmp_path / "outside").exists() else None
    warnings = []
    store = Store(root, warn=warnings.append)
    with failing(kind.error):
        if kind.follows in (REFUSED, NEWER):
            with pytest.raises(StoreError) as caught:
                store.get(KEY)
            assert str(root) in str(caught.value)
            assert "--store DIR" in str(caught.value)
        else:
            assert store.get(KEY) is None
    if kind.follows in (REFUSED, NEWER):
        if not kind.error and kind.follows is REFUSED:
            with pytest.raises(StoreError):
                put(store)
        assert warnings == []
        assert outside is None or listed(tmp_path / "outside") == outside
        return
    place = root / "damaged" / f"{KEY[:16]}-1"
    if kind.follows is ASIDE:
        assert len(warnings) == 1
        assert warnings[0].startswith(f"{of(root, KEY)} ")
        assert f"moved to {place}" in warnings[0]
        assert os.listdir(place) == [f"{KEY}.json"]  # noqa: PTH208, also of what is no folder any more
    else:
        assert (warnings, place.exists()) == ([], False)
    said = len(warnings)
    assert store.get(KEY) is None
    put(store)
    assert store.get(KEY).metrics == METRICS[:1]
    assert len(warnings) == said


def test_no_bit_and_no_length_passes(tmp_path):
    file = tmp_path / "file"
    changed = [CONTENT[:length] for length in range(len(CONTENT))]
    changed += [
        CONTENT[:place] + bytes([CONTENT[place] ^ 1 << bit]) + CONTENT[place + 1 :]
        for place in range(len(CONTENT))
        for bit in range(8)
    ]
    for content in changed:
        file.write_bytes(content)
        with file.open("rb") as stream, pytest.raises(runfile.DamagedError):
            runfile.load(stream.fileno(), len(content), KEY)
