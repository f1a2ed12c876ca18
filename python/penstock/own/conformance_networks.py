"""The scenarios in which the conformance kit runs components, by kind; ``COMPONENT`` stands for ``name = { ... }``."""

from __future__ import annotations

__all__ = ["SCENARIOS"]

_NETWORK = """\
duration = "5 s"

[nodes]
hosts = { count = 4 }
router = {}
sink = {}

[[links]]
from = "hosts"
to = "router"
rate = "100 Mbit/s"
delay = "1 ms"
both-ways = true

[[links]]
name = "bottleneck"
from = "router"
to = "sink"
rate = "5 Mbit/s"
delay = "10 ms"
QUEUE

[[links]]
from = "sink"
to = "router"
rate = "5 Mbit/s"
delay = "10 ms"
"""
_POISSON = """\

[[flows]]
name = "bursts"
from = "hosts"
to = "sink"
source.poisson = { rate = "RATE", packet = "500 bytes" }
"""
_TCP = """\

[[flows]]
name = "tcp"
from = "hosts"
to = "sink"
source.ftp = {}
transport.tcp = { packet = "1000 bytes" }
"""
_QUEUE = _NETWORK.replace("QUEUE", "queue.COMPONENT")

SCENARIOS: dict[str, dict[str, str]] = {
    "discipline": {
        "overload": _QUEUE + _POISSON.replace("RATE", "1.5 Mbit/s"),
        "load below one": _QUEUE + _POISSON.replace("RATE", "1.2 Mbit/s"),
        "tcp": _QUEUE + _TCP,
        "tcp and bursts": _QUEUE + _TCP + _POISSON.replace("RATE", "300 kbit/s"),
    },
}
"""By kind and name."""
