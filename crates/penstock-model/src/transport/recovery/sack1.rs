//! The recovery of SACK TCP as first simulated, in 1996.

use super::{Flight, Phase, Recovery, RetransmitDelay};
use crate::packet::Ack;
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// SACK of 1996 (Sack1 in ns): resends the holes in the receiver's blocks while its count of the network allows.
    ///
    /// ## Decides
    /// `dup-ack-threshold` duplicate acknowledgements mean a loss: the first unacknowledged segment is sent again, and cwnd is
    /// ssthresh during fast recovery. A count of what is in the network, pipe, begins with what is outstanding less those
    /// duplicates. It grows with each segment sent, and falls by one with each duplicate acknowledgement that reports an
    /// arrival, by two with a partial acknowledgement (the retransmission, and the segment that was lost). While pipe is below
    /// cwnd, the next hole in the blocks is sent again, or a new segment if there is none.
    ///
    /// Unlike `recovery.sack`, a lost segment counts as being in the network until a partial acknowledgement covers it: after
    /// the loss of half of a window the repair grows like a slow start, and after the loss of more it waits for the timer.
    ///
    /// With `retransmit-delay` the first retransmission waits for half a smoothed round trip after the acknowledgement that shows
    /// the loss; ssthresh and cwnd are reduced before. Meanwhile the retransmission timer goes on as it was: if it expires first, the
    /// timeout ends the wait. An acknowledgement of all that had been sent ends it with nothing to send again; after one of a part
    /// of it, what is missing then is sent when the wait is over. Before the first measurement of a round trip nothing waits.
    ///
    /// ## State
    /// pipe, and the ranges that have arrived beyond the cumulative acknowledgement. Constant cost per acknowledgement without
    /// loss, else one that grows with the number of ranges.
    ///
    /// ## Departures
    /// - Before a loss is seen, `limited-transmit` lets new segments out as it does with `recovery.sack` [RFC6675 s5 (3)]; the
    ///   TCP of 1996 is `limited-transmit = false`.
    /// - A timeout forgets all blocks [RFC2018 s5], and until what had been sent is acknowledged duplicates mean nothing.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack1 = {}, limited-transmit = false }
    /// ```
    ///
    /// ## References
    /// Fall and Floyd [Fall96 s2.4]; RFC 2018; the delay is that of [Jain98 slide 28].
    pub struct Parameters {
        /// When the first retransmission of a fast recovery goes out.
        retransmit_delay: RetransmitDelay = "none";
    }
}
impl Check for Parameters {}

/// The recovery of a connection; the scoreboard is in the flight.
#[derive(Clone, Debug)]
pub struct Sack1 {
    /// Segments held to be in the network, during fast recovery.
    pipe: u32,
    delay: RetransmitDelay,
}

impl Sack1 {
    /// The recovery of a new connection.
    pub fn new(parameters: &Parameters, _: &Site) -> Sack1 {
        Sack1 { pipe: 0, delay: parameters.retransmit_delay }
    }
}

impl Recovery for Sack1 {
    fn uses_blocks(&self) -> bool {
        true
    }

    fn retransmit_delay(&self) -> RetransmitDelay {
        self.delay
    }

    fn on_duplicate_ack(&mut self, ack: &Ack, flight: &mut Flight, _window: &mut Window) -> bool {
        if flight.take_blocks(ack) == 0 {
            return false;
        }
        self.pipe = self.pipe.saturating_sub(1);
        flight.count_duplicate()
    }

    /// The segment held to be lost has left the network, and its retransmission enters it.
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.scoreboard.begin_recovery(flight.unacknowledged);
        self.pipe = flight.in_flight() - flight.duplicates;
        window.size = window.threshold;
        flight.begin_recovery();
    }

    /// For each partial acknowledgement but the first, the segment that was lost has not been taken from pipe yet; the first
    /// counts likewise, so that the repair is never slower than a slow start [Fall96 s2.4]. What arrives late, before anything was
    /// sent again, is one segment.
    fn on_partial_ack(&mut self, _newly: u32, flight: &mut Flight, _window: &mut Window) -> bool {
        self.pipe = self.pipe.saturating_sub(if flight.waits { 1 } else { 2 });
        true
    }

    fn next_segment(&mut self, flight: &mut Flight, window: &Window) -> Option<u32> {
        debug_assert!(flight.phase == Phase::Recovery);
        if flight.waits && self.delay == RetransmitDelay::HalfRoundTrip || self.pipe >= window.usable() {
            return None;
        }
        let hole = flight.scoreboard.next_suspect(flight.unacknowledged).filter(|_| !flight.waits);
        let seq = match hole {
            Some(hole) => {
                flight.scoreboard.on_resent(hole);
                hole
            }
            None if flight.is_within_reach(flight.next) => {
                flight.next += 1;
                flight.next - 1
            }
            None => return None,
        };
        self.pipe += 1;
        Some(seq)
    }
}
