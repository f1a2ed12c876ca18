use super::*;
use crate::parameters::testing::read;
use crate::transport::rate_control::testing::context;

/// T = 10 us at 8 Gbit/s: B T and W_init are 10,000 bytes. W_AI is 100 bytes.
fn control(lines: &[&str]) -> Hpcc {
    let lines = [&["base-rtt = 10 us", "additive-increase = 100 bytes"], lines].concat();
    Hpcc::new(&read(&lines).expect("sound"), &context(8))
}

/// Record of a port of 8 Gbit/s at a position of the route: bytes in the queue and sent, and the time in us.
fn record(hop: u32, (queue, sent, at_us): (u64, u64, u64)) -> HopRecord {
    HopRecord { hop, queue, sent, at: Time::ZERO + Duration::from_us(at_us), rate: Rate::from_bps(8_000_000_000) }
}

/// W and W_c after an acknowledgement up to `next` with these records, when `next_to_send` is sent next.
fn windows(it: &mut Hpcc, (next, next_to_send): (u32, u32), records: &[(u64, u64, u64)]) -> [f64; 2] {
    windows_by(it, (next, next_to_send), &(0..).zip(records).map(|(hop, it)| record(hop, *it)).collect::<Vec<_>>())
}

fn windows_by(it: &mut Hpcc, (next, next_to_send): (u32, u32), telemetry: &[HopRecord]) -> [f64; 2] {
    it.on_ack(&RateAck { now: Time::ZERO, rtt: Duration::ZERO, next, next_to_send, telemetry });
    [it.window, it.reference]
}

fn assert_near(seen: [f64; 2], expected: [f64; 2]) {
    assert!(seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 1e-6), "{seen:?}, expected {expected:?}");
}

#[test]
fn algorithm_1_step_by_step() {
    let mut it = control(&[]);
    assert_eq!((it.rate(Time::ZERO), it.window()), (Rate::from_bps(8_000_000_000), Some(Bytes::new(10_000))));
    // The records are only stored. The first round trip lasts until packet 10 is acknowledged.
    assert_near(windows(&mut it, (1, 10), &[(0, 0, 0), (20_000, 0, 0)]), [10_000.0, 10_000.0]);
    // In T the first port sends half of B T. The second sends all of it, with at least 10,000 bytes in its queue: u = 1 + 1, and tau = T
    // gives U = 2. W = 10,000 x 0.95 / 2 + 100; W_c does not change.
    assert_near(windows(&mut it, (2, 11), &[(0, 5000, 10), (10_000, 10_000, 10)]), [4850.0, 10_000.0]);
    assert_near([it.utilisation, f64::from(it.stage)], [2.0, 0.0]);
    assert_eq!((it.last_update, it.rate(Time::ZERO)), (10, Rate::from_bps(3_880_000_000)));
    // Beyond packet 10 a new round begins: 5 us later u = 0 / 10,000 + 1 = 1, U = 2 / 2 + 1 / 2 = 1.5. W is computed from W_c, and becomes
    // W_c.
    let second = 10_000.0 * 0.95 / 1.5 + 100.0;
    assert_near(windows(&mut it, (11, 16), &[(0, 5000, 15), (0, 15_000, 15)]), [second; 2]);
    assert_eq!(it.last_update, 16);
    // Both ports are idle for 20 us: no u is above 0, and U does not change. First in the same round, then beyond packet 16.
    let third = second * 0.95 / 1.5 + 100.0;
    assert_near(windows(&mut it, (16, 20), &[(0, 5000, 35), (0, 15_000, 35)]), [third, second]);
    assert_near(windows(&mut it, (17, 21), &[(0, 5000, 55), (0, 15_000, 55)]), [third; 2]);
    assert_eq!(it.last_update, 21);
}

/// A port writes no record if it does not know the end of a transmission.
#[test]
fn records_of_different_ports_are_not_compared() {
    let mut it = control(&[]);
    windows_by(&mut it, (1, 10), &[record(0, (0, 90_000, 0))]);
    assert_near(windows_by(&mut it, (2, 11), &[record(1, (0, 5000, 10))]), [10_000.0; 2]);
    // The second port is compared with itself: half of B T in T, so U = 0.5.
    windows_by(&mut it, (3, 12), &[record(1, (0, 10_000, 20))]);
    assert_near([it.utilisation, f64::from(it.stage)], [0.5, 0.0]);
}

#[test]
fn five_rounds_of_increase_precede_a_multiplicative_one() {
    let mut it = control(&[]);
    windows(&mut it, (1, 1), &[(10_000, 0, 0)]);
    // u = 10,000 / 10,000 + 1 = 2.
    assert_near(windows(&mut it, (2, 2), &[(10_000, 10_000, 10)]), [4850.0; 2]);
    // From here on half of the rate, without a queue: U = 0.5, below eta. Five rounds add 100 bytes each.
    let at = |round: u64| [(0, 10_000 + 5000 * round, 10 + 10 * round)];
    for round in 1..=5 {
        let number = 2 + round as u32;
        assert_near(windows(&mut it, (number, number), &at(round)), [4850.0 + 100.0 * round as f64; 2]);
    }
    assert_near([it.utilisation, f64::from(it.stage)], [0.5, 5.0]);
    // The sixth round: 5350 x 0.95 / 0.5 + 100 is above W_init.
    assert_near(windows(&mut it, (8, 8), &at(6)), [10_000.0; 2]);
    assert_eq!(it.stage, 0);
}

#[test]
fn the_rate_never_falls_below_the_floor() {
    let mut it = control(&["floor = 1 Gbit/s"]);
    windows(&mut it, (1, 1), &[(1_000_000, 0, 0)]);
    // u = 101: 10,000 x 0.95 / 101 + 100 is below 1250 bytes.
    assert_near(windows(&mut it, (2, 2), &[(1_000_000, 10_000, 10)]), [1250.0; 2]);
    assert_eq!(it.rate(Time::ZERO), Rate::from_bps(1_000_000_000));
}

#[test]
fn records_that_do_not_follow_the_last_ones_are_only_stored() {
    let mut it = control(&[]);
    windows(&mut it, (1, 1), &[(10_000, 10_000, 10)]);
    assert_near(windows(&mut it, (2, 2), &[(10_000, 0, 0)]), [10_000.0; 2]);
    assert_near(windows(&mut it, (3, 3), &[]), [10_000.0; 2]);
    assert_near(windows(&mut it, (4, 4), &[(10_000, 10_000, 10)]), [4850.0; 2]);
}

#[test]
fn mistakes_are_told() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["base-rtt = 0 s"]), ["base-rtt: must be above 0 s"]);
    assert_eq!(mistakes(&["utilisation = 0"]), ["utilisation: 0 is out of range; above 0 and at most 1"]);
}
