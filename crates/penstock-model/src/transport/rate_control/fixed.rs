//! A rate that nothing changes.

use crate::parameters::Check;
use crate::transport::rate_control::{RateContext, RateControl};
use crate::units::{Rate, Time};

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
    /// The case without congestion control in [Zhu15 s2].
    pub struct Parameters {
        /// The rate; that of the first link if left out, and never more.
        rate: Option<Rate>;
    }
}
impl Check for Parameters {}

/// The rate of a sender.
#[derive(Clone, Debug)]
pub struct Fixed {
    rate: Rate,
}

impl Fixed {
    /// The rate of a sender.
    pub fn new(parameters: &Parameters, context: &RateContext) -> Fixed {
        Fixed { rate: parameters.rate.map_or(context.site.rate, |rate| rate.min(context.site.rate)) }
    }
}

impl RateControl for Fixed {
    fn rate(&mut self, _now: Time) -> Rate {
        self.rate
    }
}

crate::state! {
    impl Fixed, |it, _now| {
        /// The rate that packets leave at.
        "rate", "bit/s", is it.rate.as_bps() as f64;
    }
}
