//! The parameters of BCN's reaction point.

use crate::feedback::SharedBy;
use crate::parameters::{Amount, Check, Positive};
use crate::units::{Duration, Rate};

crate::parameters! {
    /// BCN 2.0, reaction point: rate limiters in a station, which follow the messages of congestion points.
    ///
    /// ## Decides
    /// The first negative message of a congestion point creates a rate limiter, whose rate R is that of the port. The station then
    /// sends at R: a frame starts at least s/R after the previous one of s bits. Each message changes R:
    ///
    /// - Positive feedback: $R = R + G_i Fb R_u$.
    /// - Negative feedback: $R = R (1 - G_d |Fb|)$.
    /// - Stop: nothing is sent for a random time, uniform up to `restart-within`. Then R is `restart-rate`.
    ///
    /// Limited frames carry the tag of the congestion point whose limiter is slowest. A message changes only the limiter of the
    /// congestion point that sent it. A limiter is released when R reaches the rate of the port.
    ///
    /// ## State
    /// A queue for each port, or for each flow, with a rate for each congestion point that has sent a negative message. One random
    /// number per stop.
    ///
    /// ## Departures
    /// - The slides print the decrease as $R (1 - G_d Fb)$ with Fb < 0, which would raise the rate. They also say that R becomes
    ///   negative with G_d = 1/64 and Fb = -80, so |Fb| is meant.
    /// - If $G_d |Fb| >= 1$, the rate becomes `floor`. Without a floor, such a gain is refused.
    /// - The slides do not describe the creation, the first rate, the floor, the drift, the restart and the release of limiters.
    /// - Acknowledgements wait in the limiter like all frames, but have no room for a tag.
    /// - The queue of a limiter is unbounded unless `limit` is given; a frame that does not fit is then dropped (cause `limiter`). The
    ///   transport is not held back: it sees the waiting time as part of its round trips.
    ///
    /// ## Example
    /// ```toml
    /// reaction-point.bcn = { decrease-gain = 0.0124, floor = "8 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// [Jiang06 slides 4, 6, 9].
    pub struct Parameters {
        /// Gain of the increase (G_i) [Jiang06 slide 9].
        increase_gain: Positive = "4";
        /// Gain of the decrease (G_d); Cisco's was 1/64 [Jiang06 slide 9].
        decrease_gain: Positive = "0.0124";
        /// Rate unit (R_u) [Jiang06 slide 9].
        rate_unit: Rate = "8 Mbit/s";
        /// Minimum rate after a message; without it, `decrease-gain` must leave every rate positive.
        floor: Option<Rate>;
        /// Increase of the rate per `drift-interval` without messages (recovery); none if left out.
        drift: Option<Rate>;
        /// Time between two increases by `drift`.
        drift_interval: Option<Duration>;
        /// Maximum time from a stop to the restart.
        restart_within: Duration = "100 us";
        /// Rate after a stop.
        restart_rate: Rate = "100 Mbit/s";
        /// Whether a limiter is released at the rate of the port.
        release: Release = "at-line-rate";
        /// Traffic that shares a limiter.
        shared_by: SharedBy = "station";
        /// Maximum length of the queue of a limiter; unbounded if left out.
        limit: Option<Amount>;
    }
}

crate::choice! {
    /// When a rate limiter is released.
    pub enum Release {
        /// When its rate has reached that of the port.
        "at-line-rate" => AtLineRate,
        /// Never: it stays at that rate, and its frames stay tagged.
        "never" => Never,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match (self.drift, self.drift_interval) {
            (Some(_), None) => mistake("drift", "needs drift-interval, such as \"1 ms\"".to_owned()),
            (None, Some(_)) => mistake("drift-interval", "has no effect without drift; give both or neither".to_owned()),
            (Some(_), Some(Duration::ZERO)) => mistake("drift-interval", "must be above 0 s".to_owned()),
            _ => {}
        }
        if self.floor.is_some_and(|floor| floor > self.restart_rate) {
            mistake("restart-rate", format!("{} is below floor", self.restart_rate));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;

    #[test]
    fn mistakes_are_told() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["drift = 8 Mbit/s"]), ["drift: needs drift-interval, such as \"1 ms\""]);
        assert_eq!(mistakes(&["drift-interval = 1 ms"]), ["drift-interval: has no effect without drift; give both or neither"]);
        assert_eq!(mistakes(&["floor = 0 bit/s"]), ["floor: a rate must be above zero"]);
        assert_eq!(mistakes(&["floor = 1 Gbit/s"]), ["restart-rate: 100 Mbit/s is below floor"]);
    }
}
