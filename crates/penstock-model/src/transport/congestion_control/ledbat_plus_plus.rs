//! LEDBAT++.

use super::ledbat::delays::Delays;
use super::ledbat::{check_filters, MIN_CWND};
use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, RttSampling, Timeout, Window};
use crate::parameters::{own, Check, Count, Positive};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// LEDBAT++: LEDBAT with a slow start, a multiplicative decrease, and slowdowns in which flows measure the empty path.
    ///
    /// ## Decides
    /// The queueing delay is the minimum of the last `current-filter` round trips minus the base delay, which is the minimum over
    /// the last `base-history` intervals [Balasubramanian20 s4.5]. GAIN is $1 / min(16, ceil(2 target / base delay))$
    /// [Balasubramanian20 s4.2].
    ///
    /// | phase | cwnd |
    /// |---|---|
    /// | slow start | grows by GAIN for each acknowledged segment; the first slow start ends when the queueing delay exceeds 3/4 of `target` [Balasubramanian20 s4.1] |
    /// | queueing delay up to `target` | grows by GAIN segments per round trip [Balasubramanian20 s4.2] |
    /// | above | changes per round trip by $GAIN - constant cwnd (delay / target - 1)$, at least -cwnd / 2 [Balasubramanian20 s4.3] |
    /// | slowdown | two segments during two round trips, then slow start up to the value before the slowdown [Balasubramanian20 s4.4] |
    ///
    /// The first slowdown begins two round trips after the first slow start. If a slowdown with its slow start took the time t, the
    /// next one begins 9 t later, so that slowdowns take at most a tenth of the time. A loss or an echoed mark halves cwnd, but
    /// leaves at least two segments.
    ///
    /// ## State
    /// About 200 bytes and 8 for each remembered delay and each segment outstanding. The cost of an acknowledgement grows with
    /// the lengths of the filters.
    ///
    /// ## Departures
    /// - The transport sets the first window (`initial-window`); in Apple's XNU it has two segments.
    /// - The changes of a round trip are spread over its acknowledgements.
    /// - A round trip is SRTT.
    /// - Phases change with acknowledgements, so that a slowdown of an idle flow waits.
    /// - After a loss during a slowdown, the slow start of the slowdown ends at half of the present cwnd.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.ledbat-plus-plus = {} }
    /// ```
    ///
    /// ## References
    /// draft-irtf-iccrg-ledbat-plus-plus-01 [Balasubramanian20]; RFC 6817.
    pub struct Parameters {
        /// Queueing delay up to which the flow fills the queue (TARGET) [Balasubramanian20 s4.5].
        target: Duration = "60 ms", changeable;
        /// Strength of the decrease (Constant) [Balasubramanian20 s4.3].
        constant: Positive = "1", changeable;
        /// Number of round trips whose minimum is the current one [Balasubramanian20 s4.5].
        current_filter: Count = "4";
        /// Number of intervals whose minimum is the base delay (BASE_HISTORY) [RFC6817 s2.5].
        base_history: Count = "10";
        /// Length of such an interval: a minute [RFC6817 s2.4.2].
        base_interval: Duration = "60 s";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.target == Duration::ZERO {
            mistake("target", "is zero; above 0 s".to_owned());
        }
        check_filters(self.current_filter, self.base_history, self.base_interval, mistake);
    }
}

/// Maximum of 1 / GAIN [Balasubramanian20 s4.2].
const MOST_DIVISOR: f64 = 16.0;
/// Fraction of the target above which the first slow start ends [Balasubramanian20 s4.1].
const SLOW_START_DELAY: f64 = 0.75;
/// Number of round trips before the first slowdown, and with two segments in each slowdown [Balasubramanian20 s4.4].
const SLOWDOWN_ROUNDS: u64 = 2;
/// Time between slowdowns, in multiples of the duration of the last one [Balasubramanian20 s4.4].
const SLOWDOWN_INTERVAL: u64 = 9;

/// The control of a connection. Windows are in segments.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    target: f64,
    constant: f64,
    delays: Delays,
    smoothed_rtt: Duration,
    phase: Phase,
}

/// Phase of the flow with respect to slowdowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    FirstSlowStart,
    /// The next slowdown begins at `at`.
    Normal {
        at: Time,
    },
    /// The window is two segments until `until`.
    Frozen {
        since: Time,
        until: Time,
    },
    /// Slow start up to the window before the slowdown.
    RampUp {
        since: Time,
    },
}

impl LedbatPlusPlus {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> LedbatPlusPlus {
        LedbatPlusPlus {
            target: parameters.target.as_seconds(),
            constant: parameters.constant.0,
            delays: Delays::new(parameters.base_interval, parameters.base_history.0, parameters.current_filter.0),
            smoothed_rtt: Duration::ZERO,
            phase: Phase::FirstSlowStart,
        }
    }

    /// GAIN [Balasubramanian20 s4.2].
    fn gain(&self, base: f64) -> f64 {
        1.0 / (2.0 * self.target / base).ceil().min(MOST_DIVISOR)
    }

    fn rounds(&self) -> Duration {
        Duration::from_ps(SLOWDOWN_ROUNDS * self.smoothed_rtt.as_ps())
    }

    /// Starts and ends slowdowns [Balasubramanian20 s4.4].
    fn advance_phase(&mut self, now: Time, queueing: f64, window: &mut Window) {
        match self.phase {
            Phase::FirstSlowStart => {
                if queueing > SLOW_START_DELAY * self.target {
                    window.threshold = window.threshold.min(window.size);
                }
                if !window.is_in_slow_start() {
                    self.phase = Phase::Normal { at: now + self.rounds() };
                }
            }
            Phase::Normal { at } if now >= at => {
                window.threshold = window.size.max(MIN_CWND);
                window.size = MIN_CWND;
                self.phase = Phase::Frozen { since: now, until: now + self.rounds() };
            }
            Phase::Frozen { since, until } if now >= until => self.phase = Phase::RampUp { since },
            Phase::RampUp { since } if !window.is_in_slow_start() => {
                self.phase = Phase::Normal { at: now + Duration::from_ps(SLOWDOWN_INTERVAL * now.since(since).as_ps()) };
            }
            _ => {}
        }
    }

    /// Sets cwnd after an acknowledgement of `newly` segments [Balasubramanian20 s4.1 to s4.3].
    fn set_window(&self, newly: f64, gain: f64, queueing: f64, window: &mut Window) {
        if window.is_in_slow_start() {
            window.size = (window.size + gain * newly).min(window.threshold).min(f64::from(window.max));
            return;
        }
        let size = window.size;
        let excess = (queueing / self.target - 1.0).max(0.0);
        let per_round = (gain - self.constant * size * excess).max(-size / 2.0);
        window.size = (size + per_round * newly / size).max(MIN_CWND).min(f64::from(window.max));
        window.threshold = window.threshold.min(window.size);
    }
}

crate::state! {
    impl LedbatPlusPlus, |it, _now| {
        /// Minimum round trip (base delay) [Balasubramanian20 s4.5], after the first measurement.
        "base-delay", "s", maybe it.delays.base();
        /// Current round trip less the base delay [Balasubramanian20 s4.5], after the first measurement.
        "queueing-delay", "s", maybe it.delays.queueing();
        /// Whether the flow is in a slowdown, its slow start included [Balasubramanian20 s4.4]: 0 or 1.
        "slowdown", "1", is f64::from(u8::from(matches!(it.phase, Phase::Frozen { .. } | Phase::RampUp { .. })));
    }
}

impl CongestionControl for LedbatPlusPlus {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        self.delays.take_measured(ack.now);
        let (Some(base), Some(queueing)) = (self.delays.base(), self.delays.queueing()) else { return };
        if !ack.may_grow() {
            return;
        }
        self.advance_phase(ack.now, queueing, window);
        if !matches!(self.phase, Phase::Frozen { .. }) && !ack.app_limited {
            self.set_window(f64::from(ack.newly), self.gain(base), queueing, window);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        window.threshold = (window.size / 2.0).max(MIN_CWND);
        if congestion.cause == Cause::Ecn {
            window.size = window.size.min(window.threshold);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            window.threshold = (window.size / 2.0).max(MIN_CWND);
        }
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.delays.measure(sample.now, sample.rtt);
        self.smoothed_rtt = sample.smoothed;
    }

    fn rtt_sampling(&self) -> RttSampling {
        RttSampling::EveryAck
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        (self.target, self.constant) = (it.target.as_seconds(), it.constant.0);
    }
}

#[cfg(test)]
mod tests;
