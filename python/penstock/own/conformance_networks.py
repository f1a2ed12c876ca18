"""The scenarios in which the conformance kit runs components, by kind.

``COMPONENT`` stands for ``name = { ... }`` and the parameters of classes, or for the name of a metric.
"""

from __future__ import annotations

CLASSES = ("ef", "default")
"""The classes of schedulers."""

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

_TAIL_DROP = 'queue.tail-drop = { limit = "30 packets" }'
_CLASSES = _NETWORK.replace("QUEUE", f"{_TAIL_DROP}\nscheduler.COMPONENT")
_PRECEDENCES = """\
marker.COMPONENT
[links.queue.red-n]
limit = "60 packets"
min-thresholds = ["40 packets", "20 packets", "10 packets"]
max-thresholds = ["60 packets", "40 packets", "20 packets"]
max-probabilities = [0.02, 0.1, 0.2]
weight = 0.002"""
_MARKED = _NETWORK.replace("QUEUE", _PRECEDENCES)
_PLAIN = _NETWORK.replace("QUEUE", _TAIL_DROP)
_WIRE = _NETWORK.replace("QUEUE", f"{_TAIL_DROP}\nimpairment.COMPONENT")
_SOURCE = """\

[[flows]]
name = "own"
from = "hosts"
to = "sink"
source.COMPONENT
"""
_REQUESTS = 'rate-requests = [{ at = "2 s", rate = "500 kbit/s" }, { at = "2.1 s", rate = "800 kbit/s" }]\n'
_MEASURE = """\

[[measure]]
metric = "COMPONENT"
of = "OF"
per = "PER"
"""
_OF_FLOWS = _MEASURE.replace("OF", "bursts").replace("PER", "flow")
_OF_LINKS = _MEASURE.replace("OF", "bottleneck").replace("PER", "link")


def _by_class(flows: str) -> str:
    """The flows once in each class, whose name precedes theirs."""
    changes = {'from = "hosts"': 'from = "hosts"\nclass = "{}"', 'name = "': 'name = "{}-'}
    copies = []
    for name in CLASSES:
        copy = flows
        for old, new in changes.items():
            copy = copy.replace(old, new.format(name))
        copies.append(copy)
    return "".join(copies)


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
    "meter": {
        "overload": _MARKED + _POISSON.replace("RATE", "1.5 Mbit/s"),
        "load below one": _MARKED + _POISSON.replace("RATE", "1.2 Mbit/s"),
        "tcp and bursts": _MARKED + _TCP + _POISSON.replace("RATE", "300 kbit/s"),
    },
    "scheduler": {
        "overload": _CLASSES + _by_class(_POISSON.replace("RATE", "1 Mbit/s")),
        "load below one": _CLASSES + _by_class(_POISSON.replace("RATE", "600 kbit/s")),
        "tcp and bursts": _CLASSES + _by_class(_TCP + _POISSON.replace("RATE", "150 kbit/s")),
    },
    "source": {
        "alone": _PLAIN + _SOURCE,
        "with tcp": _PLAIN + _SOURCE + _TCP,
        "with requests": _PLAIN + _SOURCE + _REQUESTS,
    },
    "metric": {
        "overload of flows": _PLAIN + _POISSON.replace("RATE", "1.5 Mbit/s") + _OF_FLOWS,
        "overload of links": _PLAIN + _POISSON.replace("RATE", "1.5 Mbit/s") + _OF_LINKS,
        "no packets": _PLAIN + _POISSON.replace("RATE", "1 bit/s") + _OF_FLOWS,
    },
    "congestion-control": {
        "tail drop": _SMALL + _SACK,
        "tail drop, new reno": _SMALL + _CONTROL.replace("RECOVERY", "new-reno"),
        "bursts": _SMALL + _SACK + _POISSON.replace("RATE", "600 kbit/s"),
        "marks": _NETWORK.replace("QUEUE", _MARKS) + _SACK.replace("packet =", "ecn = true, packet ="),
        "interrupted": _SMALL + _SACK.replace("source.ftp = {}", _PAGES),
    },
    "impairment": {
        "load below one": _WIRE + _POISSON.replace("RATE", "1.2 Mbit/s"),
        "tcp and bursts": _WIRE + _TCP + _POISSON.replace("RATE", "300 kbit/s"),
    },
}
"""By kind and name."""

RECORDED = {"discipline": _QUEUE, "meter": _MARKED, "scheduler": _CLASSES, "impairment": _WIRE}
"""The network for recorded arrivals at its bottleneck, for kinds that have arrivals."""

NEEDS = {
    "with requests": "on_rate_request",
    "overload of flows": "of_flow",
    "overload of links": "of_link",
    "no packets": "of_flow",
}
"""The hook without which a component cannot be in a scenario."""
