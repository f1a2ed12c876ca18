"""Networks with the routes and starts of their flows as Penstock has them, for programs of other simulators.

A file has the number of links, the ends of each link as numbers of nodes, the number of flows, and for each flow when
it begins in picoseconds, then how many links it takes, and which ones, there and back. `network.h` reads it.
"""

import tomllib
from typing import NamedTuple

from penstock import PacketTrace

SEEN = "1.5 ms"
"""All flows of the workloads have begun by then, and have been answered."""


class Flow(NamedTuple):
    """Start of a flow, in ps, and the links of its packets there and back, as positions in the plan."""

    start: int
    there: list[int]
    back: list[int]


class Plan(NamedTuple):
    """The links in use by the names of their ends, and the flows by their names."""

    links: list[tuple[str, str]]
    flows: dict[str, Flow]

    def text(self) -> str:
        """The plan in the form that the programs read."""
        ends = dict.fromkeys(end for link in self.links for end in link)
        number = {name: position for position, name in enumerate(ends)}
        lines = [str(len(self.links)), *(f"{number[a]} {number[b]}" for a, b in self.links), str(len(self.flows))]
        for start, there, back in self.flows.values():
            lines.append(" ".join(map(str, [start, len(there), *there, len(back), *back])))
        return "\n".join(lines) + "\n"


def plan(scenario: str) -> Plan:
    """The plan of TCP transfers that begin in the first millisecond, from each flow's SYN and its answer."""
    groups = len(tomllib.loads(scenario)["flows"])
    # With windows of one packet, queues are short and nothing is lost; routes and starts do not depend on windows.
    sets = [("duration", SEEN), *((f"flows[{group}].transport.tcp.max-window", "1 packet") for group in range(groups))]
    links: dict[tuple[str, str], int] = {}
    flows: dict[str, Flow] = {}
    for frame in PacketTrace(scenario, sets=sets, events=["send", "transmit"]).row_frames():
        opening = frame.filter(frame["packet"].is_in(["syn", "syn-ack"]))
        for time, event, place, flow, packet in opening.select("time_ps", "event", "place", "flow", "packet").rows():
            if event == "transmit":
                way = flows[flow].there if packet == "syn" else flows[flow].back
                a, b = place.split("-")
                way.append(links.setdefault((a, b), len(links)))
            elif packet == "syn":
                flows[flow] = Flow(time, [], [])
    return Plan(list(links), flows)
