//! DualPI2 ports in whole simulations: what both queues come to.

mod support;

use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use support::{discipline, one_link, scheduler, source, time, transport};

/// A link of 100 Mbit/s with DualPI2, at which Poisson traffic arrives that does not respond: of each codepoint so much.
fn overload(settings: &str, traffic: &[(&str, &str)]) -> Observations {
    let (mut net, route, link) = one_link("40 s", 1, "100 Mbit/s", "10 ms", discipline("tail-drop", "limit = 10000 packets"));
    net.port(link).scheduler = scheduler("dualpi2", settings);
    for (rate, ecn) in traffic {
        let poisson = source("poisson", &format!("rate = {rate}; packet = 500 bytes"));
        let group = net.group(ecn, poisson, transport("udp", &format!("ecn = {ecn}")), ("0 s", "0 s"));
        net.flow(group, route, route);
    }
    net.0.warm_up = time("10 s");
    net.run()
}

/// The mean wait in ms, and the share of early drops.
fn outcome(seen: &Observations) -> (f64, f64) {
    let link = &seen.links[0];
    let dropped = link.dropped_packets[DropCause::Early as usize][0] as f64;
    (link.wait_sum_ps as f64 / link.waits as f64 / 1e9, dropped / (dropped + link.waits as f64))
}

#[test]
fn each_kind_of_traffic_alone_waits_for_the_target_in_overload() {
    // Classic traffic loses a fifth from p'^2 = 0.2 on; scalable traffic a third from p'^2 = 1/3 on, which is beyond k p' = 1.
    for (traffic, share) in
        [([("125 Mbit/s", "not-ect")], 0.2), ([("150 Mbit/s", "ect-1")], 1.0 / 3.0), ([("150 Mbit/s", "ect-0")], 1.0 / 3.0)]
    {
        let (wait, dropped) = outcome(&overload("", &traffic));
        assert!((wait - 15.0).abs() < 0.2, "{traffic:?}: {wait} ms");
        // As for PIE: a standard error of 968 of 937 500 arrivals, four of which move the share by 0.0033.
        assert!((dropped - share).abs() < 0.0033, "{traffic:?}: {dropped}");
    }
}

#[test]
fn a_shared_limit_is_the_limit_of_the_port() {
    let plan = scheduler("dualpi2", "limit = 20 packets");
    assert!(plan.facts().shared_limit.is_some() && plan.facts().marks);
    // Without a controller to speak of.
    let seen = overload("limit = 20 packets; alpha = 1e-9; beta = 1e-9", &[("80 Mbit/s", "not-ect"), ("80 Mbit/s", "ect-1")]);
    let link = &seen.links[0];
    let lost = link.dropped_packets[DropCause::Overflow as usize][0] as f64;
    // 160 of which 100 are sent: 3/8 of the arrivals; at most 20 packets of 40 us wait.
    let share = lost / (lost + link.waits as f64);
    assert!((share - 0.375).abs() < 0.005, "{share}");
    assert!(link.wait_sum_ps / u128::from(link.waits) <= 20 * 40_000_000, "longer than 20 packets take");
}

#[test]
fn a_time_shifted_fifo_delays_both_queues_in_overload() {
    // For 1 s, L gets 80 % of the link's rate and C 40 %, without any drops or marks to speak of.
    let (mut net, route, link) = one_link("2 s", 1, "100 Mbit/s", "10 ms", discipline("tail-drop", "limit = 10000 packets"));
    net.port(link).scheduler = scheduler("dualpi2", "conditional-priority = ts-fifo; time-shift = 2 ms; alpha = 1e-9; beta = 1e-9");
    for (rate, ecn) in [("80 Mbit/s", "ect-1"), ("40 Mbit/s", "not-ect")] {
        let cbr = source("cbr", &format!("rate = {rate}; packet = 500 bytes"));
        let group = net.group(ecn, cbr, transport("udp", &format!("ecn = {ecn}")), ("0 s", "0 s"));
        net.flow(group, route, route);
        net.0.groups[group as usize].stop = time("1 s");
    }
    let seen = net.run();
    // A packet of L that arrives at a leaves when all L until a and all C until a - s has left, where s is the shift. In seconds it
    // waits for 0.2 a - 0.4 s, from a = 2 s on. One of C waits for a up to a = s, for 0.2 a + 0.8 s up to a = 1 - s, and for
    // 0.8 - 0.6 a after that. Means over 1 s:
    let s = 0.002;
    let expected = [0.1 - 0.4 * s + 0.4 * s * s, 0.1 + 0.8 * s - 0.8 * s * s];
    for (flow, expected) in seen.flows.iter().zip(expected) {
        // Less 10 ms of propagation and 40 us of transmission.
        let wait = flow.received.delay_sum_ps as f64 / flow.received.packets as f64 / 1e12 - 0.01004;
        // A packet of each queue may be in the way: 80 us.
        assert!((wait - expected).abs() < 80e-6, "{wait} s, expected {expected} s");
    }
}

#[test]
fn scalable_traffic_hardly_waits_next_to_classic_traffic_at_its_target() {
    // Ten NewReno transfers over 20 ms, and scalable datagrams at 30 Mbit/s.
    let (mut net, route, link) = one_link("60 s", 1, "100 Mbit/s", "10 ms", discipline("tail-drop", "limit = 10000 packets"));
    net.port(link).scheduler = scheduler("dualpi2", "");
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "100 Mbit/s", "10 ms", discipline("tail-drop", "limit = 10000 packets"));
    let back = net.route(&[back]);
    let poisson = source("poisson", "rate = 30 Mbit/s; packet = 500 bytes");
    let scalable = net.group("scalable", poisson, transport("udp", "ecn = ect-1"), ("0 s", "0 s"));
    net.flow(scalable, route, back);
    let tcp = transport("tcp", "recovery = sack; max-window = 10000 packets; min-rto = 200 ms");
    let classic = net.group("classic", source("ftp", ""), tcp, ("0 s", "1 s"));
    (0..10).for_each(|_| net.flow(classic, route, back));
    net.0.warm_up = time("10 s");
    let seen = net.run();
    // Less 10 ms of propagation and 40 us of transmission.
    let flow = &seen.flows[0];
    let wait_ms = flow.received.delay_sum_ps as f64 / flow.received.packets as f64 / 1e9 - 10.04;
    assert!((0.0..1.0).contains(&wait_ms), "scalable: {wait_ms} ms");
    let link = &seen.links[0];
    let classic = (link.wait_sum_ps as f64 / 1e9 - wait_ms * flow.received.packets as f64) / (link.waits - flow.received.packets) as f64;
    assert!((classic - 15.0).abs() < 3.0, "Classic: {classic} ms");
    assert_eq!(link.dropped_packets[DropCause::Overflow as usize][0], 0);
}
