//! Ports by hand: departures, what a queue refuses, and colours.

#[path = "support/by_hand.rs"]
mod by_hand;
mod support;

use by_hand::{dropped, link, received};
use penstock_engine::blueprint::{MarkAt, MarkerPlan, Ties};
use penstock_engine::observations::TraceEvent;
use penstock_engine::{Executor, Sim};
use penstock_model::discipline::DropCause;
use support::{discipline, meter, one_link, source, transport, Net};

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
    assert_eq!(seen.flows[1].received.delay_sum_ps, 11_500_000_000);
    assert_eq!((seen.links[0].sent_packets, seen.links[0].sent_bytes, seen.links[0].busy.as_ps()), (3, 375, 3_000_000_000));
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

/// Of the packets from near by, one is in service and two wait when the fourth comes. Another one has been under way from afar
/// since before, and when that arrives all have left.
#[test]
fn who_is_still_far_away_finds_no_room_for_others() {
    let mut net = Net::new("100 ms", 1);
    let [near, far, router, sink] = ["near", "far", "router", "sink"].map(|name| net.node(name));
    let near = net.link(near, router, "10 Mbit/s", "100 us", discipline("tail-drop", ""));
    let far = net.link(far, router, "10 Mbit/s", "50 ms", discipline("tail-drop", ""));
    let out = net.link(router, sink, "1 Mbit/s", "10 ms", discipline("tail-drop", "limit = 2 packets"));
    let (near, far) = (net.route(&[near, out]), net.route(&[far, out]));
    net.packet("0 ms", 125, far);
    net.burst("0 ms", 3, 125, near);
    net.packet("0.5 ms", 125, near);
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        let seen = Sim::new(net.0.clone()).expect("a sound blueprint").with_executor(executor).run();
        let link = &seen.links[out.index()];
        assert_eq!((link.sent_packets, link.dropped_bytes), (4, 125), "{executor:?}");
    }
}

#[test]
fn drops_that_the_order_of_simultaneous_arrivals_decided_are_counted() {
    let mut net = Net::new("100 ms", 1);
    let [router, sink] = ["router", "sink"].map(|name| net.node(name));
    let out = net.link(router, sink, "1 Mbit/s", "10 ms", discipline("tail-drop", "limit = 1 packets"));
    let routes = ["a", "b", "c", "d"].map(|name| {
        let host = net.node(name);
        let link = net.link(host, router, "10 Mbit/s", "1 ms", discipline("tail-drop", ""));
        net.route(&[link, out])
    });
    for route in routes {
        net.packet("0 ms", 125, route);
    }
    // This one is dropped too, but comes alone.
    net.packet("0.5 ms", 125, routes[0]);
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        let seen = Sim::new(net.0.clone()).expect("a sound blueprint").with_executor(executor).run();
        let link = &seen.links[out.index()];
        assert_eq!((link.sent_packets, link.dropped_bytes, link.tied_drops), (2, 375, 2), "{executor:?}");
    }
    net.0.ties = Ties::Random;
    assert_eq!(net.run().links[out.index()].tied_drops, 2, "what chance decided is told too, and left out where it is reported");
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
    // The first burst is gone after `first` ms, and the second comes 60.5 ms after the beginning.
    for (idle, until) in
        [("mean-packet = 125 bytes", Some(60.0)), ("mean-packet = 125 bytes; idle = exact", Some(60.5)), ("idle = ignored", None)]
    {
        let (mut net, route, _) = one_link("100 ms", 1, "1 Mbit/s", "0 s", discipline("red", &format!("{red}; {idle}")));
        net.burst("0 ms", 30, 125, route);
        net.burst("60.5 ms", 30, 125, route);
        let mut average = 0.0;
        let first = accepted_by_red(&mut average, 30);
        average *= until.map_or(1.0, |until: f64| 0.95f64.powf(until - first as f64));
        let expected = first + accepted_by_red(&mut average, 30);
        let seen = net.run();
        assert_eq!((seen.links[0].sent_packets, dropped(&seen, DropCause::Forced)), (expected, 60 - expected), "{idle}");
        // A fresh average takes 13 packets to reach 3 and the aged one 12. The old one never leaves the zone of certain
        // drops, where only what finds at most one packet waiting gets in: three.
        assert_eq!(expected, if until.is_some() { 13 + 12 } else { 13 + 3 });
    }
}

#[test]
fn packets_of_one_size_are_dropped_alike_whether_packets_or_bytes_are_counted() {
    // 512 bytes are a power of two, so that averages and thresholds are the same to the last bit.
    let sent = |unit: &str, more: &str| {
        let of = |packets: u32| if unit == "packets" { format!("{packets} packets") } else { format!("{} bytes", 512 * packets) };
        let [none, low, high, limit] = [0, 4, 12, 20].map(of);
        let lists =
            format!("limit = {limit}; min-thresholds = [{low}, {none}]; max-thresholds = [{high}, {low}]; max-probabilities = [0.1, 0.5]");
        let settings = format!("{lists}; weight = 0.05; mode = packets; near-empty = drop; {more}");
        let (mut net, route, id) = one_link("20 s", 1, "1 Mbit/s", "0 s", discipline("red-n", &settings));
        net.marker(id, MarkerPlan { meter: meter("tsw2cm", "committed-rate = 700 kbit/s"), at: MarkAt::Arrival });
        let poisson = source("poisson", "rate = 1.2 Mbit/s; packet = 512 bytes");
        let group = net.group("f", poisson, transport("udp", ""), ("0 s", "0 s"));
        net.flow(group, route, route);
        net.run()
    };
    for averages in ["averages = coupled", "averages = separate", "averages = total"] {
        let (packets, bytes) = (sent("packets", averages), sent("bytes", averages));
        assert_eq!((&packets.links, &packets.flows), (&bytes.links, &bytes.flows), "{averages}");
        assert!(dropped(&packets, DropCause::Early) > 100 && dropped(&packets, DropCause::Forced) > 10, "{averages}");
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
        let arrived_green = seen.trace.iter().filter(|row| row.event == TraceEvent::Receive && row.precedence() == 0).count();
        assert_eq!(arrived_green, green);
        let offered = if at == MarkAt::Arrival { [1, 2, 0, 0] } else { [3, 0, 0, 0] };
        assert_eq!(seen.links[0].offered_packets, offered);
    }
}
