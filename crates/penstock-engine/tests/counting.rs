//! Counts, samples and traces, worked by hand.

#[path = "support/by_hand.rs"]
mod by_hand;
mod support;

use by_hand::{link, MS};
use penstock_engine::blueprint::{MarkAt, MarkerPlan, PcnAt};
use penstock_engine::observations::TraceEvent;
use support::{discipline, meter, pcn_meter, time, Net};

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
fn a_port_in_service_mode_counts_what_still_waits() {
    // Of three packets the second begins at 1 ms and the third waits at the end, after 1.5 ms.
    for force_event_driven in [false, true] {
        let (mut net, route, id) = link("9 packets");
        net.port(id).force_event_driven = force_event_driven;
        net.burst("0 ms", 3, 125, route);
        net.0.end = time("1.5 ms");
        let port = &net.run().links[0];
        assert_eq!(port.waiting_packet_ps, u128::from(MS + 3 * MS / 2));
        assert_eq!((port.waits, port.wait_sum_ps), (2, u128::from(MS)));
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
    let counts: Vec<_> = seen.flows.iter().map(|flow| (flow.sent.packets, flow.received.packets)).collect();
    assert_eq!(counts, [(0, 0), (0, 1), (1, 1)]);
    assert_eq!((seen.links[0].offered_packets[0], seen.links[0].busy.as_ps()), (1, MS));
    assert_eq!(seen.packet_hops, 3, "over the whole run");
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
fn meters_are_sampled_at_their_instants() {
    // Three packets of 1000 bits at 0 and one at 2 ms; a bit a microsecond flows in, up to 4000 and 8000.
    let bucket = "rate = 1 Mbit/s; burst = 500 bytes";
    for (at, fills) in [
        // At 1 ms 4000 - 3000 + 1000; at 2 ms 3000 - 1000.
        (MarkAt::Arrival, [2000.0, 2000.0, 3000.0, 4000.0, 4000.0]),
        // One packet each at 0, 1, 2 and 3 ms.
        (MarkAt::Departure, [3000.0, 3000.0, 3000.0, 4000.0, 4000.0]),
    ] {
        let (mut net, route, id) = link("9 packets");
        net.burst("0 ms", 3, 125, route);
        net.packet("2 ms", 125, route);
        net.sample_meters(id, "1 ms");
        net.0.end = time("5 ms");
        let port = net.port(id);
        port.marker = Some(MarkerPlan { meter: meter("token-bucket", bucket), at });
        port.pcn = vec![pcn_meter("threshold", "rate = 1 Mbit/s; size = 8 ms; threshold = 4 ms")];
        let seen = net.run();
        let told: Vec<_> = seen.meter_samples[0].iter().map(|it| (it.meter, it.variable, it.unit, &it.values[..])).collect();
        let threshold = [6000.0, 6000.0, 7000.0, 8000.0, 8000.0];
        assert_eq!(told, [(0, "fill", "bit", &fills[..]), (1, "fill", "bit", &threshold[..])], "{at:?}");
    }
}

/// Of ten packets of 125 bytes at once, a bucket of 1000 bytes is below 500 after each but the first four.
#[test]
fn marks_of_meters_are_counted_and_traced() {
    for (trace, batches) in [(false, true), (false, false), (true, false)] {
        let (mut net, route, id) = link("20 packets");
        net.burst("0 ms", 10, 125, route);
        net.port(id).pcn = vec![pcn_meter("threshold", "rate = 1 Mbit/s; size = 1000 bytes; threshold = 500 bytes")];
        (net.0.trace, net.0.fast_paths.batches) = (trace, batches);
        let seen = net.run();
        assert_eq!((seen.links[0].marked_packets, seen.links[0].marked_bytes), (6, 750), "batches: {batches}, trace: {trace}");
        let rows = seen.trace.iter().filter(|row| row.event == TraceEvent::PcnMark).count();
        assert_eq!(rows, if trace { 6 } else { 0 });
    }
}

#[test]
fn looking_changes_nothing() {
    let net = |looks: bool| {
        let (mut net, route, id) = link("3 packets");
        ["0 ms", "1.5 ms", "7 ms"].into_iter().for_each(|at| net.burst(at, 5, 125, route));
        let port = net.port(id);
        port.pcn = vec![pcn_meter("excess", "rate = 500 kbit/s; size = 1 ms")];
        port.pcn_at = PcnAt::Departure;
        if looks {
            net.sample_meters(id, "13 us");
        }
        net.run()
    };
    let (looked, plain) = (net(true), net(false));
    assert!(looked.meter_samples[0][0].values.iter().any(|fill| *fill < 0.0), "a debt");
    assert_eq!((looked.digest, &looked.links, &looked.flows), (plain.digest, &plain.links, &plain.flows));
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
        // Sent at node 0, taken and sent on by both ports (places 3 and 4, after the nodes), received at node 2.
        let life: Vec<_> = seen.trace.iter().filter(|row| row.flow() == flow).map(|row| (row.event, row.place)).collect();
        let at_port = |place| [(TraceEvent::Accept, place), (TraceEvent::Transmit, place)];
        assert_eq!(life, [&[(TraceEvent::Send, 0)][..], &at_port(3), &at_port(4), &[(TraceEvent::Receive, 2)]].concat());
    }
}
