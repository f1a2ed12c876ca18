//! RoCE in the whole simulator: go-back-N by hand-worked instants, and DCQCN at its fixed point.

mod support;

use penstock_engine::blueprint::FlowWatch;
use penstock_engine::observations::TraceEvent;
use penstock_engine::{Executor, Sim};
use support::{discipline, impairment, source, time, transport, Net};

#[test]
fn a_lost_packet_and_all_behind_it_are_sent_again() {
    // 10 packets of 1000 bytes over 8 Mbit/s and 1 ms, the third of which is lost.
    let mut net = Net::new("100 ms", 1);
    let [h, c] = ["h", "c"].map(|name| net.node(name));
    let large = || discipline("tail-drop", "limit = 1000 packets");
    let there = net.link(h, c, "8 Mbit/s", "1 ms", large());
    let back = net.link(c, h, "8 Mbit/s", "1 ms", large());
    net.port(there).impairments = vec![impairment("drop-list", "drop = [3]")];
    let (forward, backward) = (net.route(&[there]), net.route(&[back]));
    let settings = "packet = 1000 bytes; ack-every = 4; timeout = 1 s; rate-control = fixed";
    let group = net.group("bulk", source("ftp", "size = 9380 bytes"), transport("roce", settings), ("0 s", "0 s"));
    net.flow(group, forward, backward);
    net.0.trace = true;
    net.0.watch.groups = [(group, FlowWatch { completion: true, ..FlowWatch::default() })].into();
    let seen = net.run();
    let sent = |place: u32, size: u32| -> Vec<u64> {
        let rows = seen.trace.iter().filter(|row| row.place == place && row.event == TraceEvent::Send && row.size() == size);
        rows.map(|row| row.time.as_ps() / 1_000_000).collect()
    };
    // One leaves each millisecond and is there two later. The fourth, there at 5 ms, is refused: the NAK takes 66 us and 1 ms, when
    // the seventh has left. From 7 ms on the third to the tenth are sent, there from 9 to 16 ms; the fourth, the eighth and the last one are acknowledged.
    assert_eq!(sent(0, 1000), (0..15).map(|ms| ms * 1000).collect::<Vec<u64>>());
    assert_eq!(sent(1, 66), [5000, 10_000, 14_000, 16_000]);
    let flow = &seen.flows[0];
    assert_eq!((flow.sent.packets, flow.sent.retransmissions, flow.goodput_bytes), (15, 5, 9380));
    let (_, completion) = &seen.completions[0];
    assert_eq!(completion.time.as_ps(), 17_066_000_000);
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, seen.digest, "{executor:?}");
    }
}

/// The share of marked packets at the fixed point of DCQCN's fluid model [Zhu15]: flows at `rate` packets per second, with the
/// paper's parameters and packets of 1086 bytes.
fn marked_share(rate: f64) -> f64 {
    let (notify, alpha_timer, timer, bytes) = (50e-6, 55e-6, 55e-6, 10e6 / 1086.0);
    let (cycles, increase) = (5.0, 40e6 / 8.0 / 1086.0);
    // How fast the current rate falls less how fast it rises, where the target is steady.
    let excess = |p: f64| {
        let unmarked = |packets: f64| (1.0 - p).powf(packets);
        let (cut, alpha) = (1.0 - unmarked(notify * rate), 1.0 - unmarked(alpha_timer * rate));
        let by_bytes = p / (1.0 / unmarked(bytes) - 1.0);
        let by_timer = p / (1.0 / unmarked(timer * rate) - 1.0);
        let gained = increase * rate * (unmarked(cycles * bytes) * by_bytes + unmarked(cycles * timer * rate) * by_timer);
        let distance = gained * notify / cut;
        rate * alpha / (2.0 * notify) * cut - distance / 2.0 * rate * (by_bytes + by_timer)
    };
    let (mut low, mut high): (f64, f64) = (1e-7, 0.5);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if excess(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Flows at 40 Gbit/s over one such link: the share of marked packets, and of the time that the link is busy.
fn marked_and_busy(flows: u32) -> (f64, f64) {
    let mut net = Net::new("200 ms", 1);
    let [s, c] = ["s", "c"].map(|name| net.node(name));
    let queue = discipline("red-marking", "limit = 10 MB");
    let large = || discipline("tail-drop", "limit = 100000 packets");
    let (out, back) = (net.link(s, c, "40 Gbit/s", "1 us", queue), net.link(c, s, "40 Gbit/s", "1 us", large()));
    let group = net.group("bulk", source("ftp", ""), transport("roce", ""), ("0 s", "10 us"));
    for i in 0..flows {
        let h = net.node(&format!("h{i}"));
        let (up, down) = (net.link(h, s, "40 Gbit/s", "1 us", large()), net.link(s, h, "40 Gbit/s", "1 us", large()));
        let (forward, backward) = (net.route(&[up, out]), net.route(&[back, down]));
        net.flow(group, forward, backward);
    }
    net.0.warm_up = time("100 ms");
    let seen = net.run();
    let link = &seen.links[out.index()];
    (link.marked_packets as f64 / link.sent_packets as f64, link.busy.as_seconds() / 0.1)
}

#[test]
fn dcqcn_settles_where_its_fluid_model_does() {
    let expected = [2, 4].map(|flows| marked_share(40e9 / 8.0 / 1086.0 / f64::from(flows)));
    let seen = [2, 4].map(marked_and_busy);
    for ((share, busy), expected) in seen.into_iter().zip(expected) {
        assert!(busy > 0.99, "{busy}");
        // The model has the mean queue alone. Packets are marked in bursts, as the queue swings: long gaps between notifications, in
        // which the additive increase grows with the square of the gap, take more marks to make up for; never fewer.
        assert!((1.0..1.5).contains(&(share / expected)), "marked {share}, fluid model {expected}");
    }
    // That is alike for 2 and 4 flows: the share grows by as much as the model says.
    let (growth, expected) = (seen[1].0 / seen[0].0, expected[1] / expected[0]);
    assert!((growth / expected - 1.0).abs() < 0.15, "{growth} times, fluid model {expected}");
}
