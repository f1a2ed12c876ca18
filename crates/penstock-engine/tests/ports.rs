//! Ports by hand: 125 bytes at 1 Mbit/s, so that a transmission lasts 1 ms.

mod support;

use penstock_engine::blueprint::{MarkAt, MarkerPlan};
use penstock_engine::observations::TraceEvent;
use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use penstock_model::id::{LinkId, RouteId};
use support::{discipline, impairment, meter, one_link, time, Net};

const MS: u64 = 1_000_000_000;

fn link(limit: &str) -> (Net, RouteId, LinkId) {
    one_link("100 ms", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", &format!("limit = {limit}")))
}

/// When each flow's only packet was received, in half milliseconds; `None` if it was not.
fn received(seen: &Observations) -> Vec<Option<u64>> {
    let row = |flow: usize| seen.trace.iter().find(|row| row.event == TraceEvent::Receive && row.flow as usize == flow);
    (0..seen.flows.len()).map(|flow| row(flow).map(|row| row.time.as_ps() / (MS / 2))).collect()
}

fn dropped(seen: &Observations, cause: DropCause) -> u64 {
    seen.links[0].dropped_packets[cause as usize].iter().sum()
}

#[test]
fn three_departures() {
    let (mut net, route, _) = link("9 packets");
    for at in ["0 ms", "0.5 ms", "5 ms"] {
        net.packet(at, 125, route);
    }
    net.0.trace = true;
    // They leave after 1, 2 and 6 ms, and the wire is 10 ms long.
    let seen = net.run();
    assert_eq!(received(&seen), [Some(22), Some(24), Some(32)]);
    assert_eq!(seen.flows[1].delay_sum_ps, u128::from(11 * MS + MS / 2));
    assert_eq!((seen.links[0].sent_packets, seen.links[0].sent_bytes, seen.links[0].busy.as_ps()), (3, 375, 3 * MS));
}

#[test]
fn tail_drop_counts_what_it_is_told_to() {
    for (limit, accepted) in [
        ("3 packets", 4), // and one in service
        ("3 packets; counts = in-system", 3),
        ("300 bytes", 3),
        ("375 bytes; counts = in-system", 3),
        ("374 bytes; counts = in-system", 2),
    ] {
        let (mut net, route, _) = link(limit);
        net.burst("0 ms", 6, 125, route);
        let seen = net.run();
        assert_eq!((seen.links[0].sent_packets, dropped(&seen, DropCause::Overflow)), (accepted, 6 - accepted), "{limit}");
        assert_eq!(seen.links[0].dropped_bytes, 125 * (6 - accepted));
    }
}

#[test]
fn what_leaves_at_an_instant_makes_room_for_what_arrives_then() {
    let (mut net, route, _) = link("1 packets; counts = in-system");
    net.burst("0 ms", 1, 125, route);
    net.packet("0.999999999 ms", 125, route);
    net.packet("1 ms", 125, route);
    net.0.trace = true;
    assert_eq!(received(&net.run()), [Some(22), None, Some(24)]);
}

/// How many of `n` packets a RED queue accepts at once: w = 1/20, certain drop from an average of 3, none below.
fn accepted_by_red(average: &mut f64, n: u32) -> u64 {
    let mut accepted = 0u64;
    for _ in 0..n {
        let waiting = accepted.saturating_sub(1);
        *average = 0.95 * *average + 0.05 * waiting as f64;
        accepted += u64::from(*average < 3.0 || waiting <= 1);
    }
    accepted
}

#[test]
fn red_sees_what_waits_and_how_long_nothing_did() {
    let red = "limit = 90 packets; min-threshold = 2 packets; max-threshold = 3 packets; max-probability = 0; weight = 0.05";
    for (idle, ages) in [("mean-packet = 125 bytes", true), ("idle = ignored", false)] {
        let (mut net, route, _) = one_link("100 ms", 1, "1 Mbit/s", "0 s", discipline("red", &format!("{red}; {idle}")));
        net.burst("0 ms", 30, 125, route);
        net.burst("60.5 ms", 30, 125, route);
        let mut average = 0.0;
        let first = accepted_by_red(&mut average, 30);
        // The first burst is gone after `first` ms; half a packet's time does not count.
        average *= if ages { 0.95f64.powi(60 - first as i32) } else { 1.0 };
        let expected = first + accepted_by_red(&mut average, 30);
        let seen = net.run();
        assert_eq!((seen.links[0].sent_packets, dropped(&seen, DropCause::Forced)), (expected, 60 - expected), "{idle}");
        // A fresh average takes 13 packets to reach 3 and the aged one 12. The old one never leaves the zone of certain
        // drops, where only what finds at most one packet waiting gets in: three.
        assert_eq!(expected, if ages { 13 + 12 } else { 13 + 3 });
    }
}

#[test]
fn colours_on_arrival_or_departure() {
    // The bucket holds one packet and refills in the time of one: a burst conforms as it leaves, not as it comes.
    for (at, green) in [(MarkAt::Arrival, 1), (MarkAt::Departure, 3)] {
        let (mut net, route, id) = link("9 packets");
        net.marker(id, MarkerPlan { meter: meter("token-bucket", "rate = 1 Mbit/s; burst = 125 bytes"), at });
        net.burst("0 ms", 3, 125, route);
        net.0.trace = true;
        let seen = net.run();
        let arrived_green = seen.trace.iter().filter(|row| row.event == TraceEvent::Receive && row.precedence == 0).count();
        assert_eq!(arrived_green, green);
        let offered = if at == MarkAt::Arrival { [1, 2, 0, 0] } else { [3, 0, 0, 0] };
        assert_eq!(seen.links[0].offered_packets, offered);
    }
}

#[test]
fn a_window_cuts_through_packets() {
    let (mut net, route, _) = link("9 packets");
    net.burst("0 ms", 3, 125, route);
    (net.0.warm_up, net.0.end) = (time("0.5 ms"), time("2.25 ms"));
    let seen = net.run();
    let port = &seen.links[0];
    // On the wire without a break; the second waits until 1 ms, the third until 2 ms.
    assert_eq!(port.busy.as_ps(), 1_750_000_000);
    assert_eq!(port.waiting_packet_ps, u128::from(MS / 2 + MS + MS / 2));
    assert_eq!(port.waiting_byte_ps, 125 * port.waiting_packet_ps);
    // Two begin in the window, having waited 1 and 2 ms, and two end in it; none arrives.
    assert_eq!((port.waits, port.wait_sum_ps), (2, u128::from(3 * MS)));
    assert_eq!((port.sent_packets, port.offered_packets), (2, [0; 4]));
}

#[test]
fn samples_follow_everything_else_of_their_instant() {
    let (mut net, route, id) = link("9 packets");
    net.burst("0 ms", 3, 125, route);
    net.packet("2 ms", 125, route);
    net.sample(id, "0.5 ms");
    net.0.end = time("4 ms");
    // At 1 ms the second begins, at 2 ms the third while a fourth joins.
    assert_eq!(net.run().samples, [[2, 1, 1, 1, 1, 0, 0, 0]]);
}

#[test]
fn a_link_without_traffic_has_empty_samples() {
    let (mut net, route, _) = link("9 packets");
    net.packet("0 ms", 125, route);
    let (a, b) = (net.0.links[0].from, net.0.links[0].to);
    let idle =
        [net.link(a, b, "1 Mbit/s", "0 s", discipline("tail-drop", "")), net.link(b, a, "1 Mbit/s", "0 s", discipline("tail-drop", ""))];
    idle.into_iter().for_each(|id| net.sample(id, "30 ms"));
    assert_eq!(net.run().samples, [[0; 3], [0; 3]]);
}

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
    let received: u64 = seen.flows.iter().map(|flow| flow.received_packets).sum();
    assert_eq!((received, seen.links[0].sent_packets, dropped(&seen, DropCause::Overflow)), (1, 1, 0));
}

#[test]
fn losses_on_the_wire_are_sent_and_lost() {
    let (mut net, route, id) = link("9 packets");
    net.port(id).impairments = vec![impairment("loss", "probability = 1")];
    net.burst("0 ms", 3, 125, route);
    let seen = net.run();
    assert_eq!((seen.links[0].sent_packets, dropped(&seen, DropCause::Loss)), (3, 3));
    assert!(seen.flows.iter().all(|flow| (flow.sent_packets, flow.received_packets) == (1, 0)));
}

#[test]
fn added_delay_overtakes() {
    let (mut net, route, id) = link("99 packets");
    net.port(id).impairments = vec![impairment("delay", "added = uniform [0 ms, 20 ms]")];
    net.burst("0 ms", 50, 125, route);
    net.0.trace = true;
    let seen = net.run();
    let order: Vec<u32> = seen.trace.iter().filter(|row| row.event == TraceEvent::Receive).map(|row| row.flow).collect();
    assert_eq!(order.len(), 50);
    assert!(!order.is_sorted());
    for (i, flow) in seen.flows.iter().enumerate() {
        let least = (i as u64 + 11) * MS;
        assert!((least..least + 20 * MS).contains(&flow.delay_max.as_ps()), "packet {i}");
    }
}

#[test]
fn traces_are_sorted_and_complete() {
    let mut net = Net::new("100 ms", 1);
    let nodes: Vec<_> = (0..3).map(|i| net.node(&format!("n{i}"))).collect();
    let links: Vec<_> = nodes.windows(2).map(|pair| net.link(pair[0], pair[1], "1 Mbit/s", "1 ms", discipline("tail-drop", ""))).collect();
    let route = net.route(&links);
    net.burst("0 ms", 5, 125, route);
    net.burst("3 ms", 5, 125, route);
    net.0.trace = true;
    let seen = net.run();
    assert!(seen.trace.is_sorted_by_key(|row| (row.time, row.place)));
    for flow in 0..10 {
        // Sent at node 0, taken by both ports (places 3 and 4, after the nodes), received at node 2.
        let life: Vec<_> = seen.trace.iter().filter(|row| row.flow == flow).map(|row| (row.event, row.place)).collect();
        assert_eq!(life, [(TraceEvent::Send, 0), (TraceEvent::Accept, 3), (TraceEvent::Accept, 4), (TraceEvent::Receive, 2)]);
    }
}

#[test]
fn nothing_counts_before_the_warm_up() {
    let (mut net, route, _) = link("9 packets");
    net.burst("0 ms", 2, 125, route);
    net.packet("20 ms", 125, route);
    net.0.warm_up = time("12 ms");
    let seen = net.run();
    // The second is received at 12 ms, when counting begins, inclusive.
    let counts: Vec<_> = seen.flows.iter().map(|flow| (flow.sent_packets, flow.received_packets)).collect();
    assert_eq!(counts, [(0, 0), (0, 1), (1, 1)]);
    assert_eq!((seen.links[0].offered_packets[0], seen.links[0].busy.as_ps()), (1, MS));
    assert_eq!(seen.packet_hops, 3, "over the whole run");
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

#[test]
fn two_impairments_that_keep_the_order_keep_it_together() {
    let (mut net, route, id) = link("99 packets");
    net.port(id).impairments = vec![impairment("delay", "added = uniform [0 ms, 20 ms]; keep-order = true"); 2];
    net.burst("0 ms", 50, 125, route);
    net.0.trace = true;
    let seen = received(&net.run());
    assert!(seen.iter().all(Option::is_some) && seen.is_sorted());
}

#[test]
fn a_port_in_service_mode_counts_what_still_waits() {
    // Of three packets the second begins at 1 ms and the third waits at the end, after 1.5 ms.
    for force_service in [false, true] {
        let (mut net, route, id) = link("9 packets");
        net.port(id).force_service = force_service;
        net.burst("0 ms", 3, 125, route);
        net.0.end = time("1.5 ms");
        let port = &net.run().links[0];
        assert_eq!(port.waiting_packet_ps, u128::from(MS + 3 * MS / 2));
        assert_eq!((port.waits, port.wait_sum_ps), (2, u128::from(MS)));
    }
}

#[test]
fn losses_after_the_end_are_not_recorded() {
    for force_service in [false, true] {
        let (mut net, route, id) = link("9 packets");
        net.port(id).force_service = force_service;
        net.port(id).impairments = vec![impairment("loss", "probability = 1")];
        net.burst("0 ms", 3, 125, route);
        (net.0.end, net.0.trace) = (time("1.5 ms"), true);
        let seen = net.run();
        assert_eq!(dropped(&seen, DropCause::Loss), 1);
        assert_eq!(seen.trace.iter().filter(|row| row.event == TraceEvent::Drop(DropCause::Loss)).count(), 1);
    }
}
