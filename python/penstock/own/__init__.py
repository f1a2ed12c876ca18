"""Mechanisms of one's own: components written in Python, compiled, and called by the engine like the built-in ones.

A file declares a class; a scenario names the file, ``use = "my_queues.py"``, and has the component under its key. The
class has typed state, parameters with units, and the hooks of its kind:

>>> from penstock import own
>>> @own.discipline
... class Threshold:
...     \"\"\"Drops arrivals above a threshold.\"\"\"
...
...     most = own.parameter("packets", "20 packets", doc="Packets that may wait.")
...     drops: int = own.state(0, unit="packets", doc="Packets dropped so far.")
...
...     def on_arrival(self, now, packet, queue):
...         if queue.packets < self.most:
...             return own.ACCEPT
...         self.drops += 1
...         return own.DROP_OVERFLOW
"""

from __future__ import annotations

from penstock.own.decorators import congestion_control, discipline, meter, metric, scheduler, source
from penstock.own.files import load
from penstock.own.notebooks import file_of
from penstock.own.vocabulary import (
    ACCEPT,
    CLASSES,
    DROP_EARLY,
    DROP_FORCED,
    DROP_OVERFLOW,
    DROPPED,
    ECN,
    EVICTED,
    LOSS,
    MARK,
    MICROSECOND,
    MILLISECOND,
    NEVER,
    NO_VALUE,
    SECOND,
    SEND,
    SENT,
    UNCHANGED,
    WAIT,
    class_parameter,
    mul_div,
    parameter,
    state,
    stream,
)

__all__ = [
    "ACCEPT",
    "CLASSES",
    "DROPPED",
    "DROP_EARLY",
    "DROP_FORCED",
    "DROP_OVERFLOW",
    "ECN",
    "EVICTED",
    "LOSS",
    "MARK",
    "MICROSECOND",
    "MILLISECOND",
    "NEVER",
    "NO_VALUE",
    "SECOND",
    "SEND",
    "SENT",
    "UNCHANGED",
    "WAIT",
    "class_parameter",
    "congestion_control",
    "discipline",
    "file_of",
    "load",
    "meter",
    "metric",
    "mul_div",
    "parameter",
    "scheduler",
    "source",
    "state",
    "stream",
]
