//! The recovery of RFC 6675.

use super::{Flight, Phase, Recovery, RetransmitDelay};
use crate::packet::Ack;
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// SACK: resends the segments that the receiver's blocks show as missing, several per round trip.
    ///
    /// ## Decides
    /// A segment is lost once `dup-ack-threshold` segments beyond it have arrived. In fast recovery, cwnd is ssthresh. While fewer
    /// segments are estimated to be in the network (pipe), the sender sends, in this order of preference:
    ///
    /// - a lost segment,
    /// - a new segment,
    /// - a segment that may be lost,
    /// - the highest segment that is not SACKed (rescue), after an acknowledgement beyond the first retransmission.
    ///
    /// With `retransmit-delay`, the first retransmission is sent half a smoothed round trip after the acknowledgement that shows the
    /// loss; ssthresh and cwnd are reduced at that acknowledgement. The retransmission timer keeps running, and a timeout ends the
    /// wait. An acknowledgement of everything sent before the loss was detected ends the wait without a retransmission. After a partial
    /// acknowledgement, the segment that is then the first missing one is sent at the end of the wait. There is no wait before the
    /// first measurement of the round-trip time.
    ///
    /// ## State
    /// The ranges that have arrived beyond the cumulative acknowledgement. Constant cost per acknowledgement without loss; with losses,
    /// the cost grows with the number of ranges.
    ///
    /// ## Departures
    /// - The rescue retransmission is omitted if the segment has already been sent again.
    /// - A timeout discards all blocks [RFC2018 s5; RFC6675 s5.1].
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {} }
    /// ```
    ///
    /// ## References
    /// RFC 6675; RFC 2018; Fall and Floyd [Fall96 s2.4]; the delay is that of [Jain98 slide 28].
    pub struct Parameters {
        /// Delay of the first retransmission of a fast recovery.
        retransmit_delay: RetransmitDelay = "none";
    }
}
impl Check for Parameters {}

/// The recovery of a connection. The scoreboard is in the flight.
#[derive(Clone, Debug)]
pub struct Sack {
    delay: RetransmitDelay,
}

impl Sack {
    /// The recovery of a new connection.
    pub fn new(parameters: &Parameters, _: &Site) -> Sack {
        Sack { delay: parameters.retransmit_delay }
    }
}

impl Recovery for Sack {
    fn uses_blocks(&self) -> bool {
        true
    }

    fn retransmit_delay(&self) -> RetransmitDelay {
        self.delay
    }

    /// Only an acknowledgement that reports new arrivals is a duplicate [RFC6675 s2]. In recovery, pipe shows how many segments have
    /// left the network.
    fn on_duplicate_ack(&mut self, ack: &Ack, flight: &mut Flight, _window: &mut Window) -> bool {
        flight.take_blocks(ack) > 0 && (flight.count_duplicate() || flight.is_first_lost())
    }

    /// An acknowledgement with new blocks is also a duplicate [RFC6675 s2, s5].
    fn on_new_blocks(&mut self, _newly: u32, flight: &mut Flight) -> bool {
        flight.count_duplicate() || flight.is_first_lost()
    }

    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.scoreboard.begin_recovery(flight.unacknowledged);
        window.size = window.threshold;
        flight.begin_recovery();
    }

    fn next_segment(&mut self, flight: &mut Flight, window: &Window) -> Option<u32> {
        next_segment(flight, window, self.delay)
    }
}

/// Segment that RFC 6675 sends next, if pipe leaves room [RFC6675 s5 (C), s4 NextSeg].
pub(super) fn next_segment(flight: &mut Flight, window: &Window, delay: RetransmitDelay) -> Option<u32> {
    debug_assert!(flight.phase == Phase::Recovery);
    let outstanding = flight.outstanding();
    let board = &mut flight.scoreboard;
    if flight.waits && delay == RetransmitDelay::HalfRoundTrip || board.pipe(outstanding) >= window.usable() {
        return None;
    }
    if let Some(seq) = board.next_lost(flight.unacknowledged).filter(|_| !flight.waits) {
        board.on_resent(seq);
        return Some(seq);
    }
    if flight.is_within_reach(flight.next) {
        flight.next += 1;
        return Some(flight.next - 1);
    }
    if flight.waits {
        return None;
    }
    let board = &mut flight.scoreboard;
    if let Some(seq) = board.next_suspect(flight.unacknowledged) {
        board.on_resent(seq);
        return Some(seq);
    }
    board.take_rescue(outstanding)
}
