//! Reports of acknowledgements and segments for congestion controls that request them.

use crate::units::{Duration, Rate, Time};

/// Needs of a congestion control beyond the events that every control gets; constant for its lifetime. A control without needs has no extra
/// cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether [`on_report`](super::CongestionControl::on_report), [`on_sent`](super::CongestionControl::on_sent) and
    /// [`on_lost_segment`](super::CongestionControl::on_lost_segment) are called. Costs 40 bytes for every outstanding segment and disables
    /// header prediction. Requires a recovery with SACK, so that arrivals beyond the cumulative acknowledgement are known.
    pub reports: bool,
}

impl Needs {
    /// Reports of acknowledgements and segments.
    pub const REPORTS: Needs = Needs { reports: true };
}

/// A segment that leaves.
#[derive(Clone, Copy, Debug)]
pub struct SentSegment {
    /// Sending time.
    pub now: Time,
    /// Segment number.
    pub seq: u32,
    /// Whether the segment was sent before.
    pub retransmission: bool,
    /// Number of segments in the network before this one.
    pub in_flight: u32,
    /// Whether the application limits the rate: it had nothing to send while the window had room, and the segments that were in the network
    /// then have not all been delivered (C.app_limited) [Cheng21 s3.4].
    pub app_limited: bool,
}

/// A segment that is considered lost (HandleLostPacket of draft-ietf-ccwg-bbr s5.5.10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Segment number.
    pub seq: u32,
    /// Segments in the network when this one left, this one included (P.tx_in_flight).
    pub in_flight: u32,
    /// Segments considered lost since then, this one included (C.lost - P.lost).
    pub lost: u32,
    /// Segments delivered since the connection began (C.delivered).
    pub delivered: u32,
    /// Whether the segment was sent while the application limited the rate (P.is_app_limited).
    pub app_limited: bool,
}

/// Report of an acknowledgement, whether of new data or not (a duplicate, or one with SACK blocks alone).
#[derive(Clone, Copy, Debug)]
pub struct AckReport {
    /// Arrival time.
    pub now: Time,
    /// Segment expected next (SND.UNA).
    pub acknowledged: u32,
    /// Number of segments acknowledged cumulatively that no block had covered before.
    pub newly_acknowledged: u32,
    /// Number of segments that a block covers for the first time.
    pub newly_sacked: u32,
    /// Number of segments considered lost since the last report, including losses by a timeout.
    pub newly_lost: u32,
    /// Number of segments in the network before the acknowledgement: sent, and neither delivered nor considered lost.
    pub in_flight_before: u32,
    /// Number of segments in the network after the acknowledgement.
    pub in_flight: u32,
    /// Segments delivered since the connection began (C.delivered).
    pub delivered: u32,
    /// Round trip of the most recently sent of the newly delivered segments, if it was sent once.
    pub rtt: Option<Duration>,
    /// Delivery rate, if there is a sample [Cheng21 s3.3].
    pub rate: Option<RateSample>,
    /// Segments in the network when the most recently sent of the newly delivered segments left, that segment included; 0 if no segment is
    /// newly delivered (RS.tx_in_flight of draft-ietf-ccwg-bbr s2.3).
    pub in_flight_at_sending: u32,
    /// Number of segments considered lost since that segment left (RS.lost of draft-ietf-ccwg-bbr s2.3).
    pub lost_since_sending: u32,
    /// Whether the sender repairs losses, in a fast recovery or after a timeout.
    pub in_recovery: bool,
}

impl AckReport {
    /// Number of segments that the acknowledgement shows to have arrived (DeliveredData).
    pub fn newly_delivered(&self) -> u32 {
        self.newly_acknowledged + self.newly_sacked
    }
}

/// A sample of the delivery rate [Cheng21 s3.3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Number of segments delivered in the interval (rs.delivered).
    pub delivered: u32,
    /// Longer one of the intervals of sending and of acknowledging (rs.interval).
    pub interval: Duration,
    /// C.delivered when the newest delivered segment was sent (rs.prior_delivered).
    pub prior_delivered: u32,
    /// Whether that segment was sent while the application limited the rate (rs.is_app_limited).
    pub is_app_limited: bool,
}

impl RateSample {
    /// Rate for segments of `packet_size` bytes.
    pub fn rate(&self, packet_size: u32) -> Rate {
        let bits = u128::from(self.delivered) * u128::from(packet_size) * 8;
        let per_second = bits * 1_000_000_000_000 / u128::from(self.interval.as_ps().max(1));
        Rate::from_bps(u64::try_from(per_second).unwrap_or(u64::MAX))
    }
}
