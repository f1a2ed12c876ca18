//! Packets for the tests of PCN meters.

use super::PcnMeter;
use crate::packet::testing::with_mark;
use crate::packet::PcnMark;
use crate::rng::Key;
use crate::units::{Duration, Time};

pub(super) fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

pub(super) fn key() -> Key {
    Key::root(1, 0).child("meter")
}

/// The marks of unmarked packets given as (ms, bytes).
pub(super) fn marks(meter: &mut impl PcnMeter, packets: &[(u64, u32)]) -> Vec<PcnMark> {
    packets.iter().map(|(ms, size)| meter.on_packet(at(1000 * ms), &with_mark(*size, PcnMark::Unmarked))).collect()
}

/// What a probe at `us` reports.
pub(super) fn probed(meter: &impl PcnMeter, us: u64) -> Vec<(&'static str, f64)> {
    let mut told = Vec::new();
    meter.probe(at(us), &mut |variable, _, value| told.push((variable.name, value)));
    told
}

/// The share of marked packets among those of `size` that come every `spacing` after `warm_up` of them.
pub(super) fn share(meter: &mut impl PcnMeter, size: u32, spacing: Duration, packets: u64) -> f64 {
    let warm_up = packets / 10;
    let mut marked = 0;
    for i in 0..packets {
        let mark = meter.on_packet(Time::from_ps(i * spacing.as_ps()), &with_mark(size, PcnMark::Unmarked));
        marked += u64::from(i >= warm_up && mark > PcnMark::Unmarked);
    }
    marked as f64 / (packets - warm_up) as f64
}
