"""Kinds of damage to the file of a run or to the files and folders around it, and the expected reaction."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.records import Metric, RunRequest
from penstock.store import run_key, runfile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METRICS = [Metric("delay", {"flow": "voice", "quantile": "0.99"}, "s", 0.1 + 0.2), Metric("odd", {}, "", float("nan"))]
KEY, OTHER = run_key("{}", 1, 0), run_key("{}", 2, 0)
REQUEST = RunRequest("", (("rate", "1 Mbit/s"),), seed=7, replication=3, name="damaged")
CONTENT = runfile.encode(KEY, REQUEST, "3f" * 16, 123456, METRICS)
SEAL = CONTENT.index(b'"checksum": ') + len(b'"checksum": ')

ASIDE = "moved aside and made again, and said once"
MISSING = "counts as missing and is made again"
REFUSED = "an error that names the place"
NEWER = "an error that names the place, before anything is run or written"


@dataclass(frozen=True)
class Damage:
    """One kind; `do` is given the store's folder and the run's file."""

    name: str
    do: Callable[[Path, Path], object]
    follows: str = ASIDE


def content(name, new):
    return Damage(name, lambda _, file: file.write_bytes(new))


def sealed(body):
    return body + b'"%s"\n}\n' % hashlib.blake2b(body, digest_size=16).hexdigest().encode()


def regions():
    """The parts of the file, by the member that they hold."""
    ends = [i + 1 for i, byte in enumerate(CONTENT) if byte == ord("\n")]
    begin = 0
    for number, end in enumerate(ends):
        yield f"line {number}", begin, end
        begin = end


def bit_flips():
    """Each bit of one byte of each fifth of each line."""
    for name, begin, end in regions():
        places = sorted({begin + (end - begin - 1) * fifth // 5 for fifth in range(5)} | {end - 1})
        for place in places:
            bit = place % 8
            changed = bytearray(CONTENT)
            changed[place] ^= 1 << bit
            yield content(f"{name}, byte {place - begin}, bit {bit} flipped", bytes(changed))


def altered_values():
    """Another value in the place of each, of the same form, as an editor would leave it."""
    for old, new in (
        (b'"format": 5', b'"format": 6'),
        (b'"format": 5', b'"format": 2'),
        (b'"format": 5', b'"format": 1'),
        (KEY.encode(), OTHER.encode()),
        (b'"model_version": "', b'"model_version": "0'),
        (b'"seed": 7', b'"seed": 8'),
        (b'"replication": 3', b'"replication": 4'),
        (b"3f3f", b"3f3e"),
        (b"123456", b"123457"),
        (b"123456", b"1234567890123456789"),
        (b'"delay"', b'"jitter"'),
        (b'"voice"', b'"video"'),
        (b'"0.99"', b'"0.9"'),
        (b'"s"', b'"ms"'),
        (b"0.30000000000000004", b"0.3"),
        (b'"nan"', b'"inf"'),
        (CONTENT[SEAL : SEAL + 34], b'"%s"' % (b"0" * 32)),
        (b"\n", b"\r\n"),
        (b'": ', b'":'),
        (b'  {"name": "odd"', b'  {"name": "even"'),
    ):
        assert CONTENT.replace(old, new) != CONTENT
        yield content(f"{old[:24]!r} altered to {new[:24]!r}", CONTENT.replace(old, new))
    lines = CONTENT.splitlines(keepends=True)
    for number in range(len(lines)):
        yield content(f"line {number} left out", b"".join(lines[:number] + lines[number + 1 :]))
        yield content(f"line {number} twice", b"".join(lines[: number + 1] + lines[number:]))
    minified = json.dumps(json.loads(CONTENT)).encode()
    yield content("written again by another program", minified)


def lengths():
    for thirty in range(60):
        yield content(f"cut after {len(CONTENT) * thirty // 60} bytes", CONTENT[: len(CONTENT) * thirty // 60])
    for left in range(1, 5):
        yield content(f"the last {left} bytes cut off", CONTENT[:-left])
    for name, more in (
        ("a line feed", b"\n"),
        ("a zero", b"\0"),
        ("a page of zeros", bytes(4096)),
        ("itself", CONTENT),
        ("a bracket", b"}"),
        ("spaces", b" " * 37),
    ):
        yield content(f"{name} appended", CONTENT + more)
        yield content(f"{name} put before it", more + CONTENT)


def lost_blocks():
    size = 64
    for begin in range(0, len(CONTENT), size):
        end = min(begin + size, len(CONTENT))
        yield content(f"zeros from {begin}", CONTENT[:begin] + bytes(end - begin) + CONTENT[end:])
        yield content(f"ones from {begin}", CONTENT[:begin] + b"\xff" * (end - begin) + CONTENT[end:])
        yield content(f"block at {begin} gone", CONTENT[:begin] + CONTENT[end:])
    half = len(CONTENT) // 2
    yield content("halves swapped", CONTENT[half:] + CONTENT[:half])


def other_contents():
    for name, new in (
        ("100,000 brackets", b"[" * 100_000),
        ("100,000 braces", b'{"a":' * 100_000),
        ("a huge number", b"9" * 100_000),
        ("a huge exponent", b"1e999999999"),
        ("not UTF-8", b'{"format": "\xff\xfe\x80"}'),
        ("UTF-16", CONTENT.decode().encode("utf-16")),
        ("a byte order mark", b"\xef\xbb\xbf" + CONTENT),
        ("compressed", gzip.compress(CONTENT)),
        ("null", b"null"),
        ("a string", b'"format"'),
        ("a list", b"[1, 2]"),
        ("NaN", b"NaN"),
        ("an empty object", b"{}"),
        ("a page of HTML", b"<!doctype html><title>502</title>"),
        ("Parquet", b"PAR1" + bytes(600) + b"PAR1"),
        ("a conflict", b"<<<<<<< ours\n" + CONTENT + b"=======\n" + CONTENT + b">>>>>>> theirs\n"),
        ("a Git LFS pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
        ("only a seal", sealed(b"")),
        ("random bytes", hashlib.shake_128(b"0").digest(len(CONTENT))),
    ):
        yield content(name, new)
    for name, body in (
        ("100,000 brackets", b"[" * 100_000),
        ("a huge number", b'{"format": %s, "checksum": ' % (b"9" * 5000)),
        ("not UTF-8", b'{"format": "\xff\xfe", "checksum": '),
        ("nothing", b'{"checksum": '),
        ("no object", b'[{"checksum": '),
    ):
        yield content(f"{name}, with the right checksum", sealed(body))
    old = sealed(CONTENT[:SEAL].replace(b'"format": 5', b'"format": 4'))
    yield Damage("a run of an earlier format", lambda _, file: file.write_bytes(old), MISSING)
    later = sealed(CONTENT[:SEAL].replace(b'"format": 5', b'"format": 6'))
    yield Damage("a run of a later format", lambda _, file: file.write_bytes(later), NEWER)


def undecodable():
    """Right checksums over what no release writes, so that the decoder meets it."""
    data = json.loads(CONTENT)
    del data["checksum"]

    def resealed(changed):
        return sealed(json.dumps(changed)[:-1].encode() + b', "checksum": ')

    for member in data:
        without = {name: value for name, value in data.items() if name != member}
        yield content(f"no {member}, with the right checksum", resealed(without))
    for member, value in (
        ("format", "x"),
        ("settings", 1),
        ("settings", [[[]]]),
        ("made", 1),
        ("made", [1]),
        ("measured", 1),
        ("decided", True),
        ("metrics", None),
        ("metrics", [[[]]]),
        ("metrics", "x"),
    ):
        yield content(f"{member} = {value!r}, with the right checksum", resealed({**data, member: value}))
    for member, value in (("labels", None), ("labels", []), ("value", None), ("value", "x"), ("value", [0.3])):
        row = {**data["metrics"][0], member: value}
        yield content(
            f"{member} of a metric = {value!r}, with the right checksum", resealed({**data, "metrics": [row]})
        )
    for member in data["metrics"][0]:
        row = {name: it for name, it in data["metrics"][0].items() if name != member}
        yield content(f"no {member} of a metric", resealed({**data, "metrics": [row, row]}))


def other_files():
    def swapped(_, file):
        other = file.parent.parent / OTHER[:2] / f"{OTHER}.json"
        both = file.read_bytes(), other.read_bytes()
        file.write_bytes(both[1])
        other.write_bytes(both[0])

    yield Damage("another run's file", swapped)
    yield Damage("a copy of another run's file", lambda root, file: shutil.copy(of(root, OTHER), file))
    yield Damage("a folder", lambda _, file: (file.unlink(), file.mkdir()), REFUSED)
    yield Damage("deleted", lambda _, file: file.unlink(), MISSING)
    yield Damage("named otherwise", lambda _, file: file.rename(file.with_suffix(".bak")), MISSING)
    yield Damage("in another folder", lambda root, file: file.rename(root / file.name), MISSING)


def folders():
    def emptied(path):
        shutil.rmtree(path)

    def filed(path):
        shutil.rmtree(path)
        path.write_bytes(b"")

    for name, place in (("its folder", 0), ("runs", 1), ("the store", 2)):
        yield Damage(f"{name} deleted", lambda _, file, i=place: emptied(file.parents[i]), MISSING)
        yield Damage(f"{name} a file", lambda _, file, i=place: filed(file.parents[i]), REFUSED)


def of(root, key):
    return root / "runs" / key[:2] / f"{key}.json"


ALL = [
    kind
    for kinds in (
        *(bit_flips, altered_values, lengths, lost_blocks, other_contents, undecodable),
        *(other_files, folders),
    )
    for kind in kinds()
]
