"""Runs an emulation: namespaces, programs and the simulated network."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from penstock import _core
from penstock.emulation.namespaces import Namespaces, awake, divided, why_not
from penstock.emulation.opened import Opened
from penstock.emulation.programs import Ended, Program, Programs
from penstock.errors import InputError, PenstockError
from penstock.records import RunResult
from penstock.studies.request import PointResult
from penstock.studies.result import StudyData
from penstock.workers.job import Stop, metrics_of

_TICK_SECONDS = 0.02


@dataclass(frozen=True)
class Emulated:
    """An emulation that has ended."""

    result: StudyData
    emulation: _core.Emulation
    programs: list[Ended]
    absent_offloads: list[str]

    def json(self) -> dict[str, Any]:
        """Returns what a simulation does not have, as plain values: packets, lateness in s, and programs."""
        of = self.emulation
        return {
            "packets": {name: getattr(of, name) for name in PACKETS},
            "lateness": None if of.lateness is None else dict(zip(QUANTILES, of.lateness, strict=True)),
            "share_above_1_ms": of.late / max(1, of.delivered + of.unsent),
            "overloaded_at": of.overloaded_at,
            "digest": of.run.digest,
            "programs": [each.json() for each in self.programs],
        }


PACKETS = ("injected", "copied", "delivered", "marked", "dropped", "in_flight", "unsent", "not_carried", "unread")
QUANTILES = ("p50", "p99", "p99.9", "max")


def check(opened: Opened) -> None:
    """Raises InputError with everything that cannot be emulated, or PenstockError without the rights."""
    found = _core.emulation_mistakes(opened.asked.scenario, opened.real, opened.groups)
    if found:
        raise InputError("\n".join([*(f"{opened.plan.scenario}: {each}" for each in found), "Nothing was made."]))
    if (reason := why_not()) is not None:
        raise PenstockError(f"this process cannot emulate: {reason}. Nothing was made.")


def emulate(
    opened: Opened,
    programs: Sequence[Program] = (),
    *,
    mtu: int,
    settings: Sequence[tuple[str, str]] = (),
    ends_on_overload: bool = False,
    keeps_log: bool = False,
) -> Emulated:
    """Runs a scenario in real time, with programs at its real nodes, which end with the run at the latest.

    `mtu` is in bytes; `settings` are kernel settings of the real nodes. Overload means that more than a tenth of the
    packets of a second are later than 1 ms. Raises PenstockError if this machine cannot emulate the scenario, and
    KeyboardInterrupt after Ctrl-C, once everything is removed.
    """
    check(opened)
    asked, cancel, started = opened.asked, _core.Cancel(), threading.Event()
    with (
        awake(),
        divided() as core,
        Namespaces(opened.real, mtu, settings=settings) as made,
        Programs(programs, made) as running,
        ThreadPoolExecutor(1) as pool,
    ):

        def work() -> _core.Emulation:
            os.sched_setaffinity(0, core)
            of_run = (asked.scenario, asked.seed, asked.replications[0], opened.real, opened.groups)
            where = (made.network_file, made.interfaces)
            return _core.emulate(*of_run, *where, ends_on_overload, keeps_log, cancel, started.set)

        network = pool.submit(work)
        try:
            while not network.done() and not started.wait(_TICK_SECONDS):
                pass
            begin = time.monotonic()
            while not network.done():
                running.start(time.monotonic() - begin)
                wait([network], _TICK_SECONDS)
        finally:
            cancel.set()
            wait([network])
        ended = running.end()
    try:
        found = network.result()
    except (OSError, _core.ComponentError) as error:
        raise PenstockError(f"the emulation failed: {error}. Everything that was made is removed.") from None
    return Emulated(result_of(opened, found.run), found, ended, made.absent)


def result_of(opened: Opened, run: _core.Run) -> StudyData:
    """The result of one run of an opened scenario."""
    asked = opened.asked
    of = (asked.first(), metrics_of(run, Stop()), run.digest, run.packet_hops)
    made = RunResult(*of, threads=run.threads, window=asked.scenario.window, decided=run.decided)
    return StudyData(opened.plan, [PointResult(asked, [made])])
