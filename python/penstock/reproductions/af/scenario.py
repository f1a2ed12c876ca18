"""The scenario of any row, under any choice of readings, as a page that can be read and run by itself."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.document import Row, Table
    from penstock.reproductions.reading import Settings

__all__ = ["build", "tcp_groups", "udp_groups"]

NO_DP = "none"
PRECEDENCES = {NO_DP: 1, "2": 2, "3": 3}
RED = {1: "red.no_dp", 2: "red.two_dp", 3: "red.three_dp"}
RATE_COLUMN = {"2": "cir_kbps", "3": "tgr_kbps"}


def build(settings: Settings, table: Table, row: Row) -> Mapping[str, str]:
    """The one scenario that a row needs."""
    precedences = PRECEDENCES[str(row.key["drop_precedences"])]
    marker = _marker(settings, table, row, precedences) if precedences > 1 else ""
    access = f"{marker}queue.tail-drop = {{ limit = {_limit(settings)} }}\n"
    groups = range(1, settings["topology.group_count"] + 1)
    parts = [_head(settings), _nodes(settings)]
    for g in groups:
        parts += [_link(settings, "source_access", source, f"ar{g}") for source in (f"tcp{g}", f"udp{g}")]
        parts.append(_link(settings, "access_core", f"ar{g}", "r1", port=access, back=False))
        parts.append(_link(settings, "access_core", "r1", f"ar{g}", back=False, reverse=True))
    parts.append(_link(settings, "core", "r1", "r2", port=_red(settings, precedences), back=False))
    parts.append(_link(settings, "core", "r2", "r1", back=False, reverse=True))
    if settings["sinks.shared"]:
        parts.append(_link(settings, "sink_access", "r2", "sinks"))
    else:
        parts += [_link(settings, "sink_access", "r2", sink) for g in groups for sink in (f"tcp-sinks{g}", f"udp-sink{g}")]
    parts += [_tcp_flows(settings, g) for g in groups]
    parts += [_udp_flows(settings, str(row.key["udp_rate"]), precedences, g) for g in groups]
    parts.append(_measure(settings))
    return {"": "\n".join(parts)}


def tcp_groups(settings: Settings) -> list[str]:
    """The names of the groups of TCP flows."""
    return [f"tcp{g}" for g in range(1, settings["topology.group_count"] + 1)]


def udp_groups(settings: Settings) -> list[str]:
    """The names of the groups of UDP flows, of one flow each."""
    return [f"udp{g}" for g in range(1, settings["topology.group_count"] + 1)]


def _head(settings: Settings) -> str:
    warm_up = settings.text("run.warm_up")
    lines = ['description = "50 sources on a 1.5 Mbit/s bottleneck with drop precedences"']
    lines.append(f'duration = "{settings["run.duration"]}"')
    if not warm_up.startswith("0 "):
        lines.append(f'warm-up = "{warm_up}"')
    return "\n".join(lines) + "\n"


def _nodes(settings: Settings) -> str:
    members = settings["topology.sources_per_group"] - 1  # the last of each group is UDP
    lines = ["[nodes]", "r1 = {}", "r2 = {}"]
    for g in range(1, settings["topology.group_count"] + 1):
        lines += [f"tcp{g} = {{ count = {members} }}", f"udp{g} = {{}}", f"ar{g} = {{}}"]
        if not settings["sinks.shared"]:
            lines += [f"tcp-sinks{g} = {{ count = {members} }}", f"udp-sink{g} = {{}}"]
    if settings["sinks.shared"]:
        lines.append("sinks = {}")
    return "\n".join(lines) + "\n"


def _link(
    settings: Settings, kind: str, start: str, end: str, *, port: str = "", back: bool = True, reverse: bool = False
) -> str:
    """A link with its queue, and with `back` its way back."""
    prefix = f"link.{kind}.reverse_" if reverse else f"link.{kind}."
    rate = _rate(Decimal(settings[f"{prefix}link_rate_bps"]))
    queue = port or f"queue.tail-drop = {{ limit = {_limit(settings)} }}\n"
    ends = [(start, end), (end, start)] if back else [(start, end)]
    return "\n".join(
        f'[[links]]\nfrom = "{a}"\nto = "{b}"\nrate = {rate}\ndelay = {_span(settings[f"{prefix}delay_s"])}\n{queue}'
        for a, b in ends
    )


def _marker(settings: Settings, table: Table, row: Row, precedences: int) -> str:
    """The marker of an access router: table 2 is about the TCM, table 3 about the RBM."""
    kind = {"2": "tcm", "3": "rbm"}[table.id]
    stated = f"marker.{kind}.{'two' if precedences == 2 else 'three'}_dp"
    rate = Decimal(str(row.key[RATE_COLUMN[table.id]])) * 1000
    scale = Decimal(settings["rates.kilo"]) / 1000
    committed, excess = rate, Decimal(0)
    if kind == "rbm" and precedences == 3:
        rates = zip(settings[f"{stated}.tgr0_bps"], settings[f"{stated}.tgr1_bps"], strict=True)
        committed, excess = next((Decimal(t0), Decimal(t1)) for t0, t1 in rates if t0 + t1 == rate)
    lines = [f"committed-rate = {_rate(committed * scale)}", f"committed-burst = {_bucket(settings, f'{stated}.bucket_size_dp0')}"]
    if precedences == 3:
        lines += [f"excess-rate = {_rate(excess * scale)}"] if kind == "rbm" else []
        lines += [f"excess-burst = {_bucket(settings, f'{stated}.bucket_size_dp1')}"]
        lines += [f'demotion = "{settings["marker.demotion"]}"']
    lines += ['mode = "colour-aware"', f'start = "{settings["marker.start"]}"']
    return f'marker.{kind} = {{ {", ".join(lines)} }}\nmarker.at = "{settings["marker.at"]}"\n'


def _red(settings: Settings, precedences: int) -> str:
    """RED of the bottleneck; one set of thresholds for each precedence."""
    sets = [f"{RED[precedences]}.dp{i}" for i in range(precedences)]
    minimum = [f'"{settings[f"{s}.min_threshold_packets"]} packets"' for s in sets]
    maximum = [f'"{settings[f"{s}.max_threshold_packets"]} packets"' for s in sets]
    probability = [f'"{settings[f"{s}.max_drop_probability"]}"' for s in sets]
    common = [
        f"limit = {_limit(settings)}",
        f"weight = {settings['queue.red_queue_weight']}",
        f'idle = "{settings["red.idle"]}"',
        f'spacing = "{settings["red.spacing"]}"',
        f"gentle = {_switch(settings['red.gentle'])}",
    ]
    if precedences == 1:
        own = [f"min-threshold = {minimum[0]}", f"max-threshold = {maximum[0]}", f"max-probability = {probability[0]}"]
        return f"queue.red = {{ {', '.join(own + common)} }}\n"
    own = [
        f"min-thresholds = [{', '.join(minimum)}]",
        f"max-thresholds = [{', '.join(maximum)}]",
        f"max-probabilities = [{', '.join(probability)}]",
        'averages = "coupled"',
        f'updates = "{settings["red.updates"]}"',
        f'count = "{settings["red.count"]}"',
    ]
    return f"queue.red-n = {{ {', '.join(own + common)} }}\n"


def _tcp_flows(settings: Settings, g: int) -> str:
    tcp = [
        'variant = "reno"',
        f'packet = "{settings["packet.wire_bytes"]} bytes"',
        f'header = "{settings["packet.header_bytes"]} bytes"',
        f'initial-window = "{settings["tcp.initial_window_packets"]} packets"',
        f'max-window = "{settings["traffic.tcp_window_packets"]} packets"',
        f'timer-tick = "{settings["tcp.timer_tick"]}"',
        f'initial-rto = "{settings["tcp.initial_rto"]}"',
        f'min-rto = "{settings["tcp.min_rto"]}"',
        f'max-rto = "{settings["tcp.max_rto"]}"',
        f"max-backoff = {settings['tcp.max_backoff']}",
        f"ack-every = {settings['tcp.ack_every']}",
        f"syn = {_switch(settings['tcp.syn'])}",
        f"limited-transmit = {_switch(settings['tcp.limited_transmit'])}",
    ]
    sink = "sinks" if settings["sinks.shared"] else f"tcp-sinks{g}"
    return (
        f'[[flows]]\nname = "tcp{g}"\nfrom = "tcp{g}"\nto = "{sink}"\nstart = {_start(settings, "start.tcp")}\n'
        f"transport.tcp = {{ {', '.join(tcp)} }}\nsource.ftp = {{}}\n"
    )


def _udp_flows(settings: Settings, printed_rate: str, precedences: int, g: int) -> str:
    rate = Decimal(printed_rate[:-1]) * Decimal(settings["rates.kilo"]) ** {"k": 1, "M": 2}[printed_rate[-1]]
    source = [f"rate = {_rate(rate)}", f'packet = "{settings["packet.wire_bytes"]} bytes"']
    if settings["udp.source"] == "cbr":
        source += ['phase = "zero"', f"spacing-jitter = {settings['udp.spacing_jitter']}"]
    premark = settings[f"marking.source_premark_{precedences}dp.udp"].removeprefix("dp") if precedences > 1 else "0"
    sink = "sinks" if settings["sinks.shared"] else f"udp-sink{g}"
    return (
        f'[[flows]]\nname = "udp{g}"\nfrom = "udp{g}"\nto = "{sink}"\nprecedence = {premark}\n'
        f"start = {_start(settings, 'start.udp')}\nsource.{settings['udp.source']} = {{ {', '.join(source)} }}\n"
    )


def _measure(settings: Settings) -> str:
    measures = [("throughput", tcp_groups(settings) + udp_groups(settings))]
    if settings["throughput.counts"] == "goodput":
        measures.append(("goodput", tcp_groups(settings)))
    return "\n".join(
        f'[[measure]]\nmetric = "{metric}"\nof = [{", ".join(f'"{name}"' for name in groups)}]\nper = "flow"\n'
        for metric, groups in measures
    )


def _start(settings: Settings, name: str) -> str:
    first, last = settings[name]
    return f'"{first}"' if first == last else f'{{ uniform = ["{first}", "{last}"] }}'


def _limit(settings: Settings) -> str:
    return f'"{settings["queue.queue_limit_packets"]} packets"'


def _bucket(settings: Settings, name: str) -> str:
    size, left = divmod(settings[name], settings["marker.bucket_units_per_byte"])
    if left:
        raise ValueError(f"{name} is not a whole number of bytes")
    return f'"{size} bytes"'


def _rate(bps: Decimal) -> str:
    for unit, size in (("Mbit/s", 1_000_000), ("kbit/s", 1_000)):
        if bps >= size and bps % (size // 100) == 0:
            return f'"{(bps / size).normalize():f} {unit}"'
    return f'"{bps.to_integral_value()} bit/s"'


def _span(seconds: float) -> str:
    microseconds = round(seconds * 1_000_000)
    return f'"{microseconds // 1000} ms"' if microseconds % 1000 == 0 else f'"{microseconds} us"'


def _switch(value: bool) -> str:
    return "true" if value else "false"
