//! Numbers computed by hand from the equations of [Balasubramanian20].

use super::super::testing::{ack, at_ms, close, context, loss};
use super::*;
use crate::parameters::testing::read;

fn ledbat(lines: &[&str]) -> LedbatPlusPlus {
    LedbatPlusPlus::new(&read(lines).expect("sound"), &context(1460))
}

fn rtt(it: &mut LedbatPlusPlus, ms: u64) {
    it.delays.record(Time::ZERO, Duration::from_ms(ms));
    it.smoothed_rtt = Duration::from_ms(100);
}

#[test]
fn gain_depends_on_the_base_delay() {
    let it = ledbat(&[]);
    for (base, divisor) in [(0.005, 16.0), (0.01, 12.0), (0.03, 4.0), (0.059, 3.0), (0.06, 2.0), (0.12, 1.0), (1.0, 1.0)] {
        assert_eq!(it.gain(base), 1.0 / divisor, "{base}");
    }
}

/// With a base delay of 60 ms, GAIN is 1/2, and 3/4 of the target is 45 ms.
#[test]
fn the_first_slow_start_ends_before_the_target() {
    let mut it = ledbat(&["current-filter = 1"]);
    let mut window = Window { size: 10.0, threshold: 1000.0, max: 1000 };
    rtt(&mut it, 60);
    it.on_ack(&Acknowledgement { newly: 2, ..ack(0) }, &mut window);
    assert_eq!((window.size, it.phase), (11.0, Phase::FirstSlowStart));
    rtt(&mut it, 105);
    it.on_ack(&ack(0), &mut window);
    assert_eq!((window.size, it.phase), (11.5, Phase::FirstSlowStart));
    rtt(&mut it, 106);
    it.on_ack(&ack(50), &mut window);
    assert_eq!(it.phase, Phase::Normal { at: at_ms(250) });
    close(window.size, 11.5 + 0.5 / 11.5);
}

/// A queue of 75 ms is a quarter beyond the target: a window of 20 segments changes by 0.5 - 5 per round trip, and by at least -10.
#[test]
fn beyond_the_target_the_decrease_is_multiplicative() {
    let mut it = ledbat(&["current-filter = 1"]);
    it.phase = Phase::Normal { at: Time::NEVER };
    let mut window = Window { size: 20.0, threshold: 20.0, max: 1000 };
    for (delay, change) in [(60, 0.5), (120, 0.5), (135, -4.5), (180, -10.0), (1000, -10.0)] {
        (window.size, window.threshold) = (20.0, 20.0);
        rtt(&mut it, delay);
        it.on_ack(&ack(0), &mut window);
        close(window.size, 20.0 + change / 20.0);
    }
    (window.size, it.constant) = (20.0, 2.0);
    rtt(&mut it, 135);
    it.on_ack(&ack(0), &mut window);
    close(window.size, 20.0 - 9.5 / 20.0);
    (window.size, window.threshold) = (2.1, 2.1);
    rtt(&mut it, 1000);
    it.on_ack(&ack(0), &mut window);
    assert_eq!(window.size, 2.0);
}

/// Two segments for 200 ms from 1 s on, then slow start from 2 to 4 by halves, which ends after 500 ms. The next slowdown follows after 9
/// times that.
#[test]
fn a_slowdown_is_followed_by_nine_times_its_duration() {
    let mut it = ledbat(&[]);
    let mut window = Window { size: 4.0, threshold: 4.0, max: 1000 };
    rtt(&mut it, 60);
    it.phase = Phase::Normal { at: at_ms(1000) };
    for (ms, size) in [(1000, 2.0), (1199, 2.0), (1200, 2.5), (1300, 3.0), (1400, 3.5), (1450, 4.0)] {
        it.on_ack(&ack(ms), &mut window);
        assert_eq!((window.size, window.threshold), (size, 4.0), "{ms}");
    }
    it.on_ack(&ack(1500), &mut window);
    assert_eq!(it.phase, Phase::Normal { at: at_ms(6000) });
    close(window.size, 4.125);
}

#[test]
fn congestion_halves_the_window() {
    let mut it = ledbat(&[]);
    let mut window = Window { size: 21.0, threshold: 1000.0, max: 1000 };
    it.on_congestion(&loss(0, 3), &mut window);
    assert_eq!((window.size, window.threshold), (21.0, 10.5));
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 1, repeated: true }, &mut window);
    assert_eq!(window.threshold, 10.5);
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 1, repeated: false }, &mut window);
    assert_eq!(window.threshold, 10.5);
    it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 3) }, &mut window);
    assert_eq!((window.size, window.threshold), (10.5, 10.5));
    assert!(read::<Parameters>(&["target = \"0 s\""]).is_err());
}
