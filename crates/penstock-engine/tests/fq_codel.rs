//! FQ-CoDel ports in whole simulations: shares, sparse flows, collisions and limits.

mod support;

use penstock_engine::observations::TraceEvent;
use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use penstock_model::id::LinkId;
use support::{discipline, one_link, scheduler, source, transport, Net};

/// A link of 2 Mbit/s with these settings of FQ-CoDel, `queue` in each flow queue, and a CBR flow of each rate in packets of 1000
/// bytes; the last is voice, 64 kbit/s in packets of 160 bytes.
fn net(settings: &str, queue: (&str, &str), rates: &[&str]) -> Net {
    let (mut net, route, link) = one_link("20 s", 5, "2 Mbit/s", "10 ms", discipline(queue.0, queue.1));
    net.port(link).scheduler = scheduler("fq-codel", settings);
    for (i, rate) in rates.iter().enumerate() {
        let cbr = source("cbr", &format!("rate = {rate}; packet = 1000 bytes"));
        let group = net.group(&format!("cbr{i}"), cbr, transport("udp", ""), ("0 s", "1 s"));
        net.flow(group, route, route);
    }
    let voice = net.group("voice", source("cbr", "rate = 64 kbit/s; packet = 160 bytes"), transport("udp", ""), ("0 s", "1 s"));
    net.flow(voice, route, route);
    net
}

/// What each flow receives in kbit/s.
fn rates(seen: &Observations) -> Vec<f64> {
    seen.flows.iter().map(|flow| flow.received.bytes as f64 * 8.0 / 19.5 / 1000.0).collect()
}

/// The mean delay of the last flow beyond propagation, in ms.
fn voice_delay(seen: &Observations) -> f64 {
    let voice = seen.flows.last().expect("voice");
    voice.received.delay_sum_ps as f64 / voice.received.packets as f64 / 1e9 - 10.0
}

#[test]
fn flows_share_the_link_fairly() {
    let seen = net("", ("codel", ""), &["3 Mbit/s", "1200 kbit/s", "500 kbit/s"]).run();
    // Max-min shares: voice 64 and the third 500 whole, (2000 - 564) / 2 = 718 each for the others. Starts vary by 1 s of 20.
    for (rate, expected) in rates(&seen).into_iter().zip([718.0, 718.0, 500.0, 64.0]) {
        assert!((rate - expected).abs() < 0.06 * expected, "{rate} for {expected}");
    }
}

#[test]
fn a_sparse_flow_hardly_waits() {
    let seen = net("", ("codel", ""), &["3 Mbit/s", "3 Mbit/s"]).run();
    assert_eq!(seen.flows[2].received.packets + 1, seen.flows[2].sent.packets, "the last one is under way");
    // At most the packet in service and its own transmission: 4 ms + 0.64 ms; on average half the former.
    assert!(voice_delay(&seen) < 3.2, "{}", voice_delay(&seen));
    assert!(seen.flows[2].received.delay_max.as_seconds() < 0.010 + 0.00465);
}

#[test]
fn flows_that_collide_share_a_queue() {
    let apart = net("", ("tail-drop", "limit = 50 packets"), &["3 Mbit/s"]).run();
    let together = net("flows = 1", ("tail-drop", "limit = 50 packets"), &["3 Mbit/s"]).run();
    assert!(voice_delay(&apart) < 3.2);
    // About 50 packets of 1000 bytes before it.
    assert!(voice_delay(&together) > 150.0, "{}", voice_delay(&together));
    assert!(together.flows[1].received.packets < together.flows[1].sent.packets * 9 / 10);
}

#[test]
fn the_limit_holds_for_all_queues_together() {
    let mut net = net("limit = 40 packets", ("tail-drop", ""), &["3 Mbit/s", "1500 kbit/s"]);
    net.sample(LinkId(0), "1 ms");
    net.0.trace = true;
    let seen = net.run();
    assert!(seen.samples[0].iter().all(|waiting| *waiting <= 40));
    let dropped: Vec<u32> =
        seen.trace.iter().filter(|row| row.event == TraceEvent::Drop(DropCause::Overflow)).map(|row| row.flow()).collect();
    assert!(dropped.len() > 1000 && !dropped.contains(&2), "voice never has the fattest queue");
    // Packets are dropped from the head, so those that are received have not waited for long.
    assert!(seen.flows[0].received.delay_max.as_seconds() < 0.25);
}

#[test]
fn any_discipline_may_stand_in_the_queues() {
    let red = "limit = 60 packets; min-threshold = 5 packets; max-threshold = 15 packets; max-probability = 0.1";
    let seen = net("", ("red", red), &["3 Mbit/s", "3 Mbit/s"]).run();
    let shares = rates(&seen);
    // The one that starts first, by at most 1 s, has 1 Mbit/s more for so long: 51 kbit/s over 19.5 s.
    assert!((shares[0] - shares[1]).abs() < 60.0 && shares[0] > 900.0, "{shares:?}");
    // The averages are far above the maximum threshold most of the time, and slow at first.
    let dropped = [DropCause::Early, DropCause::Forced, DropCause::Overflow].map(|cause| seen.links[0].dropped_packets[cause as usize][0]);
    assert!(dropped[0] + dropped[1] > 1000 && dropped[2] < 200, "{dropped:?}");
}
