//! Numbers computed by hand from RFC 8257 s3.3.

use super::super::testing::context;
use super::super::{Acknowledgement, Cause, Congestion, CongestionControl, EcnCapable, EcnEcho, EcnFeedback};
use super::super::{CongestionControlPlan, EcnUse, Timeout, Window};
use super::{Dctcp, Parameters};
use crate::parameters::testing::read;
use crate::units::Time;

fn dctcp(lines: &[&str]) -> Dctcp {
    Dctcp::new(&read::<Parameters>(lines).expect("sound"), &context(1460))
}

fn window(size: f64) -> Window {
    Window { size, threshold: 1000.0, max: 1000 }
}

/// An acknowledgement up to `acknowledged` of `newly` segments, while `next` is sent next.
fn feedback(it: &mut Dctcp, (acknowledged, newly, next): (u32, u32, u32), ece: bool) {
    it.on_ecn_feedback(&EcnFeedback {
        now: Time::ZERO,
        acknowledged,
        newly,
        next,
        delivered: newly,
        ece,
        marked: if ece { newly } else { 0 },
    });
}

/// Runs a whole observation window of `segments`, the first `marked` of them marked, each acknowledged individually.
fn observe(it: &mut Dctcp, segments: u32, marked: u32) {
    let end = it.window_end;
    for n in 0..segments {
        // The first acknowledgement beyond the end ends the window [RFC8257 s3.3 (4)].
        let acknowledged = if n + 1 < segments { end } else { end + 1 };
        feedback(it, (acknowledged, 1, end + segments), n < marked);
    }
}

fn congestion(it: &mut Dctcp, cause: Cause, window: &mut Window) {
    let in_flight = window.size as u32;
    it.on_congestion(&Congestion { now: Time::ZERO, cause, in_flight }, window);
}

#[test]
fn alpha_moves_a_sixteenth_towards_the_share_of_marks_once_per_window() {
    let mut it = dctcp(&[]);
    assert_eq!(it.alpha, 1.0);
    // WindowEnd is SND.UNA = 0: the first acknowledgement ends a window without marks. 15/16 x 1.
    feedback(&mut it, (1, 1, 10), false);
    assert_eq!((it.alpha, it.window_end), (0.9375, 10));
    // Segments 1 to 9, with 4 to 6 marked: SEG.ACK = WindowEnd does not end the window.
    for seq in 1..10 {
        feedback(&mut it, (seq + 1, 1, 20), (4..7).contains(&seq));
        assert_eq!(it.alpha, 0.9375);
    }
    assert_eq!((it.acknowledged, it.marked), (9, 3));
    // Segment 10 ends it: M = 3 / 10; 0.9375 x 15/16 + 0.3 / 16.
    feedback(&mut it, (11, 1, 20), false);
    assert_eq!(it.alpha, 0.89765625);
    assert_eq!((it.window_end, it.acknowledged, it.marked), (20, 0, 0));
}

#[test]
fn an_acknowledgement_of_many_counts_all_of_them_and_a_duplicate_none() {
    let mut it = dctcp(&["gain = 0.5"]);
    feedback(&mut it, (1, 1, 10), true);
    assert_eq!(it.alpha, 1.0); // M = 1
    feedback(&mut it, (5, 4, 10), true);
    feedback(&mut it, (5, 0, 10), true);
    feedback(&mut it, (5, 0, 10), true);
    feedback(&mut it, (11, 6, 20), false);
    assert_eq!(it.alpha, 0.5 + 0.5 * 0.4); // M = 4 / 10
}

#[test]
fn alpha_tends_to_the_share_of_marks() {
    let mut it = dctcp(&[]);
    for n in 1..=200 {
        observe(&mut it, 4, 1);
        // alpha - M shrinks by the factor 15/16 per window.
        assert!((it.alpha - 0.25 - 0.75 * 0.9375f64.powi(n)).abs() < 1e-12, "{n}: {}", it.alpha);
    }
}

#[test]
fn a_mark_takes_half_of_alpha_from_the_window() {
    for (alpha, size, reduced) in [(1.0, 20.0, 10.0), (0.25, 20.0, 17.5), (0.0, 20.0, 20.0), (1.0, 3.0, 2.0)] {
        let (mut it, mut window) = (Dctcp { alpha, ..dctcp(&[]) }, window(size));
        congestion(&mut it, Cause::Ecn, &mut window);
        assert_eq!((window.size, window.threshold), (reduced, reduced), "alpha {alpha}");
        assert!(!window.is_in_slow_start());
    }
}

#[test]
fn losses_and_timeouts_are_reno_s_whatever_was_marked() {
    let (mut it, mut window) = (Dctcp { alpha: 0.1, ..dctcp(&[]) }, window(20.0));
    congestion(&mut it, Cause::Loss, &mut window);
    assert_eq!((window.size, window.threshold, it.alpha), (20.0, 10.0, 0.1)); // the recovery sets cwnd
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 8, repeated: false }, &mut window);
    assert_eq!((window.threshold, it.alpha), (4.0, 0.1));
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 1, repeated: true }, &mut window);
    assert_eq!(window.threshold, 4.0);
}

#[test]
fn it_grows_as_reno_does_but_not_by_an_echo() {
    let (mut it, mut window) = (dctcp(&[]), Window { size: 4.0, threshold: 5.0, max: 100 });
    let ack = Acknowledgement {
        now: Time::ZERO,
        newly: 1,
        delivered: 1,
        acknowledged: 1,
        next: 5,
        in_flight: 4,
        app_limited: false,
        ece: false,
        in_recovery: false,
    };
    for (given, size) in [(ack, 5.0), (Acknowledgement { ece: true, ..ack }, 5.0), (ack, 5.2)] {
        it.on_ack(&given, &mut window);
        assert_eq!(window.size, size);
    }
}

#[test]
fn it_needs_exact_echoes_and_ecn_capable_packets() {
    let asks = |lines: &[&str]| CongestionControlPlan::Dctcp(read(lines).expect("sound")).ecn_use(&context(1460));
    let expected = EcnUse { required: true, echo: EcnEcho::Exact, capable: EcnCapable::NewDataAndSyn, ..EcnUse::default() };
    assert_eq!(asks(&[]), expected);
    assert_eq!(asks(&["ect-everywhere = true"]), EcnUse { capable: EcnCapable::Everything, ..expected });
}

#[test]
fn a_gain_is_between_nothing_and_all() {
    for gain in ["gain = 0", "gain = 1"] {
        let mistakes = read::<Parameters>(&[gain]).expect_err("refused");
        assert!(mistakes[0].contains("above 0 and below 1"), "{mistakes:?}");
    }
}

#[test]
fn growth_counts_acknowledgements_or_the_segments_that_they_cover() {
    let grown = |lines: &[&str]| {
        let (mut it, mut window) = (dctcp(lines), window(10.0));
        it.on_ack(&Acknowledgement { newly: 2, ..super::super::testing::ack(0) }, &mut window);
        window.size
    };
    assert_eq!([grown(&[]), grown(&["byte-counting-limit = 1"]), grown(&["byte-counting-limit = 2"])], [11.0, 11.0, 12.0]);
}

#[test]
fn the_arithmetic_of_linux_rounds_alpha_down() {
    // alpha, marked and acknowledged segments, and alpha afterwards, in units of 1/1024 with a gain of 1/16.
    let cases = [
        (1024, 0, 100, 960),  // 1024 - 64
        (960, 100, 100, 964), // 960 - 60 + 64
        (100, 1, 64, 95),     // 100 - 6 + 1
        (100, 1, 65, 94),     // a share below 1/64 counts as none
        (16, 0, 10, 15),
        (15, 0, 10, 0), // 15 / 16 is none, so that all of it goes
        (15, 32, 64, 32),
        (1024, 10, 10, 1024),
    ];
    for (alpha, marked, acknowledged, after) in cases {
        assert_eq!(super::scaled_alpha(alpha, 4, marked, acknowledged), after, "{alpha} with {marked} of {acknowledged}");
    }
}

#[test]
fn the_arithmetic_of_linux_needs_a_gain_that_is_a_power_of_two() {
    assert!(read::<Parameters>(&["arithmetic = linux", "gain = 1/32"]).is_ok());
    let refused = read::<Parameters>(&["arithmetic = linux", "gain = 0.1"]).expect_err("no power of two");
    assert!(refused.iter().any(|mistake| mistake.contains("0.1 is no power of two")), "{refused:?}");
}
