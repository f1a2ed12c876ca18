//! Numbers computed by hand from the equations of [Liu06].

use super::super::testing::{ack, close, context, loss};
use super::*;
use crate::parameters::testing::read;
use crate::units::Duration;

fn illinois(lines: &[&str]) -> Illinois {
    Illinois::new(&read(lines).expect("sound"), &context(1460))
}

/// Runs a round trip with samples of `measured` milliseconds, which ends with the acknowledgement of `acknowledged`.
fn round(it: &mut Illinois, acknowledged: u32, measured: &[u64], window: &mut Window) {
    for ms in measured {
        it.measure(Duration::from_ms(*ms));
    }
    it.on_ack(&Acknowledgement { acknowledged, next: acknowledged, in_recovery: true, ..ack(0) }, window);
}

/// With d_m = 1: kappa_1 = 0.99 * 3 / 9.7, kappa_2 = 0.99 * 0.3 / 9.7 - 0.01, kappa_3 = (0.125 * 0.8 - 0.5 * 0.1) / 0.7,
/// kappa_4 = 0.375 / 0.7.
#[test]
fn alpha_and_beta_follow_the_queueing_delay() {
    let mut it = illinois(&[]);
    let (kappa_1, kappa_2) = (0.99 * 3.0 / 9.7, 0.99 * 0.3 / 9.7 - 0.01);
    assert_eq!((it.alpha(0.01, 1.0), it.beta(0.1, 1.0)), (10.0, 0.125));
    for d_a in [0.02, 0.1, 0.5, 1.0] {
        close(it.alpha(d_a, 1.0), kappa_1 / (kappa_2 + d_a));
    }
    close(it.alpha(1.0, 1.0), 0.3);
    for d_a in [0.11, 0.45, 0.79] {
        close(it.beta(d_a, 1.0), 0.05 / 0.7 + 0.375 / 0.7 * d_a);
    }
    close(it.beta(0.45, 1.0), 0.3125);
    assert_eq!((it.beta(0.8, 1.0), it.beta(1.0, 1.0)), (0.5, 0.5));
}

/// Round trips of 100 ms without a queue and at most 200 ms: d_m is 100 ms, and 145 ms mean d_a = 45.
#[test]
fn a_round_trip_sets_both_from_its_average() {
    let mut it = illinois(&[]);
    let mut window = Window { size: 20.0, threshold: 10.0, max: 1000 };
    it.measure(Duration::from_ms(100));
    it.measure(Duration::from_ms(200));
    it.measured = (0, 0);
    round(&mut it, 1, &[120, 170], &mut window);
    close(it.beta, 0.3125);
    // By hand: 0.99 * 3 / (0.99 * 0.3 + 0.44 * 9.7).
    close(it.alpha, 2.97 / 4.565);
    window.size = 20.0;
    it.on_ack(&ack(0), &mut window);
    close(window.size, 20.0 + 2.97 / 4.565 / 20.0);
    it.on_congestion(&loss(0, 20), &mut window);
    close(window.threshold, 13.75);
    it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 20) }, &mut window);
    close(window.size, 13.75);
    window.size = 20.0;
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 16, repeated: false }, &mut window);
    close(window.threshold, 11.0);
    assert_eq!((it.alpha, it.beta), (1.0, 0.5));
}

#[test]
fn alpha_returns_to_its_maximum_after_theta_round_trips() {
    let mut it = illinois(&["theta = 3"]);
    let mut window = Window { size: 20.0, threshold: 10.0, max: 1000 };
    round(&mut it, 1, &[100], &mut window);
    assert_eq!(it.alpha, 10.0);
    round(&mut it, 2, &[200], &mut window);
    close(it.alpha, 0.3);
    for (acknowledged, measured, alpha) in [(3, 100, 0.3), (4, 100, 0.3), (5, 200, 0.3), (6, 100, 0.3), (7, 100, 0.3), (8, 100, 10.0)] {
        round(&mut it, acknowledged, &[measured], &mut window);
        close(it.alpha, alpha);
    }
    round(&mut it, 9, &[], &mut window);
    assert_eq!(it.alpha, 10.0);
}

#[test]
fn a_small_window_is_that_of_reno() {
    let mut it = illinois(&[]);
    let mut window = Window { size: 9.9, threshold: 5.0, max: 1000 };
    round(&mut it, 1, &[100], &mut window);
    assert_eq!((it.alpha, it.beta), (1.0, 0.5));
    window.threshold = 12.0;
    it.on_ack(&ack(0), &mut window);
    assert_eq!(window.size, 10.9);
}

#[test]
fn limits_in_the_wrong_order_are_mistakes() {
    for line in ["alpha-min = 11", "alpha-max = 1001", "beta-min = 0.6", "beta-min = 0", "beta-max = 1"] {
        assert!(read::<Parameters>(&[line]).is_err(), "{line}");
    }
}

/// The floating-point average of about 20 round trips of 50 ms exceeds 50 ms.
#[test]
fn equal_round_trips_have_no_queueing_delay() {
    let mut it = illinois(&[]);
    let mut window = Window { size: 50.0, threshold: 10.0, max: 1000 };
    let rtt = Duration::from_ms(50);
    for acknowledged in 1..=200 {
        let now = Time::ZERO + Duration::from_ms(u64::from(acknowledged));
        it.on_rtt_sample(&RttSample { now, rtt, smoothed: rtt }, &mut window);
        let next = acknowledged + 19 + acknowledged % 5;
        it.on_ack(&Acknowledgement { now, acknowledged, next, in_recovery: true, ..ack(0) }, &mut window);
        assert_eq!(it.alpha, 10.0, "after {acknowledged}");
    }
    assert_eq!(it.beta, 0.125);
}
