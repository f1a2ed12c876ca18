"""A worker process that some runs end: those of the replications in DEADLY, by the signal in SIGNAL."""

from __future__ import annotations

import os

from penstock.workers import child

make = child.make
DEADLY = [int(number) for number in os.environ["DEADLY"].split()]


def deadly(scenario, request, *rest):
    if request.replication in DEADLY:
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))
    return make(scenario, request, *rest)


child.make = deadly
child.main()
