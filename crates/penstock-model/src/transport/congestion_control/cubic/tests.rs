//! Numbers computed by hand from the equations of RFC 9438.

use super::super::{Acknowledgement, Cause, Congestion, CongestionControl, RttSample, Timeout, Window};
use super::{Cubic, Parameters};
use crate::parameters::testing::read;
use crate::transport::congestion_control::testing::{ack, at_ms, close, context};
use crate::units::{Duration, Time};

fn cubic(lines: &[&str]) -> Cubic {
    Cubic::new(&read::<Parameters>(lines).expect("sound"), &context(1460))
}

fn window(size: f64, threshold: f64) -> Window {
    Window { size, threshold, max: 1_000_000 }
}

fn rtt(it: &mut Cubic, ms: u64, window: &mut Window) {
    it.on_rtt_sample(&RttSample { now: Time::ZERO, rtt: Duration::from_ms(ms), smoothed: Duration::from_ms(ms) }, window);
}

/// A loss at `ms` with a full window of `size` segments, repaired at once.
fn lose(it: &mut Cubic, ms: u64, window: &mut Window) {
    let in_flight = window.size as u32;
    it.on_congestion(&Congestion { now: at_ms(ms), cause: Cause::Loss, in_flight }, window);
    window.size = window.threshold;
}

#[test]
fn a_loss_takes_three_tenths_of_the_window() {
    let (mut it, mut window) = (cubic(&[]), window(100.0, 50.0));
    lose(&mut it, 0, &mut window);
    close(window.threshold, 70.0);
    assert_eq!((it.w_max, it.prior), (100.0, 100.0));
    let mut small = super::super::Window { size: 2.0, ..window };
    lose(&mut it, 1, &mut small);
    assert_eq!(small.threshold, 2.0);
}

#[test]
fn an_echoed_mark_reduces_the_window_at_once() {
    let (mut it, mut window) = (cubic(&[]), window(100.0, 50.0));
    it.on_congestion(&Congestion { now: at_ms(0), cause: Cause::Ecn, in_flight: 100 }, &mut window);
    close(window.size, 70.0);
    close(window.threshold, 70.0);
    // [RFC9438 s4.6]: the window may fall to one segment, ssthresh to two.
    window.size = 1.0;
    it.on_congestion(&Congestion { now: at_ms(1), cause: Cause::Ecn, in_flight: 1 }, &mut window);
    assert_eq!((window.size, window.threshold), (1.0, 2.0));
}

#[test]
fn the_window_is_back_after_k_seconds() {
    // W_max = 1000, cwnd = 700: K = cbrt(300 / 0.4) = cbrt(750) = 9.0856 s.
    let (mut it, mut window) = (cubic(&[]), window(1000.0, 500.0));
    lose(&mut it, 0, &mut window);
    let epoch = it.begin_epoch(at_ms(0), window.size);
    close(epoch.k, 9.085_602_964_160_698);
    close(it.w_cubic(epoch.k, 0.0), 700.0);
    close(it.w_cubic(epoch.k, epoch.k), 1000.0);
    // One second beyond K the window is C above W_max, two seconds beyond it 8 C.
    close(it.w_cubic(epoch.k, epoch.k + 1.0), 1000.4);
    close(it.w_cubic(epoch.k, epoch.k + 2.0), 1003.2);
}

#[test]
fn an_acknowledgement_adds_its_share_of_the_way_to_the_target() {
    // 2 s after the start, with a round trip of 100 ms: t + RTT - K = 2.1 - 9.0856 = -6.9856, whose cube is -340.89. So the target is 1000
    // - 136.357 = 863.643, and the window grows by 163.643 / 700.
    let (mut it, mut window) = (cubic(&[]), window(1000.0, 500.0));
    lose(&mut it, 0, &mut window);
    rtt(&mut it, 100, &mut window);
    it.on_ack(&ack(0), &mut window);
    window.size = 700.0;
    it.on_ack(&ack(2000), &mut window);
    assert!((window.size - (700.0 + 163.643 / 700.0)).abs() < 1e-5, "{}", window.size);
}

#[test]
fn the_target_is_at_most_half_as_large_again() {
    let (mut it, mut window) = (cubic(&[]), window(1000.0, 500.0));
    lose(&mut it, 0, &mut window);
    it.on_ack(&ack(0), &mut window);
    window.size = 700.0;
    it.on_ack(&ack(60_000), &mut window); // 1000 + 0.4 x 50.9^3 is more than 50,000
    close(window.size, 700.5);
}

#[test]
fn a_small_window_grows_as_reno_would_with_the_same_share() {
    // alpha = 3 x 0.3 / 1.7 = 9/17. W_max = 10, cwnd = 7: K = cbrt(7.5) = 1.957 s. After 100 ms W(t) is 7.44, and eight acknowledgements
    // have added at least 8 x 9/17 / 7 = 0.605.
    let (mut it, mut window) = (cubic(&[]), window(10.0, 5.0));
    lose(&mut it, 0, &mut window);
    let mut w_est = 7.0;
    for n in 0..8 {
        let before = window.size;
        it.on_ack(&ack(n), &mut window);
        w_est += 9.0 / 17.0 / before;
        close(window.size, w_est);
    }
    assert!(window.size > 7.5 && window.size < 7.605 + 1e-9, "{}", window.size);
}

#[test]
fn the_friendly_region_grows_by_a_segment_per_round_once_it_is_back() {
    let (mut it, mut window) = (cubic(&["c = 1e-9"]), window(10.0, 5.0));
    lose(&mut it, 0, &mut window);
    while window.size < 10.0 {
        it.on_ack(&ack(0), &mut window);
    }
    let before = window.size;
    it.on_ack(&ack(0), &mut window);
    close(window.size, before + 1.0 / before);
}

/// Window after each of 60 acknowledgements at one instant, from 7 after a loss at 10 segments, where the cubic hardly grows.
fn after_a_loss_at_ten(line: &str) -> Vec<f64> {
    let (mut it, mut window) = (cubic(&["c = 1e-9", line]), window(10.0, 5.0));
    lose(&mut it, 0, &mut window);
    let after_each = |_| {
        it.on_ack(&ack(0), &mut window);
        window.size
    };
    (0..60).map(after_each).collect()
}

#[test]
fn the_friendly_regions_of_the_two_rfcs_part_at_the_window_before_the_loss() {
    // Each acknowledgement adds 9/17 / cwnd: 7.0756, 7.1505, 7.2245, ... Beyond cwnd_prior = 10 it is 1 / cwnd in RFC 9438.
    let (today, earlier) = (after_a_loss_at_ten("reno-friendly = rfc9438"), after_a_loss_at_ten("reno-friendly = rfc8312"));
    assert_eq!(after_a_loss_at_ten("beta = 0.7"), today, "the default");
    // cwnd squared grows by slightly more than 2 x 9/17: from 49 to 100 in 48 steps.
    assert_eq!(today.iter().position(|size| *size >= 10.0), Some(47));
    let mut before = [7.0, 7.0];
    for (n, sizes) in today.into_iter().zip(earlier).enumerate() {
        close(sizes.0, before[0] + if n <= 47 { 9.0 / 17.0 } else { 1.0 } / before[0]);
        close(sizes.1, before[1] + 9.0 / 17.0 / before[1]);
        before = [sizes.0, sizes.1];
    }
}

#[test]
fn without_a_friendly_region_the_cubic_decides_alone() {
    // K = cbrt(7.5) = 1.957 s: in 8 ms the cubic hardly moves towards 10. With the Reno-friendly region the window is above 7.5.
    let (mut it, mut window) = (cubic(&["reno-friendly = none"]), window(10.0, 5.0));
    lose(&mut it, 0, &mut window);
    let mut size = 7.0;
    for ms in 0..8 {
        it.on_ack(&ack(ms), &mut window);
        let d = ms as f64 / 1000.0 - libm::cbrt(7.5);
        size += ((0.4 * d * d * d + 10.0) - size).max(0.0) / size;
        close(window.size, size);
    }
    assert!(window.size < 7.04, "{}", window.size);
}

#[test]
fn a_flow_that_does_not_come_back_makes_room() {
    for (lines, w_max) in [(&[][..], 80.0 * 1.7 / 2.0), (&["fast-convergence = false"][..], 80.0)] {
        let (mut it, mut window) = (cubic(lines), window(100.0, 50.0));
        lose(&mut it, 0, &mut window);
        window.size = 80.0; // below W_max = 100
        lose(&mut it, 1000, &mut window);
        close(it.w_max, w_max);
        close(window.threshold, 56.0);
    }
}

#[test]
fn after_a_timeout_the_cubic_begins_at_the_window_of_then() {
    let (mut it, mut window) = (cubic(&[]), window(100.0, 50.0));
    let timeout = Timeout { now: at_ms(0), in_flight: 100, repeated: false };
    it.on_timeout(&timeout, &mut window);
    close(window.threshold, 70.0);
    it.on_timeout(&Timeout { in_flight: 1, repeated: true, ..timeout }, &mut window);
    close(window.threshold, 70.0);
    window.size = 70.0;
    it.on_ack(&ack(1000), &mut window);
    let epoch = it.epoch.expect("it has begun");
    assert_eq!((epoch.k, it.w_max), (0.0, 70.0));
    // Convex from the start: W(t) = 0.4 t^3 + 70.
    close(it.w_cubic(epoch.k, 5.0), 120.0);
}

#[test]
fn time_in_which_the_application_sends_too_little_does_not_count() {
    let (mut it, mut window) = (cubic(&[]), window(1000.0, 500.0));
    lose(&mut it, 0, &mut window);
    it.on_ack(&ack(0), &mut window);
    let before = window.size;
    it.on_ack(&Acknowledgement { app_limited: true, in_flight: 10, ..ack(5000) }, &mut window);
    assert_eq!(window.size, before);
    assert_eq!(it.epoch.map(|epoch| epoch.start), Some(at_ms(5000)));
    // Neither does the time in which nothing is outstanding.
    it.on_resume(at_ms(8000), &mut window);
    assert_eq!(it.epoch.map(|epoch| epoch.start), Some(at_ms(8000)));
}

#[test]
fn slow_start_without_half_the_window_in_use_does_not_grow() {
    let (mut it, mut window) = (cubic(&[]), window(10.0, 100.0));
    it.on_ack(&Acknowledgement { app_limited: true, in_flight: 4, ..ack(0) }, &mut window);
    assert_eq!(window.size, 10.0);
    it.on_ack(&Acknowledgement { app_limited: true, in_flight: 5, ..ack(0) }, &mut window);
    assert_eq!(window.size, 11.0);
}

#[test]
fn echoes_and_recoveries_do_not_grow_the_window() {
    let (mut it, mut window) = (cubic(&[]), window(10.0, 100.0));
    it.on_ack(&Acknowledgement { ece: true, ..ack(0) }, &mut window);
    it.on_ack(&Acknowledgement { in_recovery: true, ..ack(0) }, &mut window);
    assert_eq!(window.size, 10.0);
}

#[test]
fn beta_is_between_nothing_and_all() {
    for beta in ["beta = 0", "beta = 1"] {
        let mistakes = read::<Parameters>(&[beta]).expect_err("refused");
        assert!(mistakes[0].contains("above 0 and below 1"), "{mistakes:?}");
    }
}

#[test]
fn with_byte_counting_an_acknowledgement_of_two_segments_counts_twice() {
    // Slow start: two segments instead of one, and not beyond ssthresh.
    for (limit, sizes) in
        [(None, [11.0, 12.0]), (Some("byte-counting-limit = 2"), [12.0, 13.0]), (Some("byte-counting-limit = 1"), [11.0, 12.0])]
    {
        let (mut it, mut window) = (cubic(&limit.into_iter().collect::<Vec<_>>()), window(10.0, 13.0));
        for size in sizes {
            it.on_ack(&Acknowledgement { newly: 2, ..ack(0) }, &mut window);
            assert_eq!(window.size, size, "{limit:?}");
        }
    }
    // Congestion avoidance: twice the increase.
    let increase = |lines: &[&str]| {
        let (mut it, mut window) = (cubic(lines), window(100.0, 50.0));
        rtt(&mut it, 100, &mut window);
        lose(&mut it, 0, &mut window);
        it.on_ack(&Acknowledgement { newly: 2, ..ack(100) }, &mut window);
        window.size - 70.0
    };
    let none = "reno-friendly = none";
    close(increase(&[none, "byte-counting-limit = 2"]), 2.0 * increase(&[none]));
}

#[test]
fn a_mark_reduces_by_a_factor_of_its_own() {
    for (cause, size) in [(Cause::Ecn, 85.0), (Cause::Loss, 70.0)] {
        let (mut it, mut window) = (cubic(&["ecn-beta = 0.85"]), window(100.0, 50.0));
        it.on_congestion(&Congestion { now: at_ms(0), cause, in_flight: 100 }, &mut window);
        close(window.threshold, size);
    }
}

#[test]
fn hystart_as_in_linux_ends_slow_start_at_its_window() {
    let (mut it, mut window) = (cubic(&["hystart = true", "hystart-algorithm = linux"]), window(100.0, 1000.0));
    for n in 0..60u32 {
        let now = u64::from(n) * 2;
        rtt(&mut it, 100, &mut window);
        it.on_ack(&Acknowledgement { acknowledged: n + 1, next: 1000, ..ack(now) }, &mut window);
    }
    // A train of acknowledgements every 2 ms exceeds 50 ms with the 27th, after 26 have enlarged the window.
    assert_eq!(window.threshold, 126.0);
}
