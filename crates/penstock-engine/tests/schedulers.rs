//! Waits under schedulers between Poisson classes: strict priority by Cobham's formula, all of them by conservation.

mod support;

use penstock_engine::blueprint::QueuePlan;
use penstock_engine::Observations;
use support::statistics::{agrees, interval, replicate};
use support::{above, class, discipline, one_link, scheduler, source, time, transport};

/// EF of 160 bytes at load .3 and best effort of 1500 at load .6 over `rate` bit/s; sources fall silent at `stop`. The
/// scheduler's name, its settings and what it says of the two, or FIFO.
fn run(seed: u64, rate: f64, order: Option<Order>, warm_up: &str, stop: &str, end: &str) -> Observations {
    let queue = || discipline("tail-drop", "limit = 1000000 packets");
    let (mut net, route, link) = one_link(end, seed, &format!("{rate} bit/s"), "0 s", queue());
    net.0.classes = vec!["ef".to_owned(), "default".to_owned()];
    let port = net.port(link);
    port.queue_of_class = vec![0, 0];
    if let Some((name, settings, classes)) = order {
        port.scheduler = scheduler(name, settings);
        port.classes = classes.map(class).into();
        port.queues = ["ef", "default"].map(|name| QueuePlan { name: name.to_owned(), discipline: queue() }).into();
        port.queue_of_class = vec![0, 1];
    }
    for (class, (name, load, size)) in [("ef", 0.3, 160), ("default", 0.6, 1500)].into_iter().enumerate() {
        let traffic = source("poisson", &format!("rate = {} bit/s; packet = {size} bytes", (load * rate).round()));
        let group = net.group(name, traffic, transport("udp", ""), ("0 s", "0 s"));
        let plan = &mut net.0.groups[group as usize];
        (plan.class, plan.stop) = (class as u8, time(stop));
        net.flow(group, route, route);
    }
    net.0.warm_up = time(warm_up);
    net.run()
}

type Order = (&'static str, &'static str, [&'static str; 2]);

const PRIORITY: Order = ("priority", "order = [ef, default]", ["", ""]);

/// All that never leave the wire idle while something waits.
const WORK_CONSERVING: &[Order] = &[
    PRIORITY,
    ("priority", "order = [ef, default]", ["| rate = 100 kbit/s; burst = 500 bytes; exceeding = goes-last", ""]),
    ("wrr", "", ["weight = 3", "weight = 1"]),
    ("wrr", "weighs = bytes", ["weight = 1", "weight = 2"]),
    ("drr", "", ["quantum = 1500 bytes", "quantum = 2 kB"]),
    ("scfq", "", ["weight = 1", "weight = 2"]),
    ("stfq", "", ["weight = 1", "weight = 2"]),
    ("wf2q-plus", "", ["weight = 1", "weight = 2"]),
    ("ets", "order = [ef, default]", ["", "bandwidth = 1"]),
    ("ets", "order = [ef, default]", ["bandwidth = 0.2", "bandwidth = 0.8"]),
    ("cbq", "", ["share = 0.35", "share = 0.65; priority = 2"]),
    ("cbq", "sharing = ancestor-only", ["share = 0.35", "share = 0.65; priority = 2"]),
];

/// The mean wait of a flow: its delay less its transmission at 1.5 Mbit/s.
fn wait_ms(seen: &Observations, flow: usize, size: u64) -> f64 {
    let flow = &seen.flows[flow];
    flow.received.delay_sum_ps as f64 / flow.received.packets as f64 / 1e9 - size as f64 * 8.0 / 1500.0
}

#[test]
fn waits_follow_cobham() {
    // W_k = R / ((1 - s_(k-1)) (1 - s_k)), R = sum lambda_i E[S_i^2] / 2, s_k the load of the classes up to k.
    let runs = |order| replicate(|seed| run(seed, 1.5e6, order, "10 s", "310 s", "310 s"));
    let (priority, fifo) = (runs(Some(PRIORITY)), runs(None));
    agrees("EF", 3.6114, interval(&priority, |seen| wait_ms(seen, 0, 160)), 0.03);
    agrees("best effort", 36.1143, interval(&priority, |seen| wait_ms(seen, 1, 1500)), 0.15);
    agrees("EF in a FIFO", 25.28, interval(&fifo, |seen| wait_ms(seen, 0, 160)), 0.15);
    // Conservation: the sum over the classes of load x wait is that of any order.
    let conserved = |seen: &Observations| 0.3 * wait_ms(seen, 0, 160) + 0.6 * wait_ms(seen, 1, 1500);
    agrees("conservation", 0.9 * 25.28, interval(&priority, conserved), 0.15);
}

#[test]
fn waits_follow_cobham_in_three_classes_of_mixed_sizes() {
    // Loads .2, .3 and .3 at 1.5 Mbit/s, the second with packets of 160 and 1500 bytes half and half. The last two are
    // below a class of their own, which changes nothing under priority.
    let loads = [0.2, 0.3, 0.3];
    let sizes: [&[f64]; 3] = [&[160.0], &[160.0, 1500.0], &[1500.0]];
    let second_moment = |sizes: &[f64]| sizes.iter().map(|size| (size * 8.0 / 1.5e6).powi(2)).sum::<f64>() / sizes.len() as f64;
    let mean = |sizes: &[f64]| sizes.iter().map(|size| size * 8.0 / 1.5e6).sum::<f64>() / sizes.len() as f64;
    let residual: f64 = loads.iter().zip(sizes).map(|(load, sizes)| load / mean(sizes) * second_moment(sizes) / 2.0).sum();
    let expected = [residual / 0.8, residual / (0.8 * 0.5), residual / (0.5 * 0.2)];
    let run = |seed| {
        let queue = || discipline("tail-drop", "limit = 1000000 packets");
        let (mut net, route, link) = one_link("310 s", seed, "1.5 Mbit/s", "0 s", queue());
        net.0.classes = ["a", "b", "c"].map(str::to_owned).into();
        let port = net.port(link);
        port.scheduler = scheduler("priority", "order = [a, rest]");
        port.classes = vec![class(""), above("", scheduler("priority", "order = [b, c]"), vec![class(""), class("")])];
        port.queues = ["a", "b", "c"].map(|name| QueuePlan { name: name.to_owned(), discipline: queue() }).into();
        port.queue_of_class = vec![0, 1, 2];
        let packets = ["160 bytes", "mix [160 bytes @ 0.5, 1500 bytes @ 0.5]", "1500 bytes"];
        for (number, (load, packet)) in loads.into_iter().zip(packets).enumerate() {
            let traffic = source("poisson", &format!("rate = {} bit/s; packet = {packet}", load * 1.5e6));
            let group = net.group(["a", "b", "c"][number], traffic, transport("udp", ""), ("0 s", "0 s"));
            net.0.groups[group as usize].class = number as u8;
            net.flow(group, route, route);
        }
        net.0.warm_up = time("10 s");
        net.run()
    };
    let runs = replicate(run);
    for (number, (what, resolution)) in [("first", 0.03), ("second", 0.06), ("third", 0.15)].into_iter().enumerate() {
        let wait = |seen: &Observations| {
            let flow = &seen.flows[number];
            (flow.received.delay_sum_ps as f64 / 1e12 - flow.received.bytes as f64 * 8.0 / 1.5e6) / flow.received.packets as f64
        };
        agrees(what, expected[number], interval(&runs, wait), resolution);
    }
}

#[test]
fn what_one_class_gains_the_other_loses() {
    // The backlog in bytes does not depend on the order of service, so over whole busy periods the sum over packets of
    // size x wait is conserved. At 1 Mbit/s all transmission times are whole, and this is exact.
    for seed in 1..=5 {
        let run = |order| run(seed, 1e6, order, "0 s", "50 s", "60 s");
        let fifo = run(None);
        assert_eq!(fifo.links[0].sent_packets, fifo.links[0].offered_packets[0], "everything has been sent");
        for &order in WORK_CONSERVING {
            let seen = run(Some(order));
            assert_eq!(fifo.links[0].waiting_byte_ps, seen.links[0].waiting_byte_ps, "{order:?}");
            assert_ne!(fifo.flows[0].received.delay_sum_ps, seen.flows[0].received.delay_sum_ps, "{order:?}");
        }
        let priority = run(Some(PRIORITY));
        assert!(priority.flows[0].received.delay_sum_ps < fifo.flows[0].received.delay_sum_ps);
        assert!(priority.flows[1].received.delay_sum_ps > fifo.flows[1].received.delay_sum_ps);
    }
}
