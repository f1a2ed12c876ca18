//! Frames of a video and requests for its rate, against numbers worked by hand.

mod support;

use penstock_engine::blueprint::FlowWatch;
use penstock_engine::observations::{FrameTimes, TraceEvent};
use penstock_engine::Observations;
use penstock_model::units::Rate;
use support::{discipline, impairment, one_link, source, time, transport, Net};

/// I, B, P and B frames of 1000, 250, 500 and 250 bytes every 40 ms, in 3, 1, 2 and 1 packets, over 1 Mbit/s and 10 ms.
fn video(end: &str) -> Net {
    let (mut net, route, _) = one_link(end, 1, "1 Mbit/s", "10 ms", discipline("tail-drop", ""));
    let settings = "rate = 100 kbit/s; frame-rate = 25; group-length = 4; anchor-distance = 2; p-ratio = 0.5; b-ratio = 0.25; \
                    variation = 0; packet = 400 bytes; phase = zero";
    let group = net.group("video", source("video", settings), transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    net.0.watch.groups = [(group, FlowWatch { frames: true, ..FlowWatch::default() })].into();
    net
}

/// Complete frames, the sum of their delays in us, incomplete frames.
fn frames(seen: &Observations) -> (u64, u128, u64) {
    let [(_, timings)] = &seen.timings[..] else { panic!("one flow is watched") };
    let FrameTimes { delays, incomplete } = timings.frames.as_ref().expect("watched");
    (delays.count(), delays.sum_ps() / 1_000_000, *incomplete)
}

#[test]
fn a_frame_takes_from_its_generation_to_its_last_packet() {
    // 8, 2, 4 and 2 ms on the wire, each 10 ms more.
    assert_eq!(frames(&video("150 ms").run()), (4, 18_000 + 12_000 + 14_000 + 12_000, 0));
    // The last frame is in flight.
    assert_eq!(frames(&video("131 ms").run()), (3, 18_000 + 12_000 + 14_000, 0));
}

#[test]
fn a_lost_packet_makes_its_frame_incomplete() {
    let with_loss = |dropped: &str| {
        let mut net = video("150 ms");
        let link = net.0.routes.links()[0];
        net.port(link).impairments.push(impairment("drop-list", &format!("drop = [{dropped}]; of = flow")));
        frames(&net.run())
    };
    assert_eq!(with_loss("2"), (3, 12_000 + 14_000 + 12_000, 1));
    assert_eq!(with_loss("1, 2, 3"), (3, 12_000 + 14_000 + 12_000, 1));
    assert_eq!(with_loss("1, 4"), (2, 14_000 + 12_000, 2));
}

#[test]
fn frames_that_began_to_arrive_before_counting_are_left_out() {
    // Packets of the first frame arrive until 18 ms.
    for (warm_up, expected) in [("0 s", 4), ("12 ms", 4), ("15 ms", 3), ("60 ms", 2)] {
        let mut net = video("150 ms");
        net.0.warm_up = time(warm_up);
        let (complete, _, incomplete) = frames(&net.run());
        assert_eq!((complete, incomplete), (expected, 0), "{warm_up}");
    }
}

#[test]
fn a_request_holds_from_the_frame_of_its_instant_on() {
    let mut net = video("150 ms");
    let requests = [("40 ms", 200_000), ("41 ms", 900_000), ("79.999 ms", 50_000), ("120.001 ms", 1)];
    net.0.groups[0].rate_requests = Some(requests.map(|(at, bps)| (time(at), Rate::from_bps(bps))).into());
    net.0.trace = true;
    let seen = net.run();
    let sends = seen.trace.iter().filter(|row| row.event == TraceEvent::Send);
    let sent: Vec<(u64, u32)> = sends.map(|row| (row.time.as_ps() / 1_000_000_000, row.size())).collect();
    // B of 500 bytes, P of 250, B of 125.
    assert_eq!(sent, [(0, 334), (0, 333), (0, 333), (40, 250), (40, 250), (80, 250), (120, 125)]);
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].sent.bytes), (7, 1875));
    assert_eq!(frames(&seen), (4, 18_000 + 14_000 + 12_000 + 11_000, 0));
}

#[test]
fn nothing_is_recorded_of_sources_without_frames() {
    let mut net = video("150 ms");
    net.0.groups[0].source = source("cbr", "rate = 100 kbit/s; packet = 125 bytes");
    assert!(net.run().timings.is_empty());
}
