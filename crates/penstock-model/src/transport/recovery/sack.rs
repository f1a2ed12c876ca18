//! The recovery of RFC 6675.

use super::{Flight, Phase, Recovery, RetransmitDelay};
use crate::packet::Ack;
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// SACK: resends what the receiver's blocks show as missing, several losses a round trip.
    ///
    /// ## Decides
    /// A segment is lost once `dup-ack-threshold` segments beyond it have arrived. In fast recovery, cwnd is ssthresh, and a
    /// segment goes out whenever fewer are held to be in the network (pipe): first those that are lost, then new ones,
    /// then those that may be lost, at last, once more than the first retransmission is acknowledged, the highest one (rescue).
    ///
    /// With `retransmit-delay` the first retransmission waits for half a smoothed round trip after the acknowledgement that shows
    /// the loss; ssthresh and cwnd are reduced before. Meanwhile the retransmission timer goes on as it was: if it expires first, the
    /// timeout ends the wait. An acknowledgement of all that had been sent ends it with nothing to send again; after one of a part
    /// of it, what is missing then is sent when the wait is over. Before the first measurement of a round trip nothing waits.
    ///
    /// ## State
    /// The ranges that have arrived beyond the cumulative acknowledgement. Constant cost per acknowledgement without loss,
    /// else one that grows with the number of ranges.
    ///
    /// ## Departures
    /// - The rescue retransmission is left out where the segment has been sent again already.
    /// - A timeout forgets all blocks [RFC2018 s5; RFC6675 s5.1].
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {} }
    /// ```
    ///
    /// ## References
    /// RFC 6675; RFC 2018; Fall and Floyd [Fall96 s2.4]; the delay is that of [Jain98 slide 28].
    pub struct Parameters {
        /// When the first retransmission of a fast recovery goes out.
        retransmit_delay: RetransmitDelay = "none";
    }
}
impl Check for Parameters {}

/// The recovery of a connection; the scoreboard is in the flight.
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

    /// Only news of arrivals makes a duplicate acknowledgement [RFC6675 s2]. In recovery, pipe says what has left the
    /// network.
    fn on_duplicate_ack(&mut self, ack: &Ack, flight: &mut Flight, _window: &mut Window) -> bool {
        flight.take_blocks(ack) > 0 && (flight.count_duplicate() || flight.is_first_lost())
    }

    /// It is a duplicate acknowledgement, too [RFC6675 s2, s5].
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

/// What RFC 6675 would send next, if pipe leaves room [RFC6675 s5 (C), s4 NextSeg].
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
