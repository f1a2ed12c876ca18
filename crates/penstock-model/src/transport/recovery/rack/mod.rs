//! The recovery of RFC 8985.

mod detection;

use super::{Flight, Phase, Recovery};
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;
use crate::units::Duration;
pub use detection::Detection;
pub(crate) use detection::Timer;

crate::parameters! {
    /// RACK-TLP: finds losses by the send times of segments, probes for a loss at the end of the data, and repairs what a timeout finds
    /// lost without sending again what has arrived.
    ///
    /// ## Decides
    /// RACK.segment is the segment sent last among all that have arrived, and RACK.rtt is its round trip. Any segment sent before
    /// it, for the first time or again, is lost once RACK.rtt + reo_wnd have passed since its last transmission. Until then, a
    /// timer runs. The reordering window reo_wnd is a quarter of the minimum round trip, at most SRTT. With `dsack`, each round
    /// trip with a report of a duplicate adds a quarter, for 16 recoveries. It is zero if no reordering has been seen and either a
    /// recovery is under way or `dup-ack-threshold` segments are SACKed. A segment that was sent again does not become RACK.segment
    /// if the original may have arrived instead. That is assumed within a minimum round trip of the last retransmission and, with
    /// `timestamps`, if the acknowledgement echoes the timestamp of a first transmission [RFC8985 s6.2 step 2].
    ///
    /// A fast recovery begins with the first loss. cwnd then follows proportional rate reduction, as in `recovery.prr`. The number of
    /// segments in the network (pipe) excludes those that are SACKed, and those that are lost and have not been sent again. The sender
    /// sends lost segments first, and then new ones. If a lost segment that was sent after the beginning of a recovery is still
    /// outstanding at its end, the next recovery begins at once, and cwnd is reduced again [RFC5681 s4.3], as in Linux
    /// (`tcp_time_to_recover`).
    ///
    /// With `probes`, a tail loss probe is sent outside of a recovery if nothing has been sent or acknowledged for two smoothed round
    /// trips, plus `max-ack-delay` if a single segment is outstanding. The probe is a new segment if there is one, otherwise the last
    /// one again. It ignores cwnd. The selective acknowledgement that it causes shows the losses before it. If the probe itself repairs
    /// the only loss, cwnd is reduced.
    ///
    /// When the retransmission timer expires, the first segment counts as lost, and so does every other that was sent more than
    /// RACK.rtt before. What was SACKed stays SACKed. cwnd becomes one segment more than pipe and grows by slow start while the
    /// losses are repaired.
    ///
    /// ## State
    /// About 210 bytes, 24 for each outstanding segment, and ranges of lost segments. Segments are examined in the order of their
    /// transmission, each once, so the cost per acknowledgement is constant on average.
    ///
    /// ## Departures
    /// - A probe that was not necessary is recognised by an acknowledgement that reports nothing new, also with `dsack`.
    /// - The minimum round trip is that of the connection; [RFC8985 s3.2 step 1] asks for that of a recent period.
    /// - An echoed timestamp decides about segments that are acknowledged cumulatively, not about SACKed ones: it is that of a segment
    ///   in sequence [RFC7323 s4.3]. Linux does the same (`tcp_clean_rtx_queue`).
    /// - The timer expires when the reordering window of the first segment ends; [RFC8985 s6.2 step 5] waits for that of the last.
    /// - After a timeout, other segments than the first are lost without a reordering window, as in Linux (`tcp_timeout_mark_lost`);
    ///   [RFC8985 s6.3] adds reo_wnd to RACK.rtt.
    /// - Without a measured round trip there is no probe; [RFC8985 s7.2] sends one after a second.
    /// - ssthresh and cwnd are restored after a spurious recovery only with `dsack`.
    /// - The retransmission timer of `transport.tcp` restarts when a probe is sent and when a recovery begins.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.rack = {}, congestion-control.cubic = {}, timestamps = true }
    /// ```
    ///
    /// ## References
    /// RFC 8985 (RACK-TLP); RFC 9937 (proportional rate reduction); RFC 2018.
    pub struct Parameters {
        /// Whether tail loss probes are sent [RFC8985 s7].
        probes: bool = "true";
        /// Maximum delay of an acknowledgement that a probe allows for if one segment is outstanding (TLP.max_ack_delay) [RFC8985 s7.2].
        /// Linux uses the minimum timeout, 200 ms.
        max_ack_delay: Duration = "200 ms";
    }
}
impl Check for Parameters {}

/// The recovery of a connection. Its state is stored with the send times in the flight.
#[derive(Clone, Debug)]
pub struct Rack {
    probes: Option<Duration>,
}

impl Rack {
    /// The recovery of a new connection.
    pub fn new(parameters: &Parameters, _: &Site) -> Rack {
        Rack { probes: parameters.probes.then_some(parameters.max_ack_delay) }
    }
}

impl Recovery for Rack {
    fn uses_blocks(&self) -> bool {
        true
    }

    fn detection(&self) -> Option<Detection> {
        Some(Detection::new(self.probes))
    }

    /// The sender reduces cwnd for each acknowledgement.
    fn on_loss(&mut self, flight: &mut Flight, _window: &mut Window) {
        flight.phase = Phase::Recovery;
        flight.recover = flight.high;
    }

    /// The first lost segment, or a new one, if pipe leaves room.
    fn next_segment(&mut self, flight: &mut Flight, window: &Window) -> Option<u32> {
        let pipe = flight.pipe();
        let is_within_reach = flight.is_within_reach(flight.next);
        let detection = flight.sent.as_mut()?.detection.as_mut()?;
        if pipe >= window.usable() {
            return None;
        }
        let seq = match detection.lost.first() {
            Some(lost) => {
                detection.lost.remove(lost);
                lost
            }
            None if is_within_reach => {
                flight.next += 1;
                flight.next - 1
            }
            None => return None,
        };
        detection.count_sent();
        Some(seq)
    }
}
