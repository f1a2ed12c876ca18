//! Sequences worked by hand from the rules of `bictcp_update` and `tcp_cong_avoid_ai`, with 250 ticks per second unless another tick is
//! given.

use super::super::super::{Acknowledgement, Cause, Congestion, CongestionControl, RttSample, Timeout};
use super::super::Parameters;
use super::*;
use crate::parameters::testing::read;
use crate::transport::congestion_control::testing::{ack, at_ms, context};

fn cubic(lines: &[&str]) -> Cubic {
    let lines = [&["arithmetic = linux", "byte-counting-limit = 100"], lines].concat();
    Cubic::new(&read::<Parameters>(&lines).expect("sound"), &context(1460))
}

fn window(size: f64, threshold: f64) -> Window {
    Window { size, threshold, max: 1_000_000 }
}

fn rtt(it: &mut Cubic, ms: u64, rtt: u64, window: &mut Window) {
    let rtt = Duration::from_ms(rtt);
    it.on_rtt_sample(&RttSample { now: at_ms(ms), rtt, smoothed: rtt }, window);
}

/// Loss at the start with a full window, repaired at once.
fn lose(it: &mut Cubic, window: &mut Window) {
    let in_flight = window.size as u32;
    it.on_congestion(&Congestion { now: at_ms(0), cause: Cause::Loss, in_flight }, window);
    window.size = window.threshold;
}

fn acknowledge(it: &mut Cubic, newly: u32, ms: u64, window: &mut Window) -> f64 {
    it.on_ack(&Acknowledgement { newly, ..ack(ms) }, window);
    window.size
}

fn count(it: &Cubic) -> &SegmentCount {
    it.segments.as_deref().expect("asked for")
}

#[test]
fn reductions_are_multiples_of_717_parts_of_1024_rounded_down() {
    // 100 x 717 / 1024 = 70.02, 99: 69.3, 3: 2.1; 1 and 2 give 2.
    for (before, after) in [(100.0, 70.0), (99.0, 69.0), (3.0, 2.0), (2.0, 2.0), (1.0, 2.0)] {
        let (mut it, mut window) = (cubic(&[]), window(before, 1.0));
        lose(&mut it, &mut window);
        assert_eq!((window.threshold, it.w_max), (after, before));
    }
    // Fast convergence: 80 x (1024 + 717) / 2048 = 68.008.
    let (mut it, mut window) = (cubic(&[]), window(100.0, 1.0));
    lose(&mut it, &mut window);
    window.size = 80.0;
    lose(&mut it, &mut window);
    assert_eq!((window.threshold, it.w_max), (56.0, 68.0));
}

#[test]
fn twenty_acknowledged_segments_add_one_while_there_is_no_w_max() {
    let (mut it, mut window) = (cubic(&[]), window(100.0, 50.0));
    let sizes: Vec<f64> = (0..41).map(|_| acknowledge(&mut it, 1, 0, &mut window)).collect();
    assert_eq!((sizes[18], sizes[19], sizes[38], sizes[39]), (100.0, 101.0, 101.0, 102.0));
}

#[test]
fn the_distance_to_the_target_is_whole_segments_and_sets_the_pace() {
    // ssthresh is 1000 x 717 / 1024 = 700.2, rounded down. C is 410 / 1024, so that K, in 1/1024 s, is the cube root of
    // 300 x 2^40 / 410 = 8.045e11: 9300.6.
    let (mut it, mut window) = (cubic(&[]), window(1000.0, 500.0));
    lose(&mut it, &mut window);
    rtt(&mut it, 0, 100, &mut window);
    acknowledge(&mut it, 1, 0, &mut window);
    assert_eq!(it.epoch.map(|epoch| (epoch.k, epoch.start)), Some((9300.0 / 1024.0, at_ms(0))));
    // 100 ms ahead are 25 ticks, 102 units. 410 (9300 - 102)^3 / 2^40 = 290.2 below 1000: 710, so 700 / 10 segments per increase.
    assert_eq!(count(&it).needed, 70);
    // The same window keeps its pace for seven ticks. In the eighth, 33 ticks are 135 units: 287.07 below, so 700 / 13.
    for (ms, needed) in [(28, 70), (32, 53)] {
        acknowledge(&mut it, 1, ms, &mut window);
        assert_eq!(count(&it).needed, needed, "{ms} ms");
    }
    // 525 ticks are 2150 units: 136.3 below, so 700 / 164 = 4. One segment was counted with each acknowledgement so far.
    assert_eq!(acknowledge(&mut it, 1, 2000, &mut window), 701.0);
    assert_eq!((count(&it).needed, count(&it).counted), (4, 0));
    // The cubic is computed once per tick, so that 702 segments are reached at the same pace.
    let sizes: Vec<f64> = (0..4).map(|_| acknowledge(&mut it, 1, 2000, &mut window)).collect();
    assert_eq!(sizes, [701.0, 701.0, 701.0, 702.0]);
}

/// Segments per increase after a loss at 10,000, with C = 1 and a round trip of 9 ms, and the time in ms of their next computation.
fn with_tick(tick: &str) -> (u32, Option<u64>) {
    let (mut it, mut window) = (cubic(&["c = 1", &format!("tick = {tick}"), "reno-friendly = none"]), window(10_000.0, 5_000.0));
    lose(&mut it, &mut window);
    rtt(&mut it, 0, 9, &mut window);
    acknowledge(&mut it, 1, 0, &mut window);
    let needed = count(&it).needed;
    let is_computed = |ms: &u64| {
        acknowledge(&mut it, 1, *ms, &mut window);
        count(&it).last_tick > 0
    };
    (needed, (1..100).find(is_computed))
}

#[test]
fn the_tick_rounds_the_round_trip_up_and_a_thirty_second_of_a_second_down() {
    // K is the cube root of 2999 x 2^30: 14766. 9 ms are 1, 3 and 9 ticks of 10, 4 and 1 ms, or 10, 12 and 9 units of 1/1024 s. The cubes
    // of 14756, 14754 and 14757 units are 2992.3, 2991.1 and 2992.9, so 7, 8 and 7 segments are missing from 7001. 1/32 s is 3, 7 and 31
    // ticks; the next tick computes again.
    assert_eq!(["10 ms", "4 ms", "1 ms"].map(with_tick), [(1000, Some(40)), (875, Some(32)), (1000, Some(32))]);
}

#[test]
fn a_tick_divides_a_second_and_belongs_to_this_arithmetic() {
    let refused = |lines: &[&str]| read::<Parameters>(lines).expect_err("refused").join("; ");
    assert_eq!(
        refused(&["arithmetic = linux", "tick = 3 ms"]),
        "tick: 3 ms does not divide a second; the kernel can be configured for 10, 4 or 1 ms"
    );
    assert!(refused(&["arithmetic = linux", "tick = 0 s"]).starts_with("tick: "));
    assert_eq!(refused(&["tick = 4 ms"]), "tick: has no effect without arithmetic = \"linux\"; leave it out");
}

#[test]
fn beyond_w_max_the_distance_is_rounded_down_too() {
    // W_max is below the window, so the cubic is convex from 700 on. 250 ticks are one second, which adds 410 / 1024: nothing.
    let (mut it, mut window) = (cubic(&["reno-friendly = none"]), window(700.0, 500.0));
    lose(&mut it, &mut window);
    window.size = 800.0;
    for (ms, needed) in [(0, 80_000), (1000, 80_000), (1400, 800)] {
        acknowledge(&mut it, 1, ms, &mut window); // 1.4^3 x 410 / 1024 = 1.1
        assert_eq!((count(&it).needed, count(&it).origin), (needed, 800.0), "{ms} ms");
    }
    // At most half a segment per acknowledgement: 60^3 x 0.4 is far above.
    acknowledge(&mut it, 1, 60_000, &mut window);
    assert_eq!(count(&it).needed, 2);
}

/// Window after acknowledgements of one segment in every tick, from 7 after a loss at 10. The cubic stays at 8 for seconds.
fn after_a_loss_at_ten(region: &str) -> Vec<f64> {
    let (mut it, mut window) = (cubic(&["c = 0.0009765625", region]), window(10.0, 5.0));
    lose(&mut it, &mut window);
    (0..200).map(|n| acknowledge(&mut it, 1, 4 * n, &mut window)).collect()
}

#[test]
fn a_window_below_w_est_grows_to_it() {
    // The distance to 10 is 2.99, rounded down: 8, after seven segments. W_est grows after 15/8 windows: to 8 with more than 8 x 15 / 8 =
    // 15 segments, which shows when the pace is computed again in the 16th tick, and to 9 with more than 30, in the 32nd. The segments
    // counted by then are worth the missing one.
    let [faster, earlier, alone] = ["rfc9438", "rfc8312", "none"].map(|region| after_a_loss_at_ten(&format!("reno-friendly = {region}")));
    let first = |sizes: &[f64], size: f64| sizes.iter().position(|it| *it >= size);
    assert_eq!([8.0, 9.0].map(|size| first(&earlier, size)), [Some(6), Some(31)]);
    assert_eq!([8.0, 9.0].map(|size| first(&alone, size)), [Some(6), None]);
    // Beyond cwnd_prior = 10, W_est grows once per window.
    let until = first(&faster, 11.0).expect("reached");
    assert_eq!(faster[..until], earlier[..until]);
    assert!(faster[199] > earlier[199], "{} {}", faster[199], earlier[199]);
}

#[test]
fn segments_counted_for_a_slower_pace_are_worth_one() {
    let mut it = SegmentCount { needed: 4, counted: 9, ..SegmentCount::new(DEFAULT_TICK) };
    assert_eq!((it.take_increase(1), it.counted), (1, 1));
    assert_eq!((it.take_increase(8), it.counted), (2, 1));
}

#[test]
fn slow_start_leaves_the_rest_to_congestion_avoidance() {
    let (mut it, mut window) = (cubic(&[]), window(9.0, 10.0));
    // One of three segments leads to ssthresh; two count towards the twenty.
    assert_eq!([3, 17, 1].map(|newly| acknowledge(&mut it, newly, 0, &mut window)), [10.0, 10.0, 11.0]);
}

#[test]
fn round_trips_of_the_first_second_of_an_epoch_do_not_count() {
    let (mut it, mut window) = (cubic(&[]), window(100.0, 50.0));
    rtt(&mut it, 0, 100, &mut window);
    acknowledge(&mut it, 1, 0, &mut window);
    for (ms, min) in [(996, 100), (1000, 50)] {
        rtt(&mut it, ms, 50, &mut window);
        assert_eq!(count(&it).min_rtt, Duration::from_ms(min));
    }
    it.on_timeout(&Timeout { now: at_ms(1000), in_flight: 100, repeated: false }, &mut window);
    assert_eq!((count(&it).min_rtt, count(&it).counted, window.threshold), (Duration::ZERO, 0, 70.0));
}

#[test]
fn an_unused_window_does_not_count() {
    let (mut it, mut window) = (cubic(&[]), window(100.0, 50.0));
    acknowledge(&mut it, 19, 0, &mut window);
    it.on_ack(&Acknowledgement { newly: 19, app_limited: true, ..ack(0) }, &mut window);
    assert_eq!((window.size, acknowledge(&mut it, 1, 0, &mut window)), (100.0, 101.0));
}
