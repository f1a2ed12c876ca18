"""What admission at five times the admissible rate comes to at best: counting calls, exactly.

Calls that are counted and refused beyond a number are the M/G/n/n system of A. K. Erlang, whatever the law of the
holding times; several bottlenecks in a row, with calls over one or all of them, are a loss network, in which the
numbers of calls are independent but for what the links hold [Kelly91]. Two null models are such formulas too.
"""

import math
from collections.abc import Mapping

from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, TERMINATION, Case, cases
from penstock.reproductions.pcn.traffic import (
    activity,
    admissible_rate,
    call_interval,
    counted_rate,
    mean_rate,
    overload_calls,
    spacing,
    supportable_rate,
)
from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table


def erlang_b(load: float, servers: int) -> float:
    """The share of calls that find `servers` of them present, with a load of `load` erlang.

    Insensitive to the law of the holding times.

    Examples
    --------
    >>> round(erlang_b(5.0, 10), 6), round(erlang_b(5000.0, 1000), 6)
    (0.018385, 0.80005)
    """
    blocking = 1.0
    for n in range(1, servers + 1):
        blocking = load * blocking / (n + load * blocking)
    return blocking


def parking_lot(load: float, servers: int, links: int) -> float:
    """Mean calls on a link of a parking lot: `load` erlang over all `links`, and as many over each alone.

    Given the calls over all links, those over each one are an Erlang system with the servers that are left.

    Examples
    --------
    >>> round(parking_lot(5.0, 10, 1), 6) == round(10.0 * (1 - erlang_b(10.0, 10)), 6)
    True
    """
    # Of a system with n servers: the logarithm of sum_{k <= n} load^k/k!, and the mean of k.
    sums, means = [0.0], [0.0]
    log, mean = 0.0, 0.0
    for n in range(1, servers + 1):
        term = n * math.log(load) - math.lgamma(n + 1)
        share = 1 / (1 + math.exp(log - term))
        log += math.log1p(math.exp(term - log)) if term < log else term - log + math.log1p(math.exp(log - term))
        mean += share * (n - mean)
        sums.append(log)
        means.append(mean)
    logs = [n * math.log(load) - math.lgamma(n + 1) + links * sums[servers - n] for n in range(servers + 1)]
    weights = [math.exp(it - max(logs)) for it in logs]
    total = math.fsum(weights)
    return math.fsum(w * (n + means[servers - n]) for n, w in enumerate(weights)) / total


def offered(settings: Settings, case: Case) -> float:
    """The load at a bottleneck in erlang."""
    aggregates = {RTT: case.size, PLT: 2}.get(case.topology, 1)
    return _holding(settings) * aggregates / float(call_interval(settings, case))


def limit(settings: Settings, case: Case) -> int:
    """The most calls whose mean rates AR holds."""
    return int(admissible_rate(settings, case) / mean_rate(settings, case))


def round_trip(settings: Settings, case: Case) -> float:
    """Mean time from a request at the egress to its answer at the ingress and back, in seconds.

    For so long a place is taken before the call begins and after it has ended.
    """
    if case.topology == SINGLE:
        return 2 * float(settings["delay.single_s"])
    ends = (settings[f"topology.rtt.ingress_link_delay_{end}_s"] for end in ("min", "max"))
    return 2 * (sum(map(float, ends)) / 2 + float(settings["topology.rtt.bottleneck_delay_s"]))


def packets_over_rate(settings: Settings, case: Case) -> float:
    """Mean packets of a call, over its mean rate times its mean duration.

    A call of exponential duration that sends its first packet at once sends one each spacing T of on-time until it has
    ended: 1/(1 - exp(-k T)) of them, where it ends with rate k on average within a unit of on-time. That is half a
    packet more than 1/(k T), for the first one needs no time. From a random phase within a spacing on, it is none more,
    nor of an on-off source in its stationary state. One that begins with an on period, or off, has more or less
    than its share of on-time, by a part of a period.
    """
    gap, rate = float(spacing(settings, case)), 1 / _holding(settings)
    if case.traffic == "CBR":
        return 1.0 if settings["source.phase"] == "random" else rate * gap / -math.expm1(-rate * gap)
    share = float(activity(settings, case.traffic))
    on, off = (1 / float(settings[f"traffic.{case.traffic.lower()}.{name}_mean_s"]) for name in ("on", "off"))
    if settings["source.initial"] == "stationary":
        return 1.0 if settings["source.remainder"] == "carried" else _whole(on, off, gap) * gap / share
    starts_on = {"on": 1.0, "off": 0.0}[settings["source.initial"]]
    outlives_off = off / (off + rate)
    if settings["source.remainder"] == "whole":
        # On periods are n spacings, the nearest to an exponential time but at least one; the call may end in one.
        burst = 1 + math.exp(-1.5 * on * gap - rate * gap) / -math.expm1(-(on + rate) * gap)
        outlives_on = 1 + burst * math.expm1(-rate * gap)
        packets = burst / (1 - outlives_on * outlives_off)
    else:
        packets = 1 / -math.expm1(-(rate + on * (1 - outlives_off)) * gap)
    return (starts_on + (1 - starts_on) * outlives_off) * packets * gap * rate / share


def _whole(on: float, off: float, gap: float) -> float:
    """Packets a second where on periods are the nearest whole number of spacings, at least one."""
    half = math.exp(-on * gap / 2)
    packets = -half / math.expm1(-on * gap) + 1 - half
    return packets / (packets * gap + 1 / off)


def perfect(settings: Settings, case: Case) -> tuple[float, float]:
    """Blocking, and over-admission in percent, if calls are counted without delay and send at their mean rate."""
    ar, mean = admissible_rate(settings, case), mean_rate(settings, case)
    load, servers = offered(settings, case), limit(settings, case)
    if case.topology == PLT:
        calls = parking_lot(load / 2, servers, case.size)
        blocking = 1 - calls / load
    else:
        blocking = erlang_b(load, servers)
        calls = load * (1 - blocking)
    return blocking, 100 * (calls * float(mean) / float(ar) - 1)


def counted(settings: Settings, case: Case) -> tuple[float, float]:
    """The same for ``admission.count`` as it is simulated: with messages that take time, and in whole packets.

    Over several bottlenecks, which no single egress counts, without messages.
    """
    packets = packets_over_rate(settings, case)
    if case.topology == PLT:
        blocking, over = perfect(settings, case)
        return blocking, (100 + over) * packets - 100
    ar, mean, holding = admissible_rate(settings, case), mean_rate(settings, case), _holding(settings)
    # A place is taken for the messages' time too, and calls do not send in that.
    load = offered(settings, case) * (1 + round_trip(settings, case) / holding)
    blocking = erlang_b(load, limit(settings, case))
    calls = offered(settings, case) * (1 - blocking)
    return blocking, 100 * (calls * packets * float(mean) / float(ar) - 1)


def counter(settings: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Over-admission if calls are counted: the same for every scheme, and at every bottleneck of a parking lot."""
    admitting = [case for case in cases(settings, table, row).values() if case.kind == ADMISSION]
    if not admitting:
        return {}
    over = counted(settings, admitting[0])[1]
    return {column.name: over for column in table.compared}


def no_feedback(settings: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Over-termination if no mark reaches an edge: all calls stay. There is no time, as no call ends."""
    overloaded = [case for case in cases(settings, table, row).values() if case.kind == TERMINATION]
    if not overloaded:
        return {}
    case = overloaded[0]
    load = overload_calls(settings, case)[1] * counted_rate(settings, case)
    over = float(100 * (1 - load / supportable_rate(settings, case)))
    return {column.name: over for column in table.compared if not column.name.startswith("termination_time")}


NULLS = {"counter": counter, "no-feedback": no_feedback}


def _holding(settings: Settings) -> float:
    return float(settings["traffic.flows.flow_duration_mean_admission_s"])
