"""A worker process that runs of the replications in DEADLY end by the signal in SIGNAL."""

from __future__ import annotations

import os

from penstock.workers import child, remote

make = remote.make


def deadly(scenario, request, *rest):
    if request.replication in [int(number) for number in os.environ["DEADLY"].split()]:
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))
    return make(scenario, request, *rest)


if __name__ == "__main__":
    remote.make = deadly
    child.main()
