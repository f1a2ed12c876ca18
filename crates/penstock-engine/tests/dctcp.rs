//! DCTCP in the whole simulator, over queues that mark every arrival from a level on.

mod support;

use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use penstock_model::id::LinkId;
use support::{discipline, one_link, source, time, transport, Net};

/// Every ECN-capable arrival is marked that finds at least 21 packets waiting.
const STEP: &str = "limit = 200 packets; threshold = 20 packets";

/// 100 Mbit/s and a round trip of 10.12 ms without a queue: 84.3 packets. A transfer without end for each of `tcp`.
fn net(tcp: &[&str]) -> Net {
    let (mut net, route, link) = one_link("5 s", 1, "100 Mbit/s", "5 ms", discipline("step-marking", STEP));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "10 Gbit/s", "5 ms", discipline("tail-drop", "limit = 100000 packets"));
    let back = net.route(&[back]);
    for (i, tcp) in tcp.iter().enumerate() {
        let settings = transport("tcp", &format!("ecn = true; min-rto = 200 ms; initial-slow-start-threshold = 80 packets; {tcp}"));
        let group = net.group(&format!("bulk{i}"), source("ftp", ""), settings, ("0 s", "0 s"));
        net.flow(group, route, back);
    }
    net.0.warm_up = time("1 s");
    net
}

fn dropped(seen: &Observations) -> u64 {
    DropCause::ALL.iter().map(|cause| seen.links[0].dropped_packets[*cause as usize].iter().sum::<u64>()).sum()
}

/// The share of the link that is used, and the mean number of packets that wait.
fn use_and_queue(seen: &Observations) -> (f64, f64) {
    (seen.links[0].busy.as_seconds() / 4.0, seen.links[0].waiting_packet_ps as f64 / 4e12)
}

/// The sawtooth of one flow [Alizadeh10 s3.3], where the window rises by `step` packets a round trip: to W = W* + step with
/// W* = C RTT + K, and all that it sends in the last of them is marked. So alpha, the share of marked packets in a tooth, has
/// alpha^2 (1 - alpha / 4) = (2 step W* + step^2) / W^2, and the window, and with it the queue, falls by W alpha / 2.
fn swing(star: f64, step: f64) -> f64 {
    let wanted = (2.0 * step * star + step * step) / (star + step).powi(2);
    let alpha = (0..100).fold(0.1, |alpha: f64, _| (wanted / (1.0 - alpha / 4.0)).sqrt());
    (star + step) * alpha / 2.0
}

#[test]
fn the_queue_swings_below_the_level_as_far_as_theory_says_and_the_link_is_full() {
    // With a level of 21 the queue keeps some packets after each reduction, so that the link is never idle. Where every second
    // segment is acknowledged the window rises half as fast.
    for (tcp, step, worked) in [("", 1.0, 7.4), ("; recovery = sack", 1.0, 7.4), ("; ack-every = 2", 0.5, 5.2)] {
        let swing = swing(84.3 + 21.0, step);
        assert!((swing - worked).abs() < 0.1, "{swing}");
        let seen = net(&[&format!("congestion-control = dctcp{tcp}")]).run();
        assert_eq!((dropped(&seen), seen.flows[0].sent.retransmissions), (0, 0), "{tcp}");
        let (used, queue) = use_and_queue(&seen);
        assert!(used > 0.999, "{tcp}: {used}");
        // Up to 21 + step and down by the swing. A packet for what the fluid model leaves out: packets are whole.
        let expected = 21.0 + step - swing / 2.0;
        assert!((queue - expected).abs() < 1.0, "{tcp}: {queue} packets wait, not {expected}");
        // Of all packets, the share alpha is marked. A tooth has about 8 round trips of which one is marked, in whole ones: half of
        // one in so many. Where the window rises by half a packet the last round is marked in part, which has no formula.
        let (alpha, flow) = (2.0 * swing / (84.3 + 21.0 + step), &seen.flows[0]);
        let marked = flow.received.marked as f64 / flow.received.packets as f64;
        assert!(step < 1.0 || (marked / alpha - 1.0).abs() < 0.07, "{tcp}: {marked} are marked, not {alpha}");
    }
}

#[test]
fn the_same_marks_halve_the_window_of_reno_and_leave_the_link_idle() {
    let (used, queue) = use_and_queue(&net(&[""]).run());
    // The window falls from 106 to 53 packets and rises by one a round trip. In the first 31 of these, 84 would fill the link,
    // 31^2 / 2 are missing; in the other 22 it sends 95 on average. Seven teeth fit into four seconds, so that the last may be
    // cut where a seventh of what is missing, .015, is not made up for.
    let expected = 1.0 - 31.0 * 31.0 / 2.0 / (31.0 * 84.3 + 22.0 * 95.0);
    assert!((used - expected).abs() < 0.02, "{used}, not {expected}");
    assert!(queue < 10.0, "{queue}");
}

#[test]
fn flows_share_a_short_queue_alike() {
    let seen = net(&["congestion-control = dctcp"; 4]).run();
    assert_eq!(dropped(&seen), 0);
    let (used, queue) = use_and_queue(&seen);
    assert!(used > 0.99 && queue < 25.0, "{used}, {queue}");
    let shares: Vec<f64> = seen.flows.iter().map(|flow| flow.goodput_bytes as f64).collect();
    let fairness = shares.iter().sum::<f64>().powi(2) / (4.0 * shares.iter().map(|share| share * share).sum::<f64>());
    // Four seconds are 400 round trips, a tooth about 8: alike within a few per cent.
    assert!(fairness > 0.98, "{shares:?}");
}

#[test]
fn without_marks_it_is_reno() {
    let run = |tcp: &str| {
        let mut net = net(&[tcp]);
        net.port(LinkId(0)).queues[0].discipline = discipline("tail-drop", "limit = 50 packets");
        net.run()
    };
    let (reno, dctcp) = (run(""), run("congestion-control = dctcp"));
    assert!(dropped(&reno) > 0);
    assert_eq!(reno.flows[0].goodput_bytes, dctcp.flows[0].goodput_bytes);
}
