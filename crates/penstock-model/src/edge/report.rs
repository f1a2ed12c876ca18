//! Periodic reports of the egress (RFC 6661 and RFC 6662).

use super::rate_meter::rate;
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Rate, Time};

/// Rates that arrived in an interval, by mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Rate of unmarked packets (NM-rate).
    pub unmarked: Rate,
    /// Rate of threshold-marked packets (ThM-rate).
    pub threshold: Rate,
    /// Rate of excess-traffic-marked packets (ETM-rate).
    pub excess: Rate,
}

impl Report {
    /// Congestion level estimate: the marked share; 0 if nothing arrived [RFC6661 s3.2.1].
    pub fn level(&self) -> f64 {
        let marked = self.threshold.as_bps() + self.excess.as_bps();
        let all = marked + self.unmarked.as_bps();
        if all == 0 {
            0.0
        } else {
            marked as f64 / all as f64
        }
    }
}

/// Measures consecutive intervals and reports each at its end. The first packet starts the first interval. An interval without
/// packets is reported too; the next one then starts with the next packet.
#[derive(Clone, Debug)]
pub struct Reporter {
    every: Duration,
    until: Time,
    bits: [u64; 3],
}

impl Reporter {
    /// A reporter with intervals of `every` (T-meas).
    pub fn new(every: Duration) -> Reporter {
        Reporter { every, until: Time::NEVER, bits: [0; 3] }
    }

    /// Handles the arrival of a packet.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        if self.until == Time::NEVER {
            self.until = now + self.every;
        }
        self.bits[mark as usize] += size.bits();
    }

    /// Time of the next report.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.until
    }

    /// Lower bound on the time of the next report, whatever arrives from `now` on.
    #[inline]
    pub fn silent_until(&self, now: Time) -> Time {
        self.until.min(now + self.every)
    }

    /// Returns the report of the interval that ends now.
    pub fn on_timer(&mut self, now: Time) -> Report {
        let bits = std::mem::take(&mut self.bits);
        self.until = if bits == [0; 3] { Time::NEVER } else { now + self.every };
        let [unmarked, threshold, excess] = bits.map(|bits| rate(bits, self.every));
        Report { unmarked, threshold, excess }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_follow_one_another_until_one_is_empty() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut reporter = Reporter::new(Duration::from_ms(100));
        assert_eq!(reporter.deadline(), Time::NEVER);
        reporter.on_packet(at(7), Bytes::new(250), PcnMark::Unmarked);
        reporter.on_packet(at(20), Bytes::new(125), PcnMark::Threshold);
        reporter.on_packet(at(30), Bytes::new(125), PcnMark::Excess);
        assert_eq!(reporter.deadline(), at(107));
        let bps = Rate::from_bps;
        let report = reporter.on_timer(at(107));
        assert_eq!(report, Report { unmarked: bps(20_000), threshold: bps(10_000), excess: bps(10_000) });
        assert_eq!((report.level(), reporter.deadline()), (0.5, at(207)));
        assert_eq!((reporter.on_timer(at(207)).level(), reporter.deadline()), (0.0, Time::NEVER));
    }
}
