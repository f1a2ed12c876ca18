//! Rate controls of RoCE that measure: TIMELY by round trips, HPCC by telemetry.

mod support;

use penstock_engine::series::{Sampling, SeriesPlan, SeriesSubject};
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::units::{Duration, Time};
use support::{discipline, source, time, transport, Net};

/// `flows` hosts that send over a switch to one more, all links of this rate and 1 us; the port that all share.
fn incast(flows: usize, rate: &str, settings: &str, end: &str) -> (Net, LinkId) {
    let mut net = Net::new(end, 1);
    let [s, c] = ["s", "c"].map(|name| net.node(name));
    let large = || discipline("tail-drop", "limit = 100000 packets");
    let (out, back) = (net.link(s, c, rate, "1 us", discipline("red-marking", "limit = 10 MB")), net.link(c, s, rate, "1 us", large()));
    let group = net.group("bulk", source("ftp", ""), transport("roce", settings), ("0 s", "10 us"));
    for i in 0..flows {
        let h = net.node(&format!("h{i}"));
        let (up, down) = (net.link(h, s, rate, "1 us", large()), net.link(s, h, rate, "1 us", large()));
        let (forward, backward) = (net.route(&[up, out]), net.route(&[back, down]));
        net.flow(group, forward, backward);
    }
    (net, out)
}

/// Runs a network under every executor, divided or not; all must see the same.
fn run_alike(net: &Net) -> Observations {
    let seen = net.run();
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, seen.digest, "{executor:?}");
    }
    for cores in [2, 3] {
        let divided = Sim::with_partition(net.0.clone(), &|process| process as u32 % cores).expect("sound").run();
        assert_eq!(divided.digest, seen.digest, "{cores} cores");
    }
    seen
}

/// Returns, for a port over `seconds`, the mean number of waiting bytes, the fraction of time that its wire is busy, and the packets
/// dropped.
fn queue_busy_drops(seen: &Observations, link: LinkId, seconds: f64) -> (f64, f64, u64) {
    let link = &seen.links[link.index()];
    let drops = link.dropped_packets.iter().flatten().sum();
    (link.waiting_byte_ps as f64 / 1e12 / seconds, link.busy.as_seconds() / seconds, drops)
}

#[test]
fn timely_keeps_the_queue_near_its_low_threshold() {
    // What may be outstanding bounds the queue before the first completions, so that the rates do not fall to the floor.
    let settings = "max-outstanding = 128; rate-control = timely { segment = 64 kB, t-high = 200 us, additive-increase = 40 Mbit/s }";
    for pauses in [false, true] {
        let (mut net, out) = incast(4, "10 Gbit/s", settings, "60 ms");
        if pauses {
            let s = net.0.links[out.index()].from;
            net.share(s, "pool", "size = 9 MB");
            net.pause("2 MB", "1 MB");
        }
        net.0.warm_up = time("30 ms");
        let (queue, busy, drops) = queue_busy_drops(&net.run(), out, 0.03);
        assert_eq!(drops, 0);
        assert!(busy > 0.99, "{busy}");
        // Below T_low = 50 us rates always rise, and above it they fall while the queue grows: it swings about that.
        let round_trip_us = queue * 8.0 / 10e9 * 1e6 + 5.0;
        assert!(round_trip_us > 25.0 && round_trip_us < 100.0, "{round_trip_us} us");
    }
}

#[test]
fn timely_recovers_within_60_ms_where_four_flows_begin_at_line_rate() {
    let busy = |warm_up: &str, end: &str| {
        let (mut net, out) = incast(4, "10 Gbit/s", "rate-control = timely", end);
        net.0.warm_up = time(warm_up);
        queue_busy_drops(&net.run(), out, 0.02).1
    };
    // The completions of the backlog lower the rates to the floor.
    let at_first = busy("0 s", "20 ms");
    assert!(at_first < 0.3, "{at_first}");
    // The n-th step of 10 Mbit/s takes 16 kB / n 10 Mbit/s: from 4 to 250 steps, 12.8 ms (1/4 + ... + 1/250) = 55 ms.
    let later = busy("60 ms", "80 ms");
    assert!(later > 0.95, "{later}");
}

#[test]
fn hpcc_keeps_the_queue_near_zero_and_the_port_at_its_target() {
    let run = |control: &str| {
        let (mut net, out) = incast(8, "40 Gbit/s", control, "20 ms");
        net.0.warm_up = time("10 ms");
        queue_busy_drops(&run_alike(&net), out, 0.01)
    };
    let (queue, busy, drops) = run("rate-control = hpcc { base-rtt = 6 us }");
    let (of_dcqcn, ..) = run("rate-control = dcqcn");
    assert_eq!(drops, 0);
    // 80 bytes of additive increase for each of 8 windows add 640 bytes to the 28,500 of 95 %, 2 %.
    assert!((0.93..0.99).contains(&busy), "{busy}");
    assert!(queue < 3.0 * 1086.0, "{queue} bytes");
    assert!(queue < of_dcqcn / 10.0, "{queue} bytes, with DCQCN {of_dcqcn}");
}

#[test]
fn telemetry_says_what_each_port_held_and_had_sent() {
    // Packets of 1000 bytes leave h each 0.4 ms, and the switch each 1 ms. The k-th transmission begins there at 1.4 + k ms; 0, 1000 and then
    // 2000 bytes or more wait behind the packet. Two links of 1 ms lie ahead, and acknowledgements of 66 bytes take 66 us on each link.
    let mut net = Net::new("8 ms", 1);
    let [h, s, c] = ["h", "s", "c"].map(|name| net.node(name));
    let large = || discipline("tail-drop", "limit = 100000 packets");
    let (up, out) = (net.link(h, s, "20 Mbit/s", "1 ms", large()), net.link(s, c, "8 Mbit/s", "1 ms", large()));
    let (back, down) = (net.link(c, s, "8 Mbit/s", "1 ms", large()), net.link(s, h, "8 Mbit/s", "1 ms", large()));
    let settings = "packet = 1000 bytes; timeout = 1 s; rate-control = hpcc { base-rtt = 10 ms }";
    let group = net.group("bulk", source("ftp", ""), transport("roce", settings), ("0 s", "0 s"));
    let (forward, backward) = (net.route(&[up, out]), net.route(&[back, down]));
    net.flow(group, forward, backward);
    let what = vec![(None, "utilisation")];
    let (of, sampling) = (SeriesSubject::Sender(FlowId(0)), Sampling::Every(Duration::from_us(100)));
    net.0.watch.series = vec![SeriesPlan { of, what, sampling, from: Time::ZERO, until: net.0.end }];
    let mut sim = Sim::new(net.0.clone()).expect("sound");
    let mut rows = Vec::new();
    sim.run_until(Time::NEVER);
    sim.take_series(&mut rows);
    let mut steps: Vec<(u64, f64)> = rows.iter().map(|row| (row.time.as_ps() / 100_000_000, row.value)).collect();
    steps.dedup_by_key(|(_, value)| (*value * 1e9).round());
    // The acknowledgements come at 5.532, 6.532 and 7.532 ms. The first record is only stored. In the 1 ms to each of the next ones the port
    // sent 1000 bytes, all that it can, with 0 and then 1000 bytes in its queue at least: u = 1, and 1 + 1000 / 10,000. A tenth of each counts.
    let expected = [(0, 0.0), (66, 0.1), (76, 0.9 * 0.1 + 0.1 * 1.1)];
    assert_eq!(steps.len(), expected.len(), "{steps:?}");
    for ((at, value), (expected_at, expected)) in steps.into_iter().zip(expected) {
        assert!(at == expected_at && (value - expected).abs() < 1e-9, "{value} at {at}, expected {expected} at {expected_at}");
    }
}

/// Packets of 1000 bytes leave each 0.4 ms, from 0 on; no acknowledgement arrives within 2 ms.
#[test]
fn a_series_of_a_sender_says_what_is_in_flight() {
    let (mut net, _) = incast(1, "20 Mbit/s", "packet = 1000 bytes; timeout = 1 s", "1900 us");
    net.0.groups[0].start = (Time::ZERO, Time::ZERO);
    net.0.links.iter_mut().for_each(|link| link.delay = Duration::from_ms(1));
    let (of, sampling) = (SeriesSubject::Sender(FlowId(0)), Sampling::Every(Duration::from_us(600)));
    net.0.watch.series = vec![SeriesPlan { of, what: vec![(None, "flight")], sampling, from: time("100 us"), until: net.0.end }];
    let mut sim = Sim::new(net.0).expect("sound");
    let mut rows = Vec::new();
    sim.run_until(Time::NEVER);
    sim.take_series(&mut rows);
    let flight: Vec<(u64, f64)> = rows.iter().map(|row| (row.time.as_ps() / 100_000_000, row.value)).collect();
    assert_eq!(flight, [(1, 1.0), (7, 2.0), (13, 4.0), (19, 5.0)]);
}
