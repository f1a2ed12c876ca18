//! The parameters of QCN's reaction point.

use crate::feedback::SharedBy;
use crate::parameters::{Amount, Check, Count, Positive, Probability};
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// QCN, reaction point: a rate limiter in a station, which follows the messages of congestion points and recovers without messages.
    ///
    /// ## Decides
    /// The first message creates the limiter, at the rate of the port. A message with quantised feedback Fb sets the target rate TR to
    /// the current rate CR, then $CR = CR (1 - G_d Fb)$, but not below `least-decrease` times CR. TR stays unchanged if no cycle of the
    /// byte counter has ended since the previous message.
    ///
    /// Without further messages, two kinds of cycles run: one ends after `byte-counter` bytes, the other after `timer`. At the end of
    /// each cycle, with BC and T ended cycles of the two kinds since the last message and F = `fast-recovery`, TR changes:
    ///
    /// | phase | condition | TR |
    /// |---|---|---|
    /// | fast recovery | max(T, BC) <= F | unchanged |
    /// | active increase | max(T, BC) > F and min(T, BC) <= F | plus `active-increase` |
    /// | hyper-active increase | min(T, BC) > F | plus (min(T, BC) - F) x `hyper-increase` |
    ///
    /// Then $CR = (CR + TR) / 2$. If TR > 10 CR at the end of a first cycle, TR is divided by 8 instead. After F cycles of a kind, its
    /// further cycles are half as long. The limiter is released when CR is within a ten-thousandth of the rate of the port.
    ///
    /// ## State
    /// A queue for each port, or for each flow, with two rates, two counts of cycles, and the rest of the current cycle of each kind.
    /// One random number per cycle, none without `jitter`.
    ///
    /// ## Departures
    /// - Messages of all congestion points change the same limiter, as in the standard; frames carry no tag.
    /// - If a cycle of the timer ends while a frame is held back, the new rate applies from the next frame on.
    /// - The queue of a limiter is unbounded unless `limit` is given; a frame that does not fit is then dropped (cause `limiter`). The
    ///   transport is not held back: it sees the waiting time as part of its round trips.
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
        /// Minimum factor by which a message multiplies the rate (rpgMinDecFac) [IEEE8021Qau s32.11].
        least_decrease: Probability = "0.5";
        /// Bytes in a cycle of the byte counter (rpgByteReset) [IEEE8021Qau s32.11].
        byte_counter: Bytes = "150 kB";
        /// Length of a cycle of the timer (rpgTimeReset) [IEEE8021Qau s32.11].
        timer: Duration = "15 ms";
        /// Cycles of fast recovery (rpgThreshold) [IEEE8021Qau s32.11].
        fast_recovery: Count = "5";
        /// Increase of the target rate per cycle of active increase (R_AI; rpgAiRate) [IEEE8021Qau s32.11].
        active_increase: Rate = "5 Mbit/s";
        /// The same in hyper-active increase, times the number of cycles in it (R_HAI; rpgHaiRate) [IEEE8021Qau s32.11].
        hyper_increase: Rate = "50 Mbit/s";
        /// Minimum rate after a message (rpgMinRate) [IEEE8021Qau s32.11].
        floor: Rate = "10 Mbit/s";
        /// Maximum random variation of the cycles, as a fraction of their length.
        jitter: Probability = "0.15";
        /// Traffic that shares a limiter.
        shared_by: SharedBy = "station";
        /// Maximum length of the queue of a limiter; unbounded if left out.
        limit: Option<Amount>;
    }
}

/// Minimum timer period: each cycle costs computation, even in a limiter that has been idle for long.
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
