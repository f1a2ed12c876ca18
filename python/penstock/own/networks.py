"""Networks in which the conformance kit runs a component, by its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import toml
from penstock.reference import PLACES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["CLASSES", "COMPONENT", "networks", "written"]

CLASSES = ("ef", "default")
"""The classes of a scheduler."""

COMPONENT = "COMPONENT"
"""The word in the networks in whose place the component is written."""

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
PORT

[[links]]
from = "sink"
to = "router"
rate = "5 Mbit/s"
delay = "10 ms"
"""
_FLOWS = """\

[[flows]]
name = "NAME"
from = "hosts"
to = "sink"
SOURCE
"""
_TCP = 'source.ftp = {}\ntransport.tcp = { packet = "1000 bytes" }'
_TAIL_DROP = 'queue.tail-drop = { limit = "30 packets" }'
_PRECEDENCES = """\
[links.queue.red-n]
limit = "60 packets"
min-thresholds = ["40 packets", "20 packets", "10 packets"]
max-thresholds = ["60 packets", "40 packets", "20 packets"]
max-probabilities = [0.02, 0.1, 0.2]
weight = 0.002"""
_PORTS = {
    "discipline": COMPONENT,
    "scheduler": f"{COMPONENT}\n{_TAIL_DROP}",
    "meter": f"{COMPONENT}\n{_PRECEDENCES}",
}
"""The bottleneck by kind."""
_MEASURE = """\

[[measure]]
metric = "COMPONENT"
of = OF
per = "PER"
"""


def networks(kind: str, hooks: Collection[str]) -> dict[str, str]:
    """The networks for a component by name.

    Parameters
    ----------
    kind : str
        Its kind.
    hooks : collection of str
        The hooks that it has.
    """
    network = _NETWORK.replace("PORT", _PORTS.get(kind, _TAIL_DROP))
    if kind == "source":
        traffic = {"alone": _flows("own", COMPONENT), "with tcp": _flows("own", COMPONENT) + _flows("tcp", _TCP)}
        if "on_rate_request" in hooks:
            requests = 'rate-requests = [{ at = "2 s", rate = "500 kbit/s" }, { at = "2.1 s", rate = "800 kbit/s" }]'
            traffic["with requests"] = _flows("own", f"{COMPONENT}\n{requests}")
    else:
        classes = CLASSES if kind == "scheduler" else ("",)
        bursts = {rate: _shared("bursts", _poisson(rate // len(classes)), classes) for rate in (1500, 1200, 300)}
        tcp = _shared("tcp", _TCP, classes)
        traffic = {"overload": bursts[1500], "load below one": bursts[1200], "tcp": tcp, "tcp and bursts": tcp + bursts[300]}
    return {name: network + flows + _measures(kind, hooks, flows) for name, flows in traffic.items()}


def _flows(name: str, source: str) -> str:
    return _FLOWS.replace("NAME", name).replace("SOURCE", source)


def _poisson(kbps: int) -> str:
    return f'source.poisson = {{ rate = "{kbps} kbit/s", packet = "500 bytes" }}'


def _shared(name: str, source: str, classes: Collection[str]) -> str:
    """Flows of each class, or of none."""
    return "".join(_flows(f"{name}{each}", f'{source}\nclass = "{each}"' if each else source) for each in classes)


def _measures(kind: str, hooks: Collection[str], flows: str) -> str:
    """The measurements of a metric."""
    if kind != "metric":
        return ""
    names = [each for each in ("tcp", "bursts") if f'name = "{each}"' in flows]
    targets = {"of_flow": (toml.value(names), "flow"), "of_link": ('"bottleneck"', "link")}
    wanted = [targets[hook] for hook in hooks if hook in targets]
    return "".join(_MEASURE.replace("OF", of).replace("PER", per) for of, per in wanted)


def written(kind: str, name: str, parameters: Mapping[str, Any], classes: Mapping[str, Mapping[str, Any]]) -> str:
    """A component, as a scenario has it."""
    if kind == "metric":
        return name
    lines = [f"{PLACES[kind]}.{name} = {toml.value(parameters)}"]
    for each, table in classes.items():
        lines += [f"class.{each}.{key} = {toml.value(value)}" for key, value in table.items()]
    return "\n".join(lines)
