"""Recorded arrivals: what arrived at a queue, read from a trace or from the log of an emulation."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from penstock import _core, toml
from penstock.emulation.opened import read_log
from penstock.errors import InputError
from penstock.printable import path_text, quoted

_LOG = ["time_ps", "flow", "size", "ecn", "precedence"]
_IDENTITY = ["flow", "packet", "sequence", "acknowledgement", "retransmission"]
"""Columns of a trace that tell packets apart."""
_TRACE = {"time_ps", "event", "cause", "place", "class", "size", "precedence", "ecn", *_IDENTITY}
_SECOND = 10**12
_SIZES = 28, 65_535
"""Smallest and largest packet in bytes."""
_MOST_FLOWS = 1 << 20
_ECN = ("not-ect", "ect1", "ect0", "ce")
"""ECN codepoints in the order of their numbers."""
_HEADER = "arrivals are what 'penstock trace FILE --at LINK --format csv' or 'penstock emulate --log' writes"


@dataclass
class Recorded:
    """Arrivals at a queue in ascending order."""

    arrivals: list[tuple[int, str, int, int, int, int]] = field(default_factory=list)
    """Of each packet the time in ps, group and number of its flow, bytes, ECN codepoint, and drop precedence."""
    classes: dict[str, str] = field(default_factory=dict)  # class of each group of flows

    def add(self, time: int, flow: tuple[str, int], size: int, ecn: int, precedence: int) -> None:
        """Adds an arrival.

        Raises ValueError if it is before the last one, or has no size, codepoint or precedence of a packet; says why.
        """
        if self.arrivals and time < self.arrivals[-1][0]:
            raise ValueError(f"{time} ps is before the arrival before it, at {self.arrivals[-1][0]} ps")
        for name, value, (lowest, highest) in (
            ("size", size, _SIZES),
            ("ecn", ecn, (0, len(_ECN) - 1)),
            ("precedence", precedence, (0, 3)),
            ("flow", flow[1], (0, _MOST_FLOWS - 1)),
            ("time_ps", time, (0, 1 << 62)),
        ):
            if not lowest <= value <= highest:
                raise ValueError(f"{name} {value} is not from {lowest} to {highest}")
        self.arrivals.append((time, *flow, size, ecn, precedence))

    def networks(self, network: str, *, by_class: bool) -> dict[str, str]:
        """The network at two loads, from a rate of its bottleneck below and above that of the arrivals."""
        groups = [
            "\n".join(
                ["", "[[flows]]", f"name = {toml.value(name)}", 'from = "router"', 'to = "sink"', f"count = {count}"]
                + ([f"class = {toml.value(self.classes[name])}"] if by_class else [])
                + [f'source.packets = {{ at = ["0 s", "0 s"], sizes = ["28 bytes", "{self._largest} bytes"] }}', ""]
            )
            for name, count in self._counts().items()
        ]
        first, last = self.arrivals[0][0], self.arrivals[-1][0]
        bits = 8 * sum(size for _, _, _, size, *_ in self.arrivals)
        seconds = max(last - first, _SECOND // 1000) / _SECOND
        text = network.replace('duration = "5 s"', f'duration = "{last // _SECOND + 2} s"') + "".join(groups)
        return {
            f"recorded arrivals at a load of {load}": text.replace(
                'rate = "5 Mbit/s"', f'rate = "{max(1, round(bits / seconds / load))} bit/s"'
            )
            for load in (0.95, 1.25)
        }

    def opened(self, scenario: _core.Scenario) -> _core.Scenario:
        """A scenario of :meth:`networks` with the arrivals."""
        flows = self._counts()
        first = dict(zip(flows, accumulate(flows.values(), initial=0), strict=False))
        lines = [
            f"{time},{first[group] + number},{size},{ecn},{precedence}"
            for time, group, number, size, ecn, precedence in self.arrivals
        ]
        return _core.with_arrivals(scenario, list(flows), self._largest, "\n".join([",".join(_LOG), *lines, ""]))

    @property
    def _largest(self) -> int:
        return max(size for _, _, _, size, *_ in self.arrivals)

    def _counts(self) -> dict[str, int]:
        """Number of flows of each group."""
        counts: dict[str, int] = {}
        for _, group, number, *_ in self.arrivals:
            counts[group] = max(counts.get(group, 0), number + 1)
        return counts


def recorded(file: Path) -> Recorded:
    """The arrivals in a file.

    Raises InputError if it cannot be read, or is no trace of one link and no log of arrivals; the message has the
    line.
    """
    shown = path_text(str(file))
    rows = csv.reader(io.StringIO(read_log(file), newline=""), strict=True)
    found = Recorded()
    try:
        header = next(rows, [])
        if header == _LOG:
            for row in _rows(rows, header):
                _add_of_log(found, row)
        elif set(header) >= _TRACE:
            _add_of_trace(found, _rows(rows, header))
        else:
            raise ValueError(f"has the columns {quoted(','.join(header))}; {_HEADER}")
    except (ValueError, csv.Error) as error:
        raise InputError(f"{shown}:{max(rows.line_num, 1)}: {error}.") from None
    if not found.arrivals:
        raise InputError(f"{shown}: has no arrivals; {_HEADER}.")
    return found


def _rows(rows: Iterable[list[str]], header: list[str]) -> Iterator[dict[str, str]]:
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"has {len(row)} columns, and the first line {len(header)}")
        yield dict(zip(header, row, strict=True))


def _number(row: Mapping[str, str], name: str) -> int:
    if not re.fullmatch(r"[0-9]{1,19}", row[name], re.ASCII):
        raise ValueError(f"{name} is {quoted(row[name])}, and not a number")
    return int(row[name])


def _add_of_log(found: Recorded, row: Mapping[str, str]) -> None:
    time, flow, size, ecn, precedence = (_number(row, name) for name in _LOG)
    found.classes["real"] = "default"
    found.add(time, ("real", flow), size, ecn, precedence)


def _add_of_trace(found: Recorded, rows: Iterable[Mapping[str, str]]) -> None:
    """Adds the packets that the port of a trace accepted, or dropped or marked without accepting them."""
    place = ""
    waiting: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        event, packet = row["event"], tuple(row[name] for name in _IDENTITY)
        if event == "transmit":
            waiting[packet] -= 1
        if event not in ("accept", "mark", "drop") or row["cause"] == "loss":
            continue
        if place and row["place"] != place:
            raise ValueError(
                f"is at {quoted(row['place'])}, and the lines before at {quoted(place)}; trace one link: --at"
            )
        place = row["place"]
        if event != "accept" and waiting[packet] > 0:
            waiting[packet] -= event == "drop"
            continue
        waiting[packet] += event != "drop"
        if row["ecn"] not in _ECN:
            raise ValueError(f"ecn is {quoted(row['ecn'])}, and not one of {', '.join(_ECN)}")
        # A mark by the queue is a mark of a packet that was ECN-capable.
        ecn = "ect0" if event == "mark" and row["cause"] == "discipline" else row["ecn"]
        flow = re.fullmatch(r"(.+)\[([0-9]{1,9})\]", row["flow"], re.ASCII)
        if flow is None:
            raise ValueError(f"flow is {quoted(row['flow'])}, and not a member of a group, such as tcp[3]")
        if found.classes.setdefault(flow[1], row["class"]) != row["class"]:
            raise ValueError(f"{quoted(row['flow'])} has the class {quoted(row['class'])}, and another one before")
        time, size, precedence = (_number(row, name) for name in ("time_ps", "size", "precedence"))
        found.add(time, (flow[1], int(flow[2])), size, _ECN.index(ecn), precedence)
