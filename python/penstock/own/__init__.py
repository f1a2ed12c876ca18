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

from penstock.own import vocabulary
from penstock.own.decorators import congestion_control, discipline, meter, metric, scheduler, source
from penstock.own.files import load
from penstock.own.notebooks import file_of
from penstock.own.vocabulary import *  # noqa: F403  (its ``__all__`` lists them)

__all__ = ["congestion_control", "discipline", "file_of", "load", "meter", "metric", "scheduler", "source"]
__all__ += vocabulary.__all__
