//! What a congestion control is told of every acknowledgement and of every segment, where it asks for that.

use crate::units::{Duration, Rate, Time};

/// What a congestion control needs beyond what every one is told; declared once, for all its life. Who declares nothing pays nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// [`on_report`](super::CongestionControl::on_report) and [`on_sent`](super::CongestionControl::on_sent) are called. Takes 32 bytes for
    /// every outstanding segment and excludes header prediction. Which segments have arrived beyond the cumulative
    /// acknowledgement must be known, so that the recovery is one with SACK.
    pub reports: bool,
}

impl Needs {
    /// Reports of acknowledgements and segments.
    pub const REPORTS: Needs = Needs { reports: true };
}

/// A segment leaves.
#[derive(Clone, Copy, Debug)]
pub struct SentSegment {
    /// When.
    pub now: Time,
    /// Its number.
    pub seq: u32,
    /// It was sent before.
    pub retransmission: bool,
    /// Segments in the network before it.
    pub in_flight: u32,
    /// The application limits the rate: it had nothing to send while the window had room, and what was in the network then is not all
    /// delivered (C.app_limited) [Cheng21 s3.4].
    pub app_limited: bool,
}

/// What an acknowledgement tells, of new data or not (a duplicate, or one with SACK blocks alone).
#[derive(Clone, Copy, Debug)]
pub struct AckReport {
    /// When it arrived.
    pub now: Time,
    /// The segment expected next (SND.UNA).
    pub acknowledged: u32,
    /// Segments acknowledged cumulatively of which no block had told.
    pub newly_acknowledged: u32,
    /// Segments that a block covers for the first time.
    pub newly_sacked: u32,
    /// Segments held to be lost since the last report, those of a timeout included.
    pub newly_lost: u32,
    /// Segments in the network before it: sent, neither delivered nor held to be lost.
    pub in_flight_before: u32,
    /// Segments in the network after it.
    pub in_flight: u32,
    /// Segments delivered since the connection began (C.delivered).
    pub delivered: u32,
    /// The round trip of the segment sent last among those newly delivered, if it was sent once.
    pub rtt: Option<Duration>,
    /// The delivery rate, if there is a sample [Cheng21 s3.3].
    pub rate: Option<RateSample>,
    /// The sender repairs losses, in a fast recovery or after a timeout.
    pub in_recovery: bool,
}

impl AckReport {
    /// Segments that it shows to have arrived (DeliveredData).
    pub fn newly_delivered(&self) -> u32 {
        self.newly_acknowledged + self.newly_sacked
    }
}

/// A sample of the delivery rate [Cheng21 s3.3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Segments delivered in the interval (rs.delivered).
    pub delivered: u32,
    /// The longer of the intervals of sending and of acknowledging (rs.interval).
    pub interval: Duration,
    /// C.delivered when the newest delivered segment was sent (rs.prior_delivered).
    pub prior_delivered: u32,
    /// That segment was sent while the application limited the rate (rs.is_app_limited).
    pub is_app_limited: bool,
}

impl RateSample {
    /// The rate, with segments of `packet_size` bytes.
    pub fn rate(&self, packet_size: u32) -> Rate {
        let bits = u128::from(self.delivered) * u128::from(packet_size) * 8;
        let per_second = bits * 1_000_000_000_000 / u128::from(self.interval.as_ps().max(1));
        Rate::from_bps(u64::try_from(per_second).unwrap_or(u64::MAX))
    }
}
