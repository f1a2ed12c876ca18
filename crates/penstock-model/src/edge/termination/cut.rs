//! Conversion of an excess rate to a number of calls to terminate.

use crate::units::Rate;

crate::choice! {
    /// Rounding to a whole number of calls.
    pub enum Rounding {
        /// To the nearest number, halves up.
        "nearest" => Nearest,
        /// Up.
        "ceiling" => Ceiling,
        /// Down.
        "floor" => Floor,
    }
}

crate::choice! {
    /// Rate assumed for one call.
    pub enum CallRate {
        /// The long-term mean rate of a call.
        "mean" => Mean,
        /// The measured sending rate of the aggregate divided by its live calls.
        "measured" => Measured,
    }
}

crate::choice! {
    /// Calls to terminate.
    pub enum Victims {
        /// Random calls, all with the same probability.
        "random" => Random,
        /// The calls admitted last.
        "newest" => Newest,
        /// The calls admitted first.
        "oldest" => Oldest,
    }
}

crate::choice! {
    /// Action of the egress after a cut.
    pub enum AfterCut {
        /// None; the ingress does not inform it.
        "continue" => Continue,
        /// The ingress informs it, and it restarts its counts and measurements.
        "restart" => Restart,
    }
}

/// Converts rates to calls.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Rounding of the number of calls.
    pub rounding: Rounding,
    /// Rate assumed for one call.
    pub call_rate: CallRate,
    /// Long-term mean rate of one call.
    pub mean: Rate,
}

impl Cut {
    /// Exact number of the `live` calls to terminate so that the rate of an aggregate falls from `sending` to `kept`.
    pub fn calls(&self, sending: Rate, kept: Rate, live: u32) -> u32 {
        let amount = u128::from(sending.as_bps().saturating_sub(kept.as_bps()));
        let (calls, per) = match self.call_rate {
            CallRate::Mean => (amount, u128::from(self.mean.as_bps())),
            CallRate::Measured => (amount * u128::from(live), u128::from(sending.as_bps())),
        };
        if calls == 0 || per == 0 {
            return 0;
        }
        let calls = match self.rounding {
            Rounding::Nearest => (2 * calls + per) / (2 * per),
            Rounding::Ceiling => calls.div_ceil(per),
            Rounding::Floor => calls / per,
        };
        u32::try_from(calls).unwrap_or(u32::MAX).min(live)
    }
}

/// `rate` times `factor`, rounded to the nearest bit/s.
pub fn scaled(rate: Rate, factor: f64) -> Rate {
    Rate::from_bps((rate.as_bps() as f64 * factor + 0.5) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(rounding: Rounding, call_rate: CallRate, sending: u64, kept: u64, live: u32) -> u32 {
        let cut = Cut { rounding, call_rate, mean: Rate::from_bps(64_000) };
        cut.calls(Rate::from_bps(sending), Rate::from_bps(kept), live)
    }

    #[test]
    fn amounts_are_rounded_as_asked() {
        let rounded = |amount: u64| {
            [Rounding::Nearest, Rounding::Ceiling, Rounding::Floor]
                .map(|rounding| calls(rounding, CallRate::Mean, 6_400_000, 6_400_000 - amount, 100))
        };
        assert_eq!(rounded(0), [0, 0, 0]);
        assert_eq!(rounded(1), [0, 1, 0]);
        assert_eq!(rounded(31_999), [0, 1, 0]);
        assert_eq!(rounded(32_000), [1, 1, 0]);
        assert_eq!(rounded(128_000), [2, 2, 2]);
        assert_eq!(rounded(6_400_000), [100, 100, 100]);
    }

    #[test]
    fn no_more_calls_stop_than_live_and_none_for_a_rate_below_its_goal() {
        assert_eq!(calls(Rounding::Ceiling, CallRate::Mean, 6_400_000, 0, 7), 7);
        assert_eq!(calls(Rounding::Ceiling, CallRate::Mean, 64_000, 128_000, 7), 0);
        assert_eq!(calls(Rounding::Ceiling, CallRate::Measured, 0, 0, 7), 0);
    }

    #[test]
    fn a_call_may_be_taken_to_send_what_calls_send_now() {
        // 50 calls send 1.6 Mbit/s, 32 kbit/s each: a quarter of that is 12.5 calls, or 6.25 at their mean rate.
        assert_eq!(calls(Rounding::Nearest, CallRate::Measured, 1_600_000, 1_200_000, 50), 13);
        assert_eq!(calls(Rounding::Nearest, CallRate::Mean, 1_600_000, 1_200_000, 50), 6);
    }

    #[test]
    fn scaling_rounds_to_the_nearest_bit() {
        assert_eq!(scaled(Rate::from_bps(160_000_000), 0.95), Rate::from_bps(152_000_000));
        assert_eq!(scaled(Rate::from_bps(3), 0.5), Rate::from_bps(2));
    }
}
