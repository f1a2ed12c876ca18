//! The recovery of SACK TCP as first simulated in 1996.

use super::{Flight, Phase, Recovery, RetransmitDelay};
use crate::packet::Ack;
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// SACK of 1996 (Sack1 in ns): resends the holes in the receiver's blocks, limited by an estimate of the segments in the network.
    ///
    /// ## Decides
    /// `dup-ack-threshold` duplicate acknowledgements indicate a loss. The first unacknowledged segment is sent again, and cwnd is
    /// ssthresh during fast recovery. pipe, the estimate of the segments in the network, starts as the number of outstanding segments
    /// minus those duplicates. Afterwards it changes:
    ///
    /// | event | pipe |
    /// |---|---|
    /// | segment sent | +1 |
    /// | duplicate acknowledgement that reports an arrival | -1 |
    /// | partial acknowledgement | -2 (the retransmission and the lost segment) |
    ///
    /// While pipe is below cwnd, the sender resends the next hole in the blocks, or sends a new segment if there is no hole.
    ///
    /// Unlike in `recovery.sack`, a lost segment counts as being in the network until a partial acknowledgement covers it. After the
    /// loss of half a window, the repair therefore grows like a slow start; after the loss of more, it waits for the timer.
    ///
    /// With `retransmit-delay`, the first retransmission is sent half a smoothed round trip after the acknowledgement that shows the
    /// loss; ssthresh and cwnd are reduced at that acknowledgement. The retransmission timer keeps running, and a timeout ends the
    /// wait. An acknowledgement of everything sent before the loss was detected ends the wait without a retransmission. After a partial
    /// acknowledgement, the segment that is then the first missing one is sent at the end of the wait. There is no wait before the
    /// first measurement of the round-trip time.
    ///
    /// ## State
    /// pipe, and the ranges that have arrived beyond the cumulative acknowledgement. Constant cost per acknowledgement without loss;
    /// with losses, the cost grows with the number of ranges.
    ///
    /// ## Departures
    /// - Before a loss is detected, `limited-transmit` permits new segments as with `recovery.sack` [RFC6675 s5 (3)].
    ///   `limited-transmit = false` is the TCP of 1996.
    /// - A timeout discards all blocks [RFC2018 s5]. Until everything sent before it is acknowledged, duplicates have no effect.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack1 = {}, limited-transmit = false }
    /// ```
    ///
    /// ## References
    /// Fall and Floyd [Fall96 s2.4]; RFC 2018; the delay is that of [Jain98 slide 28].
    pub struct Parameters {
        /// Delay of the first retransmission of a fast recovery.
        retransmit_delay: RetransmitDelay = "none";
    }
}
impl Check for Parameters {}

/// The recovery of a connection. The scoreboard is in the flight.
#[derive(Clone, Debug)]
pub struct Sack1 {
    /// Estimated number of segments in the network during fast recovery.
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

    /// The lost segment has left the network, and its retransmission enters it.
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.scoreboard.begin_recovery(flight.unacknowledged);
        self.pipe = flight.in_flight() - flight.duplicates;
        window.size = window.threshold;
        flight.begin_recovery();
    }

    /// Each partial acknowledgement except the first reveals a lost segment that has not been subtracted from pipe yet. The first one
    /// counts the same, so that the repair is never slower than a slow start [Fall96 s2.4]. A late arrival before any retransmission counts
    /// as one segment.
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
