//! Properties of every meter, for random arrivals.

use super::bucket::{Bucket, Start};
use super::{AnyMeter, Meter, MeterPlan};
use crate::packet::testing::packet;
use crate::parameters::testing::read;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Bytes and bit/s of a token bucket, as (b, r).
type Envelope = (u64, u64);

/// A packet: picoseconds since the previous one, bytes, incoming colour.
type Arrival = (u64, u64, u8);

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    // Spacings from zero to half a second, so that buckets run empty and fill up.
    let spacing = prop_oneof![Just(0), 0..2_000_000_000u64, 0..500_000_000_000u64];
    prop::collection::vec((spacing, 1..1_500u64, 0..4u8), 1..80)
}

/// Checks that the bytes selected by `keeps` never exceed b + r t over any window that starts and ends with a packet.
fn within(envelope: Envelope, arrivals: &[Arrival], colours: &[u8], keeps: impl Fn(u8) -> bool) -> Result<(), TestCaseError> {
    let (burst, rate) = envelope;
    for first in 0..arrivals.len() {
        let (mut bytes, mut span) = (0u128, 0u128);
        for (i, (gap, size, _)) in arrivals.iter().enumerate().skip(first) {
            span += if i == first { 0 } else { u128::from(*gap) };
            bytes += if keeps(colours[i]) { u128::from(*size) } else { 0 };
            let allowed = u128::from(burst) * 8_000_000_000_000 + u128::from(rate) * span;
            prop_assert!(bytes * 8_000_000_000_000 <= allowed, "{bytes} bytes in {span} ps");
        }
    }
    Ok(())
}

fn run(meter: &mut impl Meter, arrivals: &[Arrival]) -> Vec<u8> {
    let mut now = 0;
    let colour = |(gap, size, incoming): &Arrival| {
        now += gap;
        meter.colour(Time::from_ps(now), &packet(*size as u32, *incoming))
    };
    arrivals.iter().map(colour).collect()
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) }
}

/// Asserts the rules of every meter for random arrivals. The packets of colours 0 to i stay within envelope i. A meter that is `aware` of
/// incoming colours never promotes a packet; any other ignores them and gives at most 2.
pub(super) fn assert_rules(meter: &(impl Meter + Clone), aware: bool, envelopes: &[Envelope]) {
    let rules = |arrivals: Vec<Arrival>| {
        let colours = run(&mut meter.clone(), &arrivals);
        for (highest, envelope) in (0..).zip(envelopes) {
            within(*envelope, &arrivals, &colours, |colour| colour <= highest)?;
        }
        if aware {
            prop_assert!(arrivals.iter().zip(&colours).all(|((.., incoming), colour)| (*incoming..4).contains(colour)));
        } else {
            let plain: Vec<Arrival> = arrivals.iter().map(|(gap, size, _)| (*gap, *size, 0)).collect();
            prop_assert!(colours.iter().all(|colour| *colour <= 2));
            prop_assert_eq!(colours, run(&mut meter.clone(), &plain));
        }
        Ok(())
    };
    TestRunner::new(config()).run(&arrivals(), rules).unwrap_or_else(|error| panic!("{error}"));
}

/// All meters with C = (2000 bytes, 80 kbit/s) and E or P = (3000 bytes, 120 kbit/s), with the envelope of green, and that of green and
/// yellow together.
fn meters(mode: &str) -> Vec<(AnyMeter, Envelope, Envelope)> {
    let mode = format!("mode = {mode}");
    let committed = ["committed-rate = 80 kbit/s", "committed-burst = 2000 bytes", &mode];
    let excess = [&committed[..], &["excess-rate = 120 kbit/s", "excess-burst = 3000 bytes"]].concat();
    let peak = [&committed[..], &["peak-rate = 120 kbit/s", "peak-burst = 3000 bytes"]].concat();
    let one_rate = [&committed[..], &["excess-burst = 3000 bytes"]].concat();
    let (c, sum) = ((2000, 80_000), (5000, 200_000));
    let bucket = ["rate = 80 kbit/s", "burst = 2000 bytes", "exceed-precedence = 2", &mode];
    let spread = [&bucket[..], &["peak-rate = 160 kbit/s", "peak-burst = 1500 bytes"]].concat();
    let plans = [
        (MeterPlan::TokenBucket(read(&bucket).expect("sound")), c, c),
        (MeterPlan::TokenBucket(read(&spread).expect("sound")), c, (1500, 160_000)),
        (MeterPlan::Tcm(read(&committed).expect("sound")), c, c),
        (MeterPlan::Tcm(read(&one_rate).expect("sound")), c, (5000, 80_000)),
        (MeterPlan::Rbm(read(&committed).expect("sound")), c, c),
        (MeterPlan::Rbm(read(&excess).expect("sound")), c, sum),
        (MeterPlan::Rfc4115(read(&excess).expect("sound")), c, sum),
        (MeterPlan::TwoRateTcm(read(&peak).expect("sound")), c, (3000, 120_000)),
    ];
    plans.into_iter().map(|(plan, green, both)| (AnyMeter::new(&plan, &Site::trial()), green, both)).collect()
}

/// Meters without buckets, which ignore the incoming colour of packets.
fn estimators() -> Vec<AnyMeter> {
    let rates = ["committed-rate = 80 kbit/s", "averaging-interval = 100 ms"];
    let three = [&rates[..], &["peak-rate = 120 kbit/s"]].concat();
    let plans = [MeterPlan::Tsw2cm(read(&rates).expect("sound")), MeterPlan::Tsw3cm(read(&three).expect("sound"))];
    plans.iter().map(|plan| AnyMeter::new(plan, &Site::trial())).collect()
}

#[test]
fn every_meter_keeps_the_rules() {
    for (mode, aware) in [("colour-blind", false), ("colour-aware", true)] {
        for (i, (meter, green, both)) in meters(mode).into_iter().enumerate() {
            // With one bucket, excess packets are yellow (except with token-bucket, which gives them 2 here and keeps conforming yellow).
            let envelopes = [green, both];
            assert_rules(&meter, aware, &envelopes[..if green != both || i == 0 { 2 } else { 1 }]);
        }
    }
    estimators().iter().for_each(|meter| assert_rules(meter, false, &[]));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_bucket_never_exceeds_its_depth(arrivals in arrivals(), rate in 1..1_000_000_000u64, depth in 1..10_000u64) {
        let mut bucket = Bucket::new(Rate::from_bps(rate), Bytes::new(depth), Start::Full);
        let mut now = 0;
        for (gap, size, _) in arrivals {
            now += gap;
            bucket.settle(Time::from_ps(now));
            let before = bucket.fill(Time::from_ps(now));
            let taken = if bucket.take(Bytes::new(size)) { size } else { 0 };
            prop_assert!(before <= Bytes::new(depth));
            prop_assert_eq!(bucket.fill(Time::from_ps(now)) + Bytes::new(taken), before);
            prop_assert!(bucket.fill(Time::NEVER) <= Bytes::new(depth));
        }
    }
}

#[test]
fn a_probe_tells_the_fills_at_its_instant() {
    // At time 0, 2000 bytes empty the committed bucket; the next 1000 are yellow, or find no tokens. A peak burst of 1500 bytes refuses the
    // first packet and has 500 left after the second.
    let told = |(mut meter, ..): (AnyMeter, Envelope, Envelope)| {
        meter.colour(Time::ZERO, &packet(2000, 0));
        meter.colour(Time::ZERO, &packet(1000, 0));
        [50, 250].map(|ms| super::testing::probed(&meter, ms).into_iter().map(|(_, bits)| bits).collect::<Vec<_>>())
    };
    // 80 kbit/s add 4 and 20 kbit (16 kbit fit); 120 kbit/s add 6 and 30. Only the TCM's excess bucket receives overflow.
    let expected: [[Vec<f64>; 2]; 8] = [
        [vec![4e3], vec![16e3]],
        [vec![12e3, 12e3], vec![16e3, 12e3]],
        [vec![4e3], vec![16e3]],
        [vec![4e3, 16e3], vec![16e3, 20e3]],
        [vec![4e3], vec![16e3]],
        [vec![4e3, 22e3], vec![16e3, 24e3]],
        [vec![4e3, 22e3], vec![16e3, 24e3]],
        [vec![4e3, 6e3], vec![16e3, 24e3]],
    ];
    assert_eq!(meters("colour-aware").into_iter().map(told).collect::<Vec<_>>(), expected);
}
