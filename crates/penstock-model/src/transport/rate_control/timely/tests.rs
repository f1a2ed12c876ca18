use super::*;
use crate::parameters::testing::read;
use crate::transport::rate_control::testing::context;

/// A control at 8 Gbit/s, where a packet of 1000 bytes takes 1 us.
fn control(lines: &[&str]) -> Timely {
    Timely::new(&read(lines).expect("sound"), &context(8))
}

/// Rate in Mbit/s after a round trip of `rtt_us` in addition to the transmission of the packet, `since_us` after the last one.
fn rate_soon_after(it: &mut Timely, rtt_us: u64, since_us: u64) -> f64 {
    let now = it.updated.unwrap_or(Time::ZERO) + Duration::from_us(since_us);
    it.on_ack(&RateAck { now, rtt: Duration::from_us(rtt_us + 1), next: 0, next_to_send: 0, telemetry: &[] });
    it.rate / 1e6
}

/// The same, one `min-rtt` after the last one.
fn rate_after(it: &mut Timely, rtt_us: u64) -> f64 {
    rate_soon_after(it, rtt_us, 20)
}

fn assert_near(seen: f64, expected: f64) {
    assert!((seen - expected).abs() < 1e-6, "{seen}, expected {expected}");
}

#[test]
fn algorithm_1_step_by_step() {
    // alpha = 1/2, min-rtt = 20 us, T_low = 50 us, T_high = 500 us, delta = 10 Mbit/s, beta = 0.8.
    let mut it = control(&["weight = 0.5"]);
    // Above T_high: 8000 (1 - 0.8 (1 - 500 / 1000)) = 4800.
    assert_near(rate_after(&mut it, 1000), 4800.0);
    // Differences of -900 us give -450 us. Between the thresholds, the gradient is negative.
    assert_near(rate_after(&mut it, 100), 4810.0);
    assert_near(it.gradient(), -22.5);
    // -450 / 2 + 8 / 2 = -221 us. Then -221 / 2 + 390 / 2 = 84.5 us, a gradient of 4.225: 1 - 0.8 x 4.225 is negative, so the rate is
    // halved.
    assert_near(rate_after(&mut it, 108), 4820.0);
    assert_near(it.gradient(), -11.05);
    assert_near(rate_after(&mut it, 498), 2410.0);
    assert_near(it.gradient(), 4.225);
    // Below T_low the gradient does not matter.
    assert_near(rate_after(&mut it, 49), 2420.0);
}

#[test]
fn completions_within_the_least_round_trip_share_a_step() {
    let mut it = control(&["weight = 0.5"]);
    assert_near(rate_after(&mut it, 1000), 4800.0);
    // A quarter of min-rtt later: 4800 (1 - 0.8 / 4 (1 - 500 / 1000)), and a quarter of delta.
    assert_near(rate_soon_after(&mut it, 1000, 5), 4320.0);
    assert_near(rate_soon_after(&mut it, 49, 5), 4322.5);
    // Above T_high, with 8 of 20 us: 4322.5 (1 - 0.32 (1 - 500 / 2000)). The whole step of 0.8 would remove more than half.
    assert_near(rate_soon_after(&mut it, 2000, 8), 4322.5 * 0.76);
    assert_near(rate_soon_after(&mut it, 2000, 8000), 4322.5 * 0.76 / 2.0);
}

#[test]
fn the_rate_never_falls_below_the_floor() {
    let mut it = control(&["floor = 3 Gbit/s"]);
    assert_near(rate_after(&mut it, 100_000), 4000.0);
    assert_near(rate_after(&mut it, 100_000), 3000.0);
}

#[test]
fn a_positive_gradient_lowers_the_rate_in_proportion() {
    let mut it = control(&["weight = 0.5"]);
    // There is no difference before the second sample. The rate never exceeds the line rate.
    assert_near(rate_after(&mut it, 100), 8000.0);
    // 10 us give 5 us, a quarter of min-rtt: 8000 (1 - 0.8 / 4).
    assert_near(rate_after(&mut it, 110), 6400.0);
    // 5 / 2 - 1 / 2 = 2 us, a tenth of min-rtt: the average lags behind.
    assert_near(rate_after(&mut it, 109), 6400.0 * 0.92);
}

#[test]
fn five_completions_without_a_positive_gradient_raise_it_five_times_as_much() {
    let mut it = control(&["weight = 0.875"]);
    assert_near(rate_after(&mut it, 1000), 4800.0);
    let gains = [10.0, 20.0, 30.0, 40.0, 90.0, 140.0];
    gains.into_iter().for_each(|gain| assert_near(rate_after(&mut it, 100), 4800.0 + gain));
    // A completion below T_low raises the rate by one step, and restarts the count.
    assert_near(rate_after(&mut it, 49), 4950.0);
    // 51 us more make the gradient positive.
    assert!(rate_after(&mut it, 100) < 4950.0);
    assert_eq!(it.not_rising, 0);
}

#[test]
fn a_completion_comes_with_each_segment() {
    assert_eq!(control(&[]).feedback(), Feedback { ack_every: Some(16), ..Feedback::default() });
    assert_eq!(control(&["segment = 64 kB"]).feedback().ack_every, Some(64));
    assert_eq!(control(&["segment = 999 bytes"]).feedback().ack_every, Some(1));
}

#[test]
fn a_segment_at_the_floor_is_acknowledged_before_the_timeout() {
    // Otherwise the sender goes back before an acknowledgement is due, and no acknowledgement ever arrives.
    let transport = read::<crate::transport::roce::Parameters>(&[]).expect("sound");
    let parameters = read::<Parameters>(&[]).expect("sound");
    assert!(parameters.floor.transmission_time(parameters.segment) < transport.timeout);
}

#[test]
fn mistakes_are_told() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["min-rtt = 0 s"]), ["min-rtt: must be above 0 s"]);
    assert_eq!(mistakes(&["t-low = 1 ms"]), ["t-low: must be at most t-high, 500 us"]);
}
