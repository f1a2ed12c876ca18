use super::*;
use crate::parameters::testing::read;
use crate::transport::rate_control::testing::context;

const LINE: Rate = Rate::from_bps(10_000_000_000);

fn control(lines: &[&str]) -> Dcqcn {
    Dcqcn::new(&read(lines).expect("sound"), &context(10))
}

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Current and target rate in Mbit/s at `at` microseconds.
fn rates(it: &mut Dcqcn, at: u64) -> [f64; 2] {
    it.rate(us(at));
    [it.rate / 1e6, it.target / 1e6]
}

#[test]
fn one_recovery_step_by_step() {
    // g = 1/4, and an alpha timer that does not end here.
    let mut it = control(&["gain = 1/4", "alpha-timer = 1 s", "byte-counter = 1 MB"]);
    assert_eq!(rates(&mut it, 0), [10_000.0, 10_000.0]);
    // alpha = 1 halves the rate and stays 1.
    it.on_notification(us(0));
    assert_eq!((rates(&mut it, 0), it.alpha), ([5000.0, 10_000.0], 1.0));
    it.on_notification(us(50));
    assert_eq!(rates(&mut it, 50), [2500.0, 5000.0]);
    // Fast recovery: four cycles of 55 us halve the distance of 2500. The fifth is not below F = 5.
    for (cycle, distance) in (1..=4).zip([1250.0, 625.0, 312.5, 156.25]) {
        assert_eq!(rates(&mut it, 50 + 55 * cycle), [5000.0 - distance, 5000.0], "cycle {cycle}");
    }
    // Additive increase: 40 Mbit/s more, and half of 196.25.
    assert_eq!(rates(&mut it, 50 + 55 * 5), [5040.0 - 98.125, 5040.0]);
    // 1 MB ends a cycle of the byte counter, which also increases the rate: T is beyond F.
    for _ in 0..1000 {
        it.on_sent(us(330), 1000);
    }
    assert_eq!(rates(&mut it, 330), [5080.0 - 69.0625, 5080.0]);
    // Up to five byte cycles give additive increase. The sixth, with T = 6 since 380 us, gives hyper increase: 400 Mbit/s once, since
    // min(T, BC) - F = 1.
    for _ in 0..4000 {
        it.on_sent(us(330), 1000);
    }
    assert_eq!(rates(&mut it, 330)[1], 5240.0);
    assert_eq!(rates(&mut it, 380)[1], 5280.0);
    for _ in 0..1000 {
        it.on_sent(us(381), 1000);
    }
    assert_eq!(rates(&mut it, 381)[1], 5680.0);
    // A notification starts over, from the current rate.
    let before = it.rate;
    it.on_notification(us(390));
    assert_eq!((it.target, it.rate, it.timer_cycles, it.byte_cycles, it.bytes), (before, before / 2.0, 0, 0, 0));
}

#[test]
fn alpha_follows_the_notifications() {
    let mut it = control(&["gain = 1/4"]);
    it.on_notification(us(0));
    // Without notifications, alpha shrinks by the factor 3/4 every 55 us.
    it.rate(us(54));
    assert_eq!(it.alpha, 1.0);
    it.rate(us(55));
    assert_eq!(it.alpha, 0.75);
    it.rate(us(165));
    assert!((it.alpha - 0.421875).abs() < 1e-12);
    // With one, 3/4 alpha + 1/4. The cut uses the alpha before it.
    let before = it.rate;
    it.on_notification(us(170));
    assert!((it.alpha - (0.75 * 0.421875 + 0.25)).abs() < 1e-12);
    assert!((it.rate / before - (1.0 - 0.421875 / 2.0)).abs() < 1e-12);
    // The timer restarts.
    it.rate(us(224));
    assert!((it.alpha - 0.56640625).abs() < 1e-12);
}

#[test]
fn a_rate_stays_between_the_floor_and_the_port() {
    let mut it = control(&[]);
    (0..100).for_each(|n| it.on_notification(us(n)));
    assert_eq!(it.rate(us(99)), Rate::from_bps(10_000_000));
    assert_eq!(it.rate(us(10_000_000)), LINE);
}

#[test]
fn mistakes_are_told() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["gain = 0"]), ["gain: 0 is out of range; above 0 and below 1"]);
    assert_eq!(mistakes(&["rate-timer = 0 s"]), ["rate-timer: must be at least 1 us"]);
}
