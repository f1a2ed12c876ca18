//! A constant rate.

use crate::parameters::{own, Check};
use crate::transport::rate_control::{RateContext, RateControl};
use crate::units::{Rate, Time};
use std::any::Any;

crate::parameters! {
    /// Fixed rate: sends at one rate, whatever the network does.
    ///
    /// ## Decides
    /// Nothing: packets leave at `rate`, or at the rate of the port. They are not ECN-capable. What is lost is sent again.
    ///
    /// ## State
    /// None.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { rate-control.fixed = { rate = "100 kbit/s" } }
    /// ```
    ///
    /// ## References
    /// The case without congestion control in [Zhu15].
    pub struct Parameters {
        /// The rate; that of the first link if left out, and never more.
        rate: Option<Rate>, changeable;
    }
}
impl Check for Parameters {}

/// State of a sender.
#[derive(Clone, Debug)]
pub struct Fixed {
    rate: Rate,
    /// Rate of the first link.
    line: Rate,
}

impl Fixed {
    /// A control with these parameters.
    pub fn new(parameters: &Parameters, context: &RateContext) -> Fixed {
        let line = context.site.rate;
        Fixed { rate: parameters.rate.map_or(line, |rate| rate.min(line)), line }
    }
}

impl RateControl for Fixed {
    fn rate(&mut self, _now: Time) -> Rate {
        self.rate
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.rate = own::<Parameters>(parameters).rate.map_or(self.line, |rate| rate.min(self.line));
    }
}

crate::state! {
    impl Fixed, |it, _now| {
        /// The rate that packets leave at.
        "rate", "bit/s", is it.rate.as_bps() as f64;
    }
}
