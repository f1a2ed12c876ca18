"""What a disk may hold after a power cut, made from a record of what was asked of it.

A recorder stands in for ``os`` in the store's modules. What it has seen up to some moment allows many states of the
disk after a power cut at that moment: what was synchronised is there; of the rest, contents may be missing, cut short
or zeros, and changes of folders may have happened or not. How far those depend on each other differs between file
systems, so there are three orders, from one journal for everything to none at all.
"""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from unittest import mock

from penstock.store import commit, folder, store

ORDERS = ("journal", "folder", "none")
"""Of changes that were not synchronised: the first ones of all, the first ones of each folder, or any."""


@dataclass(slots=True)
class Change:
    """A change of one or two folders: `entry` becomes known as `new`, and no longer as `old`; None for no name."""

    entry: object
    old: tuple[str, str] | None = None
    new: tuple[str, str] | None = None

    @property
    def folders(self):
        return {name[0] for name in (self.old, self.new) if name is not None}


@dataclass(slots=True)
class File:
    """Told from others by identity; `content` is what it held before anything was recorded."""

    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Write:
    file: File
    content: bytes


@dataclass(frozen=True, slots=True)
class Synchronised:
    what: object
    """A file, or a folder's path."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that somebody was told to be on the disk."""

    what: object


@dataclass
class Recorder:
    """``os``, but what changes the disk below `root` is written down; `ignores` leaves out synchronising that."""

    root: str
    ignores: frozenset[str] = frozenset()
    log: list = field(default_factory=list)

    def __post_init__(self):
        self._lock = Lock()
        self._open = {}
        self.before = {}
        for path, folders, files in os.walk(self.root):
            for name in folders:
                self.before[path, name] = "folder"
            for name in files:
                with open(os.path.join(path, name), "rb") as stream:  # noqa: PTH118, PTH123, paths as the store hands them to os
                    self.before[path, name] = File(stream.read())
        self._now = dict(self.before)

    def __getattr__(self, name):
        return getattr(os, name)

    def kept(self, what):
        with self._lock:
            self.log.append(Kept(what))

    def _named(self, path, dir_fd):
        whole = os.path.join(self._open[dir_fd], path) if dir_fd is not None else os.path.abspath(path)  # noqa: PTH100, PTH118, as above
        return os.path.split(whole)

    def open(self, path, flags, mode=0o777, *, dir_fd=None):
        with self._lock:
            name = self._named(path, dir_fd)
            handle = os.open(path, flags, mode, dir_fd=dir_fd)
            if flags & os.O_CREAT:
                self._open[handle] = self._now[name] = File()
                self.log.append(Change(self._now[name], new=name))
            else:
                self._open[handle] = os.path.join(*name)  # noqa: PTH118, as above
            return handle

    def close(self, handle):
        with self._lock:
            self._open.pop(handle, None)
            os.close(handle)

    def write(self, handle, content):
        with self._lock:
            count = os.write(handle, content)
            self.log.append(Write(self._open[handle], bytes(content[:count])))
            return count

    def fsync(self, handle):
        with self._lock:
            what = self._open[handle]
            if ("files" if isinstance(what, File) else "folders") not in self.ignores:
                self.log.append(Synchronised(what))

    def mkdir(self, path, mode=0o777, *, dir_fd=None):
        with self._lock:
            os.mkdir(path, mode, dir_fd=dir_fd)
            self._change("folder", new=self._named(path, dir_fd))

    def rename(self, old, new, *, src_dir_fd=None, dst_dir_fd=None):
        with self._lock:
            os.rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
            source = self._named(old, src_dir_fd)
            self._change(self._now[source], source, self._named(new, dst_dir_fd))

    def unlink(self, path, *, dir_fd=None):
        with self._lock:
            os.unlink(path, dir_fd=dir_fd)
            source = self._named(path, dir_fd)
            self._change(self._now[source], source)

    def rmdir(self, path, *, dir_fd=None):
        with self._lock:
            os.rmdir(path, dir_fd=dir_fd)
            self._change("folder", self._named(path, dir_fd))

    def _change(self, entry, old=None, new=None):
        if old is not None:
            del self._now[old]
        if new is not None:
            self._now[new] = entry
        self.log.append(Change(entry, old, new))


@contextmanager
def recorded(root, ignores=()):
    """Records what the store does below `root`, which is taken to be on the disk as it is now."""
    recorder = Recorder(str(root), frozenset(ignores))
    with (
        mock.patch.object(folder, "os", recorder),
        mock.patch.object(commit, "os", recorder),
        mock.patch.object(store, "os", recorder),
    ):
        yield recorder


def kept(recorder, cut):
    """What somebody was told to be on the disk before the power cut."""
    return [event.what for event in recorder.log[:cut] if isinstance(event, Kept)]


def crash(recorder, cut, order, rng, target):
    """Makes below `target` one state that the disk may be in after a power cut behind the first `cut` events."""
    log = recorder.log[:cut]
    changes = [(i, event) for i, event in enumerate(log) if isinstance(event, Change)]
    happened = _happened(log, changes, order, rng)
    entries = dict(recorder.before)
    for i, change in changes:
        if i in happened:
            if change.old is not None and entries.get(change.old) is change.entry:
                del entries[change.old]
            if change.new is not None:
                entries[change.new] = change.entry
    contents = _contents(log, rng)
    for (path, name), entry in sorted(entries.items(), key=lambda it: it[0]):
        # An entry of a folder that is not there itself is not there either.
        place = target / os.path.relpath(path, recorder.root)
        if not place.is_dir():
            continue
        if entry == "folder":
            (place / name).mkdir()
        else:
            (place / name).write_bytes(entry.content + contents.get(id(entry), b""))


def _happened(log, changes, order, rng):
    """Which changes of folders are on the disk."""
    last = defaultdict(int)
    for i, event in enumerate(log):
        if isinstance(event, Synchronised) and not isinstance(event.what, File):
            last[event.what] = i
    durable = {i for i, change in changes if any(i < last[path] for path in change.folders)}
    if order == "none":
        return durable | {i for i, _ in changes if rng.random() < 0.5}
    if order == "journal":
        first = max(durable, default=-1) + 1
        end = rng.randint(first, len(log))
        return {i for i, _ in changes if i < end}
    ends = {path: rng.randint(last[path], len(log)) for _, change in changes for path in sorted(change.folders)}
    return durable | {i for i, change in changes if all(i < ends[path] for path in change.folders)}


def _contents(log, rng):
    """What was written to each file, as far as it is on the disk."""
    written, certain, files = defaultdict(bytes), defaultdict(int), {}
    for event in log:
        if isinstance(event, Write):
            files[id(event.file)] = event.file
            written[id(event.file)] += event.content
        elif isinstance(event, Synchronised) and isinstance(event.what, File):
            certain[id(event.what)] = len(written[id(event.what)])
    contents = {}
    for file in files:
        content, least = written[file], certain[file]
        reached = rng.choice((least, len(content), rng.randint(least, len(content))))
        size = rng.choice((reached, len(content)))
        contents[file] = content[:reached] + bytes(size - reached)
    return contents
