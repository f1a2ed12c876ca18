//! ECN from end to end: queues mark ECN-capable packets, and TCP slows down without losing any.

mod support;

use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use support::{discipline, one_link, source, transport, Net};

const RED: &str = "limit = 400 packets; min-threshold = 20 packets; max-threshold = 100 packets; max-probability = 0.1; ecn = true";

/// A link of 12 Mbit/s and 20 ms that marks, its way back, and a transfer over `tcp`.
fn net(tcp: &str) -> Net {
    let (mut net, route, link) = one_link("60 s", 1, "12 Mbit/s", "20 ms", discipline("red", RED));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "12 Mbit/s", "20 ms", discipline("tail-drop", "limit = 1000 packets"));
    let back = net.route(&[back]);
    let group = net.group("bulk", source("ftp", ""), transport("tcp", tcp), ("0 s", "0 s"));
    net.flow(group, route, back);
    net
}

fn dropped(seen: &Observations) -> u64 {
    DropCause::ALL.iter().map(|cause| seen.links[0].dropped_packets[*cause as usize].iter().sum::<u64>()).sum()
}

#[test]
fn marks_slow_every_variant_down_and_nothing_is_lost() {
    for tcp in ["variant = tahoe", "variant = reno", "variant = new-reno", "variant = sack", "congestion-control = cubic"] {
        // Slow start goes no further than the queue can bear.
        let start = "initial-slow-start-threshold = 60 packets";
        let seen = net(&format!("ecn = true; {start}; {tcp}")).run();
        let flow = &seen.flows[0];
        assert!(seen.links[0].marked_packets > 10, "{tcp}: {}", seen.links[0].marked_packets);
        assert_eq!((dropped(&seen), flow.sent.retransmissions), (0, 0), "{tcp}");
        assert_eq!(flow.received.marked, seen.links[0].marked_packets, "{tcp}");
        let used = seen.links[0].busy.as_seconds() / 60.0;
        assert!(used > 0.9, "{tcp}: {used}");
        // Without marks the window would be 1000 packets, and the buffer full.
        assert!(seen.links[0].waiting_packet_ps < 100 * 60_000_000_000_000, "{tcp}");
    }
}

#[test]
fn what_is_not_ecn_capable_is_dropped_by_the_same_queue() {
    let seen = net("ecn = false; initial-slow-start-threshold = 60 packets").run();
    assert_eq!(seen.links[0].marked_packets, 0);
    assert!(dropped(&seen) > 10);
}

#[test]
fn datagrams_are_as_capable_as_their_transport_says() {
    for (codepoint, marks) in [("not-ect", false), ("ect-0", true), ("ect-1", true)] {
        for jitter in ["", "; spacing-jitter = 0.1"] {
            let (mut net, route, _) = one_link("10 s", 1, "12 Mbit/s", "20 ms", discipline("red", RED));
            let cbr = source("cbr", &format!("rate = 13 Mbit/s; packet = 1500 bytes{jitter}"));
            let group = net.group("cbr", cbr, transport("udp", &format!("ecn = {codepoint}")), ("0 s", "0 s"));
            net.flow(group, route, route);
            let seen = net.run();
            assert_eq!(seen.links[0].marked_packets > 0, marks, "{codepoint}{jitter}");
            assert!(dropped(&seen) > 0, "{codepoint}{jitter}: it does not slow down");
        }
    }
}
