//! CoDel and COBALT ports in whole simulations: when they drop, and what becomes of standing queues.

mod support;

use penstock_engine::observations::TraceEvent;
use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use penstock_model::id::LinkId;
use support::{discipline, one_link, scheduler, source, transport, Dumbbell, Net};

/// A link of 1 Mbit/s, on which 1000 bytes take 8 ms, with twice that offered by a source that does not respond.
fn overload(name: &str, queue: &str, end: &str) -> Net {
    let (mut net, route, _) = one_link(end, 1, "1 Mbit/s", "10 ms", discipline(name, queue));
    let cbr = source("cbr", "rate = 2 Mbit/s; packet = 1000 bytes; phase = zero");
    let group = net.group("cbr", cbr, transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    net.0.trace = true;
    net
}

/// When packets were dropped at departure, in ms.
fn drops(seen: &Observations) -> Vec<f64> {
    let rows = seen.trace.iter().filter(|row| row.event == TraceEvent::Drop(DropCause::Early));
    rows.map(|row| row.time.as_seconds() * 1000.0).collect()
}

#[test]
fn an_overload_is_dropped_at_the_times_of_the_control_law() {
    let drops = drops(&overload("codel", "", "2 s").run());
    // Packets come each 4 ms and go each 8 ms. At 16 ms one has waited for 8 ms, with 1000 bytes behind it; at 24 ms the next
    // for 12 ms, with 2000 bytes, which are more than an MTU. 100 ms later, at 124 ms, CoDel may drop: at 128 ms.
    let mut due = 128.0;
    assert_eq!(drops[0], due);
    for (n, at) in drops.iter().enumerate().skip(1) {
        due += 100.0 / (n as f64).sqrt();
        assert!(due <= *at && *at < due + 8.0, "drop {n} at {at}, due at {due:.3}");
    }
    // 2 sqrt(n) intervals of 100 ms take n drops.
    assert!((80..110).contains(&drops.len()), "{}", drops.len());
}

#[test]
fn cobalt_waits_for_four_packet_times_at_a_low_rate() {
    let drops = drops(&overload("cobalt", "mtu = 1000 bytes", "2 s").run());
    // 1000 bytes take 8 ms, so that the target is 12 ms and the interval 107 ms; the packet sent at 8 k ms has waited for 4 k ms, at
    // 72 ms for more than 32 ms. The first drop is due at 179 ms.
    let mut due = 179.0;
    for (n, at) in drops.iter().enumerate() {
        assert!(due <= *at && *at < due + 8.0, "drop {n} at {at}, due at {due:.3}");
        due += 107.0 / (n as f64 + 2.0).sqrt();
    }
    assert!(due > 1992.0, "none is left out until the end: due at {due:.3}");
}

#[test]
fn a_limit_drops_arrivals() {
    let seen = overload("codel", "limit = 30 packets", "2 s").run();
    let dropped = seen.links[0].dropped_packets;
    assert!(dropped[DropCause::Overflow as usize][0] > 0 && dropped[DropCause::Early as usize][0] > 0);
}

/// TCP through a bottleneck of 10 Mbit/s with a round-trip time of 44 ms: mean wait there in ms, and its utilisation.
fn standing_queue(name: &str, queue: &str) -> (f64, f64) {
    let mut net = Dumbbell {
        sides: 2,
        flows: 4,
        access: ("100 Mbit/s", "1 ms"),
        bottleneck: ("10 Mbit/s", "20 ms", discipline(name, queue)),
        tcp: "variant = sack",
        starts: "1 s",
        end: "40 s",
    }
    .net(1);
    net.0.warm_up = support::time("10 s");
    let path = "r1-r2";
    let link = net.0.links.iter().position(|link| link.path == path).expect("the bottleneck");
    let seen = net.run();
    let counters = &seen.links[LinkId(link as u32).index()];
    (counters.wait_sum_ps as f64 / counters.waits as f64 / 1e9, counters.busy.as_seconds() / 30.0)
}

#[test]
fn a_standing_queue_goes_towards_the_target() {
    let (codel, utilisation) = standing_queue("codel", "");
    let (cobalt, cobalt_utilisation) = standing_queue("cobalt", "");
    let (tail_drop, _) = standing_queue("tail-drop", "limit = 200 packets");
    // Four windows fill 200 packets of 1.2 ms; under CoDel the minimum over an interval stays near 5 ms, and the mean is some
    // more [RFC8289 s4.2].
    assert!(tail_drop > 100.0, "{tail_drop}");
    assert!(3.0 < codel && codel < 20.0, "{codel}");
    assert!(3.0 < cobalt && cobalt < 20.0, "{cobalt}");
    assert!(utilisation > 0.93 && cobalt_utilisation > 0.93, "{utilisation}, {cobalt_utilisation}");
}

#[test]
fn classes_may_have_codel_under_any_scheduler() {
    for (name, keys) in [("wrr", "weight = 1"), ("drr", "quantum = 1500 bytes"), ("scfq", "weight = 1"), ("wf2q-plus", "weight = 1")] {
        let mut net = overload("codel", "interval = 20 ms; target = 2 ms", "2 s");
        net.0.classes = vec!["a".to_owned(), "b".to_owned()];
        let cbr = source("cbr", "rate = 2 Mbit/s; packet = 1000 bytes");
        let group = net.group("other", cbr, transport("udp", ""), ("0 s", "0 s"));
        net.0.groups[group as usize].class = 1;
        let route = net.route(&[LinkId(0)]);
        net.flow(group, route, route);
        let port = net.port(LinkId(0));
        let queue = port.queues[0].clone();
        port.queues = ["a", "b"].map(|name| penstock_engine::blueprint::QueuePlan { name: name.to_owned(), ..queue.clone() }).into();
        port.queue_of_class = vec![0, 1];
        port.scheduler = scheduler(name, "");
        port.classes = vec![support::class(keys), support::class(keys)];
        let seen = net.run();
        let received: Vec<u64> = seen.flows.iter().map(|flow| flow.received.packets).collect();
        // Drops at departure leave the shares as they are: 125 packets a second, half each.
        assert!(received.iter().all(|packets| (120..=127).contains(packets)), "{name}: {received:?}");
        assert!(drops(&seen).len() > 100, "{name}");
    }
}
