//! Backward congestion notification, by hand-worked numbers.

mod support;

use penstock_engine::blueprint::{CongestionPointsPlan, SwitchPlan};
use penstock_engine::observations::TraceEvent;
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::units::Rate;
use support::{discipline, parameters, source, time, transport, Net};

/// A station `h` that sends 500 kbit/s over 1 Mbit/s and 1 ms to a switch `s`, which has 100 kbit/s to `c`: 16 ms, 8 ms and 80 ms
/// per frame of 1000 bytes.
fn line(point: &str, limiters: &str, end: &str) -> (Net, [RouteId; 2], LinkId) {
    let mut net = Net::new(end, 1);
    let [h, s, c] = ["h", "s", "c"].map(|name| net.node(name));
    let large = || discipline("tail-drop", "limit = 100000 packets");
    let into = net.link(h, s, "1 Mbit/s", "1 ms", large());
    let out = net.link(s, c, "100 kbit/s", "0 s", large());
    let back = net.link(s, h, "1 Mbit/s", "1 ms", large());
    let (forward, back) = (net.route(&[into, out]), net.route(&[back]));
    let group = net.group("cbr", source("cbr", "rate = 500 kbit/s; packet = 1000 bytes"), transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, forward, forward);
    let point = CongestionPointPlan::Bcn(parameters(point));
    let points = CongestionPointsPlan { point, routes: vec![(FlowId(0), false, back)] };
    net.0.switches.push(SwitchPlan { congestion_points: Some(points), ..SwitchPlan::new(s) });
    let reaction_point = Some(ReactionPointPlan::Bcn(parameters(limiters)));
    net.0.switches.push(SwitchPlan { reaction_point, ..SwitchPlan::new(h) });
    net.0.trace = true;
    (net, [forward, back], out)
}

/// When packets of this size had this event at a place, in microseconds.
fn times(seen: &Observations, place: u32, event: TraceEvent, size: u32) -> Vec<u64> {
    let rows = seen.trace.iter().filter(|row| row.place == place && row.event == event && row.size() == size);
    rows.map(|row| row.time.as_ps() / 1_000_000).collect()
}

#[test]
fn what_waits_at_the_station_leaves_earlier_when_its_rate_rises() {
    let limiters = "decrease-gain = 0.15; increase-gain = 5; rate-unit = 10 kbit/s";
    let (mut net, _, out) = line("interval = 3000 bytes; equilibrium = 1", limiters, "150 ms");
    net.0.links[out.index()].rate_changes = vec![(time("70 ms"), Rate::from_bps(10_000_000))];
    // Nothing else is sent between the message and what waits.
    net.0.groups[0].stop = time("120 ms");
    let seen = net.run();
    // As below until the sixth arrival, at 112 ms: the queue is empty by then, so Fb = (1 - 0) - 2 * (0 - 2) = 5, and the message takes
    // the rate from 250 to 500 kbit/s at 113.512 ms. 21.488 ms were left until the next may leave, 10.744 are now; it arrives 9 ms later.
    let at = times(&seen, net.0.nodes.len() as u32 + out.0, TraceEvent::Accept, 1000);
    assert_eq!(at.iter().map(|time| time - at[0]).collect::<Vec<u64>>(), [0, 16_000, 32_000, 48_000, 80_000, 112_000, 133_256]);
}

#[test]
fn a_sample_slows_its_source() {
    let (net, _, out) = line("interval = 3000 bytes; equilibrium = 1", "decrease-gain = 0.15", "230 ms");
    let seen = net.run();
    // Times from the first arrival on, 9 ms after it was sent. Arrivals at 0, 16 and 32 ms; at the third, a sample, two wait: Fb = (1 - 2) - 2 * 2 = -5. The message takes 64 bytes on 1
    // Mbit/s, and 1 ms: R = 1 Mbit/s * (1 - 0.15 * 5) = 250 kbit/s, 32 ms per frame. What is sent 48 ms
    // after the first leaves at once, the next ones after 80 and 112 ms.
    //
    // The sixth arrives at 112 ms, when four wait: -1 - 2 * 2 again, and 62.5 kbit/s from 113.512 ms on. 21.488 ms were left until the
    // next may leave, 85.952 ms are now: it arrives at 113.512 + 85.952 + 9 ms.
    let at = times(&seen, net.0.nodes.len() as u32 + out.0, TraceEvent::Accept, 1000);
    let since = |times: Vec<u64>| times.iter().map(|time| time - at[0]).collect::<Vec<u64>>();
    assert_eq!(since(times(&seen, 1, TraceEvent::Send, 64)), [32_000, 112_000]);
    assert_eq!(since(times(&seen, 0, TraceEvent::Receive, 64)), [33_512, 113_512]);
    assert_eq!(since(at.clone()), [0, 16_000, 32_000, 48_000, 80_000, 112_000, 208_464]);
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, seen.digest, "{executor:?}");
    }
    for cores in [2, 3] {
        let divided = Sim::with_partition(net.0.clone(), &|process| process as u32 % cores).expect("sound");
        assert_eq!(divided.run().digest, seen.digest, "{cores} cores");
    }
}

#[test]
fn a_message_that_finds_a_limiter_open_delays_nothing() {
    // 160 kbit/s: a frame each 50 ms, which the link needs 80 ms for.
    let (mut net, _, out) = line("interval = 3000 bytes; equilibrium = 1", "decrease-gain = 0.15", "400 ms");
    net.0.groups[0].source = source("cbr", "rate = 160 kbit/s; packet = 1000 bytes");
    net.0.links[2].delay = time("20 ms").since(time("0 s"));
    let seen = net.run();
    // At the third arrival, 100 ms after the first, one waits: Fb = (1 - 1) - 2 * 1 = -2, so R = 1 Mbit/s * (1 - 0.15 * 2) = 700 kbit/s
    // from 120.512 ms on. At the sixth two wait: Fb = (1 - 2) - 2 * (2 - 1) = -3, and R = 385 kbit/s from 270.512 ms on: 11.4 and 20.8 ms per
    // frame. Nothing is owed by then, as the last frame was sent 29.512 ms before.
    let at = times(&seen, net.0.nodes.len() as u32 + out.0, TraceEvent::Accept, 1000);
    let since = |times: Vec<u64>| times.iter().map(|time| time - at[0]).collect::<Vec<u64>>();
    assert_eq!(since(times(&seen, 0, TraceEvent::Receive, 64)), [120_512, 270_512]);
    assert_eq!(since(at.clone()), [0, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000, 350_000]);
}

#[test]
fn the_queue_settles_at_its_equilibrium() {
    // One source at 500 kbit/s into 100 kbit/s: without feedback the queue would grow by 50 frames a second.
    let (mut net, _, out) =
        line("probability = 0.5; equilibrium = 8", "decrease-gain = 0.02; increase-gain = 1; rate-unit = 100 bit/s", "100 s");
    (net.0.trace, net.0.warm_up) = (false, support::time("20 s"));
    net.sample(out, "10 ms");
    let seen = net.run();
    let queue = &seen.samples[0];
    let mean = queue.iter().map(|waiting| f64::from(*waiting)).sum::<f64>() / queue.len() as f64;
    // The fixed point is Fb = 0 at Q_eq; it swings around it by a few frames.
    assert!((mean - 8.0).abs() < 2.0, "{mean}");
    assert!(seen.links[out.index()].sent_packets >= 999, "the link is never idle");
}

/// Only tagged frames are told to be sent faster: without the tag, a rate that has been cut would stay where it is.
#[test]
fn rates_of_roce_recover() {
    let (mut net, [forward, _], out) =
        line("probability = 0.5; equilibrium = 8", "decrease-gain = 0.02; increase-gain = 1; rate-unit = 100 bit/s", "100 s");
    (net.0.trace, net.0.warm_up) = (false, support::time("20 s"));
    // In place of the datagrams; acknowledgements have a way of their own.
    let (h, c) = (net.0.links[0].from, net.0.links[out.index()].to);
    let back = net.link(c, h, "1 Mbit/s", "1 ms", discipline("tail-drop", "limit = 1000 packets"));
    let back = net.route(&[back]);
    net.0.flows.clear();
    net.0.groups.clear();
    let settings = "packet = 1000 bytes; ack-every = 4; timeout = 100 s; rate-control = fixed";
    let group = net.group("bulk", source("ftp", ""), transport("roce", settings), ("0 s", "0 s"));
    net.flow(group, forward, back);
    let seen = net.run();
    assert_eq!(seen.flows[0].sent.retransmissions, 0);
    assert!(seen.links[out.index()].sent_packets >= 999, "the link is never idle: {}", seen.links[out.index()].sent_packets);
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, seen.digest, "{executor:?}");
    }
}

#[test]
fn what_finds_no_room_in_a_limiter_is_dropped() {
    let (net, _, _) = line("interval = 3000 bytes; equilibrium = 1", "decrease-gain = 0.15; limit = 1 packet", "130 ms");
    let seen = net.run();
    // Waiting from 64 to 80 ms, so the one of 80 ms, when sources precede limiters, has no room; 96 waits until 112, when 112 has none.
    assert_eq!(seen.links[0].dropped_packets[DropCause::Limiter as usize].iter().sum::<u64>(), 2);
    assert_eq!(seen.links[0].sent_packets, 6);
}

#[test]
fn messages_need_a_way_to_the_source() {
    let (mut net, [forward, _], _) = line("", "", "1 s");
    net.0.switches[0].congestion_points.as_mut().expect("points").routes[0].2 = forward;
    let error = Sim::new(net.0.clone()).err().expect("refused");
    assert_eq!(error.to_string(), "the messages of the congestion points of 's' for flow 0 have no route; add a link back");
    assert_eq!(net.0.switches[0].node, NodeId(1));
}
