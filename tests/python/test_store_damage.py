"""Damage to a store: every kind is noticed, nothing damaged is believed, and nothing is written outside."""

from __future__ import annotations

import pytest
from store_damage import ALL, ASIDE, CONTENT, KEY, METRICS, NEWER, OTHER, REFUSED, REQUEST, of

from penstock.errors import StoreError
from penstock.store import Store, runfile
from penstock.store.folder import DamagedError


def put(store):
    store.put(KEY, REQUEST, "3f" * 16, 123456, METRICS[:1])


@pytest.fixture
def root(tmp_path):
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
    assert (found.manifest.digest, found.manifest.packet_hops) == ("3f" * 16, 123456)
    assert found.metrics[0] == METRICS[0]
    assert warnings == []


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_damage_is_noticed(root, kind):
    kind.do(root, of(root, KEY))
    warnings = []
    store = Store(root, warn=warnings.append)
    if kind.follows in (REFUSED, NEWER):
        with pytest.raises(StoreError) as caught:
            store.get(KEY)
        assert str(root) in str(caught.value)
        assert "--store DIR" in str(caught.value)
        if kind.follows is REFUSED:
            with pytest.raises(StoreError):
                put(store)
        assert warnings == []
        return
    assert store.get(KEY) is None
    place = root / "damaged" / f"{KEY}.json"
    if kind.follows is ASIDE:
        assert len(warnings) == 1
        assert warnings[0].startswith(f"{of(root, KEY)} ")
        assert f"moved to {place}" in warnings[0]
        assert place.exists()
    else:
        assert (warnings, place.exists()) == ([], False)
    said = len(warnings)
    assert store.get(KEY) is None
    put(store)
    assert store.get(KEY).metrics == METRICS[:1]
    assert len(warnings) == said


def test_no_bit_and_no_length_passes():
    changed = [CONTENT[:length] for length in range(len(CONTENT))]
    changed += [
        CONTENT[:place] + bytes([CONTENT[place] ^ 1 << bit]) + CONTENT[place + 1 :]
        for place in range(len(CONTENT))
        for bit in range(8)
    ]
    for content in changed:
        with pytest.raises(DamagedError):
            runfile.decode(content, KEY)
