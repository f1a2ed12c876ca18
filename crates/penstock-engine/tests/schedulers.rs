//! Strict priority between two Poisson classes, EF of 160 and best effort of 1500 bytes.

mod support;

use penstock_engine::blueprint::QueuePlan;
use penstock_engine::Observations;
use support::statistics::{agrees, interval, replicate};
use support::{discipline, one_link, scheduler, source, time, transport};

/// EF at load .3 and best effort at load .6 over `rate` bit/s; sources fall silent at `stop`.
fn run(seed: u64, rate: f64, priority: bool, warm_up: &str, stop: &str, end: &str) -> Observations {
    let queue = || discipline("tail-drop", "limit = 1000000 packets");
    let (mut net, route, link) = one_link(end, seed, &format!("{rate} bit/s"), "0 s", queue());
    net.0.classes = vec!["ef".to_owned(), "default".to_owned()];
    let port = net.port(link);
    port.queue_of_class = vec![0, 0];
    if priority {
        port.scheduler = scheduler("priority", "order = [ef, default]");
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

/// The mean wait of a flow: its delay less its transmission at 1.5 Mbit/s.
fn wait_ms(seen: &Observations, flow: usize, size: u64) -> f64 {
    let flow = &seen.flows[flow];
    flow.delay_sum_ps as f64 / flow.received_packets as f64 / 1e9 - size as f64 * 8.0 / 1500.0
}

#[test]
fn waits_follow_cobham() {
    // W_k = R / ((1 - s_(k-1)) (1 - s_k)), R = sum lambda_i E[S_i^2] / 2, s_k the load of the classes up to k.
    let runs = |priority| replicate(|seed| run(seed, 1.5e6, priority, "10 s", "310 s", "310 s"));
    let (priority, fifo) = (runs(true), runs(false));
    agrees("EF", 3.6114, interval(&priority, |seen| wait_ms(seen, 0, 160)), 0.03);
    agrees("best effort", 36.1143, interval(&priority, |seen| wait_ms(seen, 1, 1500)), 0.15);
    agrees("EF in a FIFO", 25.28, interval(&fifo, |seen| wait_ms(seen, 0, 160)), 0.15);
    // Conservation: the sum over the classes of load x wait is that of any order.
    let conserved = |seen: &Observations| 0.3 * wait_ms(seen, 0, 160) + 0.6 * wait_ms(seen, 1, 1500);
    agrees("conservation", 0.9 * 25.28, interval(&priority, conserved), 0.15);
}

#[test]
fn what_one_class_gains_the_other_loses() {
    // The backlog in bytes does not depend on the order of service, so over whole busy periods the sum over packets of
    // size x wait is conserved. At 1 Mbit/s all transmission times are whole, and this is exact.
    for seed in 1..=5 {
        let [fifo, priority] = [false, true].map(|priority| run(seed, 1e6, priority, "0 s", "50 s", "60 s"));
        assert_eq!(fifo.links[0].sent_packets, fifo.links[0].offered_packets[0], "everything has been sent");
        assert_eq!(fifo.links[0].waiting_byte_ps, priority.links[0].waiting_byte_ps);
        assert!(priority.flows[0].delay_sum_ps < fifo.flows[0].delay_sum_ps);
        assert!(priority.flows[1].delay_sum_ps > fifo.flows[1].delay_sum_ps);
    }
}
