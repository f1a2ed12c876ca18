"""Every component as a class, written by ``python -m penstock.generate`` from the core's catalogue."""

from typing import Any, ClassVar, Literal

from penstock.component import Component

__all__ = [
    "Cbr",
    "Delay",
    "Fifo",
    "Ftp",
    "Loss",
    "Poisson",
    "Priority",
    "Rbm",
    "Red",
    "RedN",
    "Rfc4115",
    "TailDrop",
    "Tcm",
    "Tcp",
    "TokenBucket",
    "TwoRateTcm",
    "Udp",
]


class TailDrop(Component):
    """Tail drop: refuses whatever does not fit.

    More about it: ``penstock explain tail-drop``.

    Parameters
    ----------
    limit : str, default 1000 packets
        The most that the queue may hold. Allowed: at least 1 packet or 1 byte.
    counts : Literal["waiting", "in-system"], default waiting
        Whether the packet in service takes a place.
    """

    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "tail-drop"

    limit: str = "1000 packets"
    counts: Literal["waiting", "in-system"] = "waiting"


class Red(Component):
    """Random Early Detection: drops at random, more often the longer the queue has been on average.

    More about it: ``penstock explain red``.

    Parameters
    ----------
    limit : str
        The most that the queue may hold. Allowed: at least 1 packet or 1 byte.
    min_threshold : str
        Average below which nothing is dropped (min_th), in the unit of `limit`. Allowed: at least 1 packet or 1 byte.
    max_threshold : str
        Average from which everything is dropped (max_th), in the unit of `limit`. Allowed: at least 1 packet or 1 byte.
    max_probability : float | str
        Drop probability just below `max-threshold`, before spacing (max_p). Allowed: between 0 and 1.
    weight : float | str, default 0.002
        Weight of an arrival's sample in the average (w_q); default of [Floyd93 s6] and ns-2. Allowed: above 0, at most
        1.
    mean_packet : str, default 500 bytes
        Mean packet, which makes idle time into packets and scales mode `bytes`; default of ns-2. Allowed: above zero.
    idle : Literal["corrected", "ignored"], default corrected
        What idle time does to the average.
    spacing : Literal["wait", "count", "independent"], default wait
        How drops follow one another; default of ns-2.
    mode : Literal["packets", "bytes"], optional
        Whether large packets are dropped more often than small ones; left out, it follows the unit of the thresholds.
    gentle : bool, default false
        Whether the probability rises steadily to 1 above `max-threshold`; off in [Floyd93 s4], on in ns-2 since 2001.
    """

    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "red"

    limit: str
    min_threshold: str
    max_threshold: str
    max_probability: float | str
    weight: float | str = 0.002
    mean_packet: str = "500 bytes"
    idle: Literal["corrected", "ignored"] = "corrected"
    spacing: Literal["wait", "count", "independent"] = "wait"
    mode: Literal["packets", "bytes"] | None = None
    gentle: bool = False


class RedN(Component):
    """RED_n: RED with its own thresholds, maximum probability and average for each drop precedence; two make RIO.

    More about it: ``penstock explain red-n``.

    Parameters
    ----------
    limit : str
        The most that the queue may hold, in packets. Allowed: at least 1 packet or 1 byte.
    min_thresholds : list[str]
        Averages below which nothing is dropped, best protected precedence first (min_th). Allowed: at least 1 packet or
        1 byte.
    max_thresholds : list[str]
        Averages from which everything is dropped (max_th). Allowed: at least 1 packet or 1 byte.
    max_probabilities : list[float | str]
        Drop probabilities just below the maximum thresholds, before spacing (max_p). Allowed: between 0 and 1.
    weight : float | str, default 0.002
        Weight of an arrival's sample in an average (w_q); default of [Floyd93 s6], [Goyal99 Table 1] and ns-2. Allowed:
        above 0, at most 1.
    mean_packet : str, default 500 bytes
        Mean packet, which makes idle time into packets; default of ns-2. Allowed: above zero.
    idle : Literal["corrected", "ignored"], default corrected
        What idle time does to the averages.
    spacing : Literal["wait", "count", "independent"], default wait
        How drops follow one another; default of ns-2.
    gentle : bool, default false
        Whether the probability rises steadily to 1 above the maximum threshold; off in [Floyd93 s4].
    averages : Literal["coupled", "separate", "total"], default coupled
        Which packets the average of a precedence counts; default of [Goyal99 s2] and RIO.
    updates : Literal["rio", "all"], default rio
        Which averages an arrival refreshes; default of RIO.
    count : Literal["per-precedence", "shared"], default per-precedence
        Whose packets the count of the spacing counts.
    when_full : Literal["refresh", "ignore"], default refresh
        What an arrival that finds no room does to averages and count.
    """

    KIND: ClassVar[str] = "discipline"
    KEY: ClassVar[str] = "red-n"

    limit: str
    min_thresholds: list[str]
    max_thresholds: list[str]
    max_probabilities: list[float | str]
    weight: float | str = 0.002
    mean_packet: str = "500 bytes"
    idle: Literal["corrected", "ignored"] = "corrected"
    spacing: Literal["wait", "count", "independent"] = "wait"
    gentle: bool = False
    averages: Literal["coupled", "separate", "total"] = "coupled"
    updates: Literal["rio", "all"] = "rio"
    count: Literal["per-precedence", "shared"] = "per-precedence"
    when_full: Literal["refresh", "ignore"] = "refresh"


class Fifo(Component):
    """First in, first out: one queue, served in the order of arrival.

    More about it: ``penstock explain fifo``.
    """

    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "fifo"


class Priority(Component):
    """Strict priority: the first queue that has a packet sends, without preemption.

    More about it: ``penstock explain priority``.

    Parameters
    ----------
    order : list[str]
        The classes from the most to the least urgent; each class of the port stands here once.
    """

    KIND: ClassVar[str] = "scheduler"
    KEY: ClassVar[str] = "priority"

    order: list[str]


class TokenBucket(Component):
    """Token bucket: tells what keeps to a rate and a burst from what exceeds them.

    More about it: ``penstock explain token-bucket``.

    Parameters
    ----------
    rate : str
        Long-run rate of what conforms (r). Allowed: above zero, at most 100 Tbit/s.
    burst : str
        Depth of the bucket (b). Allowed: above zero.
    exceed_precedence : int, default 1
        Precedence of what exceeds. Allowed: 0 to 3.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour that a packet arrives with matters.
    start : Literal["full", "empty"], default full
        What the bucket holds at the beginning.
    """

    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "token-bucket"

    rate: str
    burst: str
    exceed_precedence: int = 1
    mode: Literal["colour-aware", "colour-blind"] = "colour-blind"
    start: Literal["full", "empty"] = "full"


class Tcm(Component):
    """The meter ``tcm``.

    Three Colour Marker, also known as the single-rate one (srTCM): one rate fills a committed bucket, and what it
    cannot hold an excess bucket.

    More about it: ``penstock explain tcm``.

    Parameters
    ----------
    committed_rate : str
        Rate of the tokens (CIR). Allowed: above zero, at most 100 Tbit/s.
    committed_burst : str
        Depth of bucket C (CBS). Allowed: above zero.
    excess_burst : str, optional
        Depth of bucket E (EBS); left out, there are two colours. Allowed: above zero.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour that a packet arrives with matters; default of the draft.
    demotion : Literal["next-bucket", "last"], default next-bucket
        Where a packet that arrives green goes when C is short; default of RFC 2697.
    start : Literal["full", "empty"], default full
        What the buckets hold at the beginning; default of the draft.
    """

    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "tcm"

    committed_rate: str
    committed_burst: str
    excess_burst: str | None = None
    mode: Literal["colour-aware", "colour-blind"] = "colour-blind"
    demotion: Literal["next-bucket", "last"] = "next-bucket"
    start: Literal["full", "empty"] = "full"


class Rbm(Component):
    """Rate-Based Marker: one token bucket for green and an independent one for yellow.

    More about it: ``penstock explain rbm``.

    Parameters
    ----------
    committed_rate : str
        Rate of the green tokens (TGR0). Allowed: above zero, at most 100 Tbit/s.
    committed_burst : str
        Depth of the green bucket (bucket size dp0). Allowed: above zero.
    excess_rate : str, optional
        Rate of the yellow tokens (TGR1); left out together with `excess-burst`, there are two colours. Allowed: above
        zero, at most 100 Tbit/s.
    excess_burst : str, optional
        Depth of the yellow bucket (bucket size dp1). Allowed: above zero.
    mode : Literal["colour-aware", "colour-blind"], default colour-aware
        Whether the colour that a packet arrives with matters; the document's marker is colour-aware.
    demotion : Literal["next-bucket", "last"], default next-bucket
        Where a packet that arrives green goes when bucket 0 is short.
    start : Literal["full", "empty"], default full
        What the buckets hold at the beginning.
    """

    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "rbm"

    committed_rate: str
    committed_burst: str
    excess_rate: str | None = None
    excess_burst: str | None = None
    mode: Literal["colour-aware", "colour-blind"] = "colour-aware"
    demotion: Literal["next-bucket", "last"] = "next-bucket"
    start: Literal["full", "empty"] = "full"


class TwoRateTcm(Component):
    """The meter ``two-rate-tcm``.

    Two-rate Three Colour Marker (trTCM) of RFC 2698: red above a peak rate, yellow between the committed rate and the
    peak.

    More about it: ``penstock explain two-rate-tcm``.

    Parameters
    ----------
    committed_rate : str
        Committed information rate (CIR). Allowed: above zero, at most 100 Tbit/s.
    committed_burst : str
        Committed burst size (CBS). Allowed: above zero.
    peak_rate : str
        Peak information rate (PIR), at least CIR. Allowed: above zero, at most 100 Tbit/s.
    peak_burst : str
        Peak burst size (PBS). Allowed: above zero.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour that a packet arrives with matters.
    start : Literal["full", "empty"], default full
        What the buckets hold at the beginning; default of the RFC.
    """

    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "two-rate-tcm"

    committed_rate: str
    committed_burst: str
    peak_rate: str
    peak_burst: str
    mode: Literal["colour-aware", "colour-blind"] = "colour-blind"
    start: Literal["full", "empty"] = "full"


class Rfc4115(Component):
    """Two-rate three-colour marker of RFC 4115: committed and excess traffic have independent buckets.

    More about it: ``penstock explain rfc-4115``.

    Parameters
    ----------
    committed_rate : str
        Rate of the green tokens (CIR). Allowed: above zero, at most 100 Tbit/s.
    committed_burst : str
        Depth of bucket C (CBS). Allowed: above zero.
    excess_rate : str
        Rate of the yellow tokens (EIR). Allowed: above zero, at most 100 Tbit/s.
    excess_burst : str
        Depth of bucket E (EBS). Allowed: above zero.
    mode : Literal["colour-aware", "colour-blind"], default colour-blind
        Whether the colour that a packet arrives with matters.
    start : Literal["full", "empty"], default full
        What the buckets hold at the beginning.
    """

    KIND: ClassVar[str] = "meter"
    KEY: ClassVar[str] = "rfc-4115"

    committed_rate: str
    committed_burst: str
    excess_rate: str
    excess_burst: str
    mode: Literal["colour-aware", "colour-blind"] = "colour-blind"
    start: Literal["full", "empty"] = "full"


class Cbr(Component):
    """Constant bit rate: packets of one size at a fixed spacing, or nearly so.

    More about it: ``penstock explain cbr``.

    Parameters
    ----------
    rate : str
        Mean rate, headers included. Allowed: above zero, at most 100 Tbit/s.
    packet : str
        Bytes of each packet on the wire, at most 65535. Allowed: above zero.
    phase : Literal["random", "zero"], default random
        When the first packet goes out.
    spacing_jitter : float | str, default 0
        How far a spacing may lie from its mean, as a share of it (j). Allowed: between 0 and 1.
    """

    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "cbr"

    rate: str
    packet: str
    phase: Literal["random", "zero"] = "random"
    spacing_jitter: float | str = 0.0


class Poisson(Component):
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


class Ftp(Component):
    """FTP: a greedy application that always has something to send, until its file ends.

    More about it: ``penstock explain ftp``.

    Parameters
    ----------
    size : str, optional
        How much there is to send, without headers; left out, the transfer never ends. Allowed: above zero.
    """

    KIND: ClassVar[str] = "source"
    KEY: ClassVar[str] = "ftp"

    size: str | None = None


class Tcp(Component):
    """TCP: reliable, in order, and sending no faster than the congestion that it meets allows.

    More about it: ``penstock explain tcp``.

    Parameters
    ----------
    variant : Literal["tahoe", "reno", "new-reno", "sack"], default new-reno
        How losses are repaired.
    packet : str, default 1500 bytes
        Size of a data packet on the wire, headers included. Allowed: above zero.
    header : str, default 40 bytes
        Size of a packet without data (acknowledgements, connection set-up), and of the headers in a data packet.
        Allowed: above zero.
    initial_window : str, default 10 packets
        Congestion window at the beginning (IW), never more than `max-window`; ten packets [RFC6928 s2]. RFC 3390 had 2
        to 4 packets, RFC 2001 and ns-2 before 2001 one. Allowed: at least 1 packet or 1 byte.
    max_window : str, default 1000 packets
        The most that may be outstanding; bytes count payload, as a receiver's window does. ns-2 had 20 packets.
        Allowed: at least 1 packet or 1 byte.
    initial_slow_start_threshold : str, optional
        Slow start ends at this window (initial ssthresh); `max-window` if left out [RFC5681 s3.1: arbitrarily high].
        Allowed: at least 1 packet or 1 byte.
    timer_tick : str, default 0 s
        Granularity of the clock that measures round trips (G); zero is exact. Timeouts are then whole ticks, two at
        least. ns-2 had 100 ms until 2002, then 10 ms. Allowed: zero or more.
    initial_rto : str, default 1 s
        Retransmission timeout before the first measurement [RFC6298 s2.1]; RFC 2988 had 3 s, ns-2 6 s until 2002.
        Allowed: zero or more.
    min_rto : str, default 1 s
        The least timeout, before back-off [RFC6298 s2.4]; ns-2 had none in 1999 and 200 ms from 2004. Allowed: zero or
        more.
    max_rto : str, default 60 s
        The greatest timeout [RFC6298 s2.5]; ns-2 had 100000 s until 2007. Allowed: zero or more.
    max_backoff : int, default 64
        The most that back-off multiplies the timeout by; 64 in BSD and ns-2. Allowed: a whole number, at least 1.
    ack_every : int, default 1
        In-order segments per acknowledgement: 1 acknowledges each, as most published simulations do; 2 delays
        acknowledgements as hosts should [RFC5681 s4.2]. Allowed: a whole number, at least 1.
    ack_delay : str, optional
        How long an acknowledgement may be delayed, 100 ms if left out (ns-2); at most 500 ms [RFC5681 s4.2]. Allowed:
        zero or more.
    limited_transmit : bool, default true
        Whether the first duplicate acknowledgements let new segments go out [RFC3042 s2].
    syn : bool, default true
        Whether a connection begins with a SYN exchange, which also measures the round trip.
    dup_ack_threshold : int, default 3
        Duplicate acknowledgements that mean a loss (DupThresh) [RFC5681 s3.2]. Allowed: a whole number, at least 1.
    restart_after_idle : bool, default true
        Whether cwnd falls back to the initial window after an idle time longer than the timeout [RFC5681 s4.1].
    partial_ack_timer : Literal["first", "every"], optional
        Which partial acknowledgements restart the timer; only for `new-reno`, the first if left out.
    """

    KIND: ClassVar[str] = "transport"
    KEY: ClassVar[str] = "tcp"

    variant: Literal["tahoe", "reno", "new-reno", "sack"] = "new-reno"
    packet: str = "1500 bytes"
    header: str = "40 bytes"
    initial_window: str = "10 packets"
    max_window: str = "1000 packets"
    initial_slow_start_threshold: str | None = None
    timer_tick: str = "0 s"
    initial_rto: str = "1 s"
    min_rto: str = "1 s"
    max_rto: str = "60 s"
    max_backoff: int = 64
    ack_every: int = 1
    ack_delay: str | None = None
    limited_transmit: bool = True
    syn: bool = True
    dup_ack_threshold: int = 3
    restart_after_idle: bool = True
    partial_ack_timer: Literal["first", "every"] | None = None


class Udp(Component):
    """UDP: sends whatever its source produces, when the source produces it.

    More about it: ``penstock explain udp``.

    Parameters
    ----------
    header : str, default 28 bytes
        Bytes of each packet that are not payload: 20 of IP and 8 of UDP. Allowed: above zero.
    """

    KIND: ClassVar[str] = "transport"
    KEY: ClassVar[str] = "udp"

    header: str = "28 bytes"


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


class Delay(Component):
    """Delay: each packet arrives later, all by the same time or each by a random one.

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
    keep_order: bool = False
