//! The parameters of QCN's reaction point.

use crate::feedback::SharedBy;
use crate::parameters::{Check, Count, Limit, Positive, Probability};
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// QCN, reaction point: a rate limiter in a station, which follows the messages of congestion points and finds back on its own.
    ///
    /// ## Decides
    /// A message with quantised feedback Fb sets the current rate CR = CR (1 - G_d Fb), at least `least-decrease` times what it was,
    /// and the target rate TR to what CR was; TR stays if not even one cycle of the byte counter has ended since the message before.
    /// Then, without messages, cycles end whenever `byte-counter` bytes have been sent and, beside that, whenever `timer` is over. At the end of each,
    /// CR = (CR + TR) / 2. Up to `fast-recovery` cycles of both kinds TR stays (fast recovery). Beyond that in one kind, TR rises by
    /// `active-increase` at each end first; in both, by `hyper-increase` times the cycles beyond, of the kind that has fewer; cycles are half as long.
    /// If TR > 10 CR at the end of a first cycle, TR becomes TR / 8 instead. The first message makes the limiter, at the rate of the
    /// port; it is released when it has found back
    /// there, to a ten-thousandth.
    ///
    /// ## State
    /// A queue for each port, or for each flow, with two rates, two counts of cycles, what is left of each. A random number per cycle,
    /// none without `jitter`.
    ///
    /// ## Departures
    /// - Messages of all congestion points move the same limiter, as in the standard; frames carry no tag.
    /// - A cycle of the timer that ends while a frame is held back changes the rate from the next frame on.
    /// - The queue of a limiter has no bound unless `limit` gives one; what does not fit is dropped (cause `limiter`) then. A transport
    ///   is not held back: it sees the wait in its round trips.
    ///
    /// ## Example
    /// ```toml
    /// reaction-point.qcn = { timer = "15 ms" }
    /// ```
    ///
    /// ## References
    /// [IEEE8021Qau s30.2.2, s32.11 to s32.15]; Alizadeh et al. [Alizadeh08].
    pub struct Parameters {
        /// Gain of the decrease (G_d; 2^-rpgGd) [IEEE8021Qau s32.11].
        decrease_gain: Positive = "1/128";
        /// No message takes the rate below this share of what it was (rpgMinDecFac) [IEEE8021Qau s32.11].
        least_decrease: Probability = "0.5";
        /// Bytes in a cycle of the byte counter (rpgByteReset) [IEEE8021Qau s32.11].
        byte_counter: Bytes = "150 kB";
        /// Length of a cycle of the timer (rpgTimeReset) [IEEE8021Qau s32.11].
        timer: Duration = "15 ms";
        /// Cycles of fast recovery (rpgThreshold) [IEEE8021Qau s32.11].
        fast_recovery: Count = "5";
        /// What the target gains in a cycle of active increase (R_AI; rpgAiRate) [IEEE8021Qau s32.11].
        active_increase: Rate = "5 Mbit/s";
        /// The same in hyper-active increase, times the cycles in it (R_HAI; rpgHaiRate) [IEEE8021Qau s32.11].
        hyper_increase: Rate = "50 Mbit/s";
        /// No message takes a rate below this (rpgMinRate) [IEEE8021Qau s32.11].
        floor: Rate = "10 Mbit/s";
        /// By how much cycles vary at random, as a share of their length.
        jitter: Probability = "0.15";
        /// What shares a limiter.
        shared_by: SharedBy = "station";
        /// The most that may wait in a limiter; no bound if left out.
        limit: Option<Limit>;
    }
}

/// Each cycle costs some steps, even of a limiter in which nothing waits for long.
const LEAST_TIMER: Duration = Duration::from_us(1);

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.decrease_gain.0 * 63.0 >= 1.0 && self.least_decrease.0 == 0.0 {
            mistake("decrease-gain", "takes rates to zero or below; it must be below 1/63, or least-decrease be above 0".to_owned());
        }
        if self.timer < LEAST_TIMER {
            mistake("timer", format!("must be at least {LEAST_TIMER}"));
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
        assert_eq!(mistakes(&["timer = 0 s"]), ["timer: must be at least 1 us"]);
        assert_eq!(
            mistakes(&["decrease-gain = 1/63", "least-decrease = 0"]),
            ["decrease-gain: takes rates to zero or below; it must be below 1/63, or least-decrease be above 0"]
        );
    }
}
