//! The components of random scenarios, with their settings.

use crate::support::size;
use penstock_engine::blueprint::{MarkAt, PausePlan, PcnAt};
use penstock_model::parameters::Entry;
use penstock_model::source::SourcePlan;
use penstock_model::transmission::Framing;
use penstock_model::transport::rate_control::RateControlPlan;
use penstock_model::units::Duration;
use std::sync::LazyLock;

/// At the last one short packets take no time at all.
pub(super) const RATES: [&str; 6] = ["1 Mbit/s", "100 kbit/s", "1.5 Mbit/s", "10 Mbit/s", "1 Gbit/s", "90000 Tbit/s"];
/// Towards the root there may be no delay at all; away from it there is, so that no circle is without.
pub(super) const UP_DELAYS: [&str; 6] = ["1 ms", "0 s", "1 ps", "30 us", "10 ms", "80 ms"];
pub(super) const DOWN_DELAYS: [&str; 6] = ["1 ms", "1 ps", "3 ns", "30 us", "10 ms", "80 ms"];
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
    ("pie", "limit = 40 packets; target = 3 ms; update-interval = 4 ms; max-burst = 8 ms; mean-packet = 100 bytes; ecn = true"),
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
    // It drops from other queues.
    ("longest-drop", "limit = 6"),
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
    ("dualpi2", "limit = 9 packets; target = 1 ms; update-interval = 2 ms; alpha = 10; beta = 99; classic-share = 0.4"),
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
];
pub(super) const POLICERS: &[(&str, &str)] = &[
    ("token-bucket", "rate = 100 kbit/s; burst = 3 kB"),
    // Drops the first packets.
    ("token-bucket", "rate = 300 kbit/s; burst = 2 kB; start = empty"),
];
/// Changes of parameters: of each component that is called so, this parameter to this value; of a scheduler's classes with `[i]`.
pub(super) const PARAMETER_CHANGES: [&[(&str, &str, &str)]; 2] = [
    &[
        ("red", "max-probability", "0.7"),
        ("codel", "target", "300 us"),
        ("pie", "target", "500 us"),
        ("pi2", "target", "9 ms"),
        ("red-marking", "max-probability", "0.9"),
        ("token-bucket", "rate", "20 kbit/s"),
        ("two-rate-tcm", "committed-rate", "30 kbit/s"),
        ("tsw3cm", "committed-rate", "50 kbit/s"),
        ("fq-codel", "quantum", "100 bytes"),
        ("fq-pie", "quantum", "100 bytes"),
        ("sfq", "quantum", "100 bytes"),
        ("cobalt", "target", "300 us"),
        ("dualpi2", "coupling", "0.5"),
        ("wrr[0]", "weight", "17"),
        ("drr[1]", "quantum", "9 kB"),
        ("scfq[0]", "weight", "10"),
        ("stfq[1]", "weight", "7"),
        ("wf2q-plus[0]", "weight", "5"),
        ("htb[0]", "rate", "40 kbit/s"),
        ("priority[0]", "rate", "60 kbit/s"),
        ("cubic", "beta", "0.4"),
        ("vegas", "gamma", "4"),
        ("dctcp", "gain", "0.7"),
        ("bbr", "rtprop-filter-len", "30 ms"),
        ("prague", "virtual-rtt", "3 ms"),
        ("reno", "decrease", "0.3"),
        ("fixed", "rate", "200 kbit/s"),
        ("dcqcn", "additive-increase", "900 kbit/s"),
        ("timely", "decrease", "0.2"),
        ("hpcc", "utilisation", "0.4"),
    ],
    &[
        ("red", "max-probability", "0.01"),
        ("codel", "interval", "60 ms"),
        ("pie", "target", "30 ms"),
        ("pi2", "target", "200 us"),
        ("red-marking", "max-probability", "0.1"),
        ("token-bucket", "burst", "1500 bytes"),
        ("two-rate-tcm", "peak-burst", "1 kB"),
        ("tsw3cm", "peak-rate", "9 Mbit/s"),
        ("fq-codel", "quantum", "7 kB"),
        ("dualpi2", "target", "300 us"),
        ("wrr", "quantum", "7 kB"),
        ("drr[0]", "quantum", "60 bytes"),
        // Virtual times that need 128 bits.
        ("scfq[0]", "weight", "9973"),
        ("scfq[1]", "weight", "9967"),
        ("stfq[0]", "weight", "9973"),
        ("stfq[1]", "weight", "9967"),
        ("wf2q-plus[0]", "weight", "9973"),
        ("htb[2]", "burst", "900 bytes"),
        ("priority[0]", "burst", "4 kB"),
        ("cubic", "c", "90"),
        ("vegas", "alpha", "0.5"),
        ("bbr", "probe-rtt-duration", "2 ms"),
        ("prague", "gain", "0.9"),
        ("fixed", "rate", "3 Mbit/s"),
        ("dcqcn", "rate-timer", "900 us"),
        ("timely", "additive-increase", "400 kbit/s"),
        ("hpcc", "additive-increase", "900 bytes"),
    ],
];

/// The settings of a component with one of [`PARAMETER_CHANGES`].
pub(super) fn changed(changes: &[(&str, &str, &str)], name: &str, settings: &str) -> String {
    let Some((_, key, value)) = changes.iter().find(|(of, ..)| *of == name) else { return settings.to_owned() };
    let others = settings.split(';').map(str::trim).filter(|setting| !setting.is_empty() && !setting.starts_with(&format!("{key} =")));
    others.map(str::to_owned).chain([format!("{key} = {value}")]).collect::<Vec<_>>().join("; ")
}

/// The settings of class `i` of a scheduler likewise; one without any stays so.
pub(super) fn changed_class(changes: &[(&str, &str, &str)], scheduler: &str, i: usize, settings: &str) -> String {
    match settings.strip_prefix("| ") {
        Some(limit) => format!("| {}", changed(changes, &format!("{scheduler}[{i}]"), limit)),
        None if settings.is_empty() => String::new(),
        None => changed(changes, &format!("{scheduler}[{i}]"), settings),
    }
}

/// The settings of a transport likewise: with other parameters of its congestion or rate control.
pub(super) fn changed_transport(changes: &[(&str, &str, &str)], settings: &str) -> String {
    let change = |setting: &str| {
        let (control, component) = setting.split_once(" = ").filter(|(key, _)| key.trim().ends_with("-control"))?;
        let (name, inner) = component.split_once(" {").unwrap_or((component, "}"));
        let inner = changed(changes, name, &inner.replace('}', "").replace(',', ";")).replace(';', ",");
        (!inner.is_empty()).then(|| format!("{control} = {name} {{ {inner} }}"))
    };
    settings.split(';').map(|setting| change(setting.trim()).unwrap_or_else(|| setting.trim().to_owned())).collect::<Vec<_>>().join("; ")
}

pub(super) const METERS: &[(&str, &str, MarkAt)] = &[
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB", MarkAt::Arrival),
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB", MarkAt::Departure),
    ("two-rate-tcm", TWO_RATES, MarkAt::Arrival),
    ("two-rate-tcm", TWO_RATES, MarkAt::Departure),
    ("tsw3cm", "committed-rate = 200 kbit/s; peak-rate = 300 kbit/s; averaging-interval = 20 ms", MarkAt::Arrival),
];
pub(super) const TWO_RATES: &str =
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
/// Steps of the rate; the last one never recovers.
pub(super) const CHANGES: [&[(&str, &str)]; 4] = [
    &[("50 ms", "200 kbit/s"), ("90 ms", "90000 Tbit/s"), ("120 ms", "1 Mbit/s")],
    &[("50 ms", "200 kbit/s"), ("120 ms", "3 Mbit/s")],
    &[("40 ms", "0 bit/s"), ("90 ms", "1 Mbit/s"), ("91 ms", "0 bit/s"), ("150 ms", "700 kbit/s")],
    &[("100 ms", "0 bit/s")],
];
/// What packets take on the wire beyond their size.
pub(super) const FRAMINGS: [Framing; 2] =
    [Framing { overhead: 38, minimum: 84, in_cells: false }, Framing { overhead: 10, minimum: 0, in_cells: true }];
/// Delivery times in milliseconds.
pub(super) const DELIVERIES: [&[u64]; 2] = [&[0, 1, 1, 2, 5, 7], &[3, 3, 3, 20]];
/// The number of open loops, with which a list of traffic begins.
pub(super) fn open_loops(traffic: &[Traffic]) -> usize {
    traffic.iter().take_while(|(name, ..)| SourcePlan::OPEN_LOOP.contains(name)).count()
}

/// A source, its settings, and the settings of its transport.
pub(super) type Traffic = (&'static str, &'static str, &'static str);

/// The open loop whose example reads a file.
const WITHOUT_EXAMPLE: &str = "trace";

/// [`LISTED`], and the example on the page of each open loop and each rate control that is not in it.
pub(super) static TRAFFIC: LazyLock<Vec<Traffic>> = LazyLock::new(|| {
    let example = |entry: &Entry, between: &str| -> String {
        let table = entry.doc.split_once(&format!("{} = {{", entry.name)).and_then(|(_, rest)| rest.split_once('}'));
        let (table, _) = table.unwrap_or_else(|| panic!("{}: no table in its example", entry.name));
        assert!(!table.contains(['{', '[']), "{}: its example has a table in its table; add a line to LISTED", entry.name);
        table.trim().replace('"', "").replace(", ", between)
    };
    let is_new = |entry: &&Entry| {
        let is_control = |tcp: &str| tcp.contains(&format!("rate-control = {} ", entry.name));
        entry.name != WITHOUT_EXAMPLE && LISTED.iter().all(|(name, _, tcp)| *name != entry.name && !is_control(tcp))
    };
    let (open, others) = LISTED.split_at(open_loops(LISTED));
    let is_open = |entry: &&Entry| SourcePlan::OPEN_LOOP.contains(&entry.name);
    let sources = SourcePlan::ENTRIES.iter().filter(is_open).filter(is_new).map(|entry| (entry.name, &*example(entry, "; ").leak(), ""));
    let controls = RateControlPlan::ENTRIES.iter().filter(is_new).map(|entry| {
        let control = format!("rate-control = {} {{ {} }}", entry.name, example(entry, ", "));
        ("ftp", "", &*format!("roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; {control}").leak())
    });
    open.iter().copied().chain(sources).chain(others.iter().copied()).chain(controls).collect()
});
const LISTED: &[Traffic] = &[
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
    ("ftp", "", "congestion-control = cubic { hystart = true, hystart-algorithm = linux, byte-counting-limit = 100, ecn-beta = 0.85 }; recovery = rack; timestamps = true; rto = linux; pacing = true; pacing-rate = linux; ack-every = 2; ecn = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "size = 20 kB", "recovery = rack { max-ack-delay = 20 ms }; congestion-control = reno { ecn-decrease = 0.8 }; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "congestion-control = dctcp { ect-everywhere = true }; ecn = true; ack-every = 2; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "size = 30 kB", "roce; packet = 400 bytes; ack-every = 3; max-outstanding = 30; timeout = 15 ms; rate-control = fixed { rate = 2 Mbit/s }"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; rate-control = dcqcn { floor = 50 kbit/s, rate-timer = 3 ms, alpha-timer = 4 ms, byte-counter = 5 kB, notification-interval = 2 ms, gain = 0.1, additive-increase = 100 kbit/s, hyper-increase = 1 Mbit/s }"),
    ("ftp", "", "roce; packet = 1 kB; max-outstanding = 20; timeout = 25 ms; rate-control = dcqcn { floor = 50 kbit/s, rate-timer = 2 ms, byte-counter = 9 kB, notification-interval = 1 ms, additive-increase = 50 kbit/s, hyper-increase = 200 kbit/s }"),
    ("ftp", "", "roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; rate-control = timely { segment = 1 kB, min-rtt = 5 ms, t-low = 8 ms, t-high = 60 ms, additive-increase = 50 kbit/s, floor = 50 kbit/s }"),
    ("ftp", "", "roce; packet = 500 bytes; max-outstanding = 40; timeout = 25 ms; rate-control = hpcc { base-rtt = 10 ms, additive-increase = 200 bytes, floor = 50 kbit/s }"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "roce; packet = 300 bytes; timeout = 25 ms; rate-control = hpcc { base-rtt = 20 ms, floor = 50 kbit/s }"),
    ("video", "rate = 400 kbit/s; frame-rate = 200; group-length = 6; packet = 300 bytes", "scream; ecn = true; feedback-interval = 7 ms"),
    ("video", "rate = 300 kbit/s; frame-rate = 60; variation = 0.5; paced = 0.8; packet = 200 bytes", "scream; max-rate = 500 kbit/s; min-delay-target = 5 ms"),
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
    ("fractional", "admissible-rate = 200 kbit/s; supportable-rate = 400 kbit/s"),
];
pub(super) const PCN_AT: [PcnAt; 3] = [PcnAt::Accepted, PcnAt::Offered, PcnAt::Departure];
/// The source of a call, admission, termination, and the size of a request's packet.
pub(super) const CALLS: &[Calls] = &[
    Calls(VOICE, Some(("cle", "threshold = 0.01; weight = 0.3")), None, None),
    Calls(BURSTS, Some(("cle", "threshold = 0.1; weight = 0.3; update = interval; interval = 7 ms")), None, Some(160)),
    Calls(VOICE, Some(("count", "limit = 9")), Some(("single-threshold", "marked-run = 5; unmarked-run = 3")), None),
    Calls(VOICE, None, Some(("single-threshold", "marked-run = 30; unmarked-run = 3")), None),
    Calls(BURSTS, None, Some(("single-threshold", "marked-run = 15; unmarked-run = 3; receiving = share")), None),
    Calls(BURSTS, None, Some(("cl", "sar-interval = 10 ms; sending-interval = 10 ms; marks = any")), None),
    Calls(BURSTS, Some(("rfc-6662", "measuring-interval = 10 ms")), Some(("rfc-6662", "measuring-interval = 10 ms")), None),
];
pub(super) const VOICE: (&str, &str) = ("cbr", "rate = 64 kbit/s; packet = 160 bytes; phase = zero");
pub(super) const BURSTS: (&str, &str) = ("on-off", "packet = 160 bytes; spacing = 5 ms; on = 34 ms; off = 66 ms");
pub(super) const CALL_DELAYS: [Option<&str>; 3] =
    [None, Some("added = uniform [0 ms, 15 ms]"), Some("added = uniform [0 ms, 15 ms]; keep-order = true")];
pub(super) type Named = (&'static str, &'static str);
pub(super) struct Calls(pub(super) Named, pub(super) Option<Named>, pub(super) Option<Named>, pub(super) Option<u32>);

/// Buffers that the ports of a node share, small enough to refuse packets.
pub(super) const BUFFERS: &[(&str, &str)] = &[
    ("static-shares", "size = 9 kB"),
    ("pool", "size = 8 packets"),
    ("pool", "size = 4000 bytes"),
    ("dynamic-threshold", "size = 12 kB; alpha = 0.5"),
    ("dynamic-threshold", "size = 20 packets; alpha = 2"),
    ("minimum-allocation", "size = 30 packets; minimum = 2 packets; maximum = 9 packets"),
];
/// Thresholds of PAUSE and of priority flow control of classes; headroom, quanta and frames.
pub(super) const PAUSES: [Pausing; 6] = [
    Pausing { xoff: "1500 bytes", xon: "1500 bytes", classes: None, headroom: None, quanta: u16::MAX, frame: "64 bytes" },
    Pausing { xoff: "3 kB", xon: "600 bytes", classes: None, headroom: Some("2 kB"), quanta: 40, frame: "84 bytes" },
    Pausing { xoff: "1 byte", xon: "1 byte", classes: None, headroom: None, quanta: 500, frame: "0 bytes" },
    Pausing { xoff: "1 kB", xon: "700 bytes", classes: Some(&[0, 1]), headroom: Some("3 kB"), quanta: 30, frame: "64 bytes" },
    Pausing { xoff: "2 kB", xon: "1 byte", classes: Some(&[1]), headroom: None, quanta: 200, frame: "64 bytes" },
    Pausing { xoff: "1 byte", xon: "1 byte", classes: Some(&[1, 0]), headroom: Some("1 kB"), quanta: 3, frame: "1500 bytes" },
];

/// PAUSE, or priority flow control.
#[derive(Clone, Copy)]
pub(super) struct Pausing {
    pub xoff: &'static str,
    pub xon: &'static str,
    pub classes: Option<&'static [u8]>,
    pub headroom: Option<&'static str>,
    pub quanta: u16,
    pub frame: &'static str,
}

impl Pausing {
    pub fn plan(&self) -> PausePlan {
        PausePlan {
            classes: self.classes.map(<[u8]>::to_vec),
            headroom: self.headroom.map(size),
            quanta: self.quanta,
            frame: size(self.frame),
            processing: Duration::from_us(1),
            ..PausePlan::new(size(self.xoff), size(self.xon))
        }
    }
}
