//! The wire: duration of transmissions, including scheduled changes of rate.

pub mod aggregation;
pub mod deliveries;
pub mod delivery_times;

use crate::conditioner::{AnyShaper, Shaper, ShaperPlan};
use crate::transmission::WireRate;
use crate::units::{Bytes, Duration, Rate, Time};
use aggregation::Aggregation;
use deliveries::Deliveries;

/// Wire of a link. Rate changes and failures are a function of time that is known in advance, so departures can be computed. This also
/// holds with a shaper, which holds each packet until it has enough tokens.
#[derive(Clone)]
#[repr(C)]
pub struct Wire {
    /// Last sizes sent, one for small and one for large packets, and their transmission times. Traffic has few sizes, and a division costs
    /// more than a comparison.
    cached_sizes: [u32; 2],
    cached_times: [Duration; 2],
    options: Option<Box<WireOptions>>,
    rate: WireRate,
}

/// Size from which packets are large: acknowledgements are smaller, most data packets are not.
const LARGE: u32 = 512;

/// Changes of rate or delivery opportunities, a shaper, and aggregates.
#[derive(Clone)]
struct WireOptions {
    changes: Vec<(Time, Rate)>,
    /// Delivery opportunities, which replace all rates.
    deliveries: Option<Deliveries>,
    shaper: Option<AnyShaper>,
    aggregation: Option<Aggregation>,
}

impl Wire {
    /// A wire with `rate` until the first of `changes` (in order of time), behind `shaper`.
    pub fn new(rate: impl Into<WireRate>, changes: Vec<(Time, Rate)>, shaper: Option<AnyShaper>) -> Wire {
        let has_options = !changes.is_empty() || shaper.is_some();
        let options = has_options.then(|| Box::new(WireOptions { changes, deliveries: None, shaper, aggregation: None }));
        Wire { rate: rate.into(), cached_sizes: [0; 2], cached_times: [Duration::ZERO; 2], options }
    }

    /// Same wire, but packets pass at these opportunities instead of at its rate.
    pub fn with_deliveries(self, deliveries: Deliveries) -> Wire {
        let shaper = self.options.and_then(|options| options.shaper);
        let options = WireOptions { changes: Vec::new(), deliveries: Some(deliveries), shaper, aggregation: None };
        Wire { options: Some(Box::new(options)), ..self }
    }

    /// Same wire, but it sends packets in aggregates.
    pub fn with_aggregation(self, aggregation: Aggregation) -> Wire {
        let none = || WireOptions { changes: Vec::new(), deliveries: None, shaper: None, aggregation: None };
        let options = self.options.map_or_else(none, |options| *options);
        Wire { options: Some(Box::new(WireOptions { aggregation: Some(aggregation), ..options })), ..self }
    }

    /// Time, `now` or later, at which the transmission of `size` bytes may begin; `now` if there is neither a shaper nor delivery
    /// opportunities.
    #[inline]
    pub fn ready(&self, now: Time, size: u32) -> Time {
        let Some(options) = self.options.as_deref() else { return now };
        let ready = options.shaper.as_ref().map_or(now, |shaper| shaper.ready(now, Bytes::new(u64::from(size))));
        options.deliveries.as_ref().map_or(ready, |deliveries| deliveries.ready(ready))
    }

    /// Begins the transmission of `size` bytes, which arrived at `arrived`, at the first permitted instant, `now` or later. Returns its
    /// start and its end, [`Time::NEVER`] if the link never recovers.
    #[inline]
    pub fn transmit(&mut self, now: Time, arrived: Time, size: u32) -> (Time, Time) {
        if self.options.is_some() {
            return self.transmit_with_options(now, arrived, size);
        }
        (now, now + self.transmission_time(size))
    }

    /// Begins the transmission of `size` bytes at `start`, ignoring the shaper. Returns its end, [`Time::NEVER`] if the link never
    /// recovers.
    pub fn transmit_unshaped(&mut self, start: Time, size: u32) -> Time {
        let on_wire = self.rate.framing.on_wire(size);
        match self.options.as_deref_mut() {
            Some(WireOptions { deliveries: Some(deliveries), .. }) => deliveries.pass(start, on_wire).1,
            Some(options) if !options.changes.is_empty() => finish_over_changes(self.rate.rate, &options.changes, start, on_wire),
            _ => start + self.transmission_time(size),
        }
    }

    /// Shaper, if there is one.
    pub fn shaper(&self) -> Option<&AnyShaper> {
        self.options.as_ref().and_then(|options| options.shaper.as_ref())
    }

    /// Gives the shaper the parameters of `plan` from `now` on.
    pub fn change_shaper(&mut self, now: Time, plan: &ShaperPlan) {
        let shaper = self.options.as_mut().and_then(|options| options.shaper.as_mut());
        if let (Some(shaper), Some(parameters)) = (shaper, plan.changeable()) {
            shaper.change(now, parameters);
        }
    }

    /// Whether the rate never changes and no packet is held back.
    pub fn is_constant(&self) -> bool {
        self.options.is_none()
    }

    /// Transmission time of `size` bytes at the first rate.
    #[inline]
    pub fn transmission_time(&mut self, size: u32) -> Duration {
        let cached = usize::from(size >= LARGE);
        if self.cached_sizes[cached] != size {
            self.cached_sizes[cached] = size;
            self.cached_times[cached] = self.rate.transmission_time(size);
        }
        self.cached_times[cached]
    }

    fn transmit_with_options(&mut self, now: Time, arrived: Time, size: u32) -> (Time, Time) {
        let start = self.ready(now, size);
        let options = self.options.as_deref_mut().expect("checked by the caller");
        if let Some(shaper) = &mut options.shaper {
            shaper.on_start(start, Bytes::new(u64::from(size)));
        }
        let on_wire = self.rate.framing.on_wire(size);
        if let Some(deliveries) = &mut options.deliveries {
            return deliveries.pass(start, on_wire);
        }
        if let Some(aggregation) = &mut options.aggregation {
            let end_of = |first| finish_over_changes(self.rate.rate, &options.changes, first, on_wire);
            return (start, aggregation.transmit(start, arrived, on_wire, end_of));
        }
        if options.changes.is_empty() {
            return (start, start + self.transmission_time(size));
        }
        (start, finish_over_changes(self.rate.rate, &options.changes, start, on_wire))
    }
}

/// Integrates the rate from `start` until the last bit. Bits are counted in bit-picoseconds per second.
fn finish_over_changes(first: Rate, changes: &[(Time, Rate)], start: Time, size: Bytes) -> Time {
    const PS: u128 = crate::units::PS_PER_SECOND as u128;
    let mut left = u128::from(size.get()) * 8 * PS;
    let mut now = start;
    let passed = changes.partition_point(|(at, _)| *at <= start);
    let mut rate = if passed == 0 { first } else { changes[passed - 1].1 };
    for &(at, next) in &changes[passed..] {
        let sent = u128::from(at.since(now).as_ps()) * u128::from(rate.as_bps());
        if sent >= left {
            break;
        }
        left -= sent;
        (now, rate) = (at, next);
    }
    if rate == Rate::ZERO {
        return Time::NEVER;
    }
    let bps = u128::from(rate.as_bps());
    now + Duration::from_ps(u64::try_from((left + bps / 2) / bps).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditioner::shaper::Parameters;
    use crate::meter::bucket::Start;
    use crate::site::Site;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn a_constant_rate_needs_no_schedule() {
        let mut wire = Wire::new(Rate::from_bps(1_500_000), vec![], None);
        assert_eq!(wire.transmit(at(1), at(0), 576).1, at(1) + Duration::from_us(3_072));
    }

    #[test]
    fn a_transmission_spans_changes_of_rate() {
        // 1000 bytes = 8000 bits: 4 ms at 1 Mbit/s send half, the other half takes 2 ms at 2 Mbit/s.
        let mut wire = Wire::new(Rate::from_bps(1_000_000), vec![(at(14), Rate::from_bps(2_000_000))], None);
        assert_eq!(wire.transmit(at(10), at(0), 1000).1, at(16));
        assert_eq!(wire.transmit(at(14), at(0), 1000).1, at(18));
        assert_eq!(wire.transmit(at(0), at(0), 1000).1, at(8));
    }

    #[test]
    fn a_shaper_holds_packets_until_their_tokens_are_there() {
        // 8 kbit/s is a byte a millisecond; at 1 Mbit/s 125 bytes take a millisecond.
        let parameters = Parameters { rate: Rate::from_bps(8_000), burst: Bytes::new(250), start: Start::Full };
        let shaper = || Some(AnyShaper::new(&ShaperPlan::TokenBucket(parameters.clone()), &Site::trial()));
        let mut wire = Wire::new(Rate::from_bps(1_000_000), vec![], shaper());
        assert_eq!(wire.transmit(at(0), at(0), 125), (at(0), at(1)));
        assert_eq!(wire.transmit(at(1), at(0), 125), (at(1), at(2)));
        assert_eq!(wire.ready(at(2), 125), at(125));
        assert_eq!(wire.transmit(at(2), at(0), 125), (at(125), at(126)));
        // While the link is down, tokens still arrive.
        let mut wire = Wire::new(Rate::from_bps(1_000_000), vec![(at(50), Rate::ZERO), (at(200), Rate::from_bps(1_000_000))], shaper());
        wire.transmit(at(0), at(0), 250);
        assert_eq!(wire.transmit(at(2), at(0), 125), (at(125), at(201)));
    }

    #[test]
    fn a_failure_holds_the_packet_until_the_link_is_back() {
        let mut wire = Wire::new(Rate::from_bps(1_000_000), vec![(at(4), Rate::ZERO), (at(10), Rate::from_bps(1_000_000))], None);
        assert_eq!(wire.transmit(at(0), at(0), 1000).1, at(14));
        let mut cut = Wire::new(Rate::from_bps(1_000_000), vec![(at(4), Rate::ZERO)], None);
        assert_eq!(cut.transmit(at(0), at(0), 1000).1, Time::NEVER);
    }
}
