//! Additive increase by an amount other than one segment per round trip.

use super::{Parameters, Reno};
use crate::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::units::Time;
use std::any::Any;

/// Reno whose window grows by `increase` segments per round trip.
#[derive(Clone, Debug)]
pub struct ScaledIncrease {
    reno: Reno,
    /// Growth per round trip in segments (a).
    increase: f64,
}

impl ScaledIncrease {
    /// The control of a new connection; `None` if the window grows by one segment.
    pub fn new(parameters: &Parameters, context: &ConnectionContext) -> Option<ScaledIncrease> {
        let increase = parameters.increase.0;
        (increase != 1.0).then(|| ScaledIncrease { reno: Reno::new(parameters, context), increase })
    }
}

crate::state! {
    impl ScaledIncrease, |_it, _now| {}
}

impl CongestionControl for ScaledIncrease {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if ack.may_grow() {
            window.size += if window.is_in_slow_start() { 1.0 } else { self.increase / window.size };
            window.size = window.size.min(f64::from(window.max));
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        self.reno.on_congestion(congestion, window);
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        self.reno.on_timeout(timeout, window);
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        self.reno.change(now, parameters);
    }
}
