//! Data Center TCP.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use super::{EcnCapable, EcnEcho, EcnFeedback, EcnUse};
use crate::parameters::{own, Check, Count, Probability};
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// DCTCP: reduces the window in proportion to the share of segments that were marked.
    ///
    /// ## Decides
    /// The receiver echoes exactly which segments were marked. Once per observation window, about a round trip, the sender updates
    /// $alpha = (1 - g) alpha + g M$, where M is the share of marked segments among those acknowledged in the window; alpha starts
    /// at 1. The first echoed mark of a window of data multiplies cwnd by $1 - alpha / 2$ and sets ssthresh to cwnd. Growth, losses
    /// and timeouts are as in Reno; a loss halves FlightSize even if a mark has reduced cwnd in the same window of data. With
    /// `byte-counting-limit` (L), the window grows by acknowledged segments instead of acknowledgements, at most L per
    /// acknowledgement. Queues should mark every arrival above a low threshold, as `step-marking` does.
    ///
    /// ## State
    /// alpha, the end of the observation window, and two counts. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - When marks begin or end, the receiver first sends a separate acknowledgement for the segments still unacknowledged, the
    ///   second of the two choices of [RFC8257 s3.2].
    /// - An echoed mark reduces cwnd immediately, in place of the halving of [RFC3168 s6.1.2], with the current alpha. If the mark
    ///   ends an observation window, alpha is updated first. [RFC8257 s3.3] reduces cwnd in a step after the update of alpha.
    /// - A mark leaves cwnd at no less than two segments, like a loss. RFC 8257 does not mention ssthresh.
    /// - [RFC8257 s3.5] does not mention a loss after a mark of the same window of data. It reduces the window again, as in Linux
    ///   (`dctcp_state`).
    /// - A loss leaves alpha as it is [RFC8257 s4.1 permits a reset].
    /// - By default, alpha is a floating-point number, not a scaled integer [RFC8257 s4.2 permits either]; see `arithmetic`.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.dctcp = {}, ecn = true }
    /// ```
    ///
    /// ## References
    /// RFC 8257; Alizadeh et al. [Alizadeh10]; RFC 5681; RFC 3168.
    pub struct Parameters {
        /// Weight of the last observation window in alpha (g, estimation gain) [RFC8257 s4.2].
        gain: Probability = "1/16", changeable;
        /// Whether acknowledgements and segments sent again are ECN-capable too [RFC8257 s4.1]; the SYN exchange always is
        /// [RFC8257 s3.6].
        ect_everywhere: bool = "false";
        /// Maximum number of acknowledged segments by which an acknowledgement enlarges the window (L) [RFC3465 s2]; each
        /// acknowledgement counts once if left out. Linux has no limit.
        byte_counting_limit: Option<Count>;
        /// Arithmetic of alpha and of the reduction.
        arithmetic: Arithmetic = "floating-point";
    }
}

crate::choice! {
    /// Arithmetic of DCTCP's alpha [RFC8257 s4.2].
    pub enum Arithmetic {
        /// Floating-point numbers.
        "floating-point" => FloatingPoint,
        /// Multiples of 1/1024, rounded down, and whole segments of cwnd. With a gain of 1/16, a share of marks below 1/64 counts as
        /// none, and an alpha below 16/1024 falls to zero. Linux (`dctcp_update_alpha`).
        "linux" => Linux,
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        // 0 would keep alpha at 1, 1 would not smooth at all [RFC8257 s4.2].
        if self.gain.0 <= 0.0 || self.gain.0 >= 1.0 {
            mistake("gain", format!("{} is out of range; above 0 and below 1", self.gain.0));
        } else if self.arithmetic == Arithmetic::Linux && self.shift().is_none() {
            mistake("gain", format!("{} is no power of two from 1/2 to 1/1024, as arithmetic = \"linux\" needs", self.gain.0));
        }
    }
}

impl Parameters {
    /// Number of bits of the shift that equals the gain (`dctcp_shift_g`); `None` if the gain is no power of two in range.
    fn shift(&self) -> Option<u32> {
        (1..=SCALE_BITS).find(|shift| self.gain.0 * f64::from(1 << shift) == 1.0)
    }
}

/// Bits of the fraction of alpha in Linux (`DCTCP_MAX_ALPHA`).
const SCALE_BITS: u32 = 10;

/// alpha in units of 1/1024 after a window in which `marked` of `acknowledged` segments were marked (`dctcp_update_alpha`).
fn scaled_alpha(alpha: u32, shift: u32, marked: u32, acknowledged: u32) -> u32 {
    let decrease = match alpha >> shift {
        0 => alpha,
        part => part,
    };
    let share = (u64::from(marked) << (SCALE_BITS - shift)) / u64::from(acknowledged.max(1));
    (alpha - decrease + share as u32).min(1 << SCALE_BITS) // `share` is at most 2^(10 - shift)
}

/// The control of a connection. Counts are in segments, since all segments have the same size.
#[derive(Clone, Debug)]
pub struct Dctcp {
    gain: f64,
    capable: EcnCapable,
    /// Shift that equals the gain, with the arithmetic of Linux.
    shift: Option<u32>,
    /// Maximum number of newly acknowledged segments that count per acknowledgement (L).
    limit: u32,
    /// DCTCP.Alpha.
    alpha: f64,
    /// DCTCP.WindowEnd.
    window_end: u32,
    /// DCTCP.BytesAcked.
    acknowledged: u32,
    /// DCTCP.BytesMarked.
    marked: u32,
}

impl Dctcp {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Dctcp {
        let capable = if parameters.ect_everywhere { EcnCapable::Everything } else { EcnCapable::NewDataAndSyn };
        let limit = parameters.byte_counting_limit.map_or(1, |limit| limit.0);
        let shift = parameters.shift().filter(|_| parameters.arithmetic == Arithmetic::Linux);
        Dctcp { gain: parameters.gain.0, capable, shift, limit, alpha: 1.0, window_end: 0, acknowledged: 0, marked: 0 }
    }
}

crate::state! {
    impl Dctcp, |it, _now| {
        /// Estimated share of marked segments (DCTCP.Alpha) [RFC8257 s3.3].
        "alpha", "1", is it.alpha;
    }
}

impl CongestionControl for Dctcp {
    #[inline]
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if ack.may_grow() {
            window.grow_by_acknowledged(ack.newly.min(self.limit)); // [RFC8257 s3.4]
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        match congestion.cause {
            Cause::Loss => window.halve_threshold(congestion.in_flight), // [RFC8257 s3.5]
            Cause::Ecn => {
                window.size = match self.shift {
                    None => (window.size * (1.0 - self.alpha / 2.0)).max(2.0), // [RFC8257 s3.3 (9)]
                    Some(_) => {
                        let size = f64::from(window.usable());
                        (size - (size * self.alpha / 2.0).floor()).max(2.0)
                    }
                };
                window.threshold = window.size;
            }
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            window.halve_threshold(timeout.in_flight);
        }
    }

    fn ecn_use(&self) -> EcnUse {
        EcnUse { required: true, echo: EcnEcho::Exact, capable: self.capable, ..EcnUse::default() }
    }

    /// [RFC8257 s3.3 (1) to (8)].
    fn on_ecn_feedback(&mut self, feedback: &EcnFeedback) {
        self.acknowledged += feedback.newly;
        self.marked += if feedback.ece { feedback.newly } else { 0 };
        let is_inside = match self.shift {
            None => feedback.acknowledged <= self.window_end,
            Some(_) => feedback.acknowledged < self.window_end,
        };
        if is_inside || self.acknowledged == 0 {
            return;
        }
        let share = f64::from(self.marked) / f64::from(self.acknowledged);
        self.alpha = match self.shift {
            None => self.alpha * (1.0 - self.gain) + self.gain * share,
            Some(shift) => f64::from(scaled_alpha((self.alpha * 1024.0) as u32, shift, self.marked, self.acknowledged)) / 1024.0,
        };
        self.window_end = feedback.next;
        (self.acknowledged, self.marked) = (0, 0);
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let parameters = own::<Parameters>(parameters);
        self.gain = parameters.gain.0;
        self.shift = parameters.shift().filter(|_| parameters.arithmetic == Arithmetic::Linux);
    }
}

#[cfg(test)]
mod tests;
