//! TCP Vegas.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, RttSampling, Timeout, Window};
use crate::parameters::{own, Check, Positive};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// Vegas: keeps a few segments queued in the network, counting them by the round-trip time before anything is lost.
    ///
    /// ## Decides
    /// Once per round trip, Vegas compares two rates. BaseRTT is the shortest round trip so far, and $Expected = cwnd / BaseRTT$
    /// the rate without queueing. Actual is the data sent between the departure of a segment and its acknowledgement, divided by
    /// the round trip of that segment. $Diff = (Expected - Actual) BaseRTT$ is the number of queued segments. If Diff is below
    /// `alpha`, cwnd grows by one segment; above `beta`, it shrinks by one. In slow start cwnd doubles in every second round trip;
    /// at the end of each round trip in between, a Diff above `gamma` ends slow start. A loss or an echoed mark halves the window
    /// as with Reno.
    ///
    /// ## State
    /// About 60 bytes, and 24 for each segment outstanding. Constant cost per acknowledgement, one division per round trip.
    ///
    /// ## Departures
    /// - The retransmissions of [Brakmo94 s3.1] on a first duplicate acknowledgement, after a finer timer has expired, would belong
    ///   to the recovery; no recovery here has them.
    /// - cwnd changes at the end of a round trip, not in small steps during the next, so that it is constant while rates are
    ///   compared.
    /// - A round trip in which the application had nothing to send is ignored, and cwnd does not grow.
    /// - cwnd shrinks to no less than two segments.
    /// - The round trip of the SYN, a shorter packet, does not count.
    /// - [Brakmo94] gives no value of `gamma`; implementations have one segment.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.vegas = { alpha = 1, beta = 3 } }
    /// ```
    ///
    /// ## References
    /// Brakmo, O'Malley and Peterson [Brakmo94 s3.2, s3.3]; [Brakmo95].
    pub struct Parameters {
        /// Minimum number of queued segments (alpha) [Brakmo94 s3.2].
        alpha: Positive = "2", changeable;
        /// Maximum number of queued segments (beta) [Brakmo94 s3.2].
        beta: Positive = "4", changeable;
        /// Number of queued segments above which slow start ends (gamma) [Brakmo94 s3.3].
        gamma: Positive = "1", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.alpha.0 > self.beta.0 {
            mistake("alpha", format!("{} is above beta, which is {}", self.alpha.0, self.beta.0));
        }
    }
}

/// The control of a connection. Windows and differences are in segments.
#[derive(Clone, Debug)]
pub struct Vegas {
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// BaseRTT; [`Duration::FOREVER`] before the first measurement.
    base: Duration,
    /// The last round trip, and when it was measured.
    sample: (Time, Duration),
    /// Segment whose round trip is compared next (the distinguished one); `None` after congestion.
    timed: Option<u32>,
    /// Whether the window grows in this round trip of slow start.
    grows: bool,
}

impl Vegas {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Vegas {
        Vegas {
            alpha: parameters.alpha.0,
            beta: parameters.beta.0,
            gamma: parameters.gamma.0,
            base: Duration::FOREVER,
            sample: (Time::NEVER, Duration::ZERO),
            timed: Some(0),
            grows: false,
        }
    }

    /// Number of segments that wait in the network (Diff in buffers), given that `sent` were sent during `rtt` [Brakmo94 s3.2].
    fn waiting(&self, sent: u32, rtt: Duration, window: &Window) -> f64 {
        let actual_times_base = f64::from(sent) * self.base.as_seconds() / rtt.as_seconds();
        f64::from(window.usable()) - actual_times_base
    }

    /// Handles the acknowledgement of the timed segment; `waiting` is `None` if unknown.
    fn on_round_end(&mut self, waiting: Option<f64>, window: &mut Window) {
        if window.is_in_slow_start() {
            match waiting {
                _ if self.grows => self.grows = false,
                Some(waiting) if waiting > self.gamma => window.threshold = window.size,
                Some(_) => self.grows = true,
                None => {}
            }
        } else if let Some(waiting) = waiting {
            if waiting < self.alpha {
                window.size = (window.size + 1.0).min(f64::from(window.max));
            } else if waiting > self.beta {
                window.size = (window.size - 1.0).max(2.0);
                window.threshold = window.threshold.min(window.size); // prevents another slow start at a smaller window
            }
        }
    }

    /// Discards the current measurement, since the segments in flight were not sent with the current window.
    fn forget_round(&mut self) {
        self.timed = None;
        self.grows = false;
    }
}

crate::state! {
    impl Vegas, |it, _now| {
        /// Shortest round trip (BaseRTT), after the first measurement.
        "base-rtt", "s", maybe (it.base < Duration::FOREVER).then(|| it.base.as_seconds());
        /// Last round trip, after the first measurement.
        "rtt", "s", maybe (it.base < Duration::FOREVER).then(|| it.sample.1.as_seconds());
    }
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let rtt = (self.sample.0 == ack.now).then_some(self.sample.1);
        self.base = self.base.min(rtt.unwrap_or(self.base));
        if !ack.may_grow() {
            return;
        }
        match self.timed {
            Some(timed) if ack.acknowledged > timed => {
                let rtt = rtt.filter(|_| !ack.app_limited);
                let waiting = rtt.map(|rtt| self.waiting(ack.next - timed, rtt, window));
                self.on_round_end(waiting, window);
                self.timed = Some(ack.next);
            }
            Some(_) => {}
            None => self.timed = Some(ack.next),
        }
        if self.grows && window.is_in_slow_start() && !ack.app_limited {
            window.grow();
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        window.halve_threshold(congestion.in_flight);
        if congestion.cause == Cause::Ecn {
            window.size = window.threshold; // [RFC3168 s6.1.2]
        }
        self.forget_round();
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            window.halve_threshold(timeout.in_flight);
        }
        self.forget_round();
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.sample = (sample.now, sample.rtt);
    }

    fn rtt_sampling(&self) -> RttSampling {
        RttSampling::EveryAck
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        (self.alpha, self.beta, self.gamma) = (it.alpha.0, it.beta.0, it.gamma.0);
    }
}

#[cfg(test)]
mod tests;
