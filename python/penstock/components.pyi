"""The component classes, written by ``python -m penstock.generate`` from the core's catalogue."""

from typing import Any, ClassVar, Literal, TypeAlias

from penstock.component import Component

__all__ = [
    "AdaptiveRed",
    "AnyCongestionControl",
    "AnyRateControl",
    "AnyRecovery",
    "Batch",
    "Bbr",
    "Bbr3",
    "BcnCongestionPoint",
    "BcnReactionPoint",
    "Bic",
    "Cake",
    "Cbq",
    "Cbr",
    "CircuitThresholds",
    "Cl",
    "Cle",
    "Cobalt",
    "CodecMix",
    "Codel",
    "Count",
    "Cubic",
    "Dcqcn",
    "Dctcp",
    "Delay",
    "Dfba",
    "DropList",
    "Drr",
    "DualTokenBucketShaper",
    "Dualpi2",
    "Duplication",
    "DynamicThreshold",
    "Epd",
    "Ets",
    "Excess",
    "Exponential",
    "FGcra",
    "Fba",
    "Fifo",
    "FixedHolding",
    "FixedRateControl",
    "FqCodel",
    "FqPie",
    "Fractional",
    "FrameThresholds",
    "Ftp",
    "GilbertElliott",
    "HTcp",
    "HighSpeed",
    "Hpcc",
    "Htb",
    "Http",
    "Illinois",
    "Infinite",
    "Ledbat",
    "LedbatPlusPlus",
    "Loss",
    "MarkedFlow",
    "MinimumAllocation",
    "NewReno",
    "NoneArrival",
    "OnOff",
    "Packets",
    "Pi2",
    "Pie",
    "PoissonArrival",
    "PoissonSource",
    "Pool",
    "Ppd",
    "Prague",
    "PreEmption",
    "Priority",
    "Prr",
    "QcnCongestionPoint",
    "QcnReactionPoint",
    "Rack",
    "Rbm",
    "Red",
    "RedMarking",
    "RedN",
    "RenoCongestionControl",
    "RenoRecovery",
    "Reordering",
    "Rfc4115",
    "Rfc6661Admission",
    "Rfc6661Termination",
    "Rfc6662Admission",
    "Rfc6662Termination",
    "Roce",
    "Sack",
    "Sack1",
    "Scalable",
    "Scfq",
    "Scream",
    "SelectiveDrop",
    "Sfq",
    "SingleThresholdPcnMeter",
    "SingleThresholdTermination",
    "Sm",
    "StaticShares",
    "StepMarking",
    "Stfq",
    "Tahoe",
    "TailDrop",
    "Tcm",
    "Tcp",
    "Threshold",
    "Timely",
    "TimeoutOnly",
    "TokenBucket",
    "TokenBucketPolicer",
    "TokenBucketShaper",
    "Trace",
    "Tsw2cm",
    "Tsw3cm",
    "TwoRateTcm",
    "Udp",
    "Vegas",
    "Video",
    "VirtualQueue",
    "Westwood",
    "Wf2qPlus",
    "Wrr",
]

class TailDrop(Component):
    """Tail drop: drops arrivals that do not fit into the queue.

    More about it: ``penstock explain tail-drop``.

    Parameters
    ----------
    limit : str, default 1000 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    counts : Literal["waiting", "in-system"], default waiting
        Whether the packet in service takes a slot of the buffer.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "tail-drop"
    limit: str
    counts: Literal["waiting", "in-system"]
    def __init__(self, *, limit: str = "1000 packets", counts: Literal["waiting", "in-system"] = "waiting") -> None: ...

class Red(Component):
    """Random Early Detection: drops arrivals at random, with a probability that rises with the average queue.

    More about it: ``penstock explain red``.

    Parameters
    ----------
    limit : str
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    min_threshold : str
        Average below which nothing is dropped (min_th), in the unit of `limit`; zero for no such threshold. Allowed:
        packets or bytes, zero or more; at a link also a time, for what it sends in that time at its initial rate.
    max_threshold : str
        Average from which everything is dropped (max_th), in the unit of `limit`. Allowed: at least 1 packet or 1 byte;
        at a link also a time, such as `5 ms`, for what it sends in that time at its initial rate.
    max_probability : float | str
        Drop probability just below `max-threshold`, before spacing (max_p). Allowed: between 0 and 1.
    weight : float | str, default 0.002
        Weight of an arrival's sample in the average (w_q); default of [Floyd93 s6] and ns-2. Allowed: above 0, at most
        1.
    mean_packet : str, default 500 bytes
        Mean size of a packet, which converts idle time to packets and scales mode `bytes`; default of ns-2. Allowed:
        above zero.
    idle : Literal["corrected", "exact", "ignored"], default corrected
        Ageing of the average by idle time; default of ns-2.
    spacing : Literal["wait", "count", "independent"], default wait
        Spacing of drops; default of ns-2.
    near_empty : Literal["restart", "spare", "drop"], default restart
        Treatment of an arrival that finds at most one packet waiting; default of ns-2.
    mode : Literal["packets", "bytes"], optional
        Whether large packets are dropped more often than small ones; if left out, by the unit of the thresholds.
    gentle : bool, default false
        Let the probability rise linearly to 1 above `max-threshold`; off in [Floyd93 s4], on in ns-2 since 2001.
    ecn : bool, default false
        Mark ECN-capable packets instead of dropping them early.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "red"
    limit: str
    min_threshold: str
    max_threshold: str
    max_probability: float | str
    weight: float | str
    mean_packet: str
    idle: Literal["corrected", "exact", "ignored"]
    spacing: Literal["wait", "count", "independent"]
    near_empty: Literal["restart", "spare", "drop"]
    mode: Literal["packets", "bytes"] | None
    gentle: bool
    ecn: bool
    def __init__(self, *, limit: str, min_threshold: str, max_threshold: str, max_probability: float | str, weight: float | str = 0.002, mean_packet: str = "500 bytes", idle: Literal["corrected", "exact", "ignored"] = "corrected", spacing: Literal["wait", "count", "independent"] = "wait", near_empty: Literal["restart", "spare", "drop"] = "restart", mode: Literal["packets", "bytes"] | None = None, gentle: bool = False, ecn: bool = False) -> None: ...

class AdaptiveRed(Component):
    """Adaptive RED: RED that keeps the average queue halfway between its thresholds by adapting max_p.

    More about it: ``penstock explain adaptive-red``.

    Parameters
    ----------
    limit : str, default 1000 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    target_delay : str, default 5 ms
        Average queueing delay that the automatic thresholds aim at; default of [Floyd01 s5] and ns-2. Allowed: zero or
        more.
    min_threshold : str, optional
        Average below which nothing is dropped (min_th), in the unit of `limit`; automatic if left out. Allowed: packets
        or bytes, zero or more; at a link also a time, for what it sends in that time at its initial rate.
    max_threshold : str, optional
        Average from which the probability rises from max_p to 1 (max_th), in the unit of `limit`; automatic if left
        out. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for what it sends in that time
        at its initial rate.
    max_probability : float | str, default 0.1
        Initial drop probability just below `max-threshold` (max_p); default of ns-2. Allowed: between 0 and 1.
    weight : float | str, optional
        Weight of an arrival's sample in the average (w_q); automatic if left out. Allowed: above 0, at most 1.
    mean_packet : str, default 500 bytes
        Mean size of a packet, which converts rates and idle time to packets; default of ns-2. Allowed: above zero.
    interval : str, default 500 ms
        Time between adaptations of max_p [Floyd01 s4]. Allowed: zero or more.
    increase : float | str, default 0.01
        Maximum increase of max_p (alpha) [Floyd01 s4]. Allowed: between 0 and 1.
    decrease : float | str, default 0.9
        Factor of max_p when it decreases (beta) [Floyd01 s4]. Allowed: above 0, at most 1.
    spacing : Literal["wait", "count", "independent"], default wait
        Spacing of drops; default of ns-2.
    mode : Literal["packets", "bytes"], optional
        Whether large packets are dropped more often than small ones; if left out, by the unit of `limit`.
    ecn : bool, default false
        Mark ECN-capable packets instead of dropping them early.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "adaptive-red"
    limit: str
    target_delay: str
    min_threshold: str | None
    max_threshold: str | None
    max_probability: float | str
    weight: float | str | None
    mean_packet: str
    interval: str
    increase: float | str
    decrease: float | str
    spacing: Literal["wait", "count", "independent"]
    mode: Literal["packets", "bytes"] | None
    ecn: bool
    def __init__(self, *, limit: str = "1000 packets", target_delay: str = "5 ms", min_threshold: str | None = None, max_threshold: str | None = None, max_probability: float | str = 0.1, weight: float | str | None = None, mean_packet: str = "500 bytes", interval: str = "500 ms", increase: float | str = 0.01, decrease: float | str = 0.9, spacing: Literal["wait", "count", "independent"] = "wait", mode: Literal["packets", "bytes"] | None = None, ecn: bool = False) -> None: ...

class RedN(Component):
    """RED_n: RED with thresholds, maximum probability and average per drop precedence; RIO with two precedences.

    More about it: ``penstock explain red-n``.

    Parameters
    ----------
    limit : str
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    min_thresholds : list[str]
        Averages below which nothing is dropped, best protected precedence first (min_th), in the unit of `limit`; zero
        for no such threshold. Allowed: packets or bytes, zero or more; at a link also a time, for what it sends in that
        time at its initial rate.
    max_thresholds : list[str]
        Averages from which everything is dropped (max_th), in the unit of `limit`. Allowed: at least 1 packet or 1
        byte; at a link also a time, such as `5 ms`, for what it sends in that time at its initial rate.
    max_probabilities : list[float | str]
        Drop probabilities just below the maximum thresholds, before spacing (max_p). Allowed: between 0 and 1.
    weight : float | str, default 0.002
        Weight of an arrival's sample in an average (w_q); default of [Floyd93 s6], [Goyal99 Table 1] and ns-2. Allowed:
        above 0, at most 1.
    mean_packet : str, default 500 bytes
        Mean size of a packet, which converts idle time to packets and scales mode `bytes`; default of ns-2. Allowed:
        above zero.
    idle : Literal["corrected", "exact", "ignored"], default corrected
        Ageing of the averages by idle time; default of ns-2.
    spacing : Literal["wait", "count", "independent"], default wait
        Spacing of drops; default of ns-2.
    near_empty : Literal["restart", "spare", "drop"], default restart
        Treatment of an arrival that finds at most one packet waiting; default of ns-2.
    mode : Literal["packets", "bytes"], optional
        Whether large packets are dropped more often than small ones; if left out, by the unit of the thresholds.
    gentle : bool, default false
        Let the probability rise linearly to 1 above the maximum threshold; off in [Floyd93 s4].
    averages : Literal["coupled", "separate", "total"], default coupled
        Packets that the average of a precedence counts; default of [Goyal99 s2] and RIO.
    updates : Literal["rio", "all"], default rio
        Averages that an arrival updates; default of RIO.
    count : Literal["per-precedence", "shared"], default per-precedence
        Scope of the count of `spacing`.
    when_full : Literal["refresh", "ignore"], default refresh
        How averages and count change with an arrival that finds no room.
    ecn : bool, default false
        Mark ECN-capable packets instead of dropping them early.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "red-n"
    limit: str
    min_thresholds: list[str]
    max_thresholds: list[str]
    max_probabilities: list[float | str]
    weight: float | str
    mean_packet: str
    idle: Literal["corrected", "exact", "ignored"]
    spacing: Literal["wait", "count", "independent"]
    near_empty: Literal["restart", "spare", "drop"]
    mode: Literal["packets", "bytes"] | None
    gentle: bool
    averages: Literal["coupled", "separate", "total"]
    updates: Literal["rio", "all"]
    count: Literal["per-precedence", "shared"]
    when_full: Literal["refresh", "ignore"]
    ecn: bool
    def __init__(self, *, limit: str, min_thresholds: list[str], max_thresholds: list[str], max_probabilities: list[float | str], weight: float | str = 0.002, mean_packet: str = "500 bytes", idle: Literal["corrected", "exact", "ignored"] = "corrected", spacing: Literal["wait", "count", "independent"] = "wait", near_empty: Literal["restart", "spare", "drop"] = "restart", mode: Literal["packets", "bytes"] | None = None, gentle: bool = False, averages: Literal["coupled", "separate", "total"] = "coupled", updates: Literal["rio", "all"] = "rio", count: Literal["per-precedence", "shared"] = "per-precedence", when_full: Literal["refresh", "ignore"] = "refresh", ecn: bool = False) -> None: ...

class Codel(Component):
    """CoDel: drops at departure while the sojourn time stays above a target, and more often the longer it stays there.

    More about it: ``penstock explain codel``.

    Parameters
    ----------
    limit : str, default 1000 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    target : str, default 5 ms
        Acceptable minimum of the sojourn time (TARGET) [RFC8289 s4.3]. Allowed: zero or more.
    interval : str, default 100 ms
        Time over which the minimum is taken, about the longest usual round-trip time (INTERVAL) [RFC8289 s4.2].
        Allowed: zero or more.
    mtu : str, default 1500 bytes
        Nothing is dropped while at most this much waits behind a packet (maxpacket) [RFC8289 s4.1, s5.6]. Allowed:
        above zero.
    ecn : bool, default false
        Mark ECN-capable packets instead of dropping them.
    ce_threshold : str, optional
        Sojourn time above which each ECN-capable packet is marked, as for DCTCP; none if left out. Allowed: zero or
        more.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "codel"
    limit: str
    target: str
    interval: str
    mtu: str
    ecn: bool
    ce_threshold: str | None
    def __init__(self, *, limit: str = "1000 packets", target: str = "5 ms", interval: str = "100 ms", mtu: str = "1500 bytes", ecn: bool = False, ce_threshold: str | None = None) -> None: ...

class Pie(Component):
    """The discipline ``pie``.

    PIE: drops arrivals at random, with a probability that a controller adjusts to hold the queueing delay at a target.

    More about it: ``penstock explain pie``.

    Parameters
    ----------
    limit : str, default 1000 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    target : str, default 15 ms
        Target queueing delay (QDELAY_REF) [RFC8033 s4.2]. Allowed: zero or more.
    update_interval : str, default 15 ms
        Time between two updates of the probability (T_UPDATE) [RFC8033 s4.2]. Allowed: zero or more.
    max_burst : str, default 150 ms
        Duration of a burst before drops begin (MAX_BURST) [RFC8033 s4.4]. Allowed: zero or more.
    alpha : float | str, default 0.125
        Weight of the deviation from the target, per second (alpha) [RFC8033 s4.2]. Allowed: above 0.
    beta : float | str, default 1.25
        Weight of the change of the delay, per second (beta) [RFC8033 s4.2]. Allowed: above 0.
    mean_packet : str, default 1500 bytes
        Mean size of a packet (MEAN_PKTSIZE) [RFC8033 s4.1]; nothing is dropped while at most two such packets wait.
        Allowed: above zero.
    mode : Literal["packets", "bytes"], default packets
        Unit to which the probability applies [RFC8033 App. B].
    delay : Literal["timestamps", "departure-rate"], default timestamps
        Source of the queueing delay.
    departure_threshold : str, optional
        Amount of data over which the departure rate is measured (DQ_THRESHOLD) [RFC8033 s5.2]; 16 KiB if left out.
        Allowed: above zero.
    ecn : bool, default false
        Mark ECN-capable packets instead of dropping them.
    mark_threshold : float | str, optional
        Probability from which ECN-capable packets are dropped too (mark_ecnth) [RFC8033 s5.1]; 10 % if left out.
        Allowed: between 0 and 1.
    derandomise : bool, default false
        Spread drops more evenly than chance does [RFC8033 s5.4].
    cap : bool, default true
        Limit increases of a high probability to 0.02 [RFC8033 s5.5].
    active_from : str, optional
        Backlog at which PIE becomes active [RFC8033 s5.3], a third of `limit` in App. B. It becomes inactive when the
        queue is empty and the delay zero. Always active if left out. Allowed: at least 1 packet or 1 byte; at a link
        also a time, such as `5 ms`, for what it sends in that time at its initial rate.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "pie"
    limit: str
    target: str
    update_interval: str
    max_burst: str
    alpha: float | str
    beta: float | str
    mean_packet: str
    mode: Literal["packets", "bytes"]
    delay: Literal["timestamps", "departure-rate"]
    departure_threshold: str | None
    ecn: bool
    mark_threshold: float | str | None
    derandomise: bool
    cap: bool
    active_from: str | None
    def __init__(self, *, limit: str = "1000 packets", target: str = "15 ms", update_interval: str = "15 ms", max_burst: str = "150 ms", alpha: float | str = 0.125, beta: float | str = 1.25, mean_packet: str = "1500 bytes", mode: Literal["packets", "bytes"] = "packets", delay: Literal["timestamps", "departure-rate"] = "timestamps", departure_threshold: str | None = None, ecn: bool = False, mark_threshold: float | str | None = None, derandomise: bool = False, cap: bool = True, active_from: str | None = None) -> None: ...

class Pi2(Component):
    """The discipline ``pi2``.

    PI2: a proportional-integral controller of the delay; Classic traffic is dropped with its squared probability,
    scalable traffic marked with a multiple of it.

    More about it: ``penstock explain pi2``.

    Parameters
    ----------
    limit : str, default 1000 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    target : str, default 15 ms
        Target queueing delay. Allowed: zero or more.
    update_interval : str, default 16 ms
        Time between two updates of the probability (Tupdate). Allowed: zero or more.
    alpha : float | str, default 0.16
        Weight of the deviation from the target, per second (alpha). Allowed: above 0.
    beta : float | str, default 3.2
        Weight of the change of the delay, per second (beta). Allowed: above 0.
    coupling : float | str, default 2
        Coupling factor: scalable traffic is marked with this many times p' (k). Allowed: above 0.
    ecn : bool, default false
        Mark ECN-capable Classic packets instead of dropping them; scalable packets are always marked.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "pi2"
    limit: str
    target: str
    update_interval: str
    alpha: float | str
    beta: float | str
    coupling: float | str
    ecn: bool
    def __init__(self, *, limit: str = "1000 packets", target: str = "15 ms", update_interval: str = "16 ms", alpha: float | str = 0.16, beta: float | str = 3.2, coupling: float | str = 2.0, ecn: bool = False) -> None: ...

class RedMarking(Component):
    """The discipline ``red-marking``.

    RED marking: marks ECN-capable arrivals with a probability that rises with the queue, and drops only when the queue
    is full.

    More about it: ``penstock explain red-marking``.

    Parameters
    ----------
    limit : str, default 1 MB
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate; `none` for no limit but that of a buffer that ports share.
    min_threshold : str, default 5 kB
        Nothing is marked up to this (K_min), in packets or bytes as `limit` is [Zhu15]. Allowed: at least 1 packet or 1
        byte; at a link also a time, such as `5 ms`, for what it sends in that time at its initial rate.
    max_threshold : str, default 200 kB
        Everything is marked above this (K_max), in the unit of `min-threshold` [Zhu15]. Allowed: at least 1 packet or 1
        byte; at a link also a time, such as `5 ms`, for what it sends in that time at its initial rate.
    max_probability : float | str, default 0.01
        Probability at K_max (P_max) [Zhu15]. Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "red-marking"
    limit: str
    min_threshold: str
    max_threshold: str
    max_probability: float | str
    def __init__(self, *, limit: str = "1 MB", min_threshold: str = "5 kB", max_threshold: str = "200 kB", max_probability: float | str = 0.01) -> None: ...

class StepMarking(Component):
    """Step marking: marks every ECN-capable arrival that finds more than a threshold in the queue.

    More about it: ``penstock explain step-marking``.

    Parameters
    ----------
    threshold : str
        Queue above which arrivals are marked (K); zero marks every arrival that finds a packet waiting. Allowed:
        packets or bytes, zero or more; at a link also a time, for what it sends in that time at its initial rate.
    limit : str, default 1000 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate; `none` for no limit but that of a buffer that ports share.
    drop_incapable : bool, default false
        Drop packets that are not ECN-capable where others are marked.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "step-marking"
    threshold: str
    limit: str
    drop_incapable: bool
    def __init__(self, *, threshold: str, limit: str = "1000 packets", drop_incapable: bool = False) -> None: ...

class Ppd(Component):
    """Partial packet discard (PPD): drops the rest of a frame that has lost a cell.

    More about it: ``penstock explain ppd``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "ppd"
    limit: str
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class Epd(Component):
    """Early packet discard (EPD): refuses whole frames above a threshold.

    More about it: ``penstock explain epd``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    threshold : str
        Number of waiting cells above which no frame is accepted (R). Allowed: at least 1 cell; at a link also a time,
        such as `5 ms`, for the cells that it sends in that time at its initial rate.
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "epd"
    limit: str
    threshold: str
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, threshold: str, end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class SelectiveDrop(Component):
    """Selective drop (SD): above a threshold, refuses frames of circuits that hold more than their share of the buffer.

    More about it: ``penstock explain selective-drop``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    threshold : str
        Number of waiting cells above which circuits above their share are refused (R); 0.9 K did best in [Goyal98].
        Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the cells that it sends in that time at its
        initial rate.
    z : float | str, default 0.8
        Share of the queue that a circuit may hold, relative to an equal share (Z); 0.8 did best in [Goyal98]. Allowed:
        above 0, at most 1.
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "selective-drop"
    limit: str
    threshold: str
    z: float | str
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, threshold: str, z: float | str = 0.8, end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class Fba(Component):
    """The discipline ``fba``.

    Fair buffer allocation (FBA): above a threshold, refuses frames of circuits above a share that shrinks as the buffer
    fills.

    More about it: ``penstock explain fba``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    threshold : str
        Number of waiting cells above which circuits above their share are refused (R); 0.5 K did best in [Goyal98].
        Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the cells that it sends in that time at its
        initial rate.
    z : float | str, default 0.8
        Share of a full buffer that a circuit may hold, relative to an equal share (Z); 0.8 did best in [Goyal98].
        Allowed: above 0, at most 1.
    buffer : Literal["queue", "port"], default queue
        The cells that X and `limit` count. With `port`, classes share a buffer, and each has a queue for its circuit.
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "fba"
    limit: str
    threshold: str
    z: float | str
    buffer: Literal["queue", "port"]
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, threshold: str, z: float | str = 0.8, buffer: Literal["queue", "port"] = "queue", end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class FrameThresholds(Component):
    """Frame thresholds: refuses tagged frames above a low threshold, and all above a high one.

    More about it: ``penstock explain frame-thresholds``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    threshold : str
        Number of waiting cells above which no frame is accepted (HBO). Allowed: at least 1 cell; at a link also a time,
        such as `5 ms`, for the cells that it sends in that time at its initial rate.
    tagged_threshold : str, optional
        Number of waiting cells above which no tagged frame is accepted (LBO); `threshold` if left out. Allowed: at
        least 1 cell; at a link also a time, such as `5 ms`, for the cells that it sends in that time at its initial
        rate.
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "frame-thresholds"
    limit: str
    threshold: str
    tagged_threshold: str | None
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, threshold: str, tagged_threshold: str | None = None, end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class CircuitThresholds(Component):
    """Circuit thresholds: keeps the waiting cells of each circuit near a threshold by dropping one frame at a time.

    More about it: ``penstock explain circuit-thresholds``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    thresholds : str | dict[str, Any]
        The threshold of each circuit (R_i), in cells, by the name of the circuit, or of the flow if that has a circuit
        of its own.
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "circuit-thresholds"
    limit: str
    thresholds: str | dict[str, Any]
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, thresholds: str | dict[str, Any], end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class Dfba(Component):
    """The discipline ``dfba``.

    Differential fair buffer allocation (DFBA): between two thresholds, refuses frames of circuits above their weighted
    share, tagged frames always and others with a probability.

    More about it: ``penstock explain dfba``.

    Parameters
    ----------
    limit : str
        Maximum number of waiting cells (K). Allowed: at least 1 cell; at a link also a time, such as `5 ms`, for the
        cells that it sends in that time at its initial rate.
    low : str
        Number of waiting cells up to which every frame is accepted (L). Allowed: at least 1 cell; at a link also a
        time, such as `5 ms`, for the cells that it sends in that time at its initial rate.
    high : str
        Number of waiting cells above which no frame is accepted (H). Allowed: at least 1 cell; at a link also a time,
        such as `5 ms`, for the cells that it sends in that time at its initial rate.
    alpha : float | str, default 0.5
        Weight of fairness against efficiency (a). Allowed: between 0 and 1.
    z : str | dict[str, Any], default 1
        Scale of the probability (Z_i): one number, or a number per named circuit and 1 for the others. Allowed: between
        0 and 1.
    probability : Literal["sum", "fairness-scaled", "product"], default sum
        Combination of the two parts of the probability.
    weights : Literal["mcr", "equal"], default mcr
        Weights of the circuits (W_i).
    end_of_frame : Literal["keep", "drop", "always"], default keep
        Treatment of the last cell of a frame that has lost cells.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "dfba"
    limit: str
    low: str
    high: str
    alpha: float | str
    z: str | dict[str, Any]
    probability: Literal["sum", "fairness-scaled", "product"]
    weights: Literal["mcr", "equal"]
    end_of_frame: Literal["keep", "drop", "always"]
    def __init__(self, *, limit: str, low: str, high: str, alpha: float | str = 0.5, z: str | dict[str, Any] = "1", probability: Literal["sum", "fairness-scaled", "product"] = "sum", weights: Literal["mcr", "equal"] = "mcr", end_of_frame: Literal["keep", "drop", "always"] = "keep") -> None: ...

class Cobalt(Component):
    """COBALT: CoDel whose drop rate falls as gradually as it rises, combined with BLUE against unresponsive flows.

    More about it: ``penstock explain cobalt``.

    Parameters
    ----------
    limit : str, default 10240 packets
        Maximum length of the queue. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for
        what it sends in that time at its initial rate.
    target : str, default 5 ms
        Acceptable minimum of the sojourn time. Allowed: zero or more.
    interval : str, default 100 ms
        Time from the first long sojourn time to the first drop, about the longest usual round-trip time. Allowed: zero
        or more.
    mtu : str, default 1514 bytes
        Largest packet, with its link header; its transmission time at the initial rate of the link lengthens `target`.
        Allowed: above zero.
    increment : float | str, default 0.00390625
        Step of BLUE's probability at an overflow (d1). Allowed: between 0 and 1.
    decrement : float | str, default 0.000244140625
        Step of BLUE's probability when the queue becomes idle (d2). Allowed: between 0 and 1.
    ecn : bool, default true
        Mark ECN-capable packets instead of dropping them.
    first_drop : Literal["after-interval", "at-once"], default after-interval
        Time of the first drop of a new queue.
    """
    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "cobalt"
    limit: str
    target: str
    interval: str
    mtu: str
    increment: float | str
    decrement: float | str
    ecn: bool
    first_drop: Literal["after-interval", "at-once"]
    def __init__(self, *, limit: str = "10240 packets", target: str = "5 ms", interval: str = "100 ms", mtu: str = "1514 bytes", increment: float | str = 0.00390625, decrement: float | str = 0.000244140625, ecn: bool = True, first_drop: Literal["after-interval", "at-once"] = "after-interval") -> None: ...

class Fifo(Component):
    """First in, first out: one queue, served in the order of arrival.

    More about it: ``penstock explain fifo``.
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "fifo"
    def __init__(self) -> None: ...

class Priority(Component):
    """Strict priority: the first queue that has a packet sends, without preemption.

    More about it: ``penstock explain priority``.

    Parameters
    ----------
    order : list[str]
        The classes, the most urgent first; each class of the port once.

    Each of its classes takes ``rate_limit`` (optional).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "priority"
    order: list[str]
    def __init__(self, *, order: list[str]) -> None: ...

class Wrr(Component):
    """Weighted round robin: classes take turns, and each sends packets or bytes by its weight.

    More about it: ``penstock explain wrr``.

    Parameters
    ----------
    weighs : Literal["packets", "bytes"], default packets
        Unit of the weights.
    quantum : str, optional
        Bytes that a class of mean weight may send in a turn, with `weighs = "bytes"`; 1500 bytes if left out. A small
        quantum serves classes more evenly, a large one sends longer bursts of each class. Allowed: above zero, at most
        1000 GB.
    debts : Literal["kept", "forgiven"], default kept
        Treatment of overdrawn credit, with `weighs = "bytes"`.

    Each of its classes takes ``weight`` (needed).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "wrr"
    weighs: Literal["packets", "bytes"]
    quantum: str | None
    debts: Literal["kept", "forgiven"]
    def __init__(self, *, weighs: Literal["packets", "bytes"] = "packets", quantum: str | None = None, debts: Literal["kept", "forgiven"] = "kept") -> None: ...

class Drr(Component):
    """Deficit round robin: classes take turns, and each carries the unused part of its quantum over to its next turn.

    More about it: ``penstock explain drr``.

    Each of its classes takes ``quantum`` (needed).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "drr"
    def __init__(self) -> None: ...

class Scfq(Component):
    """Self-clocked fair queueing: shares by weight, with the packet in service as the clock.

    More about it: ``penstock explain scfq``.

    Each of its classes takes ``weight`` (needed).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "scfq"
    def __init__(self) -> None: ...

class Stfq(Component):
    """Start-time fair queueing: shares by weight, in the order of virtual start times.

    More about it: ``penstock explain stfq``.

    Each of its classes takes ``weight`` (needed).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "stfq"
    def __init__(self) -> None: ...

class Wf2qPlus(Component):
    """The scheduler ``wf2q-plus``.

    WF2Q+: worst-case fair queueing by weights, where no packet starts before the fluid reference would have started it.

    More about it: ``penstock explain wf2q-plus``.

    Each of its classes takes ``weight`` (needed).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "wf2q-plus"
    def __init__(self) -> None: ...

class FqCodel(Component):
    """FQ-CoDel: a queue per flow with CoDel in each, served by deficit round robin; sparse flows go first.

    More about it: ``penstock explain fq-codel``.

    Parameters
    ----------
    quantum : str, default 1514 bytes
        Bytes that a queue may send in a turn [RFC8290 s5.2.4]. Allowed: above zero, at most 1000 GB.
    flows : int, default 1024
        Number of queues [RFC8290 s5.2.5]; at most 65536. Allowed: a whole number, at least 1.
    limit : str, default 10240 packets
        Maximum number of packets in all queues together [RFC8290 s5.2.3]. Allowed: in packets, at least 1.
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "fq-codel"
    quantum: str
    flows: int
    limit: str
    def __init__(self, *, quantum: str = "1514 bytes", flows: int = 1024, limit: str = "10240 packets") -> None: ...

class Dualpi2(Component):
    """The scheduler ``dualpi2``.

    DualPI2: two queues with coupled marking, where scalable traffic has a queue of its own with early marks, and the
    coupling gives scalable and Classic flows about equal rates.

    More about it: ``penstock explain dualpi2``.

    Parameters
    ----------
    limit : str, default 10000 packets
        Maximum backlog of both queues together. Allowed: at least 1 packet or 1 byte; at a link also a time, such as `5
        ms`, for what it sends in that time at its initial rate.
    target : str, default 15 ms
        Target delay of Classic traffic. Allowed: zero or more.
    update_interval : str, default 16 ms
        Time between two updates of the probability (Tupdate). Allowed: zero or more.
    alpha : float | str, default 0.16
        Weight of the deviation from the target, per second (alpha). Allowed: above 0.
    beta : float | str, default 3.2
        Weight of the change of the delay, per second (beta). Allowed: above 0.
    coupling : float | str, default 2
        Coupling factor (k). Allowed: above 0.
    min_threshold : str, default 800 us
        Waiting time from which the L queue marks (minTh). Allowed: zero or more.
    range : str, default 400 us
        Additional waiting time at which the L queue marks every packet (range); zero is a step. Allowed: zero or more.
    conditional_priority : Literal["wrr", "ts-fifo"], default wrr
        Scheduler of the two queues, a conditional priority of L over C.
    classic_share : float | str, optional
        Share of the link for Classic traffic while both queues have packets, for `wrr`; above 0, below 1, and 0.1 if
        left out. Allowed: between 0 and 1.
    time_shift : str, optional
        Waiting time by which the head of C must exceed that of L to be sent first, for `ts-fifo` (tshift); 50 ms if
        left out [RFC9332 App. B.1]. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "dualpi2"
    limit: str
    target: str
    update_interval: str
    alpha: float | str
    beta: float | str
    coupling: float | str
    min_threshold: str
    range: str
    conditional_priority: Literal["wrr", "ts-fifo"]
    classic_share: float | str | None
    time_shift: str | None
    def __init__(self, *, limit: str = "10000 packets", target: str = "15 ms", update_interval: str = "16 ms", alpha: float | str = 0.16, beta: float | str = 3.2, coupling: float | str = 2.0, min_threshold: str = "800 us", range: str = "400 us", conditional_priority: Literal["wrr", "ts-fifo"] = "wrr", classic_share: float | str | None = None, time_shift: str | None = None) -> None: ...

class Htb(Component):
    """The scheduler ``htb``.

    Hierarchical token bucket: each class has an assured rate and borrows unused rate from the classes above, up to a
    ceiling.

    More about it: ``penstock explain htb``.

    Each of its classes takes ``rate`` (needed), ``ceiling`` (optional), ``burst`` (default 1600 bytes),
    ``ceiling_burst`` (optional), ``priority`` (default 1), ``quantum`` (optional).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "htb"
    def __init__(self) -> None: ...

class Cbq(Component):
    """Class-based queueing: each class has a share of the link, and may exceed it only by borrowing.

    More about it: ``penstock explain cbq``.

    Parameters
    ----------
    sharing : Literal["formal", "ancestor-only"], default formal
        Condition under which classes over their limit may borrow.
    burst : int, default 16
        Packets of `quantum` bytes that a class may send back to back after it was idle. Allowed: a whole number, at
        least 1.
    quantum : str, default 1500 bytes
        Bytes that a class with the mean share of its priority may send in a turn. Allowed: above zero, at most 1000 GB.

    Each of its classes takes ``share`` (needed), ``priority`` (default 1), ``borrows`` (default true).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "cbq"
    sharing: Literal["formal", "ancestor-only"]
    burst: int
    quantum: str
    def __init__(self, *, sharing: Literal["formal", "ancestor-only"] = "formal", burst: int = 16, quantum: str = "1500 bytes") -> None: ...

class Ets(Component):
    """Enhanced transmission selection: strict classes go first, and the others share the bandwidth that these leave.

    More about it: ``penstock explain ets``.

    Parameters
    ----------
    order : list[str]
        The classes of the port: the strict ones in the order of their priority, and then the others.
    quantum : str, default 1514 bytes
        Bytes that the class with the smallest share may send in a turn. If this is at least the largest packet, each
        class sends in each round. Allowed: above zero, at most 1000 GB.

    Each of its classes takes ``bandwidth`` (optional).
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "ets"
    order: list[str]
    quantum: str
    def __init__(self, *, order: list[str], quantum: str = "1514 bytes") -> None: ...

class Sfq(Component):
    """The scheduler ``sfq``.

    Stochastic fairness queueing: flows are hashed to queues that take turns; a full buffer drops from the longest
    queue.

    More about it: ``penstock explain sfq``.

    Parameters
    ----------
    quantum : str, default 1514 bytes
        Bytes that a queue may send in a turn. Allowed: above zero, at most 1000 GB.
    flows : int, default 1024
        Number of queues; at most 65536. Allowed: a whole number, at least 1.
    limit : str, default 127 packets
        Maximum number of packets in all queues together. Allowed: in packets, at least 1.
    perturb : str, optional
        Time between two seeds of the hash; one seed for the whole run if left out. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "sfq"
    quantum: str
    flows: int
    limit: str
    perturb: str | None
    def __init__(self, *, quantum: str = "1514 bytes", flows: int = 1024, limit: str = "127 packets", perturb: str | None = None) -> None: ...

class FqPie(Component):
    """FQ-PIE: a queue per flow with PIE in each, served by deficit round robin; sparse flows go first.

    More about it: ``penstock explain fq-pie``.

    Parameters
    ----------
    quantum : str, default 1514 bytes
        Bytes that a queue may send in a turn [RFC8290 s5.2.4]. Allowed: above zero, at most 1000 GB.
    flows : int, default 1024
        Number of queues; at most 65536. Allowed: a whole number, at least 1.
    limit : str, default 10240 packets
        Maximum number of packets in all queues together. Allowed: in packets, at least 1.
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "fq-pie"
    quantum: str
    flows: int
    limit: str
    def __init__(self, *, quantum: str = "1514 bytes", flows: int = 1024, limit: str = "10240 packets") -> None: ...

class Cake(Component):
    """CAKE: a shaper with tins by codepoint; each flow of a tin has a queue with COBALT, and hosts get equal shares.

    More about it: ``penstock explain cake``.

    Parameters
    ----------
    rate : str, optional
        Rate of the shaper, `overhead` and `framing` included; no shaper if left out (unlimited). Allowed: above zero,
        at most 100 Tbit/s.
    tins : Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"], default diffserv3
        The tins.
    isolation : Literal["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"], default triple-isolate
        Which traffic gets a queue of its own, and between which hosts the rate is divided.
    rtt : str, default 100 ms
        Round-trip time for which COBALT is set up. Allowed: at least 1 us, or one of datacentre (100 us), lan (1 ms),
        metro (10 ms), regional (30 ms), internet (100 ms), oceanic (300 ms), satellite (1 s), interplanetary (1000 s).
    overhead : str, default 0 bytes
        Bytes that the link adds to each packet, or a word for a kind of link. Allowed: zero or more, or a word of
        tc-cake(8) for a link, which also sets `mpu` and `framing`: raw, conservative, ethernet, docsis, pppoe-ptm,
        bridged-ptm, ipoa-vcmux, ipoa-llcsnap, bridged-vcmux, bridged-llcsnap, pppoa-vcmux, pppoa-llc, pppoe-vcmux,
        pppoe-llcsnap; ether-vlan can follow it.
    mpu : str, optional
        Minimum size of a packet with its overhead; that of the link named by `overhead`, or none, if left out. Allowed:
        zero or more.
    framing : Literal["noatm", "atm", "ptm"], optional
        Framing of the link; that of the link named by `overhead`, or `noatm`, if left out.
    ack_filter : Literal["off", "conservative", "aggressive"], default off
        Which acknowledgements are dropped in favour of later ones.
    limit : str, optional
        Maximum number of bytes in all queues; if left out, what the shaper sends in four times `rtt` at its present
        rate, at least 4 MiB and at most 10240 packets of `mtu` bytes. Allowed: above zero.
    mtu : str, default 1514 bytes
        Largest packet, with its link header; its transmission time at a tin's threshold lengthens target and interval.
        Allowed: above zero.
    """
    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "cake"
    rate: str | None
    tins: Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"]
    isolation: Literal["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"]
    rtt: str
    overhead: str
    mpu: str | None
    framing: Literal["noatm", "atm", "ptm"] | None
    ack_filter: Literal["off", "conservative", "aggressive"]
    limit: str | None
    mtu: str
    def __init__(self, *, rate: str | None = None, tins: Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"] = "diffserv3", isolation: Literal["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"] = "triple-isolate", rtt: str = "100 ms", overhead: str = "0 bytes", mpu: str | None = None, framing: Literal["noatm", "atm", "ptm"] | None = None, ack_filter: Literal["off", "conservative", "aggressive"] = "off", limit: str | None = None, mtu: str = "1514 bytes") -> None: ...

class StaticShares(Component):
    """Static shares: each port has a fixed part of the memory.

    More about it: ``penstock explain static-shares``.

    Parameters
    ----------
    size : str
        Size of the memory (B). Allowed: at least 1 packet or 1 byte.
    shares : str | dict[str, Any], optional
        Shares of ports, by the names of their links; unnamed ports divide the rest equally.
    """
    KIND: ClassVar[str] = "buffer"
    KEY: ClassVar[str] = "static-shares"
    size: str
    shares: str | dict[str, Any] | None
    def __init__(self, *, size: str, shares: str | dict[str, Any] | None = None) -> None: ...

class Pool(Component):
    """Complete sharing: any port may use any part of one pool.

    More about it: ``penstock explain pool``.

    Parameters
    ----------
    size : str
        Size of the memory (B). Allowed: at least 1 packet or 1 byte.
    """
    KIND: ClassVar[str] = "buffer"
    KEY: ClassVar[str] = "pool"
    size: str
    def __init__(self, *, size: str) -> None: ...

class DynamicThreshold(Component):
    """Dynamic thresholds: a port may hold a multiple of the free memory.

    More about it: ``penstock explain dynamic-threshold``.

    Parameters
    ----------
    size : str
        Size of the memory (B). Allowed: at least 1 packet or 1 byte.
    alpha : float | str, default 1
        Multiple of the free memory that a port may hold (alpha); hardware uses powers of two. Allowed: above 0.
    """
    KIND: ClassVar[str] = "buffer"
    KEY: ClassVar[str] = "dynamic-threshold"
    size: str
    alpha: float | str
    def __init__(self, *, size: str, alpha: float | str = 1.0) -> None: ...

class MinimumAllocation(Component):
    """The buffer ``minimum-allocation``.

    Minimum allocation, optionally with maximum queue lengths: each port has a reserved part of the memory, and shares
    the rest.

    More about it: ``penstock explain minimum-allocation``.

    Parameters
    ----------
    size : str
        Size of the memory (B). Allowed: at least 1 packet or 1 byte.
    minimum : str
        Memory reserved for each port. Allowed: at least 1 packet or 1 byte.
    maximum : str, optional
        Maximum that a port may hold; if left out, all memory that is not reserved for other ports. Allowed: at least 1
        packet or 1 byte.
    """
    KIND: ClassVar[str] = "buffer"
    KEY: ClassVar[str] = "minimum-allocation"
    size: str
    minimum: str
    maximum: str | None
    def __init__(self, *, size: str, minimum: str, maximum: str | None = None) -> None: ...

class BcnCongestionPoint(Component):
    """BCN 2.0, congestion point: samples the frames that arrive at a port, and sends feedback to their sources.

    More about it: ``penstock explain bcn``.

    Parameters
    ----------
    probability : float | str, optional
        Probability that an arriving frame is a sample [Jiang06 slide 5]; 0.01 if neither it nor `interval` is given.
        Allowed: between 0 and 1.
    interval : str, optional
        Bytes between samples, instead of a probability. Allowed: above zero.
    equilibrium : int, default 16
        Equilibrium queue length in frames (Q_eq). Allowed: a whole number, at least 1.
    weight : float | str, default 2
        Weight of the change of the queue length (W) [Jiang06 slide 9]. Allowed: above 0.
    severe : int, optional
        Queue length in frames above which sources are stopped (Q_sc); never if left out. Allowed: a whole number, at
        least 1.
    answers : Literal["negative-to-all", "above-equilibrium"], default negative-to-all
        Which samples are answered.
    message : str, default 64 bytes
        Size of a message. Allowed: above zero.
    """
    KIND: ClassVar[str] = "congestion-point"
    KEY: ClassVar[str] = "bcn"
    probability: float | str | None
    interval: str | None
    equilibrium: int
    weight: float | str
    severe: int | None
    answers: Literal["negative-to-all", "above-equilibrium"]
    message: str
    def __init__(self, *, probability: float | str | None = None, interval: str | None = None, equilibrium: int = 16, weight: float | str = 2.0, severe: int | None = None, answers: Literal["negative-to-all", "above-equilibrium"] = "negative-to-all", message: str = "64 bytes") -> None: ...

class QcnCongestionPoint(Component):
    """QCN, congestion point: samples the frames that arrive at a port, and sends quantised feedback to their sources.

    More about it: ``penstock explain qcn``.

    Parameters
    ----------
    equilibrium : str, default 26 kB
        Equilibrium queue length (Q_eq; cpQsp) [IEEE8021Qau s32.8]. Allowed: above zero.
    weight : float | str, default 2
        Weight of the change of the queue length (w; cpW) [IEEE8021Qau s32.8]. Allowed: above 0.
    sample_base : str, default 150 kB
        Bytes between samples without congestion (cpSampleBase) [IEEE8021Qau s32.8]. Allowed: above zero.
    jitter : float | str, default 0.15
        Maximum random variation of the bytes between samples, as a fraction of them. Allowed: between 0 and 1.
    message : str, default 64 bytes
        Size of a message. Allowed: above zero.
    """
    KIND: ClassVar[str] = "congestion-point"
    KEY: ClassVar[str] = "qcn"
    equilibrium: str
    weight: float | str
    sample_base: str
    jitter: float | str
    message: str
    def __init__(self, *, equilibrium: str = "26 kB", weight: float | str = 2.0, sample_base: str = "150 kB", jitter: float | str = 0.15, message: str = "64 bytes") -> None: ...

class BcnReactionPoint(Component):
    """BCN 2.0, reaction point: rate limiters in a station, which follow the messages of congestion points.

    More about it: ``penstock explain bcn``.

    Parameters
    ----------
    increase_gain : float | str, default 4
        Gain of the increase (G_i) [Jiang06 slide 9]. Allowed: above 0.
    decrease_gain : float | str, default 0.0124
        Gain of the decrease (G_d); Cisco's was 1/64 [Jiang06 slide 9]. Allowed: above 0.
    rate_unit : str, default 8 Mbit/s
        Rate unit (R_u) [Jiang06 slide 9]. Allowed: above zero, at most 100 Tbit/s.
    floor : str, optional
        Minimum rate after a message; without it, `decrease-gain` must leave every rate positive. Allowed: above zero,
        at most 100 Tbit/s.
    drift : str, optional
        Increase of the rate per `drift-interval` without messages (recovery); none if left out. Allowed: above zero, at
        most 100 Tbit/s.
    drift_interval : str, optional
        Time between two increases by `drift`. Allowed: zero or more.
    restart_within : str, default 100 us
        Maximum time from a stop to the restart. Allowed: zero or more.
    restart_rate : str, default 100 Mbit/s
        Rate after a stop. Allowed: above zero, at most 100 Tbit/s.
    release : Literal["at-line-rate", "never"], default at-line-rate
        Whether a limiter is released at the rate of the port.
    shared_by : Literal["station", "flow"], default station
        Traffic that shares a limiter.
    limit : str, optional
        Maximum length of the queue of a limiter; unbounded if left out. Allowed: at least 1 packet or 1 byte.
    """
    KIND: ClassVar[str] = "reaction-point"
    KEY: ClassVar[str] = "bcn"
    increase_gain: float | str
    decrease_gain: float | str
    rate_unit: str
    floor: str | None
    drift: str | None
    drift_interval: str | None
    restart_within: str
    restart_rate: str
    release: Literal["at-line-rate", "never"]
    shared_by: Literal["station", "flow"]
    limit: str | None
    def __init__(self, *, increase_gain: float | str = 4.0, decrease_gain: float | str = 0.0124, rate_unit: str = "8 Mbit/s", floor: str | None = None, drift: str | None = None, drift_interval: str | None = None, restart_within: str = "100 us", restart_rate: str = "100 Mbit/s", release: Literal["at-line-rate", "never"] = "at-line-rate", shared_by: Literal["station", "flow"] = "station", limit: str | None = None) -> None: ...

class QcnReactionPoint(Component):
    """The reaction-point ``qcn``.

    QCN, reaction point: a rate limiter in a station, which follows the messages of congestion points and recovers
    without messages.

    More about it: ``penstock explain qcn``.

    Parameters
    ----------
    decrease_gain : float | str, default 1/128
        Gain of the decrease (G_d; 2^-rpgGd) [IEEE8021Qau s32.11]. Allowed: above 0.
    least_decrease : float | str, default 0.5
        Minimum factor by which a message multiplies the rate (rpgMinDecFac) [IEEE8021Qau s32.11]. Allowed: between 0
        and 1.
    byte_counter : str, default 150 kB
        Bytes in a cycle of the byte counter (rpgByteReset) [IEEE8021Qau s32.11]. Allowed: above zero.
    timer : str, default 15 ms
        Length of a cycle of the timer (rpgTimeReset) [IEEE8021Qau s32.11]. Allowed: zero or more.
    fast_recovery : int, default 5
        Cycles of fast recovery (rpgThreshold) [IEEE8021Qau s32.11]. Allowed: a whole number, at least 1.
    active_increase : str, default 5 Mbit/s
        Increase of the target rate per cycle of active increase (R_AI; rpgAiRate) [IEEE8021Qau s32.11]. Allowed: above
        zero, at most 100 Tbit/s.
    hyper_increase : str, default 50 Mbit/s
        The same in hyper-active increase, times the number of cycles in it (R_HAI; rpgHaiRate) [IEEE8021Qau s32.11].
        Allowed: above zero, at most 100 Tbit/s.
    floor : str, default 10 Mbit/s
        Minimum rate after a message (rpgMinRate) [IEEE8021Qau s32.11]. Allowed: above zero, at most 100 Tbit/s.
    jitter : float | str, default 0.15
        Maximum random variation of the cycles, as a fraction of their length. Allowed: between 0 and 1.
    shared_by : Literal["station", "flow"], default station
        Traffic that shares a limiter.
    limit : str, optional
        Maximum length of the queue of a limiter; unbounded if left out. Allowed: at least 1 packet or 1 byte.
    """
    KIND: ClassVar[str] = "reaction-point"
    KEY: ClassVar[str] = "qcn"
    decrease_gain: float | str
    least_decrease: float | str
    byte_counter: str
    timer: str
    fast_recovery: int
    active_increase: str
    hyper_increase: str
    floor: str
    jitter: float | str
    shared_by: Literal["station", "flow"]
    limit: str | None
    def __init__(self, *, decrease_gain: float | str = "1/128", least_decrease: float | str = 0.5, byte_counter: str = "150 kB", timer: str = "15 ms", fast_recovery: int = 5, active_increase: str = "5 Mbit/s", hyper_increase: str = "50 Mbit/s", floor: str = "10 Mbit/s", jitter: float | str = 0.15, shared_by: Literal["station", "flow"] = "station", limit: str | None = None) -> None: ...

class TokenBucketShaper(Component):
    """Token-bucket shaper: packets wait in the queue until they conform to a rate and a burst.

    More about it: ``penstock explain token-bucket``.

    Parameters
    ----------
    rate : str
        Long-run rate of the output (r); at most the link's. Allowed: above zero, at most 100 Tbit/s.
    burst : str
        Depth of the bucket (b); at least the largest packet. Allowed: above zero.
    start : Literal["full", "empty"], default full
        Tokens in the bucket at the beginning.
    """
    KIND: ClassVar[str] = "shaper"
    KEY: ClassVar[str] = "token-bucket"
    rate: str
    burst: str
    start: Literal["full", "empty"]
    def __init__(self, *, rate: str, burst: str, start: Literal["full", "empty"] = "full") -> None: ...

class DualTokenBucketShaper(Component):
    """The shaper ``dual-token-bucket``.

    Dual token-bucket shaper: a sustained rate with a burst, and a peak rate within the burst, as cable networks limit a
    subscriber.

    More about it: ``penstock explain dual-token-bucket``.

    Parameters
    ----------
    rate : str
        Long-run rate of the output (r); at most the link's. Allowed: above zero, at most 100 Tbit/s.
    burst : str
        Depth of the bucket of the long-run rate (b); at least the largest packet. Allowed: above zero.
    peak : str
        Rate within the burst (p). Allowed: above zero, at most 100 Tbit/s.
    peak_burst : str, default 1522 bytes
        Depth of the bucket of the peak rate (M); by default that of an Ethernet frame with a VLAN tag, as in DOCSIS.
        Allowed: above zero.
    start : Literal["full", "empty"], default full
        Tokens in the buckets at the beginning.
    """
    KIND: ClassVar[str] = "shaper"
    KEY: ClassVar[str] = "dual-token-bucket"
    rate: str
    burst: str
    peak: str
    peak_burst: str
    start: Literal["full", "empty"]
    def __init__(self, *, rate: str, burst: str, peak: str, peak_burst: str = "1522 bytes", start: Literal["full", "empty"] = "full") -> None: ...

class TokenBucketPolicer(Component):
    """Token-bucket policer: drops packets that exceed a rate and a burst.

    More about it: ``penstock explain token-bucket``.

    Parameters
    ----------
    rate : str
        Long-run rate of the packets that pass (r). Allowed: above zero, at most 100 Tbit/s.
    burst : str
        Depth of the bucket (b). Allowed: above zero.
    start : Literal["full", "empty"], default full
        Tokens in the bucket at the beginning.
    """
    KIND: ClassVar[str] = "policer"
    KEY: ClassVar[str] = "token-bucket"
    rate: str
    burst: str
    start: Literal["full", "empty"]
    def __init__(self, *, rate: str, burst: str, start: Literal["full", "empty"] = "full") -> None: ...

class TokenBucket(Component):
    """Token bucket: separates packets that conform to a rate and a burst from packets that exceed them.

    More about it: ``penstock explain token-bucket``.

    Parameters
    ----------
    rate : str
        Long-run rate of the conforming traffic (r). Allowed: above zero, at most 100 Tbit/s.
    burst : str
        Depth of the bucket (b). Allowed: above zero.
    peak_rate : str, optional
        Maximum rate of the conforming traffic within a burst (p); without it only `burst` limits it. Allowed: above
        zero, at most 100 Tbit/s.
    peak_burst : str, optional
        Depth of the bucket that fills at `peak-rate` (M), 1500 bytes if left out; a packet larger than it never
        conforms. Allowed: above zero.
    exceed_precedence : int, default 1
        Precedence of packets that exceed. Allowed: 0 to 3.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour of an arriving packet matters.
    start : Literal["full", "empty"], default full
        Initial level of the bucket.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "token-bucket"
    rate: str
    burst: str
    peak_rate: str | None
    peak_burst: str | None
    exceed_precedence: int
    mode: Literal["colour-aware", "colour-blind"]
    start: Literal["full", "empty"]
    def __init__(self, *, rate: str, burst: str, peak_rate: str | None = None, peak_burst: str | None = None, exceed_precedence: int = 1, mode: Literal["colour-aware", "colour-blind"] = "colour-blind", start: Literal["full", "empty"] = "full") -> None: ...

class Tcm(Component):
    """The meter ``tcm``.

    Three Colour Marker, also known as the single-rate one (srTCM): one rate fills a committed bucket, and the tokens
    that it cannot hold fill an excess bucket.

    More about it: ``penstock explain tcm``.

    Parameters
    ----------
    committed_rate : str
        Rate of the tokens (CIR). Allowed: zero or more, at most 100 Tbit/s.
    committed_burst : str
        Depth of bucket C (CBS). Allowed: zero or more.
    excess_burst : str, optional
        Depth of bucket E (EBS); without it there are two colours. Allowed: zero or more.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour of an arriving packet matters; default of the draft.
    demotion : Literal["next-bucket", "last"], default next-bucket
        Treatment of a packet that arrives green and finds too few tokens in C; default of RFC 2697.
    start : Literal["full", "empty"], default full
        Initial level of the buckets; default of the draft.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "tcm"
    committed_rate: str
    committed_burst: str
    excess_burst: str | None
    mode: Literal["colour-aware", "colour-blind"]
    demotion: Literal["next-bucket", "last"]
    start: Literal["full", "empty"]
    def __init__(self, *, committed_rate: str, committed_burst: str, excess_burst: str | None = None, mode: Literal["colour-aware", "colour-blind"] = "colour-blind", demotion: Literal["next-bucket", "last"] = "next-bucket", start: Literal["full", "empty"] = "full") -> None: ...

class Rbm(Component):
    """Rate-Based Marker: one token bucket for green and an independent one for yellow.

    More about it: ``penstock explain rbm``.

    Parameters
    ----------
    committed_rate : str
        Rate of the green tokens (TGR0). Allowed: zero or more, at most 100 Tbit/s.
    committed_burst : str
        Depth of the green bucket (bucket size dp0). Allowed: above zero.
    excess_rate : str, optional
        Rate of the yellow tokens (TGR1); without it and `excess-burst` there are two colours. Allowed: zero or more, at
        most 100 Tbit/s.
    excess_burst : str, optional
        Depth of the yellow bucket (bucket size dp1). Allowed: above zero.
    mode : Literal["colour-aware", "colour-blind"], default colour-aware
        Whether the colour of an arriving packet matters; the document's marker is colour-aware.
    demotion : Literal["next-bucket", "last"], default next-bucket
        Treatment of a packet that arrives green and finds too few tokens in bucket 0.
    start : Literal["full", "empty"], default full
        Initial level of the buckets.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "rbm"
    committed_rate: str
    committed_burst: str
    excess_rate: str | None
    excess_burst: str | None
    mode: Literal["colour-aware", "colour-blind"]
    demotion: Literal["next-bucket", "last"]
    start: Literal["full", "empty"]
    def __init__(self, *, committed_rate: str, committed_burst: str, excess_rate: str | None = None, excess_burst: str | None = None, mode: Literal["colour-aware", "colour-blind"] = "colour-aware", demotion: Literal["next-bucket", "last"] = "next-bucket", start: Literal["full", "empty"] = "full") -> None: ...

class TwoRateTcm(Component):
    """The meter ``two-rate-tcm``.

    Two-rate Three Colour Marker (trTCM) of RFC 2698: red above a peak rate, yellow between the committed rate and the
    peak.

    More about it: ``penstock explain two-rate-tcm``.

    Parameters
    ----------
    committed_rate : str
        Committed information rate (CIR). Allowed: zero or more, at most 100 Tbit/s.
    committed_burst : str
        Committed burst size (CBS). Allowed: above zero.
    peak_rate : str
        Peak information rate (PIR), at least CIR. Allowed: zero or more, at most 100 Tbit/s.
    peak_burst : str
        Peak burst size (PBS). Allowed: above zero.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour of an arriving packet matters.
    start : Literal["full", "empty"], default full
        Initial level of the buckets; default of the RFC.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "two-rate-tcm"
    committed_rate: str
    committed_burst: str
    peak_rate: str
    peak_burst: str
    mode: Literal["colour-aware", "colour-blind"]
    start: Literal["full", "empty"]
    def __init__(self, *, committed_rate: str, committed_burst: str, peak_rate: str, peak_burst: str, mode: Literal["colour-aware", "colour-blind"] = "colour-blind", start: Literal["full", "empty"] = "full") -> None: ...

class Rfc4115(Component):
    """Two-rate three-colour marker of RFC 4115: committed and excess traffic have independent buckets.

    More about it: ``penstock explain rfc-4115``.

    Parameters
    ----------
    committed_rate : str
        Rate of the green tokens (CIR). Allowed: zero or more, at most 100 Tbit/s.
    committed_burst : str
        Depth of bucket C (CBS). Allowed: zero or more.
    excess_rate : str
        Rate of the yellow tokens (EIR). Allowed: zero or more, at most 100 Tbit/s.
    excess_burst : str
        Depth of bucket E (EBS). Allowed: zero or more.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour of an arriving packet matters.
    start : Literal["full", "empty"], default full
        Initial level of the buckets.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "rfc-4115"
    committed_rate: str
    committed_burst: str
    excess_rate: str
    excess_burst: str
    mode: Literal["colour-aware", "colour-blind"]
    start: Literal["full", "empty"]
    def __init__(self, *, committed_rate: str, committed_burst: str, excess_rate: str, excess_burst: str, mode: Literal["colour-aware", "colour-blind"] = "colour-blind", start: Literal["full", "empty"] = "full") -> None: ...

class Tsw2cm(Component):
    """Time Sliding Window Two Colour Marker (TSW2CM): marks at random the share of a stream that exceeds a rate.

    More about it: ``penstock explain tsw2cm``.

    Parameters
    ----------
    committed_rate : str
        Rate up to which all packets are green (CTR, the target rate). Allowed: zero or more, at most 100 Tbit/s.
    averaging_interval : str, default 1 s
        Length of the window (AVG_INTERVAL). Allowed: zero or more.
    exceed_precedence : int, default 1
        Precedence of packets that exceed. Allowed: 0 to 3.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "tsw2cm"
    committed_rate: str
    averaging_interval: str
    exceed_precedence: int
    def __init__(self, *, committed_rate: str, averaging_interval: str = "1 s", exceed_precedence: int = 1) -> None: ...

class Tsw3cm(Component):
    """Time Sliding Window Three Colour Marker (TSWTCM): colours at random the shares of a stream that exceed two rates.

    More about it: ``penstock explain tsw3cm``.

    Parameters
    ----------
    committed_rate : str
        Rate up to which all packets are green (CTR, the committed target rate). Allowed: zero or more, at most 100
        Tbit/s.
    peak_rate : str
        Rate up to which no packet is red (PTR, the peak target rate). Allowed: zero or more, at most 100 Tbit/s.
    averaging_interval : str, default 1 s
        Length of the window (AVG_INTERVAL). Allowed: zero or more.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "tsw3cm"
    committed_rate: str
    peak_rate: str
    averaging_interval: str
    def __init__(self, *, committed_rate: str, peak_rate: str, averaging_interval: str = "1 s") -> None: ...

class FGcra(Component):
    """F-GCRA: tags whole frames of a circuit above its minimum cell rate.

    More about it: ``penstock explain f-gcra``.

    Parameters
    ----------
    burst : str
        Maximum level of the bucket at the start of a conforming frame (MBS), in cells. Allowed: at least 1 cell; at a
        link also a time, such as `5 ms`, for the cells that it sends in that time at its initial rate.
    """
    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "f-gcra"
    burst: str
    def __init__(self, *, burst: str) -> None: ...

class SingleThresholdPcnMeter(Component):
    """The pcn-meter ``single-threshold``.

    Single threshold marking: no packet below the admissible rate, every N-th between, all above the supportable rate.

    More about it: ``penstock explain single-threshold``.

    Parameters
    ----------
    admissible_rate : str
        Rate of the switch bucket, above which calls are to be refused (AR, SwTB.rate). Allowed: above zero, at most 100
        Tbit/s.
    supportable_rate : str
        Rate of the marking bucket, above which calls are to be terminated (SR, MkTB.rate). Allowed: above zero, at most
        100 Tbit/s.
    switch_size : str, default 20 ms
        Size of the switch bucket (SwTB.size); default of [Satoh10 s10.4]. Allowed: above zero; a time at the bucket's
        rate, or bytes.
    switch_threshold : str, default 10 ms
        Fill below which the switch is on (SwTB.threshold); default of [Satoh10 s10.4]. Allowed: above zero; a time at
        the bucket's rate, or bytes.
    marking_size : str, default 10 ms
        Size of the marking bucket (MkTB.size); default of [Satoh10 s10.4]. Allowed: above zero; a time at the bucket's
        rate, or bytes.
    marking_threshold : str, default 8 ms
        Fill below which every packet is marked (MkTB.threshold); default of [Satoh10 s10.4]. Allowed: above zero; a
        time at the bucket's rate, or bytes.
    mark_every : int, default 3
        Marks one packet in N between the two rates (N); default of [Satoh10 s10.4]. Allowed: a whole number, at least
        1.
    counted : Literal["not-full", "arrivals"], default not-full
        Packets that count towards N while the switch is on.
    form : Literal["first", "second"], default second
        Printed form of the marker to use.
    start : Literal["full", "empty"], default full
        Initial level of the buckets.
    """
    KIND: ClassVar[str] = "pcn-meter"
    KEY: ClassVar[str] = "single-threshold"
    admissible_rate: str
    supportable_rate: str
    switch_size: str
    switch_threshold: str
    marking_size: str
    marking_threshold: str
    mark_every: int
    counted: Literal["not-full", "arrivals"]
    form: Literal["first", "second"]
    start: Literal["full", "empty"]
    def __init__(self, *, admissible_rate: str, supportable_rate: str, switch_size: str = "20 ms", switch_threshold: str = "10 ms", marking_size: str = "10 ms", marking_threshold: str = "8 ms", mark_every: int = 3, counted: Literal["not-full", "arrivals"] = "not-full", form: Literal["first", "second"] = "second", start: Literal["full", "empty"] = "full") -> None: ...

class Fractional(Component):
    """Fractional marking: 1/N of the bytes above the admissible rate, all above the supportable rate.

    More about it: ``penstock explain fractional``.

    Parameters
    ----------
    admissible_rate : str
        Rate of the fractional bucket (AR, FrTB.rate). Allowed: above zero, at most 100 Tbit/s.
    supportable_rate : str
        Rate of the threshold bucket (SR, ThTB.rate). Allowed: above zero, at most 100 Tbit/s.
    fractional_size : str, default 20 ms
        Size of the fractional bucket (FrTB.size). Allowed: above zero; a time at the bucket's rate, or bytes.
    fractional_threshold : str, default 10 ms
        Fill below which 1/N is marked (FrTB.threshold). Allowed: above zero; a time at the bucket's rate, or bytes.
    marking_size : str, default 10 ms
        Size of the threshold bucket (ThTB.size). Allowed: above zero; a time at the bucket's rate, or bytes.
    marking_threshold : str, default 8 ms
        Fill below which every packet is marked (ThTB.threshold). Allowed: above zero; a time at the bucket's rate, or
        bytes.
    mark_every : int, default 3
        Marks one byte in N between the two rates (N). Allowed: a whole number, at least 1.
    start : Literal["full", "empty"], default full
        Initial level of the buckets.
    """
    KIND: ClassVar[str] = "pcn-meter"
    KEY: ClassVar[str] = "fractional"
    admissible_rate: str
    supportable_rate: str
    fractional_size: str
    fractional_threshold: str
    marking_size: str
    marking_threshold: str
    mark_every: int
    start: Literal["full", "empty"]
    def __init__(self, *, admissible_rate: str, supportable_rate: str, fractional_size: str = "20 ms", fractional_threshold: str = "10 ms", marking_size: str = "10 ms", marking_threshold: str = "8 ms", mark_every: int = 3, start: Literal["full", "empty"] = "full") -> None: ...

class VirtualQueue(Component):
    """The pcn-meter ``virtual-queue``.

    Virtual queue: marks at random, with a probability that grows with the length of a queue served at the admissible
    rate.

    More about it: ``penstock explain virtual-queue``.

    Parameters
    ----------
    admissible_rate : str
        Rate at which the virtual queue is drained (AR). Allowed: above zero, at most 100 Tbit/s.
    min_threshold : str, default 5 ms
        Length up to which no packet is marked; default of [Satoh10 s10.5]. Allowed: above zero; a time at the bucket's
        rate, or bytes.
    max_threshold : str, default 15 ms
        Length from which every packet is marked; default of [Satoh10 s10.5]. Allowed: above zero; a time at the
        bucket's rate, or bytes.
    upper_limit : str, default 20 ms
        Maximum length of the virtual queue; default of [Satoh10 s10.5]. Allowed: above zero; a time at the bucket's
        rate, or bytes.
    """
    KIND: ClassVar[str] = "pcn-meter"
    KEY: ClassVar[str] = "virtual-queue"
    admissible_rate: str
    min_threshold: str
    max_threshold: str
    upper_limit: str
    def __init__(self, *, admissible_rate: str, min_threshold: str = "5 ms", max_threshold: str = "15 ms", upper_limit: str = "20 ms") -> None: ...

class PreEmption(Component):
    """Pre-emption marking: marks the traffic in excess of the supportable rate; the unmarked rest can be supported.

    More about it: ``penstock explain pre-emption``.

    Parameters
    ----------
    supportable_rate : str
        Rate of the traffic that stays unmarked (SR). Allowed: above zero, at most 100 Tbit/s.
    size : str, default 5 ms
        Size of the bucket; default of [Satoh10 s10.5]. Allowed: above zero; a time at the bucket's rate, or bytes.
    start : Literal["full", "empty"], default full
        Initial level of the bucket.
    """
    KIND: ClassVar[str] = "pcn-meter"
    KEY: ClassVar[str] = "pre-emption"
    supportable_rate: str
    size: str
    start: Literal["full", "empty"]
    def __init__(self, *, supportable_rate: str, size: str = "5 ms", start: Literal["full", "empty"] = "full") -> None: ...

class Threshold(Component):
    """Threshold marking: marks all packets while the load is above a configured rate, none below it.

    More about it: ``penstock explain threshold``.

    Parameters
    ----------
    rate : str
        Rate above which packets are marked (PCN-threshold-rate). Allowed: above zero, at most 100 Tbit/s.
    size : str
        Size of the bucket (BS_thm). Allowed: above zero; a time at the bucket's rate, or bytes.
    threshold : str
        Fill below which packets are marked (TBthreshold.threshold). Allowed: above zero; a time at the bucket's rate,
        or bytes.
    start : Literal["full", "empty"], default full
        Initial level of the bucket.
    """
    KIND: ClassVar[str] = "pcn-meter"
    KEY: ClassVar[str] = "threshold"
    rate: str
    size: str
    threshold: str
    start: Literal["full", "empty"]
    def __init__(self, *, rate: str, size: str, threshold: str, start: Literal["full", "empty"] = "full") -> None: ...

class Excess(Component):
    """Excess-traffic marking: marks the traffic in excess of a rate.

    More about it: ``penstock explain excess``.

    Parameters
    ----------
    rate : str
        Rate of the traffic that stays unmarked (PCN-excess-rate). Allowed: above zero, at most 100 Tbit/s.
    size : str
        Size of the bucket (BS_etm). Allowed: above zero; a time at the bucket's rate, or bytes.
    metering : Literal["size-independent", "classic", "drained"], default size-independent
        Packets that are in excess.
    mark_every : int, default 1
        Marks one byte in N of those in excess (N). Allowed: a whole number, at least 1.
    start : Literal["full", "empty"], default full
        Initial level of the bucket.
    """
    KIND: ClassVar[str] = "pcn-meter"
    KEY: ClassVar[str] = "excess"
    rate: str
    size: str
    metering: Literal["size-independent", "classic", "drained"]
    mark_every: int
    start: Literal["full", "empty"]
    def __init__(self, *, rate: str, size: str, metering: Literal["size-independent", "classic", "drained"] = "size-independent", mark_every: int = 1, start: Literal["full", "empty"] = "full") -> None: ...

class Cbr(Component):
    """Constant bit rate: packets at a fixed spacing, or nearly so.

    More about it: ``penstock explain cbr``.

    Parameters
    ----------
    rate : str
        Mean rate, headers included. Allowed: above zero, at most 100 Tbit/s.
    packet : str | dict[str, Any]
        Bytes of a packet on the wire. Allowed: 1 to 65535 bytes.
    phase : Literal["random", "zero"], default random
        Time of the first packet.
    spacing_jitter : float | str, default 0
        Maximum deviation of a spacing from its mean, as a fraction of it (j). Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "cbr"
    rate: str
    packet: str | dict[str, Any]
    phase: Literal["random", "zero"]
    spacing_jitter: float | str
    def __init__(self, *, rate: str, packet: str | dict[str, Any], phase: Literal["random", "zero"] = "random", spacing_jitter: float | str = 0.0) -> None: ...

class PoissonSource(Component):
    """Poisson: packets at exponential spacings, independent of one another and of their sizes.

    More about it: ``penstock explain poisson``.

    Parameters
    ----------
    rate : str
        Mean rate, headers included. Allowed: above zero, at most 100 Tbit/s.
    packet : str | dict[str, Any]
        Bytes of a packet on the wire. Allowed: 1 to 65535 bytes.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "poisson"
    rate: str
    packet: str | dict[str, Any]
    def __init__(self, *, rate: str, packet: str | dict[str, Any]) -> None: ...

class OnOff(Component):
    """On-off: packets at one spacing during on periods, silence between them.

    More about it: ``penstock explain on-off``.

    Parameters
    ----------
    packet : str | dict[str, Any]
        Bytes of a packet on the wire. Allowed: 1 to 65535 bytes.
    spacing : str
        Time from packet to packet in an on period. Allowed: zero or more.
    on : str
        Mean length of an on period. Allowed: zero or more.
    off : str
        Mean length of an off period. Allowed: zero or more.
    initial : Literal["on", "off", "either", "stationary"], default stationary
        State of the source when its flow starts.
    phase : Literal["random", "zero"], optional
        Time of the first packet, from the beginning of the first on period; zero if left out, except for a stationary
        source, whose first packet is random.
    remainder : Literal["carried", "restarted", "whole"], default carried
        Treatment of the part of a spacing at the end of an on period.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "on-off"
    packet: str | dict[str, Any]
    spacing: str
    on: str
    off: str
    initial: Literal["on", "off", "either", "stationary"]
    phase: Literal["random", "zero"] | None
    remainder: Literal["carried", "restarted", "whole"]
    def __init__(self, *, packet: str | dict[str, Any], spacing: str, on: str, off: str, initial: Literal["on", "off", "either", "stationary"] = "stationary", phase: Literal["random", "zero"] | None = None, remainder: Literal["carried", "restarted", "whole"] = "carried") -> None: ...

class CodecMix(Component):
    """Codec mix: each flow has one of eight voice codecs, all equally likely.

    More about it: ``penstock explain codec-mix``.

    Parameters
    ----------
    initial : Literal["on", "off", "either", "stationary"], default stationary
        State of a source with silence suppression when its flow starts.
    phase : Literal["random", "zero"], default zero
        Time of the first packet, from the start of the flow or of the first on period; always random for a stationary
        source with silence suppression.
    remainder : Literal["carried", "restarted", "whole"], default carried
        Treatment of the part of a spacing at the end of an on period.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "codec-mix"
    initial: Literal["on", "off", "either", "stationary"]
    phase: Literal["random", "zero"]
    remainder: Literal["carried", "restarted", "whole"]
    def __init__(self, *, initial: Literal["on", "off", "either", "stationary"] = "stationary", phase: Literal["random", "zero"] = "zero", remainder: Literal["carried", "restarted", "whole"] = "carried") -> None: ...

class Packets(Component):
    """Packets: a list of packets with times and sizes, for tests and teaching.

    More about it: ``penstock explain packets``.

    Parameters
    ----------
    at : list[str]
        Time of each packet after the start of the flow, in ascending order. Allowed: zero or more.
    sizes : list[str]
        Bytes of each packet on the wire, or of all. Allowed: above zero.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "packets"
    at: list[str]
    sizes: list[str]
    def __init__(self, *, at: list[str], sizes: list[str]) -> None: ...

class Trace(Component):
    """Trace: packets with the times and sizes of a file, such as a capture of real traffic.

    More about it: ``penstock explain trace``.

    Parameters
    ----------
    file : str
        The file, relative to the scenario's folder; its name ends with `.csv`, `.parquet`, `.pcap` or `.pcapng`.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "trace"
    file: str
    def __init__(self, *, file: str) -> None: ...

class Video(Component):
    """Video: frames of groups of pictures, cut into packets, at a mean rate that follows requests.

    More about it: ``penstock explain video``.

    Parameters
    ----------
    rate : str
        Mean rate, headers included, until another is requested. Allowed: above zero, at most 100 Tbit/s.
    frame_rate : float | str, default 30
        Frames per second. Allowed: above 0.
    group_length : int, default 12
        Frames of a group of pictures, from one I frame to the next (N). Allowed: a whole number, at least 1.
    anchor_distance : int, default 3
        Frames from one I or P frame to the next (M); 1 without B frames. Allowed: a whole number, at least 1.
    p_ratio : float | str, default 0.6
        Mean size of a P frame over that of an I frame. Allowed: above 0.
    b_ratio : float | str, default 0.2
        Mean size of a B frame over that of an I frame. Allowed: above 0.
    variation : float | str, default 0.21
        Standard deviation of the size of a frame over its mean. Allowed: between 0 and 1.
    packet : str, default 1200 bytes
        Maximum size of a packet on the wire. Allowed: above zero.
    paced : float | str, default 0
        Fraction of the frame interval over which the packets of a frame are spread; 0: back to back. Allowed: between 0
        and 1.
    phase : Literal["random", "zero"], default random
        When the first frame is generated; with `random`, its position in the group is random too.
    min_rate : str, optional
        Minimum rate that a request can set. Allowed: above zero, at most 100 Tbit/s.
    max_rate : str, optional
        Maximum rate that a request can set. Allowed: above zero, at most 100 Tbit/s.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "video"
    rate: str
    frame_rate: float | str
    group_length: int
    anchor_distance: int
    p_ratio: float | str
    b_ratio: float | str
    variation: float | str
    packet: str
    paced: float | str
    phase: Literal["random", "zero"]
    min_rate: str | None
    max_rate: str | None
    def __init__(self, *, rate: str, frame_rate: float | str = 30.0, group_length: int = 12, anchor_distance: int = 3, p_ratio: float | str = 0.6, b_ratio: float | str = 0.2, variation: float | str = 0.21, packet: str = "1200 bytes", paced: float | str = 0.0, phase: Literal["random", "zero"] = "random", min_rate: str | None = None, max_rate: str | None = None) -> None: ...

class Ftp(Component):
    """FTP: a greedy application that always has data to send, until the end of its file.

    More about it: ``penstock explain ftp``.

    Parameters
    ----------
    size : str, optional
        Size of the file, without headers; the transfer never ends if left out. Allowed: above zero.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "ftp"
    size: str | None
    def __init__(self, *, size: str | None = None) -> None: ...

class Http(Component):
    """HTTP: a user who requests one page after another over a persistent connection.

    More about it: ``penstock explain http``.

    Parameters
    ----------
    page : str | dict[str, Any], optional
        Size of the requested file; `{ log-normal = { median = "2 kB", mean = "7 kB" } }` if left out. Allowed: 1 byte
        to 4 GB.
    objects : int, default 3
        Number of embedded files. Allowed: a whole number, 0 to 1000.
    object : str | dict[str, Any], optional
        Size of an embedded file; as `page` if left out. Allowed: 1 byte to 4 GB.
    think : str | dict[str, Any], optional
        Time from the end of a page to the request of the next; `{ uniform = ["1 s", "5 s"] }` if left out. Allowed:
        zero or more.
    initial_window : bool, default false
        Whether each page starts with the window of a new connection. A page then acts like a connection of its own, but
        without a handshake and with a known round trip.
    """
    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "http"
    page: str | dict[str, Any] | None
    objects: int
    object: str | dict[str, Any] | None
    think: str | dict[str, Any] | None
    initial_window: bool
    def __init__(self, *, page: str | dict[str, Any] | None = None, objects: int = 3, object: str | dict[str, Any] | None = None, think: str | dict[str, Any] | None = None, initial_window: bool = False) -> None: ...

class Tcp(Component):
    """TCP: reliable, in-order delivery at a rate limited by congestion control.

    More about it: ``penstock explain tcp``.

    Parameters
    ----------
    profile : Literal["rfc", "linux-6", "linux-4", "ns-2"], default rfc
        A named set of values for parameters that are not written; `penstock explain tcp --profile linux-6` lists one.
    variant : Literal["tahoe", "reno", "new-reno", "sack"], optional
        A preset of recovery and congestion control.
    recovery : AnyRecovery, optional
        Detection and repair of losses; if neither it nor a variant is given, `new-reno`, or `sack` if the congestion
        control needs to know which segments arrive (`bbr`, `bbr3`).
    congestion_control : AnyCongestionControl, optional
        Algorithm that sets cwnd and ssthresh; `reno` if left out.
    packet : str, default 1500 bytes
        Size of a data packet on the wire, headers included. Allowed: above zero.
    header : str, default 40 bytes
        Size of a packet without data (acknowledgements, connection set-up), and of the headers in a data packet.
        Allowed: above zero.
    initial_window : str, default 10 packets
        Initial congestion window (IW), at most `max-window`; ten packets [RFC6928 s2]. RFC 3390 had 2 to 4 packets, RFC
        2001 and ns-2 before 2001 one. Allowed: at least 1 packet or 1 byte.
    max_window : str, default 1000 packets
        Maximum of outstanding segments, up to 2^20; a value in bytes counts payload, as a receiver's window does. ns-2
        had 20 packets. Allowed: at least 1 packet or 1 byte.
    initial_slow_start_threshold : str, optional
        Window at which slow start ends (initial ssthresh); `max-window` if left out [RFC5681 s3.1: arbitrarily high].
        Allowed: at least 1 packet or 1 byte.
    timer_tick : str, default 0 s
        Granularity of the clock that measures round trips (G); zero is exact. With a tick, timeouts are whole ticks, at
        least two. ns-2 had 100 ms until 2002, then 10 ms. Allowed: zero or more.
    initial_rto : str, default 1 s
        Retransmission timeout before the first measurement [RFC6298 s2.1]; RFC 2988 had 3 s, ns-2 6 s until 2002.
        Allowed: zero or more.
    min_rto : str, default 1 s
        Minimum timeout, before back-off [RFC6298 s2.4]; ns-2 had none in 1999 and 200 ms from 2004. Allowed: zero or
        more.
    rto : Literal["rfc-6298", "linux"], default rfc-6298
        Computation of the timeout from round-trip times.
    max_rto : str, default 60 s
        Maximum timeout [RFC6298 s2.5]; ns-2 had 100000 s until 2007. Allowed: zero or more.
    max_backoff : int, default 64
        Maximum factor by which back-off multiplies the timeout; 64 in BSD and ns-2. Allowed: a whole number, at least
        1.
    ack_every : int, default 1
        In-order segments per acknowledgement: 1 acknowledges each, as in most published simulations; 2 delays
        acknowledgements as hosts should [RFC5681 s4.2]. Allowed: a whole number, at least 1.
    ack_delay : str, optional
        Maximum delay of an acknowledgement, 100 ms if left out (ns-2); at most 500 ms [RFC5681 s4.2]. Linux has 40 ms.
        Allowed: zero or more.
    max_ack_delay : str, optional
        Upper limit of a delay that starts at `ack-delay` and adapts to the spacing of segments; at most 500 ms. The
        delay is constant if left out. Linux has 200 ms. Allowed: zero or more.
    quick_acks : int, default 0
        Number of segments that are acknowledged one by one, regardless of `ack-every`: at the start of a connection, so
        that slow start is not slowed down; after a gap longer than the receiver's own timeout; and after a duplicate
        segment. A mark of congestion causes at most two of them. Linux has 16 (quick acknowledgements). Allowed: a
        whole number, zero or more.
    push : Literal["none", "pairs"], default none
        Which segments have the PSH flag, and are acknowledged at once.
    tso_defer : bool, default false
        Whether a sender that does not pace lets new segments wait for an acknowledgement expected within 1 ms, as in
        Linux, if they do not fill a packet of the host (TSO). Such a packet holds the segments that `pacing` would send
        in 1/1024 s, at least two.
    limited_transmit : bool, default true
        Whether the first duplicate acknowledgements allow new segments to be sent [RFC3042 s2].
    syn : bool, default true
        Whether a connection begins with a SYN exchange, which also measures the round-trip time.
    timestamps : bool, default false
        Whether segments carry timestamps, which acknowledgements echo [RFC7323 s4]. Uses memory for every outstanding
        segment.
    f_rto : bool, default false
        Whether only one segment is sent again until it is clear that a timeout was not spurious (F-RTO) [RFC5682]: if
        the first acknowledgement is of new data, two new segments are sent. If the next one shows that segments sent
        before the timeout have arrived, cwnd and ssthresh return to their values before it.
    dsack : bool, default false
        Whether receivers report segments that arrive a second time (D-SACK) [RFC2883 s4]. If every segment that was
        sent again since a loss or a timeout is reported, cwnd and ssthresh return to their values before it, as in
        Linux.
    keep_scoreboard : bool, default false
        Whether a timeout keeps what selective acknowledgements have reported, so that only missing segments are sent
        again, as in Linux. [RFC2018 s5] discards it, since a receiver may have dropped what it reported.
        `recovery.rack` always keeps it.
    dup_ack_threshold : int, default 3
        Duplicate acknowledgements that indicate a loss (DupThresh) [RFC5681 s3.2]. Allowed: a whole number, at least 1.
    window_validation : Literal["none", "linux"], default none
        Treatment of a window that the application does not use.
    restart_after_idle : bool, default true
        Whether cwnd falls back to the initial window after an idle time longer than the timeout [RFC5681 s4.1].
    partial_ack_timer : Literal["first", "every"], optional
        Which partial acknowledgements restart the timer; only for the variant `new-reno`; `first` if left out.
    ecn : bool, default false
        Whether data segments are ECN-capable and the receiver echoes marks, in the way that the congestion control
        defines; negotiated by the SYN exchange, or assumed without one [RFC3168 s6.1].
    ecn_echo : Literal["rfc-3168", "rfc-8257", "accecn", "none"], optional
        How the receiver echoes marks; if left out, as the congestion control defines it. The sender reads the echo
        given here. A control that counts marks (`prague`) needs `accecn`; otherwise Reno takes its place, as in Linux.
    ecn_reduction : Literal["at-once", "proportional"], default at-once
        Reduction of cwnd after an echoed mark.
    ssthresh_from : Literal["flight-size", "cwnd"], default flight-size
        Quantity from which ssthresh is computed at congestion.
    pacing : bool, default false
        Whether segments leave at a paced rate instead of in bursts: the rate of the congestion control if it has one,
        otherwise cwnd per smoothed round trip, times 2 in slow start and 1.2 later (as in Linux) [RFC9002 s7.7].
    pacing_rate : Literal["window", "linux"], optional
        How the pacing rate is computed if the congestion control has none of its own; from cwnd if left out.
    local_queue : Literal["drop", "backpressure"], default drop
        Behaviour of both ends when the queue of their host's own port is full.
    jitter : str | dict[str, Any], optional
        Random delay that hosts add to each packet of both ends, such as timer slack and coalesced interrupts. It is
        added where packets leave the port of their host, keeps the order within a flow, and draws from a stream of its
        own. It ends the lockstep of flows with equal round trips.
    """
    KIND: ClassVar[str] = "transport"
    KEY: ClassVar[str] = "tcp"
    profile: Literal["rfc", "linux-6", "linux-4", "ns-2"]
    variant: Literal["tahoe", "reno", "new-reno", "sack"] | None
    recovery: AnyRecovery | None
    congestion_control: AnyCongestionControl | None
    packet: str
    header: str
    initial_window: str
    max_window: str
    initial_slow_start_threshold: str | None
    timer_tick: str
    initial_rto: str
    min_rto: str
    rto: Literal["rfc-6298", "linux"]
    max_rto: str
    max_backoff: int
    ack_every: int
    ack_delay: str | None
    max_ack_delay: str | None
    quick_acks: int
    push: Literal["none", "pairs"]
    tso_defer: bool
    limited_transmit: bool
    syn: bool
    timestamps: bool
    f_rto: bool
    dsack: bool
    keep_scoreboard: bool
    dup_ack_threshold: int
    window_validation: Literal["none", "linux"]
    restart_after_idle: bool
    partial_ack_timer: Literal["first", "every"] | None
    ecn: bool
    ecn_echo: Literal["rfc-3168", "rfc-8257", "accecn", "none"] | None
    ecn_reduction: Literal["at-once", "proportional"]
    ssthresh_from: Literal["flight-size", "cwnd"]
    pacing: bool
    pacing_rate: Literal["window", "linux"] | None
    local_queue: Literal["drop", "backpressure"]
    jitter: str | dict[str, Any] | None
    def __init__(self, *, profile: Literal["rfc", "linux-6", "linux-4", "ns-2"] = "rfc", variant: Literal["tahoe", "reno", "new-reno", "sack"] | None = None, recovery: AnyRecovery | None = None, congestion_control: AnyCongestionControl | None = None, packet: str = "1500 bytes", header: str = "40 bytes", initial_window: str = "10 packets", max_window: str = "1000 packets", initial_slow_start_threshold: str | None = None, timer_tick: str = "0 s", initial_rto: str = "1 s", min_rto: str = "1 s", rto: Literal["rfc-6298", "linux"] = "rfc-6298", max_rto: str = "60 s", max_backoff: int = 64, ack_every: int = 1, ack_delay: str | None = None, max_ack_delay: str | None = None, quick_acks: int = 0, push: Literal["none", "pairs"] = "none", tso_defer: bool = False, limited_transmit: bool = True, syn: bool = True, timestamps: bool = False, f_rto: bool = False, dsack: bool = False, keep_scoreboard: bool = False, dup_ack_threshold: int = 3, window_validation: Literal["none", "linux"] = "none", restart_after_idle: bool = True, partial_ack_timer: Literal["first", "every"] | None = None, ecn: bool = False, ecn_echo: Literal["rfc-3168", "rfc-8257", "accecn", "none"] | None = None, ecn_reduction: Literal["at-once", "proportional"] = "at-once", ssthresh_from: Literal["flight-size", "cwnd"] = "flight-size", pacing: bool = False, pacing_rate: Literal["window", "linux"] | None = None, local_queue: Literal["drop", "backpressure"] = "drop", jitter: str | dict[str, Any] | None = None) -> None: ...

class Udp(Component):
    """UDP: sends whatever its source produces, when the source produces it.

    More about it: ``penstock explain udp``.

    Parameters
    ----------
    header : str, default 28 bytes
        Bytes of each packet that are not payload: 20 of IP and 8 of UDP. Allowed: above zero.
    ecn : Literal["not-ect", "ect-0", "ect-1"], default not-ect
        ECN codepoint of the packets [RFC3168 s5].
    """
    KIND: ClassVar[str] = "transport"
    KEY: ClassVar[str] = "udp"
    header: str
    ecn: Literal["not-ect", "ect-0", "ect-1"]
    def __init__(self, *, header: str = "28 bytes", ecn: Literal["not-ect", "ect-0", "ect-1"] = "not-ect") -> None: ...

class Roce(Component):
    """RoCEv2: reliable, in-order delivery at a controlled rate, with go-back-N.

    More about it: ``penstock explain roce``.

    Parameters
    ----------
    rate_control : AnyRateControl, default dcqcn
        Algorithm that sets the rate.
    packet : str, default 1086 bytes
        Size of a data packet on the wire: 1024 bytes and the headers. Allowed: above zero.
    header : str, default 62 bytes
        Header bytes of a data packet: 18 of Ethernet, 20 of IP, 8 of UDP, 12 of the transport, 4 of its checksum [IBTA
        annex 17]. Allowed: above zero.
    ack_every : int, default 16
        In-order packets per acknowledgement. Allowed: a whole number, at least 1.
    max_outstanding : int, default 8192
        Maximum number of unacknowledged packets. Allowed: a whole number, at least 1.
    timeout : str, default 4.194304 ms
        Time without progress after which the sender goes back; 4.096 us times a power of 2 [IBTA s9.7.6]. Allowed: zero
        or more.
    """
    KIND: ClassVar[str] = "transport"
    KEY: ClassVar[str] = "roce"
    rate_control: AnyRateControl
    packet: str
    header: str
    ack_every: int
    max_outstanding: int
    timeout: str
    def __init__(self, *, rate_control: AnyRateControl = "dcqcn", packet: str = "1086 bytes", header: str = "62 bytes", ack_every: int = 16, max_outstanding: int = 8192, timeout: str = "4.194304 ms") -> None: ...

class Scream(Component):
    """SCReAM: congestion control of interactive media, which sets the rate of the source and queues its packets.

    More about it: ``penstock explain scream``.

    Parameters
    ----------
    min_rate : str, default 150 kbit/s
        Lower limit of the target rate (TARGET_BITRATE_MIN). Allowed: above zero, at most 100 Tbit/s.
    max_rate : str, default 1.5 Mbit/s
        Upper limit of the target rate (TARGET_BITRATE_MAX). Allowed: above zero, at most 100 Tbit/s.
    ecn : bool, default false
        Send ECN-capable packets, ECT(0), and react to marks.
    ramp_up_speed : str, default 200 kbit/s
        Maximum increase of the target rate per second (RAMP_UP_SPEED). Allowed: above zero, at most 100 Tbit/s.
    beta_loss : float | str, default 0.8
        Factor of the window at a loss (BETA_LOSS). Allowed: above 0, at most 1.
    beta_ecn : float | str, default 0.9
        Factor of the window and of the target rate at a mark (BETA_ECN). Allowed: above 0, at most 1.
    beta_rate : float | str, default 0.9
        Factor of the target rate at a loss (BETA_R). Allowed: above 0, at most 1.
    pre_congestion_guard : float | str, default 0.1
        Weight of the delay trend in the target rate (PRE_CONGESTION_GUARD). Allowed: between 0 and 1.
    queue_size_factor : float | str, default 1
        Weight of the RTP queue in the target rate (TX_QUEUE_SIZE_FACTOR). Allowed: above 0.
    min_delay_target : str, default 100 ms
        Lower limit of the target of the queueing delay, and its initial value (QDELAY_TARGET_LO). Allowed: zero or
        more.
    max_delay_target : str, default 400 ms
        Upper limit of the target of the queueing delay; if it equals the lower limit, competing flows are not
        compensated (QDELAY_TARGET_HI). Allowed: zero or more.
    header : str, default 40 bytes
        Bytes of a packet that are not media: 20 of IP, 8 of UDP and 12 of RTP. Allowed: above zero.
    report : str, default 72 bytes
        Size of a report: 28 bytes of IP and UDP and 44 of RTCP [RFC8298 s4.2.1]. Allowed: above zero.
    feedback_interval : str, optional
        Time from report to report; if left out, the time in which 10000 bits arrive, between 20 and 400 ms [RFC8298
        s4.2.2]. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "transport"
    KEY: ClassVar[str] = "scream"
    min_rate: str
    max_rate: str
    ecn: bool
    ramp_up_speed: str
    beta_loss: float | str
    beta_ecn: float | str
    beta_rate: float | str
    pre_congestion_guard: float | str
    queue_size_factor: float | str
    min_delay_target: str
    max_delay_target: str
    header: str
    report: str
    feedback_interval: str | None
    def __init__(self, *, min_rate: str = "150 kbit/s", max_rate: str = "1.5 Mbit/s", ecn: bool = False, ramp_up_speed: str = "200 kbit/s", beta_loss: float | str = 0.8, beta_ecn: float | str = 0.9, beta_rate: float | str = 0.9, pre_congestion_guard: float | str = 0.1, queue_size_factor: float | str = 1.0, min_delay_target: str = "100 ms", max_delay_target: str = "400 ms", header: str = "40 bytes", report: str = "72 bytes", feedback_interval: str | None = None) -> None: ...

class Loss(Component):
    """Loss: each packet is lost with the same probability, independently of all others.

    More about it: ``penstock explain loss``.

    Parameters
    ----------
    probability : float | str
        Probability of losing a packet (p). Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "impairment"
    KEY: ClassVar[str] = "loss"
    probability: float | str
    def __init__(self, *, probability: float | str) -> None: ...

class GilbertElliott(Component):
    """Gilbert-Elliott: a channel with a good and a bad state; losses come in bursts while it is in the bad state.

    More about it: ``penstock explain gilbert-elliott``.

    Parameters
    ----------
    good_to_bad : float | str
        Probability that a good channel becomes bad after a packet (p). Allowed: between 0 and 1.
    bad_to_good : float | str
        Probability that a bad channel becomes good after a packet (r). Allowed: between 0 and 1.
    loss_in_bad : float | str, default 1
        Probability of losing a packet in the bad state (1 - h). Allowed: between 0 and 1.
    loss_in_good : float | str, default 0
        Probability of losing a packet in the good state (1 - k). Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "impairment"
    KEY: ClassVar[str] = "gilbert-elliott"
    good_to_bad: float | str
    bad_to_good: float | str
    loss_in_bad: float | str
    loss_in_good: float | str
    def __init__(self, *, good_to_bad: float | str, bad_to_good: float | str, loss_in_bad: float | str = 1.0, loss_in_good: float | str = 0.0) -> None: ...

class DropList(Component):
    """Drop list: the packets with the given numbers are lost, and no others.

    More about it: ``penstock explain drop-list``.

    Parameters
    ----------
    drop : list[int]
        Numbers of the lost packets, from 1. Allowed: a whole number, at least 1.
    of : Literal["link", "flow"], default link
        Scope of the count.
    """
    KIND: ClassVar[str] = "impairment"
    KEY: ClassVar[str] = "drop-list"
    drop: list[int]
    of: Literal["link", "flow"]
    def __init__(self, *, drop: list[int], of: Literal["link", "flow"] = "link") -> None: ...

class Delay(Component):
    """Delay: each packet arrives later, by a fixed or a random time.

    More about it: ``penstock explain delay``.

    Parameters
    ----------
    added : str | dict[str, Any]
        The delay, or the law that it follows. Allowed: zero or more.
    keep_order : bool, default false
        Whether packets arrive in the order of their departure.
    """
    KIND: ClassVar[str] = "impairment"
    KEY: ClassVar[str] = "delay"
    added: str | dict[str, Any]
    keep_order: bool
    def __init__(self, *, added: str | dict[str, Any], keep_order: bool = False) -> None: ...

class Reordering(Component):
    """Reordering: some packets are held back, so that later ones overtake them.

    More about it: ``penstock explain reordering``.

    Parameters
    ----------
    probability : float | str
        Probability that a packet is held back (p). Allowed: between 0 and 1.
    delay : str
        Added delay of a held-back packet. Allowed: zero or more.
    correlation : float | str, default 0
        Correlation of neighbouring packets (c). Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "impairment"
    KEY: ClassVar[str] = "reordering"
    probability: float | str
    delay: str
    correlation: float | str
    def __init__(self, *, probability: float | str, delay: str, correlation: float | str = 0.0) -> None: ...

class Duplication(Component):
    """Duplication: some packets arrive twice.

    More about it: ``penstock explain duplication``.

    Parameters
    ----------
    probability : float | str
        Probability that a packet is duplicated (p). Allowed: between 0 and 1.
    copy_delay : str, default 0 ms
        Time between the packet and its copy. Allowed: zero or more.
    correlation : float | str, default 0
        Correlation of neighbouring packets (c). Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "impairment"
    KEY: ClassVar[str] = "duplication"
    probability: float | str
    copy_delay: str
    correlation: float | str
    def __init__(self, *, probability: float | str, copy_delay: str = "0 ms", correlation: float | str = 0.0) -> None: ...

class PoissonArrival(Component):
    """Poisson: calls arrive one by one, at exponential intervals.

    More about it: ``penstock explain poisson``.

    Parameters
    ----------
    interval : str
        Mean time between calls of one aggregate. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "arrival"
    KEY: ClassVar[str] = "poisson"
    interval: str
    def __init__(self, *, interval: str) -> None: ...

class Batch(Component):
    """Batches: several calls arrive at once, at exponential intervals.

    More about it: ``penstock explain batch``.

    Parameters
    ----------
    interval : str
        Mean time between batches of one aggregate. Allowed: zero or more.
    mean_size : float | str, default 5
        Mean calls in a batch (m), at least 1; default of the drafts. Allowed: above 0.
    """
    KIND: ClassVar[str] = "arrival"
    KEY: ClassVar[str] = "batch"
    interval: str
    mean_size: float | str
    def __init__(self, *, interval: str, mean_size: float | str = 5.0) -> None: ...

class NoneArrival(Component):
    """None: no calls arrive; only initial calls exist.

    More about it: ``penstock explain none``.
    """
    KIND: ClassVar[str] = "arrival"
    KEY: ClassVar[str] = "none"
    def __init__(self) -> None: ...

class Exponential(Component):
    """Exponential: calls last an exponential time.

    More about it: ``penstock explain exponential``.

    Parameters
    ----------
    mean : str
        Mean holding time. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "holding"
    KEY: ClassVar[str] = "exponential"
    mean: str
    def __init__(self, *, mean: str) -> None: ...

class FixedHolding(Component):
    """Fixed: all calls last the same time.

    More about it: ``penstock explain fixed``.

    Parameters
    ----------
    time : str
        Holding time of a call. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "holding"
    KEY: ClassVar[str] = "fixed"
    time: str
    def __init__(self, *, time: str) -> None: ...

class Infinite(Component):
    """Infinite: calls last until they are terminated or the run ends.

    More about it: ``penstock explain infinite``.
    """
    KIND: ClassVar[str] = "holding"
    KEY: ClassVar[str] = "infinite"
    def __init__(self) -> None: ...

class Cle(Component):
    """Congestion level estimate: admits a call while the marked share of its aggregate's packets is low.

    More about it: ``penstock explain cle``.

    Parameters
    ----------
    threshold : float | str
        Level from which calls are refused (CLE threshold). Allowed: between 0 and 1.
    weight : float | str, default 0.3
        Weight of the moving average; default of [Satoh10 s11.1]. Allowed: above 0, at most 1.
    weighs : Literal["new-sample", "old-value"], default new-sample
        Term of the moving average that `weight` multiplies.
    update : Literal["packet", "interval"], default packet
        Samples of the moving average.
    interval : str, optional
        Length of an interval, for `update = "interval"`. Allowed: zero or more.
    marks : Literal["any", "threshold", "excess"], default any
        Marks that count.
    at_threshold : Literal["refuse", "admit"], default refuse
        Decision about a call if the level equals the threshold.
    idle : Literal["frozen", "reset", "decay", "time-out"], default reset
        How the level changes while no packets arrive.
    idle_time : str, optional
        Time constant of `idle = "decay"`, or silence after which `"time-out"` sets the level to 0. Allowed: zero or
        more.
    initial : float | str, default 0
        Initial level. Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "admission"
    KEY: ClassVar[str] = "cle"
    threshold: float | str
    weight: float | str
    weighs: Literal["new-sample", "old-value"]
    update: Literal["packet", "interval"]
    interval: str | None
    marks: Literal["any", "threshold", "excess"]
    at_threshold: Literal["refuse", "admit"]
    idle: Literal["frozen", "reset", "decay", "time-out"]
    idle_time: str | None
    initial: float | str
    def __init__(self, *, threshold: float | str, weight: float | str = 0.3, weighs: Literal["new-sample", "old-value"] = "new-sample", update: Literal["packet", "interval"] = "packet", interval: str | None = None, marks: Literal["any", "threshold", "excess"] = "any", at_threshold: Literal["refuse", "admit"] = "refuse", idle: Literal["frozen", "reset", "decay", "time-out"] = "reset", idle_time: str | None = None, initial: float | str = 0.0) -> None: ...

class Count(Component):
    """Counting: admits a call while fewer than a fixed number of calls are live.

    More about it: ``penstock explain count``.

    Parameters
    ----------
    limit : int
        Maximum number of calls at once. Allowed: a whole number, at least 1.
    scope : Literal["aggregate", "node"], default node
        Calls that count.
    """
    KIND: ClassVar[str] = "admission"
    KEY: ClassVar[str] = "count"
    limit: int
    scope: Literal["aggregate", "node"]
    def __init__(self, *, limit: int, scope: Literal["aggregate", "node"] = "node") -> None: ...

class Rfc6661Admission(Component):
    """CL edge behaviour, admission: admits calls while the marked share of the egress' last report is below a limit.

    More about it: ``penstock explain rfc-6661``.

    Parameters
    ----------
    measuring_interval : str, default 100 ms
        Length of the egress' measurement for one report (T_meas); the RFC recommends 100 to 500 ms and has no default.
        Allowed: zero or more.
    cle_limit : float | str, default 0.05
        Marked share from which calls are refused (CLE-limit); the RFC has no default. Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "admission"
    KEY: ClassVar[str] = "rfc-6661"
    measuring_interval: str
    cle_limit: float | str
    def __init__(self, *, measuring_interval: str = "100 ms", cle_limit: float | str = 0.05) -> None: ...

class Rfc6662Admission(Component):
    """SM edge behaviour, admission: admits calls while the marked share of the egress' last report is below a limit.

    More about it: ``penstock explain rfc-6662``.

    Parameters
    ----------
    measuring_interval : str, default 100 ms
        Length of the egress' measurement for one report (T_meas); the RFC recommends 100 to 500 ms and has no default.
        Allowed: zero or more.
    cle_limit : float | str, default 0.05
        Marked share from which calls are refused (CLE-limit); the RFC recommends about 5 %. Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "admission"
    KEY: ClassVar[str] = "rfc-6662"
    measuring_interval: str
    cle_limit: float | str
    def __init__(self, *, measuring_interval: str = "100 ms", cle_limit: float | str = 0.05) -> None: ...

class SingleThresholdTermination(Component):
    """The termination ``single-threshold``.

    Single threshold marking, termination: terminates a share of the calls per interval while every packet arrives
    marked.

    More about it: ``penstock explain single-threshold``.

    Parameters
    ----------
    marked_run : int, default 100
        Marked packets in a row after which the egress reports (L); default of [Satoh10 s10.4]. Allowed: a whole number,
        at least 1.
    unmarked_run : int, default 20
        Unmarked packets in a row after which the egress cancels its reports (M); default of [Satoh10 s10.4]. Allowed: a
        whole number, at least 1.
    counts_unmarked : Literal["in-a-row", "since-run"], default in-a-row
        Unmarked packets that count towards `unmarked-run`.
    extra : float | str, default 5 %
        Share of the rate terminated by each cut in addition to the difference of sending and receiving rate (y);
        default of [Satoh10 s10.4]. Allowed: between 0 and 1.
    report_interval : str, default 33.3 ms
        Time between reports; default of [Satoh10 s10.4]. Allowed: zero or more.
    receiving : Literal["sliding", "between-reports", "within-run", "share"], default sliding
        Contents of a report.
    receiving_window : str, optional
        Window of `receiving = "sliding"` and `"within-run"`; `report-interval` if left out. Allowed: zero or more.
    waiting_time : str, default 100 ms
        Time after which an overtaken packet that has not arrived counts as lost (Tmax); for `receiving = "share"`.
        Allowed: zero or more.
    sending_interval : str, default 100 ms
        Length of the measurement of the sending rate; default of [Satoh10 s10.4]. Allowed: zero or more.
    reports : Literal["while-marked", "until-cancel", "fresh-run"], default while-marked
        How long reports continue.
    next_interval : Literal["at-once", "next-report"], default at-once
        When the next measurement of the sending rate begins.
    after_cut : Literal["continue", "restart"], default continue
        Action of the egress after a cut, on the run of marked packets.
    settle : str, default 0 ms
        Time after a cut in which reports are ignored; for `next-interval = "next-report"`. Allowed: zero or more.
    keep_rate : str, optional
        Sending rate up to which the ingress terminates no calls; none if left out. Allowed: above zero, at most 100
        Tbit/s.
    rounding : Literal["nearest", "ceiling", "floor"], default nearest
        Rounding to a whole number of calls.
    call_rate : Literal["mean", "measured"], default mean
        Rate assumed for one call.
    victims : Literal["random", "newest", "oldest"], default random
        Calls to terminate.
    """
    KIND: ClassVar[str] = "termination"
    KEY: ClassVar[str] = "single-threshold"
    marked_run: int
    unmarked_run: int
    counts_unmarked: Literal["in-a-row", "since-run"]
    extra: float | str
    report_interval: str
    receiving: Literal["sliding", "between-reports", "within-run", "share"]
    receiving_window: str | None
    waiting_time: str
    sending_interval: str
    reports: Literal["while-marked", "until-cancel", "fresh-run"]
    next_interval: Literal["at-once", "next-report"]
    after_cut: Literal["continue", "restart"]
    settle: str
    keep_rate: str | None
    rounding: Literal["nearest", "ceiling", "floor"]
    call_rate: Literal["mean", "measured"]
    victims: Literal["random", "newest", "oldest"]
    def __init__(self, *, marked_run: int = 100, unmarked_run: int = 20, counts_unmarked: Literal["in-a-row", "since-run"] = "in-a-row", extra: float | str = "5 %", report_interval: str = "33.3 ms", receiving: Literal["sliding", "between-reports", "within-run", "share"] = "sliding", receiving_window: str | None = None, waiting_time: str = "100 ms", sending_interval: str = "100 ms", reports: Literal["while-marked", "until-cancel", "fresh-run"] = "while-marked", next_interval: Literal["at-once", "next-report"] = "at-once", after_cut: Literal["continue", "restart"] = "continue", settle: str = "0 ms", keep_rate: str | None = None, rounding: Literal["nearest", "ceiling", "floor"] = "nearest", call_rate: Literal["mean", "measured"] = "mean", victims: Literal["random", "newest", "oldest"] = "random") -> None: ...

class Cl(Component):
    """CL, termination: terminates calls down to the rate that arrives unmarked.

    More about it: ``penstock explain cl``.

    Parameters
    ----------
    sar_interval : str, default 100 ms
        Length of the egress' measurement of the SAR. Allowed: zero or more.
    sar_start : Literal["marked-packet", "random-phase"], default marked-packet
        Start of the egress' measurements.
    sending_interval : str, default 100 ms
        Length of the ingress' measurement of the sending rate. Allowed: zero or more.
    sending : Literal["after-message", "all-the-time"], default after-message
        When the ingress measures its sending rate.
    newer : Literal["replaces", "ignored"], default replaces
        Effect of a message that arrives during the ingress' measurement.
    trigger_margin : float | str, default 0
        Minimum excess of the sending rate over the SAR, as a share of the SAR (E1). Allowed: between 0 and 1.
    cut_margin : float | str, default 0
        Depth of the cut below the SAR, as a share of the SAR (E2). Allowed: between 0 and 1.
    settle : str, default 0 ms
        Time after a cut in which messages are ignored, so that its effect is seen first. Allowed: zero or more.
    after_cut : Literal["continue", "restart"], default continue
        Action of the egress after a cut, on the current interval.
    marks : Literal["any", "threshold", "excess"], default excess
        Marks that start an interval; packets without them count in the SAR.
    rounding : Literal["nearest", "ceiling", "floor"], default nearest
        Rounding to a whole number of calls.
    call_rate : Literal["mean", "measured"], default mean
        Rate assumed for one call.
    victims : Literal["random", "newest", "oldest"], default random
        Calls to terminate.
    """
    KIND: ClassVar[str] = "termination"
    KEY: ClassVar[str] = "cl"
    sar_interval: str
    sar_start: Literal["marked-packet", "random-phase"]
    sending_interval: str
    sending: Literal["after-message", "all-the-time"]
    newer: Literal["replaces", "ignored"]
    trigger_margin: float | str
    cut_margin: float | str
    settle: str
    after_cut: Literal["continue", "restart"]
    marks: Literal["any", "threshold", "excess"]
    rounding: Literal["nearest", "ceiling", "floor"]
    call_rate: Literal["mean", "measured"]
    victims: Literal["random", "newest", "oldest"]
    def __init__(self, *, sar_interval: str = "100 ms", sar_start: Literal["marked-packet", "random-phase"] = "marked-packet", sending_interval: str = "100 ms", sending: Literal["after-message", "all-the-time"] = "after-message", newer: Literal["replaces", "ignored"] = "replaces", trigger_margin: float | str = 0.0, cut_margin: float | str = 0.0, settle: str = "0 ms", after_cut: Literal["continue", "restart"] = "continue", marks: Literal["any", "threshold", "excess"] = "excess", rounding: Literal["nearest", "ceiling", "floor"] = "nearest", call_rate: Literal["mean", "measured"] = "mean", victims: Literal["random", "newest", "oldest"] = "random") -> None: ...

class Sm(Component):
    """Single marking (SM), termination: terminates calls down to U times the rate that arrives unmarked.

    More about it: ``penstock explain sm``.

    Parameters
    ----------
    u : float | str, default 1.2
        Ratio of the supportable to the admissible rate, the same for all links (U); at least 1, and 1.2 or more
        advised. Allowed: above 0.
    sar_interval : str, default 100 ms
        Length of the egress' measurement of the SAR. Allowed: zero or more.
    sending_interval : str, default 100 ms
        Length of the ingress' measurement of the sending rate. Allowed: zero or more.
    sending : Literal["after-message", "all-the-time"], default after-message
        When the ingress measures its sending rate.
    newer : Literal["replaces", "ignored"], default replaces
        Effect of a message that arrives during the ingress' measurement.
    trigger_margin : float | str, default 0
        Minimum excess of the sending rate over the rate to keep, as a share of the latter. Allowed: between 0 and 1.
    cut_margin : float | str, default 0
        Depth of the cut below the rate to keep, as a share of it. Allowed: between 0 and 1.
    settle : str, default 0 ms
        Time after a cut in which messages are ignored, so that its effect is seen first. Allowed: zero or more.
    after_cut : Literal["continue", "restart"], default continue
        Action of the egress after a cut, on the current interval.
    smoothing : float | str, optional
        Weight of the old value in the average of the marked share, 0.9 in the draft's example; no average if left out.
        Allowed: above 0, at most 1.
    rounding : Literal["nearest", "ceiling", "floor"], default nearest
        Rounding to a whole number of calls.
    call_rate : Literal["mean", "measured"], default mean
        Rate assumed for one call.
    victims : Literal["random", "newest", "oldest"], default random
        Calls to terminate.
    """
    KIND: ClassVar[str] = "termination"
    KEY: ClassVar[str] = "sm"
    u: float | str
    sar_interval: str
    sending_interval: str
    sending: Literal["after-message", "all-the-time"]
    newer: Literal["replaces", "ignored"]
    trigger_margin: float | str
    cut_margin: float | str
    settle: str
    after_cut: Literal["continue", "restart"]
    smoothing: float | str | None
    rounding: Literal["nearest", "ceiling", "floor"]
    call_rate: Literal["mean", "measured"]
    victims: Literal["random", "newest", "oldest"]
    def __init__(self, *, u: float | str = 1.2, sar_interval: str = "100 ms", sending_interval: str = "100 ms", sending: Literal["after-message", "all-the-time"] = "after-message", newer: Literal["replaces", "ignored"] = "replaces", trigger_margin: float | str = 0.0, cut_margin: float | str = 0.0, settle: str = "0 ms", after_cut: Literal["continue", "restart"] = "continue", smoothing: float | str | None = None, rounding: Literal["nearest", "ceiling", "floor"] = "nearest", call_rate: Literal["mean", "measured"] = "mean", victims: Literal["random", "newest", "oldest"] = "random") -> None: ...

class Rfc6661Termination(Component):
    """The termination ``rfc-6661``.

    CL edge behaviour, termination: after two consecutive reports of excess, terminates calls down to the rate not in
    excess.

    More about it: ``penstock explain rfc-6661``.

    Parameters
    ----------
    measuring_interval : str, default 100 ms
        Length of the egress' measurement for one report and of the ingress' measurement of its sending rate (T_meas);
        the RFC recommends 100 to 500 ms. Allowed: zero or more.
    sample_packets : int, default 30
        Minimum number of packets in the ingress' measurement, which is extended until they have been sent. Allowed: a
        whole number, at least 1.
    settle : str, default 200 ms
        Time after a cut in which reports cause no further cut, so that its effect is seen first. Allowed: zero or more.
    rounding : Literal["nearest", "ceiling", "floor"], default nearest
        Rounding to a whole number of calls.
    call_rate : Literal["mean", "measured"], default mean
        Rate assumed for one call.
    victims : Literal["random", "newest", "oldest"], default random
        Calls to terminate.
    """
    KIND: ClassVar[str] = "termination"
    KEY: ClassVar[str] = "rfc-6661"
    measuring_interval: str
    sample_packets: int
    settle: str
    rounding: Literal["nearest", "ceiling", "floor"]
    call_rate: Literal["mean", "measured"]
    victims: Literal["random", "newest", "oldest"]
    def __init__(self, *, measuring_interval: str = "100 ms", sample_packets: int = 30, settle: str = "200 ms", rounding: Literal["nearest", "ceiling", "floor"] = "nearest", call_rate: Literal["mean", "measured"] = "mean", victims: Literal["random", "newest", "oldest"] = "random") -> None: ...

class Rfc6662Termination(Component):
    """SM edge behaviour, termination: terminates calls down to U times the rate that arrives unmarked.

    More about it: ``penstock explain rfc-6662``.

    Parameters
    ----------
    u : float | str, default 1.2
        Ratio of the supportable to the admissible rate, the same for all links (U). Allowed: above 0.
    measuring_interval : str, default 100 ms
        Length of the egress' measurement for one report and of the ingress' measurement of its sending rate (T_meas);
        the RFC recommends 100 to 500 ms. Allowed: zero or more.
    cle_limit : float | str, default 0.05
        Marked share from which termination is considered (CLE-limit). Allowed: between 0 and 1.
    sample_packets : int, default 30
        Minimum number of packets in the ingress' measurement, which is extended until they have been sent. Allowed: a
        whole number, at least 1.
    settle : str, default 200 ms
        Time after a cut in which reports cause no further cut, so that its effect is seen first. Allowed: zero or more.
    rounding : Literal["nearest", "ceiling", "floor"], default nearest
        Rounding to a whole number of calls.
    call_rate : Literal["mean", "measured"], default mean
        Rate assumed for one call.
    victims : Literal["random", "newest", "oldest"], default random
        Calls to terminate.
    """
    KIND: ClassVar[str] = "termination"
    KEY: ClassVar[str] = "rfc-6662"
    u: float | str
    measuring_interval: str
    cle_limit: float | str
    sample_packets: int
    settle: str
    rounding: Literal["nearest", "ceiling", "floor"]
    call_rate: Literal["mean", "measured"]
    victims: Literal["random", "newest", "oldest"]
    def __init__(self, *, u: float | str = 1.2, measuring_interval: str = "100 ms", cle_limit: float | str = 0.05, sample_packets: int = 30, settle: str = "200 ms", rounding: Literal["nearest", "ceiling", "floor"] = "nearest", call_rate: Literal["mean", "measured"] = "mean", victims: Literal["random", "newest", "oldest"] = "random") -> None: ...

class MarkedFlow(Component):
    """Marked flow termination: terminates each call that has an excess-traffic-marked packet.

    More about it: ``penstock explain marked-flow``.
    """
    KIND: ClassVar[str] = "termination"
    KEY: ClassVar[str] = "marked-flow"
    def __init__(self) -> None: ...

class RenoCongestionControl(Component):
    """Reno: additive increase, multiplicative decrease.

    More about it: ``penstock explain reno``.

    Parameters
    ----------
    halving : Literal["whole-segments", "exact"], default whole-segments
        Rounding of half of the outstanding segments.
    byte_counting_limit : int, optional
        Maximum growth per acknowledgement in slow start, in segments (L); growth then counts acknowledged segments. RFC
        3465 permits 1 and 2 [RFC3465 s2.2]. Allowed: a whole number, at least 1.
    arithmetic : Literal["fractional", "integer-bytes", "integer-bytes-without-stall"], default fractional
        Unit of the window.
    acks_per_increase : int, optional
        Acknowledgements per increase of cwnd in congestion avoidance (N), with `integer-bytes`; 1 if left out. Allowed:
        a whole number, at least 1.
    increase : float | str, default 1
        Growth of the window per round trip in congestion avoidance, in segments (a). Allowed: above 0.
    decrease : float | str, default 0.5
        Factor by which congestion multiplies FlightSize (b); above 0 and below 1. Allowed: between 0 and 1.
    ecn_decrease : float | str, optional
        Factor by which an echoed mark multiplies the window, if not `decrease` [RFC8511 s3]; 0.8 is proposed there.
        Allowed: between 0 and 1.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "reno"
    halving: Literal["whole-segments", "exact"]
    byte_counting_limit: int | None
    arithmetic: Literal["fractional", "integer-bytes", "integer-bytes-without-stall"]
    acks_per_increase: int | None
    increase: float | str
    decrease: float | str
    ecn_decrease: float | str | None
    def __init__(self, *, halving: Literal["whole-segments", "exact"] = "whole-segments", byte_counting_limit: int | None = None, arithmetic: Literal["fractional", "integer-bytes", "integer-bytes-without-stall"] = "fractional", acks_per_increase: int | None = None, increase: float | str = 1.0, decrease: float | str = 0.5, ecn_decrease: float | str | None = None) -> None: ...

class Cubic(Component):
    """CUBIC: a window that grows as a cubic function of the time since the last congestion.

    More about it: ``penstock explain cubic``.

    Parameters
    ----------
    c : float | str, default 0.4
        Aggressiveness of window growth (C), in segments per cubic second [RFC9438 s5.1]. Allowed: above 0.
    beta : float | str, default 0.7
        Factor by which congestion multiplies the window (beta_cubic) [RFC9438 s4.6]; Reno has 0.5. Allowed: between 0
        and 1.
    fast_convergence : bool, default true
        Whether a flow whose window did not reach W_max again releases bandwidth to others [RFC9438 s4.7].
    ecn_beta : float | str, optional
        Factor by which an echoed mark multiplies the window, if not `beta` [RFC8511 s3]; 0.85 is proposed there for
        CUBIC. Allowed: between 0 and 1.
    hystart : bool, default false
        Whether slow start ends before a loss.
    hystart_algorithm : Literal["hystart-plus-plus", "linux"], optional
        The algorithm that ends slow start, with `hystart`; HyStart++ if left out.
    byte_counting_limit : int, optional
        Maximum number of acknowledged segments by which an acknowledgement enlarges the window (L) [RFC9438 s4.2:
        segments_acked]; each acknowledgement counts once if left out. Allowed: a whole number, at least 1.
    reno_friendly : Literal["rfc9438", "rfc8312", "none"], default rfc9438
        Growth of small windows, on which CUBIC alone is slower than Reno [RFC9438 s4.3].
    arithmetic : Literal["floating-point", "linux"], default floating-point
        Arithmetic of the window.
    tick : str, optional
        Tick of the kernel's clock, with `arithmetic = "linux"`; divides a second. 4 ms if left out (`CONFIG_HZ_250`), 1
        ms with `CONFIG_HZ_1000`. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "cubic"
    c: float | str
    beta: float | str
    fast_convergence: bool
    ecn_beta: float | str | None
    hystart: bool
    hystart_algorithm: Literal["hystart-plus-plus", "linux"] | None
    byte_counting_limit: int | None
    reno_friendly: Literal["rfc9438", "rfc8312", "none"]
    arithmetic: Literal["floating-point", "linux"]
    tick: str | None
    def __init__(self, *, c: float | str = 0.4, beta: float | str = 0.7, fast_convergence: bool = True, ecn_beta: float | str | None = None, hystart: bool = False, hystart_algorithm: Literal["hystart-plus-plus", "linux"] | None = None, byte_counting_limit: int | None = None, reno_friendly: Literal["rfc9438", "rfc8312", "none"] = "rfc9438", arithmetic: Literal["floating-point", "linux"] = "floating-point", tick: str | None = None) -> None: ...

class Vegas(Component):
    """Vegas: keeps a few segments queued in the network, counting them by the round-trip time before anything is lost.

    More about it: ``penstock explain vegas``.

    Parameters
    ----------
    alpha : float | str, default 2
        Minimum number of queued segments (alpha) [Brakmo94 s3.2]. Allowed: above 0.
    beta : float | str, default 4
        Maximum number of queued segments (beta) [Brakmo94 s3.2]. Allowed: above 0.
    gamma : float | str, default 1
        Number of queued segments above which slow start ends (gamma) [Brakmo94 s3.3]. Allowed: above 0.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "vegas"
    alpha: float | str
    beta: float | str
    gamma: float | str
    def __init__(self, *, alpha: float | str = 2.0, beta: float | str = 4.0, gamma: float | str = 1.0) -> None: ...

class Dctcp(Component):
    """DCTCP: reduces the window in proportion to the share of segments that were marked.

    More about it: ``penstock explain dctcp``.

    Parameters
    ----------
    gain : float | str, default 1/16
        Weight of the last observation window in alpha (g, estimation gain) [RFC8257 s4.2]. Allowed: between 0 and 1.
    ect_everywhere : bool, default false
        Whether acknowledgements and segments sent again are ECN-capable too [RFC8257 s4.1]; the SYN exchange always is
        [RFC8257 s3.6].
    byte_counting_limit : int, optional
        Maximum number of acknowledged segments by which an acknowledgement enlarges the window (L) [RFC3465 s2]; each
        acknowledgement counts once if left out. Linux has no limit. Allowed: a whole number, at least 1.
    arithmetic : Literal["floating-point", "linux"], default floating-point
        Arithmetic of alpha and of the reduction.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "dctcp"
    gain: float | str
    ect_everywhere: bool
    byte_counting_limit: int | None
    arithmetic: Literal["floating-point", "linux"]
    def __init__(self, *, gain: float | str = "1/16", ect_everywhere: bool = False, byte_counting_limit: int | None = None, arithmetic: Literal["floating-point", "linux"] = "floating-point") -> None: ...

class Bbr(Component):
    """The congestion-control ``bbr``.

    BBR, version 1: sends at the measured rate of the bottleneck, with at most about two bandwidth-delay products in
    flight.

    More about it: ``penstock explain bbr``.

    Parameters
    ----------
    btlbw_filter_len : int, default 10
        Round trips over which BtlBw is the maximum (BtlBwFilterLen) [Cardwell17 s4.1.1.2]. Allowed: a whole number, at
        least 1.
    rtprop_filter_len : str, default 10 s
        Time over which RTprop is the minimum (RTpropFilterLen) [Cardwell17 s4.1.2.2]. Allowed: zero or more.
    probe_rtt_duration : str, default 200 ms
        Duration of ProbeRTT (ProbeRTTDuration) [Cardwell17 s4.3.5]. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "bbr"
    btlbw_filter_len: int
    rtprop_filter_len: str
    probe_rtt_duration: str
    def __init__(self, *, btlbw_filter_len: int = 10, rtprop_filter_len: str = "10 s", probe_rtt_duration: str = "200 ms") -> None: ...

class Prague(Component):
    """The congestion-control ``prague``.

    Prague: DCTCP's reduction for the Internet, with paced segments, ECT(1), and growth that does not favour short round
    trips.

    More about it: ``penstock explain prague``.

    Parameters
    ----------
    gain : float | str, default 1/16
        Weight of the last virtual round trip in alpha (g) [Briscoe24 s2.3.2]. Allowed: between 0 and 1.
    virtual_rtt : str, default 25 ms
        Reference round trip: connections with a shorter one grow as with this one [Briscoe24 s2.4.4]. Allowed: zero or
        more.
    accecn_option : bool, default true
        Whether acknowledgements carry AccECN's option with the count of marks, and not only three bits of it in their
        flags. Without the option, an acknowledgement of eight or more segments counts as many marks as the flags allow
        [RFC9768 sA.2.1].
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "prague"
    gain: float | str
    virtual_rtt: str
    accecn_option: bool
    def __init__(self, *, gain: float | str = "1/16", virtual_rtt: str = "25 ms", accecn_option: bool = True) -> None: ...

class HighSpeed(Component):
    """HighSpeed TCP: additive increase and multiplicative decrease whose constants depend on the window.

    More about it: ``penstock explain high-speed``.

    Parameters
    ----------
    low_window : float | str, default 38
        Maximum window with the constants of Reno, in segments (Low_Window) [RFC3649 s5]. Allowed: above 0.
    low_p : float | str, default 1e-3
        Loss rate at `low-window` (Low_P) [RFC3649 s5]. Allowed: between 0 and 1.
    high_window : float | str, default 83000
        Window of the other end of the response function, in segments (High_Window) [RFC3649 s5]. Allowed: above 0.
    high_p : float | str, default 1e-7
        Loss rate at `high-window` (High_P) [RFC3649 s5]. Allowed: between 0 and 1.
    high_decrease : float | str, default 0.1
        Fraction by which congestion reduces a window of `high-window` (High_Decrease) [RFC3649 s7]. Allowed: between 0
        and 1.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "high-speed"
    low_window: float | str
    low_p: float | str
    high_window: float | str
    high_p: float | str
    high_decrease: float | str
    def __init__(self, *, low_window: float | str = 38.0, low_p: float | str = 0.001, high_window: float | str = 83000.0, high_p: float | str = 1e-07, high_decrease: float | str = 0.1) -> None: ...

class Scalable(Component):
    """Scalable TCP: multiplicative increase, so that the time to recover from a loss does not depend on the window.

    More about it: ``penstock explain scalable``.

    Parameters
    ----------
    increase : float | str, default 0.01
        Segments that each acknowledgement adds (a) [Kelly03]. Allowed: above 0.
    decrease : float | str, default 0.125
        Fraction by which congestion reduces the window (b) [Kelly03]. Allowed: between 0 and 1.
    legacy_window : float | str, default 16
        Maximum window that grows and shrinks as Reno's, in segments (lwnd) [Kelly03]. Allowed: above 0.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "scalable"
    increase: float | str
    decrease: float | str
    legacy_window: float | str
    def __init__(self, *, increase: float | str = 0.01, decrease: float | str = 0.125, legacy_window: float | str = 16.0) -> None: ...

class HTcp(Component):
    """H-TCP: additive increase that grows with the time since the last congestion.

    More about it: ``penstock explain h-tcp``.

    Parameters
    ----------
    delta_l : str, default 1 s
        Time after congestion in which growth does not rise yet (Delta_L) [Leith08]. Allowed: zero or more.
    adaptive_backoff : bool, default true
        Whether beta follows the round trips; otherwise it is 0.5 [Leith08].
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "h-tcp"
    delta_l: str
    adaptive_backoff: bool
    def __init__(self, *, delta_l: str = "1 s", adaptive_backoff: bool = True) -> None: ...

class Westwood(Component):
    """Westwood+: reduces to the bandwidth-delay product that acknowledgements show, instead of halving.

    More about it: ``penstock explain westwood``.

    Parameters
    ----------
    gain : float | str, default 0.125
        Weight of a sample in BWE (1 - alpha) [Grieco04]. Allowed: above 0, at most 1.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "westwood"
    gain: float | str
    def __init__(self, *, gain: float | str = 0.125) -> None: ...

class Illinois(Component):
    """The congestion-control ``illinois``.

    Illinois: losses decide when the window shrinks, and the queueing delay how fast it grows and how much it shrinks.

    More about it: ``penstock explain illinois``.

    Parameters
    ----------
    alpha_min : float | str, default 0.3
        Growth per round trip with a full queue, in segments (alpha_min) [Liu06]. Allowed: above 0.
    alpha_max : float | str, default 10
        Growth per round trip without a queue, in segments (alpha_max) [Liu06]. Allowed: above 0.
    beta_min : float | str, default 0.125
        Reduction without a queue (beta_min) [Liu06]. Allowed: between 0 and 1.
    beta_max : float | str, default 0.5
        Reduction with a full queue (beta_max) [Liu06]. Allowed: between 0 and 1.
    threshold_window : float | str, default 10
        Window below which the flow is Reno, in segments (W_thresh) [Liu06]. Allowed: above 0.
    theta : int, default 5
        Round trips with a short queue before alpha returns to its maximum (theta) [Liu06]. Allowed: a whole number, at
        least 1.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "illinois"
    alpha_min: float | str
    alpha_max: float | str
    beta_min: float | str
    beta_max: float | str
    threshold_window: float | str
    theta: int
    def __init__(self, *, alpha_min: float | str = 0.3, alpha_max: float | str = 10.0, beta_min: float | str = 0.125, beta_max: float | str = 0.5, threshold_window: float | str = 10.0, theta: int = 5) -> None: ...

class Bic(Component):
    """BIC: a binary search between the windows after and before the last reduction; CUBIC's predecessor.

    More about it: ``penstock explain bic``.

    Parameters
    ----------
    beta : float | str, default 0.125
        Fraction by which congestion reduces the window (beta) [Xu04]. Allowed: between 0 and 1.
    s_max : float | str, default 32
        Maximum growth per round trip, in segments (S_max) [Xu04]. Allowed: above 0.
    s_min : float | str, default 0.01
        Growth per round trip that ends the search, in segments (S_min) [Xu04]. Allowed: above 0.
    low_window : float | str, default 14
        Window below which the flow is Reno, in segments (low_window) [Xu04]. Allowed: above 0.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "bic"
    beta: float | str
    s_max: float | str
    s_min: float | str
    low_window: float | str
    def __init__(self, *, beta: float | str = 0.125, s_max: float | str = 32.0, s_min: float | str = 0.01, low_window: float | str = 14.0) -> None: ...

class Ledbat(Component):
    """LEDBAT: background traffic that keeps the queueing delay at a target and gives way to other traffic.

    More about it: ``penstock explain ledbat``.

    Parameters
    ----------
    target : str, default 100 ms
        Queueing delay up to which the flow fills the queue (TARGET), at most 100 ms [RFC6817 s2.5]. Allowed: zero or
        more.
    gain : float | str, default 1
        Growth per round trip without a queue, in segments (GAIN) [RFC6817 s2.5]. Allowed: above 0, at most 1.
    allowed_increase : float | str, default 1
        Segments by which cwnd may exceed FlightSize (ALLOWED_INCREASE) [RFC6817 s2.5]. Allowed: above 0.
    current_filter : int, default 4
        Number of delays whose minimum is the current delay (CURRENT_FILTER) [RFC6817 s2.5]. Allowed: a whole number, at
        least 1.
    base_history : int, default 10
        Number of intervals whose minimum is the base delay (BASE_HISTORY) [RFC6817 s2.5]. Allowed: a whole number, at
        least 1.
    base_interval : str, default 60 s
        Length of such an interval: a minute [RFC6817 s2.4.2]. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "ledbat"
    target: str
    gain: float | str
    allowed_increase: float | str
    current_filter: int
    base_history: int
    base_interval: str
    def __init__(self, *, target: str = "100 ms", gain: float | str = 1.0, allowed_increase: float | str = 1.0, current_filter: int = 4, base_history: int = 10, base_interval: str = "60 s") -> None: ...

class LedbatPlusPlus(Component):
    """The congestion-control ``ledbat-plus-plus``.

    LEDBAT++: LEDBAT with a slow start, a multiplicative decrease, and slowdowns in which flows measure the empty path.

    More about it: ``penstock explain ledbat-plus-plus``.

    Parameters
    ----------
    target : str, default 60 ms
        Queueing delay up to which the flow fills the queue (TARGET) [Balasubramanian20 s4.5]. Allowed: zero or more.
    constant : float | str, default 1
        Strength of the decrease (Constant) [Balasubramanian20 s4.3]. Allowed: above 0.
    current_filter : int, default 4
        Number of round trips whose minimum is the current one [Balasubramanian20 s4.5]. Allowed: a whole number, at
        least 1.
    base_history : int, default 10
        Number of intervals whose minimum is the base delay (BASE_HISTORY) [RFC6817 s2.5]. Allowed: a whole number, at
        least 1.
    base_interval : str, default 60 s
        Length of such an interval: a minute [RFC6817 s2.4.2]. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "ledbat-plus-plus"
    target: str
    constant: float | str
    current_filter: int
    base_history: int
    base_interval: str
    def __init__(self, *, target: str = "60 ms", constant: float | str = 1.0, current_filter: int = 4, base_history: int = 10, base_interval: str = "60 s") -> None: ...

class Bbr3(Component):
    """BBR, version 3: BBR whose losses set bounds, so that it leaves room for other flows.

    More about it: ``penstock explain bbr3``.

    Parameters
    ----------
    loss_thresh : float | str, default 0.02
        Loss rate that a bandwidth probe tolerates (LossThresh) [Cardwell26 s2.8]. Allowed: between 0 and 1.
    beta : float | str, default 0.7
        Minimum factor of a reduction in a round trip (Beta) [Cardwell26 s2.8]. Allowed: between 0 and 1.
    headroom : float | str, default 0.15
        Part of inflight_longterm that is left to others (Headroom) [Cardwell26 s2.8]. Allowed: between 0 and 1.
    min_rtt_filter_len : str, default 10 s
        Time over which min_rtt is the minimum (MinRTTFilterLen) [Cardwell26 s2.16.1]. Allowed: zero or more.
    probe_rtt_interval : str, default 5 s
        Time without a shorter round trip after which ProbeRTT begins (ProbeRTTInterval) [Cardwell26 s2.16.2]. Allowed:
        zero or more.
    probe_rtt_duration : str, default 200 ms
        Duration of ProbeRTT (ProbeRTTDuration) [Cardwell26 s2.16.2]. Allowed: zero or more.
    probe_bw_wait : str, default 2 s
        Minimum time between bandwidth probes, to which a random part of `probe-bw-spread` is added (2 s) [Cardwell26
        s5.3.3.8]. Allowed: zero or more.
    probe_bw_spread : str, default 1 s
        Range of the random part of the time between bandwidth probes (1 s) [Cardwell26 s5.3.3.8]. Allowed: zero or
        more.
    """
    KIND: ClassVar[str] = "congestion-control"
    KEY: ClassVar[str] = "bbr3"
    loss_thresh: float | str
    beta: float | str
    headroom: float | str
    min_rtt_filter_len: str
    probe_rtt_interval: str
    probe_rtt_duration: str
    probe_bw_wait: str
    probe_bw_spread: str
    def __init__(self, *, loss_thresh: float | str = 0.02, beta: float | str = 0.7, headroom: float | str = 0.15, min_rtt_filter_len: str = "10 s", probe_rtt_interval: str = "5 s", probe_rtt_duration: str = "200 ms", probe_bw_wait: str = "2 s", probe_bw_spread: str = "1 s") -> None: ...

class Dcqcn(Component):
    """DCQCN: reduces the rate by the estimated share of marked packets, and recovers like QCN.

    More about it: ``penstock explain dcqcn``.

    Parameters
    ----------
    gain : float | str, default 1/256
        Weight of an update of alpha (g) [Zhu15]. Allowed: between 0 and 1.
    alpha_timer : str, default 55 us
        Time without a notification after which alpha decreases (K) [Zhu15]. Allowed: zero or more.
    rate_timer : str, default 55 us
        Length of a cycle of the timer (T) [Zhu15]. Allowed: zero or more.
    byte_counter : str, default 10 MB
        Bytes in a cycle of the byte counter (B) [Zhu15]. Allowed: above zero.
    fast_recovery : int, default 5
        Cycles of fast recovery (F) [Zhu15]. Allowed: a whole number, at least 1.
    additive_increase : str, default 40 Mbit/s
        Increase of the target rate per cycle of additive increase (R_AI) [Zhu15]. Allowed: above zero, at most 100
        Tbit/s.
    hyper_increase : str, default 400 Mbit/s
        The same in hyper increase (R_HAI). Allowed: above zero, at most 100 Tbit/s.
    notification_interval : str, default 50 us
        Minimum time between two notifications of a receiver (N) [Zhu15]. Allowed: zero or more.
    floor : str, default 10 Mbit/s
        Minimum rate. Allowed: above zero, at most 100 Tbit/s.
    """
    KIND: ClassVar[str] = "rate-control"
    KEY: ClassVar[str] = "dcqcn"
    gain: float | str
    alpha_timer: str
    rate_timer: str
    byte_counter: str
    fast_recovery: int
    additive_increase: str
    hyper_increase: str
    notification_interval: str
    floor: str
    def __init__(self, *, gain: float | str = "1/256", alpha_timer: str = "55 us", rate_timer: str = "55 us", byte_counter: str = "10 MB", fast_recovery: int = 5, additive_increase: str = "40 Mbit/s", hyper_increase: str = "400 Mbit/s", notification_interval: str = "50 us", floor: str = "10 Mbit/s") -> None: ...

class FixedRateControl(Component):
    """Fixed rate: sends at one rate, whatever the network does.

    More about it: ``penstock explain fixed``.

    Parameters
    ----------
    rate : str, optional
        The rate; that of the first link if left out, and never more. Allowed: above zero, at most 100 Tbit/s.
    """
    KIND: ClassVar[str] = "rate-control"
    KEY: ClassVar[str] = "fixed"
    rate: str | None
    def __init__(self, *, rate: str | None = None) -> None: ...

class Hpcc(Component):
    """HPCC: sets window and rate from the bytes in flight that in-band telemetry of each port reports.

    More about it: ``penstock explain hpcc``.

    Parameters
    ----------
    base_rtt : str, default 13 us
        Round-trip time without queues (T), a little above the longest [Li19]. Allowed: zero or more.
    utilisation : float | str, default 95 %
        Target utilisation (eta) [Li19]. Allowed: between 0 and 1.
    max_stage : int, default 5
        Rounds of additive increase before a multiplicative one (maxStage) [Li19]. Allowed: a whole number, at least 1.
    additive_increase : str, default 80 bytes
        Additive increase of the window (W_AI) [Li19]. Allowed: above zero.
    floor : str, default 10 Mbit/s
        Minimum rate. Allowed: above zero, at most 100 Tbit/s.
    """
    KIND: ClassVar[str] = "rate-control"
    KEY: ClassVar[str] = "hpcc"
    base_rtt: str
    utilisation: float | str
    max_stage: int
    additive_increase: str
    floor: str
    def __init__(self, *, base_rtt: str = "13 us", utilisation: float | str = "95 %", max_stage: int = 5, additive_increase: str = "80 bytes", floor: str = "10 Mbit/s") -> None: ...

class Timely(Component):
    """TIMELY: lowers the rate while round-trip times grow, and raises it while they do not.

    More about it: ``penstock explain timely``.

    Parameters
    ----------
    segment : str, default 16 kB
        Bytes on the wire per completion; whole packets, at least one [Mittal15]. Allowed: above zero.
    weight : float | str, default 0.02
        Weight of a new difference (alpha). Allowed: above 0, at most 1.
    min_rtt : str, default 20 us
        Divisor of the gradient (minRTT) [Mittal15]. Allowed: zero or more.
    t_low : str, default 50 us
        Round trips below this raise the rate (T_low) [Mittal15]. Allowed: zero or more.
    t_high : str, default 500 us
        Round trips above this lower it (T_high) [Mittal15]. Allowed: zero or more.
    additive_increase : str, default 10 Mbit/s
        Additive increase of the rate (delta) [Mittal15]. Allowed: above zero, at most 100 Tbit/s.
    decrease : float | str, default 0.8
        Factor of the decrease (beta) [Mittal15]. Allowed: above 0, at most 1.
    hyperactive : int, default 5
        Number of completions in a row without a positive gradient that starts hyperactive increase, and its factor (N)
        [Mittal15]. Allowed: a whole number, at least 1.
    floor : str, default 40 Mbit/s
        Minimum rate; it must send `segment` within the transport's `timeout`. Allowed: above zero, at most 100 Tbit/s.
    """
    KIND: ClassVar[str] = "rate-control"
    KEY: ClassVar[str] = "timely"
    segment: str
    weight: float | str
    min_rtt: str
    t_low: str
    t_high: str
    additive_increase: str
    decrease: float | str
    hyperactive: int
    floor: str
    def __init__(self, *, segment: str = "16 kB", weight: float | str = 0.02, min_rtt: str = "20 us", t_low: str = "50 us", t_high: str = "500 us", additive_increase: str = "10 Mbit/s", decrease: float | str = 0.8, hyperactive: int = 5, floor: str = "40 Mbit/s") -> None: ...

class Tahoe(Component):
    """Tahoe: resends from the lost segment on, from a window of one segment.

    More about it: ``penstock explain tahoe``.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "tahoe"
    def __init__(self) -> None: ...

class RenoRecovery(Component):
    """Reno: resends one segment (fast retransmit) and keeps sending until it is acknowledged (fast recovery).

    More about it: ``penstock explain reno``.

    Parameters
    ----------
    recover_check : Literal["careful", "less-careful", "after-timeout"], default after-timeout
        Acknowledgement from which on duplicates may indicate a further loss; recover is the last segment sent when the
        previous loss was detected. RFC 5681 has no such check; ns-2 has `careful` (`bugFix_`): of several losses in a
        window, all except the first wait for the timer.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "reno"
    recover_check: Literal["careful", "less-careful", "after-timeout"]
    def __init__(self, *, recover_check: Literal["careful", "less-careful", "after-timeout"] = "after-timeout") -> None: ...

class NewReno(Component):
    """The recovery ``new-reno``.

    NewReno: stays in fast recovery until everything sent before it is acknowledged, and repairs one loss per round
    trip.

    More about it: ``penstock explain new-reno``.

    Parameters
    ----------
    partial_ack_timer : Literal["first", "every"], default first
        Which partial acknowledgements restart the retransmission timer.
    recover_check : Literal["careful", "less-careful", "after-timeout"], default careful
        Acknowledgement from which on duplicates may indicate a further loss; ns-2 has `careful` (`bugFix_`).
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "new-reno"
    partial_ack_timer: Literal["first", "every"]
    recover_check: Literal["careful", "less-careful", "after-timeout"]
    def __init__(self, *, partial_ack_timer: Literal["first", "every"] = "first", recover_check: Literal["careful", "less-careful", "after-timeout"] = "careful") -> None: ...

class Sack(Component):
    """SACK: resends the segments that the receiver's blocks show as missing, several per round trip.

    More about it: ``penstock explain sack``.

    Parameters
    ----------
    retransmit_delay : Literal["none", "half-round-trip", "half-round-trip-with-new-data"], default none
        Delay of the first retransmission of a fast recovery.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "sack"
    retransmit_delay: Literal["none", "half-round-trip", "half-round-trip-with-new-data"]
    def __init__(self, *, retransmit_delay: Literal["none", "half-round-trip", "half-round-trip-with-new-data"] = "none") -> None: ...

class Prr(Component):
    """The recovery ``prr``.

    PRR (proportional rate reduction): sends in proportion to arrivals, so that ssthresh segments are in flight when the
    recovery ends.

    More about it: ``penstock explain prr``.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "prr"
    def __init__(self) -> None: ...

class Rack(Component):
    """The recovery ``rack``.

    RACK-TLP: finds losses by the send times of segments, probes for a loss at the end of the data, and repairs what a
    timeout finds lost without sending again what has arrived.

    More about it: ``penstock explain rack``.

    Parameters
    ----------
    probes : bool, default true
        Whether tail loss probes are sent [RFC8985 s7].
    max_ack_delay : str, default 200 ms
        Maximum delay of an acknowledgement that a probe allows for if one segment is outstanding (TLP.max_ack_delay)
        [RFC8985 s7.2]. Linux uses the minimum timeout, 200 ms. Allowed: zero or more.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "rack"
    probes: bool
    max_ack_delay: str
    def __init__(self, *, probes: bool = True, max_ack_delay: str = "200 ms") -> None: ...

class Sack1(Component):
    """The recovery ``sack1``.

    SACK of 1996 (Sack1 in ns): resends the holes in the receiver's blocks, limited by an estimate of the segments in
    the network.

    More about it: ``penstock explain sack1``.

    Parameters
    ----------
    retransmit_delay : Literal["none", "half-round-trip", "half-round-trip-with-new-data"], default none
        Delay of the first retransmission of a fast recovery.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "sack1"
    retransmit_delay: Literal["none", "half-round-trip", "half-round-trip-with-new-data"]
    def __init__(self, *, retransmit_delay: Literal["none", "half-round-trip", "half-round-trip-with-new-data"] = "none") -> None: ...

class TimeoutOnly(Component):
    """Timeout only: waits for the retransmission timer, as the earliest TCP did.

    More about it: ``penstock explain timeout-only``.
    """
    KIND: ClassVar[str] = "recovery"
    KEY: ClassVar[str] = "timeout-only"
    def __init__(self) -> None: ...

AnyRecovery: TypeAlias = Tahoe | RenoRecovery | NewReno | Sack | Prr | Rack | Sack1 | TimeoutOnly | Literal["tahoe", "reno", "new-reno", "sack", "prr", "rack", "sack1", "timeout-only"]
"""One of the recovery classes, or the name of one for all its defaults."""

AnyCongestionControl: TypeAlias = RenoCongestionControl | Cubic | Vegas | Dctcp | Bbr | Prague | HighSpeed | Scalable | HTcp | Westwood | Illinois | Bic | Ledbat | LedbatPlusPlus | Bbr3 | Literal["reno", "cubic", "vegas", "dctcp", "bbr", "prague", "high-speed", "scalable", "h-tcp", "westwood", "illinois", "bic", "ledbat", "ledbat-plus-plus", "bbr3"]
"""One of the congestion-control classes, or the name of one for all its defaults."""

AnyRateControl: TypeAlias = Dcqcn | FixedRateControl | Hpcc | Timely | Literal["dcqcn", "fixed", "hpcc", "timely"]
"""One of the rate-control classes, or the name of one for all its defaults."""
