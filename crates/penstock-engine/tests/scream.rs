//! SCReAM in the whole simulator: instants worked by hand, frames and their delays.

mod support;

use penstock_engine::blueprint::FlowWatch;
use penstock_engine::observations::{FrameTimes, TraceEvent};
use penstock_engine::{Executor, Sim};
use penstock_model::units::{Duration, Rate};
use support::{discipline, source, transport, Net};

/// Frames of 3600 bytes every 40 ms, in three packets, over 8 Mbit/s and 1 ms each way.
fn video(end: &str, settings: &str) -> Net {
    let mut net = Net::new(end, 1);
    let [h, c] = ["h", "c"].map(|name| net.node(name));
    let there = net.link(h, c, "8 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let back = net.link(c, h, "8 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let (forward, backward) = (net.route(&[there]), net.route(&[back]));
    let video = source("video", "rate = 720 kbit/s; frame-rate = 25; group-length = 1; variation = 0; phase = zero");
    let group = net.group("call", video, transport("scream", settings), ("0 s", "0 s"));
    net.flow(group, forward, backward);
    net.0.trace = true;
    net.0.watch.groups = [(group, FlowWatch { frames: true, ..FlowWatch::default() })].into();
    net
}

#[test]
fn packets_are_paced_reported_and_make_frames() {
    let net = video("60 ms", "");
    let seen = net.run();
    let sent = |place: u32| -> Vec<(u64, u32)> {
        let rows = seen.trace.iter().filter(|row| row.place == place && row.event == TraceEvent::Send);
        rows.map(|row| (row.time.as_ps() / 1_000_000, row.size())).collect()
    };
    // A report on the first packet at 2.2 ms, and on all three 20 ms later, acknowledged at 3.272 and 23.272 ms: the smoothed round trip
    // is 3.272 + 20 / 8 = 5.772 ms. The window grows to 4200 bytes, and is not full the second time: 1200 / 4200 of 5.772 ms are 1.649143 ms.
    assert_eq!(sent(0), [(0, 1200), (0, 1200), (0, 1200), (40_000, 1200), (41_649, 1200), (43_298, 1200)]);
    assert_eq!(sent(1), [(2200, 72), (22_200, 72), (42_200, 72)]);
    let [(_, timings)] = &seen.timings[..] else { panic!("one flow is watched") };
    let FrameTimes { delays, incomplete } = timings.frames.as_ref().expect("watched");
    // 4.6 ms, and 3.298286 + 2.2 ms.
    assert_eq!((delays.count(), delays.sum_ps() / 1_000_000, *incomplete), (2, 4600 + 5498, 0));
    let flow = &seen.flows[0];
    assert_eq!((flow.sent.packets, flow.received.packets, flow.goodput_bytes), (6, 6, 6 * 1160));
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, seen.digest, "{executor:?}");
    }
}

#[test]
fn what_is_sent_later_counts_as_delay_of_its_frame() {
    // A slow path: the RTP queue is where packets wait.
    let mut net = video("1 s", "min-rate = 700 kbit/s");
    let link = net.0.routes.links()[0];
    net.0.links[link.index()].rate = Rate::from_bps(400_000);
    let seen = net.run();
    let [(_, timings)] = &seen.timings[..] else { panic!("one flow is watched") };
    let frames = timings.frames.as_ref().expect("watched");
    // Of 720 kbit/s, 400 pass: 11 to 14 of 25 frames arrive, and the last of them has waited for the others.
    assert!((11..=14).contains(&frames.delays.count()), "{}", frames.delays.count());
    assert!(frames.delays.max() > Some(Duration::from_ms(400)));
}
