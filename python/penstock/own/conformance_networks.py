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

_CONTROL = _TCP.replace('1000 bytes"', '1000 bytes", recovery.RECOVERY = {}, congestion-control.COMPONENT')
_MARKS = (
    'queue.red = { limit = "60 packets", min-threshold = "5 packets", max-threshold = "20 packets", '
    "max-probability = 0.1, ecn = true }"
)
_PAGES = 'source.http = { page = "60 kB", objects = 0, think = "300 ms" }'
_SMALL = _NETWORK.replace("QUEUE", 'queue.tail-drop = { limit = "15 packets" }')
_SACK = _CONTROL.replace("RECOVERY", "sack")

SCENARIOS: dict[str, dict[str, str]] = {
    "discipline": {
        "overload": _QUEUE + _POISSON.replace("RATE", "1.5 Mbit/s"),
        "load below one": _QUEUE + _POISSON.replace("RATE", "1.2 Mbit/s"),
        "tcp": _QUEUE + _TCP,
        "tcp and bursts": _QUEUE + _TCP + _POISSON.replace("RATE", "300 kbit/s"),
    },
    "congestion-control": {
        "tail drop": _SMALL + _SACK,
        "tail drop, new reno": _SMALL + _CONTROL.replace("RECOVERY", "new-reno"),
        "bursts": _SMALL + _SACK + _POISSON.replace("RATE", "600 kbit/s"),
        "marks": _NETWORK.replace("QUEUE", _MARKS) + _SACK.replace("packet =", "ecn = true, packet ="),
        "interrupted": _SMALL + _SACK.replace("source.ftp = {}", _PAGES),
    },
}
"""By kind and name."""
