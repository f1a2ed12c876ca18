//! Windows in bytes, acknowledgement by acknowledgement.

use super::super::{Parameters, ScaledIncrease};
use super::*;
use crate::parameters::testing::read;
use crate::transport::congestion_control::testing::context;
use crate::transport::congestion_control::Cause;
use crate::units::Time;

const ACK: Acknowledgement = Acknowledgement {
    now: Time::ZERO,
    newly: 1,
    delivered: 0,
    acknowledged: 0,
    next: 0,
    in_flight: 10,
    app_limited: false,
    ece: false,
    in_recovery: false,
};

/// The control that a scenario gives, for segments of `payload` bytes.
fn control(payload: u32, max_window: u32, lines: &[&str]) -> IntegerBytes {
    let parameters = read::<Parameters>(lines).expect("sound");
    IntegerBytes::new(&parameters, &ConnectionContext { max_window, ..context(payload) }).expect("integer bytes")
}

/// A window of `bytes` bytes in congestion avoidance, with a maximum that is never reached.
fn window(payload: u32, bytes: u32) -> Window {
    Window { size: f64::from(bytes) / f64::from(payload), threshold: 2.0, max: 1 << 20 }
}

/// Window in bytes after each of `acks` acknowledgements.
fn after_each(it: &mut impl CongestionControl, payload: u32, window: &mut Window, acks: usize) -> Vec<f64> {
    let one = |_| {
        it.on_ack(&ACK, window);
        window.size * f64::from(payload)
    };
    (0..acks).map(one).collect()
}

const INTEGER: &str = "arithmetic = integer-bytes";

#[test]
fn each_acknowledgement_adds_a_whole_number_of_bytes() {
    // 512 * 512 / 1024 = 256, / 1280 = 204.8, / 1484 = 176.6, / 1660 = 157.9, / 1817 = 144.3, / 1961 = 133.7.
    let (mut it, mut window) = (control(512, 1000, &[INTEGER]), window(512, 1024));
    assert_eq!(after_each(&mut it, 512, &mut window, 6), [1280.0, 1484.0, 1660.0, 1817.0, 1961.0, 2094.0]);
    assert_eq!(window.usable(), 4);
}

#[test]
fn slow_start_adds_a_segment() {
    let (mut it, mut window) = (control(512, 1000, &[INTEGER]), Window { size: 1.0, threshold: 4.0, max: 100 });
    // At ssthresh, 2048, congestion avoidance begins: 512 * 512 / 2048 = 128.
    assert_eq!(after_each(&mut it, 512, &mut window, 4), [1024.0, 1536.0, 2048.0, 2176.0]);
}

#[test]
fn growth_ends_above_the_square_of_the_segment() {
    // 262,144 / 131,072 = 2 and 262,144 / 262,144 = 1, but 262,144 / 262,145 is rounded down to zero.
    let mut it = control(512, 10_000, &[INTEGER]);
    let cases = [(131_072, 131_074), (131_073, 131_074), (262_143, 262_144), (262_144, 262_145), (262_145, 262_145), (600_000, 600_000)];
    for (before, after) in cases {
        assert_eq!(after_each(&mut it, 512, &mut window(512, before), 1), [f64::from(after)], "{before}");
    }
}

#[test]
fn many_acknowledgements_stop_there() {
    let mut window = window(512, 200_000);
    let bytes = after_each(&mut control(512, 10_000, &[INTEGER]), 512, &mut window, 200_000);
    assert_eq!(bytes.last(), Some(&262_145.0));
    // One byte each from 131,073 on: 62,145 acknowledgements.
    assert_eq!(bytes.iter().position(|bytes| *bytes == 262_145.0), Some(62_144));
}

#[test]
fn an_increase_after_n_acknowledgements_is_n_times_as_large() {
    // 4 * 512 * 512 = 1,048,576: / 4096 = 256, / 4352 = 240.9.
    let (mut it, mut window) = (control(512, 10_000, &[INTEGER, "acks-per-increase = 4"]), window(512, 4096));
    let bytes = [4096.0, 4096.0, 4096.0, 4352.0, 4352.0, 4352.0, 4352.0, 4592.0];
    assert_eq!(after_each(&mut it, 512, &mut window, 8), bytes);
}

/// An event of a control.
type Event = fn(&mut IntegerBytes, &mut Window);

#[test]
fn the_count_begins_anew_with_a_loss_a_mark_and_a_timeout() {
    const fn congestion(cause: Cause) -> Congestion {
        Congestion { now: Time::ZERO, cause, in_flight: 8 }
    }
    let events: [Event; 3] = [
        |it, window| it.on_congestion(&congestion(Cause::Loss), window),
        |it, window| it.on_congestion(&congestion(Cause::Ecn), window),
        |it, window| it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 8, repeated: false }, window),
    ];
    for event in events {
        let mut it = control(512, 10_000, &[INTEGER, "acks-per-increase = 3"]);
        let mut unused = window(512, 4096);
        assert_eq!(after_each(&mut it, 512, &mut unused, 2), [4096.0, 4096.0]);
        event(&mut it, &mut unused);
        assert_eq!(unused.threshold, 4.0);
        // 3 * 512 * 512 / 4096 = 192, with the third after it.
        assert_eq!(after_each(&mut it, 512, &mut window(512, 4096), 3), [4096.0, 4096.0, 4288.0]);
    }
}

#[test]
fn slow_start_does_not_count() {
    let mut it = control(512, 10_000, &[INTEGER, "acks-per-increase = 2"]);
    let mut starting = Window { size: 1.0, threshold: 4.0, max: 100 };
    after_each(&mut it, 512, &mut starting, 3);
    assert_eq!(after_each(&mut it, 512, &mut starting, 2), [2048.0, 2304.0]);
}

/// Growth in bytes of a window of `segments` segments after all of them have been acknowledged.
fn growth_per_window(lines: &[&str], segments: u32) -> f64 {
    let mut window = window(512, segments * 512);
    after_each(&mut control(512, 1171, lines), 512, &mut window, segments as usize).last().expect("some") - f64::from(segments * 512)
}

/// 600,000 bytes are 1171 segments, and 1171 / 512 rounded up is 3.
#[test]
fn enough_acknowledgements_keep_the_window_growing() {
    assert_eq!(control(512, 1171, &["arithmetic = integer-bytes-without-stall"]).acks_per_increase, 3);
    // 786,432 / cwnd is 2.56 at 600 segments and 1.54 at 1000: two bytes 200 times, and one 333 times.
    for (segments, bytes) in [(600, 400.0), (1000, 333.0)] {
        assert_eq!(growth_per_window(&["arithmetic = integer-bytes-without-stall"], segments), bytes);
        assert_eq!(growth_per_window(&[INTEGER, "acks-per-increase = 3"], segments), bytes);
        assert_eq!(growth_per_window(&[INTEGER], segments), 0.0);
    }
}

/// 100 * 262,144 / cwnd is 85.3 at 600 segments and 51.2 at 1000. It shrinks slightly as the window grows, but never by a whole byte.
#[test]
fn many_acknowledgements_per_increase_add_a_segment_per_window() {
    assert_eq!(growth_per_window(&[INTEGER, "acks-per-increase = 100"], 600), 6.0 * 85.0);
    assert_eq!(growth_per_window(&[INTEGER, "acks-per-increase = 100"], 1000), 10.0 * 51.0);
}

#[test]
fn the_satellites_segment_never_stalls_below_its_window() {
    // 9180 * 9180 is 84,272,400: a window of 8,700,000 bytes grows by 9 bytes per acknowledgement.
    let mut it = control(9180, 947, &[INTEGER]);
    assert_eq!(after_each(&mut it, 9180, &mut window(9180, 8_700_000), 2), [8_700_009.0, 8_700_018.0]);
    let enough = control(9180, 947, &["arithmetic = integer-bytes-without-stall"]);
    assert_eq!(enough.acks_per_increase, 1);
    // With an MSS of 512, the same window grows at every 34th acknowledgement: 34 * 262,144 is the first product above 8,699,904.
    assert_eq!(control(512, 16_992, &["arithmetic = integer-bytes-without-stall"]).acks_per_increase, 34);
}

#[test]
fn additive_increase_may_be_more_or_less_than_a_segment() {
    // 2 * 262,144 / 2048 = 256; 0.5 * 262,144 / 2048 = 64.
    for (increase, bytes) in [("increase = 2", 2304.0), ("increase = 0.5", 2112.0)] {
        assert_eq!(after_each(&mut control(512, 1000, &[INTEGER, increase]), 512, &mut window(512, 2048), 1), [bytes], "{increase}");
        let parameters = read::<Parameters>(&[increase]).expect("sound");
        assert!(IntegerBytes::new(&parameters, &context(512)).is_none());
        let mut scaled = ScaledIncrease::new(&parameters, &context(512)).expect("not one segment");
        assert_eq!(after_each(&mut scaled, 512, &mut window(512, 2048), 1), [bytes], "{increase}");
    }
    assert!(ScaledIncrease::new(&Parameters::default(), &context(512)).is_none());
}

#[test]
fn multiplicative_decrease_may_be_another_than_a_half() {
    let mut it = control(512, 1000, &[INTEGER, "decrease = 0.8"]);
    let mut window = window(512, 512 * 20);
    it.on_congestion(&Congestion { now: Time::ZERO, cause: Cause::Loss, in_flight: 19 }, &mut window);
    assert_eq!(window.threshold, 15.0); // 15.2 in whole segments
}

#[test]
fn settings_without_effect_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(
        mistakes(&["acks-per-increase = 4", "decrease = 1"]),
        [
            "decrease: 1 is out of range; above 0 and below 1",
            "acks-per-increase: has no effect but on arithmetic = \"integer-bytes\"; leave it out"
        ]
    );
    assert_eq!(mistakes(&[INTEGER, "byte-counting-limit = 2"]), ["byte-counting-limit: counts in segments; leave it or arithmetic out"]);
    assert_eq!(mistakes(&["increase = 1e6"]), ["increase: 1000000 is out of range; above 0, at most 1000"]);
}
