//! Wires by hand: failures, losses, delays.

#[path = "support/by_hand.rs"]
mod by_hand;
mod support;

use by_hand::{dropped, link, received, MS};
use penstock_engine::observations::TraceEvent;
use penstock_model::discipline::DropCause;
use support::{discipline, impairment, time, Net};

#[test]
fn a_failure_holds_packets_and_loses_none() {
    let (mut net, route, _) = link("9 packets");
    net.0.links[0].rate_changes = vec![(time("0.5 ms"), "0 bit/s".parse().unwrap()), (time("10 ms"), "2 Mbit/s".parse().unwrap())];
    net.burst("0 ms", 3, 125, route);
    net.0.trace = true;
    // Half of the first is sent before; the other half takes a quarter of a millisecond at the new rate.
    let seen = net.run();
    let times: Vec<u64> = seen.trace.iter().filter(|row| row.event == TraceEvent::Receive).map(|row| row.time.as_ps()).collect();
    assert_eq!(times, [20 * MS + MS / 4, 20 * MS + 3 * MS / 4, 21 * MS + MS / 4]);
}

#[test]
fn a_cut_link_keeps_what_it_has() {
    let (mut net, route, _) = link("9 packets");
    net.0.links[0].rate_changes = vec![(time("1.5 ms"), "0 bit/s".parse().unwrap())];
    net.burst("0 ms", 3, 125, route);
    let seen = net.run();
    let received: u64 = seen.flows.iter().map(|flow| flow.received.packets).sum();
    assert_eq!((received, seen.links[0].sent_packets, dropped(&seen, DropCause::Overflow)), (1, 1, 0));
}

#[test]
fn a_transmission_that_never_ends_is_traced_when_it_begins() {
    let staged = || vec![impairment("loss", "probability = 0")];
    let cases = [
        ("tail-drop", "", false, vec![]),
        ("tail-drop", "", true, vec![]),
        ("tail-drop", "", false, staged()),
        ("tail-drop", "", true, staged()),
        ("step-marking", "threshold = 7 packets", false, vec![]),
        ("codel", "", false, vec![]),
    ];
    for (name, parameters, force_event_driven, impairments) in cases {
        let (mut net, route, id) = link("9 packets");
        net.0.links[0].rate_changes = vec![(time("1.5 ms"), "0 bit/s".parse().unwrap())];
        let port = net.port(id);
        port.force_event_driven = force_event_driven;
        port.impairments = impairments;
        port.queues[0].discipline = discipline(name, &format!("limit = 9 packets; {parameters}"));
        net.burst("0 ms", 3, 125, route);
        net.0.trace = true;
        let seen = net.run();
        let begun: Vec<u64> = seen.trace.iter().filter(|row| row.event == TraceEvent::Transmit).map(|row| row.time.as_ps()).collect();
        // The second begins before the link fails, and the third never does.
        assert_eq!(begun, [0, MS], "{name}, {force_event_driven}");
        assert_eq!(seen.links[0].sent_packets, 1);
    }
}

#[test]
fn losses_on_the_wire_are_sent_and_lost() {
    let (mut net, route, id) = link("9 packets");
    net.port(id).impairments = vec![impairment("loss", "probability = 1")];
    net.burst("0 ms", 3, 125, route);
    let seen = net.run();
    assert_eq!((seen.links[0].sent_packets, dropped(&seen, DropCause::Loss)), (3, 3));
    assert!(seen.flows.iter().all(|flow| (flow.sent.packets, flow.received.packets) == (1, 0)));
}

#[test]
fn losses_after_the_end_are_not_recorded() {
    for force_event_driven in [false, true] {
        let (mut net, route, id) = link("9 packets");
        net.port(id).force_event_driven = force_event_driven;
        net.port(id).impairments = vec![impairment("loss", "probability = 1")];
        net.burst("0 ms", 3, 125, route);
        (net.0.end, net.0.trace) = (time("1.5 ms"), true);
        let seen = net.run();
        assert_eq!(dropped(&seen, DropCause::Loss), 1);
        assert_eq!(seen.trace.iter().filter(|row| row.event == TraceEvent::Drop(DropCause::Loss)).count(), 1);
    }
}

#[test]
fn added_delay_overtakes() {
    let (mut net, route, id) = link("99 packets");
    net.port(id).impairments = vec![impairment("delay", "added = uniform [0 ms, 20 ms]")];
    net.burst("0 ms", 50, 125, route);
    net.0.trace = true;
    let seen = net.run();
    let order: Vec<u32> = seen.trace.iter().filter(|row| row.event == TraceEvent::Receive).map(|row| row.flow()).collect();
    assert_eq!(order.len(), 50);
    assert!(!order.is_sorted());
    for (i, flow) in seen.flows.iter().enumerate() {
        let least = (i as u64 + 11) * MS;
        assert!((least..least + 20 * MS).contains(&flow.received.delay_max.as_ps()), "packet {i}");
    }
}

#[test]
fn impairments_in_a_row_keep_the_order_if_the_last_one_does() {
    for first in ["added = uniform [0 ms, 20 ms]", "added = uniform [0 ms, 20 ms]; keep-order = true"] {
        let (mut net, route, id) = link("99 packets");
        net.port(id).impairments =
            vec![impairment("delay", first), impairment("delay", "added = uniform [0 ms, 20 ms]; keep-order = true")];
        net.burst("0 ms", 50, 125, route);
        net.0.trace = true;
        // Those that are held back for one before them arrive together with it, and after it.
        let order: Vec<u32> = net.run().trace.iter().filter(|row| row.event == TraceEvent::Receive).map(|row| row.flow()).collect();
        assert_eq!(order, (0..50).collect::<Vec<u32>>());
    }
}

#[test]
fn links_without_delay_pass_packets_on_at_once() {
    let mut net = Net::new("100 ms", 1);
    let nodes: Vec<_> = (0..4).map(|i| net.node(&format!("n{i}"))).collect();
    // Numbered against the direction of travel.
    let pairs = [(2, 3), (1, 2), (0, 1)];
    let links = pairs.map(|(from, to): (usize, usize)| net.link(nodes[from], nodes[to], "1 Mbit/s", "0 s", discipline("tail-drop", "")));
    let route = net.route(&[links[2], links[1], links[0]]);
    net.burst("0 ms", 2, 125, route);
    net.0.trace = true;
    assert_eq!(received(&net.run()), [Some(6), Some(8)]);
}
