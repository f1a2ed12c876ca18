//! Components with settings that meet rare cases. Components need no line here: all others of the catalogue have
//! [drawn](super::drawn) settings.

use penstock_engine::blueprint::MarkAt;

pub(super) const DISCIPLINES: &[(&str, &str)] = &[
    ("tail-drop", "limit = 1000 packets"),
    ("tail-drop", "limit = 2 packets"),
    ("tail-drop", "limit = 3 packets; counts = in-system"),
    ("tail-drop", "limit = 4000 bytes"),
    ("red", "limit = 20 packets; min-threshold = 2 packets; max-threshold = 8 packets; max-probability = 0.1; weight = 0.1"),
    ("red", "limit = 9 kB; min-threshold = 1 kB; max-threshold = 5 kB; max-probability = 0.2; weight = 0.2; spacing = independent"),
    (
        "red-n",
        "limit = 20 packets; min-thresholds = [4 packets, 2 packets]; max-thresholds = [12 packets, 6 packets]; \
         max-probabilities = [0.1, 0.5]; weight = 0.2",
    ),
    (
        "red-n",
        "limit = 9 packets; min-thresholds = [2 packets, 1 packets, 1 packets]; max-thresholds = [8 packets, 5 packets, 3 packets]; \
         max-probabilities = [0.1, 0.3, 1]; weight = 0.5; updates = all; count = shared; idle = ignored",
    ),
    ("red", "limit = 20 packets; min-threshold = 2 packets; max-threshold = 8 packets; max-probability = 0.3; weight = 0.1; ecn = true"),
    (
        "red",
        "limit = 9 kB; min-threshold = 0 bytes; max-threshold = 5 kB; max-probability = 0.2; weight = 0.2; idle = exact; near-empty = drop",
    ),
    (
        "red-n",
        "limit = 9 kB; min-thresholds = [2 kB, 0 bytes]; max-thresholds = [6 kB, 3 kB]; max-probabilities = [0.1, 0.5]; weight = 0.2; \
         near-empty = spare",
    ),
    ("step-marking", "limit = 20 packets; threshold = 3 packets"),
    ("red-marking", "limit = 20 packets; min-threshold = 1 packet; max-threshold = 10 packets; max-probability = 0.4"),
    ("step-marking", "limit = 9 kB; threshold = 3 kB; drop-incapable = true"),
    ("step-marking", "limit = none; threshold = 3 packets"),
    ("red-marking", "limit = none; min-threshold = 1 kB; max-threshold = 9 kB"),
    (
        "pie",
        "limit = 40 packets; target = 3 ms; update-interval = 4 ms; max-burst = 8 ms; mean-packet = 600 bytes; mode = bytes; ecn = true",
    ),
    (
        "pie",
        "limit = 20 packets; target = 2 ms; update-interval = 3 ms; max-burst = 0 s; delay = departure-rate; \
         departure-threshold = 1 kB; derandomise = true; active-from = 5 packets; mean-packet = 100 bytes; alpha = 10; beta = 99",
    ),
    ("pi2", "limit = 40 packets; target = 3 ms; update-interval = 4 ms; ecn = true"),
    ("pi2", "limit = 9 packets; target = 1 ms; update-interval = 2 ms; alpha = 10; beta = 99; coupling = 1"),
    ("codel", "limit = 30 packets; interval = 20 ms; target = 2 ms; mtu = 500 bytes"),
    ("codel", "limit = 9 packets; interval = 5 ms; target = 1 ms; mtu = 1 bytes; ecn = true"),
    ("codel", "limit = 9 packets; interval = 5 ms; target = 1 ms; mtu = 500 bytes; ce-threshold = 300 us"),
    ("codel", ""),
    ("cobalt", "limit = 5 packets; target = 100 us; interval = 1 ms; mtu = 40 bytes; increment = 0.1"),
];

/// Schedulers that make their queues.
pub(super) const FLOW_QUEUES: &[(&str, &str)] = &[
    ("fq-codel", ""),
    ("fq-codel", "quantum = 300 bytes; flows = 4; limit = 12 packets"),
    ("fq-codel", "flows = 1; limit = 8 packets"),
    ("fq-pie", ""),
    ("fq-pie", "quantum = 300 bytes; flows = 4; limit = 12 packets"),
    ("sfq", "limit = 9 packets"),
    ("sfq", "quantum = 300 bytes; flows = 2; limit = 12 packets; perturb = 10 ms"),
    ("dualpi2", ""),
    ("dualpi2", "conditional-priority = ts-fifo; time-shift = 5 ms"),
    ("dualpi2", "limit = 9 packets; target = 1 ms; update-interval = 2 ms; alpha = 10; beta = 99; classic-share = 0.4"),
    // The classes without names of behaviours have codepoints of two precedences.
    ("cake", "rate = 300 kbit/s; tins = precedence; limit = 8 kB; rtt = 2 ms; overhead = pppoe-ptm; ack-filter = aggressive"),
    ("cake", "tins = precedence; isolation = dual-srchost; limit = 4 kB; rtt = lan; ack-filter = conservative"),
];

/// Three classes under each scheduler; the last is two levels deep.
pub(super) const SCHEDULERS: &[(&str, &str, [&str; 3])] = &[
    ("priority", "order = [a, b, c]", ["", "", ""]),
    ("priority", "order = [a, b, c]", ["| rate = 200 kbit/s; burst = 2 kB", "| rate = 90 kbit/s; burst = 600 bytes", ""]),
    ("priority", "order = [a, b, c]", ["| rate = 50 kbit/s; burst = 2 kB; exceeding = goes-last", "", "| rate = 80 kbit/s; burst = 1 kB"]),
    ("wrr", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wrr", "weighs = bytes", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wrr", "weighs = bytes; quantum = 100 bytes", ["weight = 70", "weight = 1", "weight = 29"]),
    ("wrr", "weighs = bytes; quantum = 600 bytes; debts = forgiven", ["weight = 3", "weight = 1", "weight = 2"]),
    ("drr", "", ["quantum = 1500 bytes", "quantum = 3 kB", "quantum = 1500 bytes"]),
    ("drr", "", ["quantum = 100 bytes", "quantum = 300 bytes", "quantum = 700 bytes"]),
    ("scfq", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("scfq", "", ["weight = 1", "weight = 1", "weight = 1"]),
    ("stfq", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wf2q-plus", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wf2q-plus", "", ["weight = 1", "weight = 1", "weight = 1"]),
    (
        "htb",
        "",
        [
            "rate = 100 kbit/s; ceiling = 300 kbit/s",
            "rate = 200 kbit/s; priority = 2",
            "rate = 50 kbit/s; ceiling = 10 Mbit/s; burst = 4 kB",
        ],
    ),
    ("cbq", "", ["share = 0.3; borrows = false", "share = 0.2", "share = 0.5; priority = 2"]),
    (
        "cbq",
        "sharing = ancestor-only; burst = 2",
        ["share = 0.3", "share = 0.2; borrows = false; priority = 3", "share = 0.1; borrows = false"],
    ),
    ("ets", "order = [a, b, c]; quantum = 100 bytes", ["", "bandwidth = 0.3", "bandwidth = 0.7"]),
];

pub(super) const SHAPERS: &[(&str, &str)] = &[
    ("token-bucket", "rate = 100 kbit/s; burst = 1500 bytes"),
    ("token-bucket", "rate = 400 kbit/s; burst = 4 kB"),
    ("token-bucket", "rate = 90 kbit/s; burst = 600 bytes; start = empty"),
    ("dual-token-bucket", "rate = 90 kbit/s; burst = 4 kB; peak = 400 kbit/s; peak-burst = 600 bytes"),
];

pub(super) const POLICERS: &[(&str, &str)] = &[
    ("token-bucket", "rate = 100 kbit/s; burst = 3 kB"),
    // Drops the first packets.
    ("token-bucket", "rate = 300 kbit/s; burst = 2 kB; start = empty"),
];

pub(super) const METERS: &[(&str, &str, MarkAt)] = &[
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB", MarkAt::Arrival),
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB", MarkAt::Departure),
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB; peak-rate = 1 Mbit/s; peak-burst = 1 kB", MarkAt::Arrival),
    ("two-rate-tcm", TWO_RATES, MarkAt::Arrival),
    ("two-rate-tcm", TWO_RATES, MarkAt::Departure),
    ("tsw3cm", "committed-rate = 200 kbit/s; peak-rate = 300 kbit/s; averaging-interval = 20 ms", MarkAt::Arrival),
];

const TWO_RATES: &str =
    "committed-rate = 200 kbit/s; committed-burst = 3 kB; peak-rate = 500 kbit/s; peak-burst = 3 kB; mode = colour-aware";

pub(super) const IMPAIRMENTS: &[(&str, &str)] = &[
    ("loss", "probability = 0.05"),
    ("loss", "probability = 0.3"),
    ("gilbert-elliott", "good-to-bad = 0.02; bad-to-good = 0.3; loss-in-bad = 0.9; loss-in-good = 0.01"),
    ("drop-list", "drop = [2, 3, 5, 40]"),
    ("drop-list", "drop = [1, 7]; of = flow"),
    ("delay", "added = uniform [0 ms, 5 ms]"),
    ("delay", "added = uniform [1 ms, 9 ms]; keep-order = true"),
    ("delay", "added = 2 ms"),
    ("reordering", "probability = 0.2; delay = 4 ms"),
    ("reordering", "probability = 0.1; delay = 30 ms; correlation = 0.5"),
    ("duplication", "probability = 0.1"),
    ("duplication", "probability = 0.3; copy-delay = 2 ms; correlation = 0.3"),
];

/// A source, its settings, and the settings of its transport; open loops first.
pub(super) const TRAFFIC: &[(&str, &str, &str)] = &[
    ("cbr", "rate = 400 kbit/s; packet = 500 bytes; phase = zero", ""),
    ("cbr", "rate = 400 kbit/s; packet = 500 bytes", "ecn = ect-0"),
    ("cbr", "rate = 400 kbit/s; packet = 500 bytes", ""),
    ("cbr", "rate = 64 kbit/s; packet = 160 bytes; spacing-jitter = 0.1", ""),
    ("poisson", "rate = 300 kbit/s; packet = exponential 500 bytes", ""),
    ("cbr", "rate = 300 kbit/s; packet = mix [160 bytes @ 0.5, 1500 bytes @ 0.5]", ""),
    ("poisson", "rate = 500 kbit/s; packet = mix [160 bytes @ 0.5, 1500 bytes @ 0.5]", ""),
    ("on-off", "packet = 160 bytes; spacing = 2 ms; on = 9 ms; off = 5 ms", ""),
    ("on-off", "packet = 160 bytes; spacing = 1 ms; on = 3 ms; off = 9 ms; remainder = whole", ""),
    ("packets", "at = [0 s, 0 s, 3 ms, 3001 us, 60 ms, 60 ms, 60 ms]; sizes = [1500 bytes, 40 bytes, 1 byte, 576 bytes, 40 bytes, 1 kB, 1500 bytes]", ""),
    ("video", "rate = 400 kbit/s; frame-rate = 200; group-length = 6; packet = 300 bytes", ""),
    ("video", "rate = 300 kbit/s; frame-rate = 60; variation = 0.5; paced = 0.8; packet = 200 bytes; max-rate = 500 kbit/s", "ecn = ect-0"),
    ("ftp", "", "variant = tahoe; min-rto = 20 ms; initial-rto = 100 ms"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "variant = reno; min-rto = 20 ms; initial-rto = 50 ms"),
    ("ftp", "size = 20 kB", "variant = reno; min-rto = 0 s; initial-rto = 50 ms; timer-tick = 10 ms"),
    ("ftp", "", "variant = new-reno; min-rto = 20 ms; initial-rto = 100 ms; ack-every = 2; ack-delay = 20 ms"),
    ("ftp", "", "variant = sack; min-rto = 20 ms; initial-rto = 100 ms; syn = false; jitter = uniform [0 us, 300 us]"),
    ("ftp", "", "variant = new-reno; packet = 300 bytes; min-rto = 0 s; initial-rto = 50 ms; initial-window = 2 packets"),
    ("ftp", "", "ecn = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "recovery = sack; congestion-control = cubic; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; ecn = true"),
    ("ftp", "", "congestion-control = cubic { hystart = true }; pacing = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    (
        "ftp",
        "",
        "congestion-control = vegas { alpha = 1, beta = 2 }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; ecn = true",
    ),
    ("ftp", "", "recovery = sack1; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; ack-every = 2; ack-delay = 20 ms"),
    ("ftp", "", "recovery = sack1 { retransmit-delay = half-round-trip }; congestion-control = reno { arithmetic = integer-bytes, acks-per-increase = 2, decrease = 0.7 }; limited-transmit = false; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; timer-tick = 10 ms"),
    ("ftp", "", "recovery = sack { retransmit-delay = half-round-trip-with-new-data }; congestion-control = reno { arithmetic = integer-bytes-without-stall }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "recovery = sack { retransmit-delay = half-round-trip }; congestion-control = reno { increase = 2, decrease = 0.8 }; pacing = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 50 ms"),
    ("ftp", "", "recovery = timeout-only; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = bbr { rtprop-filter-len = 100 ms, probe-rtt-duration = 10 ms }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "congestion-control = bbr; recovery = sack; syn = false; packet = 300 bytes; min-rto = 20 ms; initial-rto = 50 ms"),
    ("ftp", "", "congestion-control = prague { accecn-option = false }; ecn = true; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = prague; ecn = true; ack-every = 2; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = cubic; recovery = prr; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = cubic { hystart = true, hystart-algorithm = linux, arithmetic = linux, tick = 1 ms, byte-counting-limit = 100, ecn-beta = 0.85 }; recovery = rack; timestamps = true; rto = linux; pacing = true; pacing-rate = linux; ack-every = 2; ecn = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "size = 20 kB", "recovery = rack { max-ack-delay = 20 ms }; congestion-control = reno { ecn-decrease = 0.8 }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = dctcp { ect-everywhere = true }; ecn = true; ack-every = 2; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = dctcp { arithmetic = linux }; ecn = true; ecn-reduction = proportional; ssthresh-from = cwnd; f-rto = true; dsack = true; recovery = rack; timestamps = true; tso-defer = true; ack-every = 2; push = pairs; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "recovery = prr; keep-scoreboard = true; f-rto = true; dsack = true; window-validation = linux; ecn-reduction = proportional; ecn = true; tso-defer = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 50 ms"),
    ("ftp", "size = 30 kB", "roce; packet = 400 bytes; ack-every = 3; max-outstanding = 30; timeout = 15 ms; rate-control = fixed { rate = 2 Mbit/s }"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; rate-control = dcqcn { floor = 50 kbit/s, rate-timer = 3 ms, alpha-timer = 4 ms, byte-counter = 5 kB, notification-interval = 2 ms, gain = 0.1, additive-increase = 100 kbit/s, hyper-increase = 1 Mbit/s }"),
    ("ftp", "", "roce; packet = 1 kB; max-outstanding = 20; timeout = 25 ms; rate-control = dcqcn { floor = 50 kbit/s, rate-timer = 2 ms, byte-counter = 9 kB, notification-interval = 1 ms, additive-increase = 50 kbit/s, hyper-increase = 200 kbit/s }"),
    ("ftp", "", "roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; rate-control = timely { segment = 1 kB, min-rtt = 5 ms, t-low = 8 ms, t-high = 60 ms, additive-increase = 50 kbit/s, floor = 50 kbit/s }"),
    ("ftp", "", "roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; rate-control = hpcc { base-rtt = 10 ms, additive-increase = 200 bytes, floor = 50 kbit/s }"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "roce; packet = 300 bytes; timeout = 25 ms; rate-control = hpcc { base-rtt = 20 ms, floor = 50 kbit/s }"),
    ("ftp", "", "local-queue = backpressure; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; ack-every = 2; ack-delay = 20 ms"),
    (
        "http",
        "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]",
        "local-queue = backpressure; pacing = true; ecn = true; congestion-control = cubic; min-rto = 20 ms; initial-rto = 50 ms",
    ),
    ("ftp", "", "local-queue = backpressure; recovery = sack1 { retransmit-delay = half-round-trip }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = high-speed { low-window = 3, high-window = 40, low-p = 0.1, high-p = 0.01 }; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = scalable { legacy-window = 3, increase = 0.1 }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = h-tcp { delta-l = 20 ms }; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = westwood { gain = 0.5 }; recovery = prr; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = illinois { threshold-window = 3, theta = 2 }; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = bic { low-window = 3, s-max = 4, s-min = 0.1 }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = ledbat { target = 20 ms }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = ledbat-plus-plus { target = 10 ms, base-interval = 30 ms, base-history = 3 }; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "congestion-control = bbr3; recovery = prr; ecn = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 50 ms"),
    ("ftp", "", "congestion-control = bbr3 { probe-rtt-interval = 50 ms, min-rtt-filter-len = 100 ms, probe-rtt-duration = 10 ms, probe-bw-wait = 20 ms, probe-bw-spread = 10 ms }; recovery = sack; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
];

pub(super) const PCN: &[(&str, &str)] = &[
    ("single-threshold", "admissible-rate = 200 kbit/s; supportable-rate = 400 kbit/s"),
    ("threshold", "rate = 200 kbit/s; size = 20 ms; threshold = 10 ms"),
    ("excess", "rate = 300 kbit/s; size = 20 ms"),
    ("excess", "rate = 250 kbit/s; size = 15 ms; mark-every = 3"),
    ("fractional", "admissible-rate = 200 kbit/s; supportable-rate = 400 kbit/s"),
];

/// Buffers that the ports of a node share, small enough to refuse packets.
pub(super) const BUFFERS: &[(&str, &str)] = &[
    ("static-shares", "size = 9 kB"),
    ("pool", "size = 8 packets"),
    ("pool", "size = 4000 bytes"),
    ("dynamic-threshold", "size = 12 kB; alpha = 0.5"),
    ("dynamic-threshold", "size = 20 packets; alpha = 2"),
    ("minimum-allocation", "size = 30 packets; minimum = 2 packets; maximum = 9 packets"),
];

pub(super) const CALLS: &[Calls] = &[
    (VOICE, Some(("cle", "threshold = 0.01; weight = 0.3")), None, None),
    (BURSTS, Some(("cle", "threshold = 0.1; weight = 0.3; update = interval; interval = 7 ms")), None, Some(160)),
    (VOICE, Some(("count", "limit = 9")), Some(("single-threshold", "marked-run = 5; unmarked-run = 3")), None),
    (VOICE, None, Some(("single-threshold", "marked-run = 30; unmarked-run = 3")), None),
    (BURSTS, None, Some(("single-threshold", "marked-run = 15; unmarked-run = 3; receiving = share")), None),
    (BURSTS, None, Some(("cl", "sar-interval = 10 ms; sending-interval = 10 ms; marks = any")), None),
    (BURSTS, Some(("rfc-6662", "measuring-interval = 10 ms")), Some(("rfc-6662", "measuring-interval = 10 ms")), None),
    (BURSTS, Some(("cle", "threshold = 0.1")), Some(("marked-flow", "")), Some(40)),
    (VOICE, Some(("count", "limit = 9")), Some(("marked-flow", "")), None),
];
pub(super) const VOICE: (&str, &str) = ("cbr", "rate = 64 kbit/s; packet = 160 bytes; phase = zero");
const BURSTS: (&str, &str) = ("on-off", "packet = 160 bytes; spacing = 5 ms; on = 34 ms; off = 66 ms");

/// A component and its settings.
type Named = (&'static str, &'static str);
/// The source of a call, admission, termination, and the size of a request's packet.
pub(super) type Calls = (Named, Option<Named>, Option<Named>, Option<u32>);

/// Disciplines of frames, short enough for drops of all causes.
pub(super) const OF_FRAMES: &[(&str, &str)] = &[
    ("ppd", "limit = 30 cells"),
    ("ppd", "limit = 20 cells; end-of-frame = drop"),
    ("epd", "limit = 40 cells; threshold = 20 cells"),
    ("epd", "limit = 25 cells; threshold = 20 cells; end-of-frame = always"),
    ("selective-drop", "limit = 60 cells; threshold = 20 cells; z = 0.8"),
    ("fba", "limit = 60 cells; threshold = 20 cells; z = 0.8"),
    ("frame-thresholds", "limit = 60 cells; threshold = 40 cells; tagged-threshold = 10 cells"),
    ("dfba", "limit = 60 cells; low = 10 cells; high = 50 cells; z = 0.9"),
    ("dfba", "limit = 60 cells; low = 10 cells; high = 50 cells; weights = equal; probability = product"),
];
