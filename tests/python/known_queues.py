"""Queues whose mean wait is known, and how often intervals hold it that a sequential rule has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from penstock.statistics import interval

if TYPE_CHECKING:
    from penstock.studies.precision import Precision


@dataclass(frozen=True)
class Queue:
    """Poisson arrivals at a server with unit service; runs of n packets, after a warm-up of n/5."""

    name: str
    exponential: bool
    packets: int
    load: float = 0.5

    @property
    def wait(self) -> float:
        """The mean wait: load / (1 - load) of M/M/1, half of that of M/D/1."""
        return self.load / (1 - self.load) * (1.0 if self.exponential else 0.5)

    def means(self, stream: np.random.Generator, runs: int) -> list[float]:
        """The mean waits of independent runs, by Lindley's recursion from an empty queue."""
        count = self.packets + self.packets // 5
        service = stream.exponential(1, (runs, count)) if self.exponential else np.ones((runs, count))
        steps = np.zeros((runs, count))
        steps[:, 1:] = service[:, :-1] - stream.exponential(1 / self.load, (runs, count - 1))
        walk = np.cumsum(steps, axis=1)
        waits = walk - np.minimum.accumulate(walk, axis=1)
        return waits[:, -self.packets :].mean(axis=1).tolist()


@dataclass(frozen=True)
class Coverage:
    """Of how many studies the interval held the true mean, and the mean was as close as asked for; runs of each."""

    covered: int
    close: int
    runs: list[int]


def coverage(queue: Queue, target: Precision, seed: int, studies: int = 1000) -> Coverage:
    """Makes studies of a queue with a precision target."""
    stream = np.random.default_rng(seed)
    covered, close, runs = 0, 0, []
    for _ in range(studies):
        values: list[float] = []
        n = None
        while n is None:
            values += queue.means(stream, 10)
            n = target.stop(values)
        found = interval(values[:n])
        covered += found.low <= queue.wait <= found.high
        close += abs(found.mean - queue.wait) <= target.half_width * queue.wait
        runs.append(n)
    return Coverage(covered, close, runs)
