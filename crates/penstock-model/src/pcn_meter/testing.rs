//! Packets for the tests of PCN meters.

use super::{meter_each, Metered, PcnMeter};
use crate::packet::testing::with_mark;
use crate::packet::PcnMark;
use crate::rng::Key;
use crate::site::Site;
use crate::units::{Bytes, Duration, Time};
use proptest::prelude::*;

pub(super) fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

pub(super) fn site() -> Site {
    Site::trial().with_key(Key::root(1, 0).child("meter"))
}

/// Marks given to unmarked packets, each given as (ms, bytes).
pub(super) fn marks(meter: &mut impl PcnMeter, packets: &[(u64, u32)]) -> Vec<PcnMark> {
    packets.iter().map(|(ms, size)| meter.on_packet(at(1000 * ms), &with_mark(*size, PcnMark::Unmarked))).collect()
}

/// Values reported by a probe at `us`.
pub(super) fn probed(meter: &impl PcnMeter, us: u64) -> Vec<(&'static str, f64)> {
    let mut told = Vec::new();
    meter.probe(at(us), &mut |variable, _, value| told.push((variable.name, value)));
    told
}

/// Marked share of packets of `size` spaced by `spacing`, except the first tenth.
pub(super) fn share(meter: &mut impl PcnMeter, size: u32, spacing: Duration, packets: u64) -> f64 {
    let warm_up = packets / 10;
    let mut marked = 0;
    for i in 0..packets {
        let mark = meter.on_packet(Time::from_ps(i * spacing.as_ps()), &with_mark(size, PcnMark::Unmarked));
        marked += u64::from(i >= warm_up && mark > PcnMark::Unmarked);
    }
    marked as f64 / (packets - warm_up) as f64
}

/// A packet of 100 bytes for meters.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    at: Time,
    mark: PcnMark,
}

impl Metered for Seen {
    fn at(&self) -> Time {
        self.at
    }

    fn size(&self) -> Bytes {
        Bytes::new(100)
    }

    fn mark(&mut self) -> &mut PcnMark {
        &mut self.mark
    }
}

/// Batches of packets: picoseconds since the previous packet, and the index of the mark.
pub(super) type Batches = Vec<Vec<(u64, u8)>>;

/// Batches with all spacings, including those whose inflow exceeds 64 bits of grains.
pub(super) fn batches() -> impl Strategy<Value = Batches> {
    let gap = prop_oneof![Just(0u64), 0u64..80_000_000_000, 0u64..1 << 40, 0u64..1 << 58];
    prop::collection::vec(prop::collection::vec((gap, 0u8..3), 0..30), 1..6)
}

/// Checks that a meter marks packets in a batch as it does one by one.
pub(super) fn same_together<M: PcnMeter>(meter: impl Fn() -> M, batches: Batches) -> Result<(), TestCaseError> {
    let (mut together, mut each, mut now) = (meter(), meter(), 0u64);
    for batch in batches {
        let seen = batch.into_iter().map(|(gap, mark)| {
            now = now.saturating_add(gap);
            Seen { at: Time::from_ps(now), mark: [PcnMark::Unmarked, PcnMark::Threshold, PcnMark::Excess][usize::from(mark)] }
        });
        let mut packets: Vec<Seen> = seen.collect();
        let mut expected = packets.clone();
        let marked = together.meter_alike(&mut packets, Bytes::new(100));
        prop_assert_eq!(marked, meter_each(&mut each, &mut expected).0);
        prop_assert_eq!(packets, expected);
        let state = |meter: &M| probed(meter, now.div_ceil(1_000_000));
        prop_assert_eq!(state(&together), state(&each));
    }
    Ok(())
}
