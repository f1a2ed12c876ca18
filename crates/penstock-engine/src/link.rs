//! The wire: how long a transmission takes, also over scheduled changes of rate.

use penstock_model::units::{Bytes, Duration, Rate, Time};

/// A link's wire. Rate changes and failures are a function of time known beforehand, so departures stay computable.
#[derive(Clone, Debug)]
pub struct Wire {
    rate: Rate,
    changes: Vec<(Time, Rate)>,
    /// The last size sent and its transmission time: traffic has few sizes, and a division costs more than a comparison.
    cached: (u32, Duration),
}

impl Wire {
    /// A wire of `rate` until the first of `changes` (by increasing time).
    pub fn new(rate: Rate, changes: Vec<(Time, Rate)>) -> Wire {
        Wire { rate, changes, cached: (0, Duration::ZERO) }
    }

    /// When the transmission of `size` bytes that begins at `start` ends; [`Time::NEVER`] if the link never recovers.
    #[inline]
    pub fn finish(&mut self, start: Time, size: u32) -> Time {
        if !self.changes.is_empty() {
            return self.finish_over_changes(start, size);
        }
        if self.cached.0 != size {
            self.cached = (size, self.rate.transmission_time(Bytes::new(u64::from(size))));
        }
        start + self.cached.1
    }

    /// Integrates the rate from `start` until the last bit; bits are counted in bit-picoseconds per second.
    fn finish_over_changes(&self, start: Time, size: u32) -> Time {
        const PS: u128 = penstock_model::units::PS_PER_SECOND as u128;
        let mut left = u128::from(size) * 8 * PS;
        let mut now = start;
        let passed = self.changes.partition_point(|(at, _)| *at <= start);
        let mut rate = if passed == 0 { self.rate } else { self.changes[passed - 1].1 };
        for &(at, next) in &self.changes[passed..] {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn a_constant_rate_needs_no_schedule() {
        let mut wire = Wire::new(Rate::from_bps(1_500_000), vec![]);
        assert_eq!(wire.finish(at(1), 576), at(1) + Duration::from_us(3_072));
    }

    #[test]
    fn a_transmission_spans_changes_of_rate() {
        // 1000 bytes = 8000 bits: 4 ms at 1 Mbit/s send half, the other half takes 2 ms at 2 Mbit/s.
        let mut wire = Wire::new(Rate::from_bps(1_000_000), vec![(at(14), Rate::from_bps(2_000_000))]);
        assert_eq!(wire.finish(at(10), 1000), at(16));
        assert_eq!(wire.finish(at(14), 1000), at(18));
        assert_eq!(wire.finish(at(0), 1000), at(8));
    }

    #[test]
    fn a_failure_holds_the_packet_until_the_link_is_back() {
        let mut wire = Wire::new(Rate::from_bps(1_000_000), vec![(at(4), Rate::ZERO), (at(10), Rate::from_bps(1_000_000))]);
        assert_eq!(wire.finish(at(0), 1000), at(14));
        let mut cut = Wire::new(Rate::from_bps(1_000_000), vec![(at(4), Rate::ZERO)]);
        assert_eq!(cut.finish(at(0), 1000), Time::NEVER);
    }
}
