//! Options of Linux together, on a path with a bottleneck or with random losses.

use super::harness::{parameters, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::units::Duration;

fn table(entries: &[(&str, Value)]) -> Value {
    Value::Table(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

/// Number of packets lost in the first slow start, at 20 Mbit/s, with a round trip of 100 ms and a queue of 100 packets.
fn drops_in_slow_start(hystart: &[(&str, Value)]) -> u64 {
    let cubic = table(&[("cubic", table(hystart))]);
    let given = [("congestion-control", cubic), ("recovery", table(&[("rack", table(&[]))])), ("initial-window", text("10 packets"))];
    let mut path = Path::new(&parameters(&given)).through(Duration::from_us(600), 100).start(None);
    path.run_ms(4000);
    path.drops()
}

#[test]
fn hystart_ends_slow_start_before_the_queue_overflows() {
    let without = drops_in_slow_start(&[]);
    let linux = drops_in_slow_start(&[("hystart", Value::Switch(true)), ("hystart-algorithm", text("linux"))]);
    assert!(without > 300 && linux <= 36, "{without}, {linux}");
}

fn delivered(per_thousand: u64, options: &[(&str, Value)]) -> u32 {
    let mut state = 1u64;
    let lose = move |_, _: Body| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) * 1000 < per_thousand << 31
    };
    let mut path = Path::new(&parameters(options)).losing(lose).start(None);
    path.run_ms(500_000);
    path.receiver.delivered()
}

/// Three of ten packets are lost, forward only. Timestamps end the back-off of the timer, and RACK detects lost retransmissions.
#[test]
fn timestamps_and_rack_raise_the_throughput_at_high_loss() {
    let recovery = |name: &str| ("recovery", table(&[(name, table(&[]))]));
    let min = ("min-rto", text("200 ms"));
    let timestamps = ("timestamps", Value::Switch(true));
    let plain = delivered(300, &[recovery("sack"), min.clone()]);
    let stamped = delivered(300, &[recovery("sack"), min.clone(), timestamps.clone()]);
    let rack = delivered(300, &[recovery("rack"), min, timestamps, ("rto", text("linux"))]);
    assert!(stamped > 2 * plain && rack > stamped, "{plain}, {stamped}, {rack}");
}

/// Segments sent with a window of five through a bottleneck with this time per segment. The receiver acknowledges each segment.
fn sent_through(spacing: Duration, tso_defer: bool) -> String {
    let options = [("timestamps", Value::Switch(true)), ("tso-defer", Value::Switch(tso_defer))];
    let windows = [("initial-window", text("5 packets")), ("initial-slow-start-threshold", text("2 packets"))];
    let mut path = Path::new(&parameters(&[options, windows].concat())).through(spacing, 100).start(Some(16));
    path.run_ms(300);
    path.sent()
}

/// Every 0.6 ms an acknowledgement admits one segment; the last segment before it left 1.2 ms or 0.6 ms ago. At 201.2 ms two segments are
/// admitted. At 203 ms the first outstanding segment left at 103 ms, and its acknowledgement is expected after a smoothed round trip of
/// more than 101 ms, so not within 1 ms. The last two segments are all that remains.
#[test]
fn a_single_segment_waits_for_an_acknowledgement_within_a_millisecond() {
    let deferred = "0: 0 1 2 3 4\n100.6: 5\n101.8: 6 7\n103: 8 9\n201.2: 10 11\n202.4: 12\n203: 13\n204.2: 14 15";
    assert_eq!(sent_through(Duration::from_us(600), true), deferred);
    let slow = sent_through(Duration::from_us(1100), true);
    assert!(slow.starts_with("0: 0 1 2 3 4\n101.1: 5\n102.2: 6\n103.3: 7\n"), "{slow}");
    assert_eq!(slow, sent_through(Duration::from_us(1100), false));
}
