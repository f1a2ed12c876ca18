//! Round-trip estimation and the retransmission timeout.

use super::Parameters;
use crate::units::{Duration, Time};

/// Smoothed round trip and its variation [Jacobson88; RFC6298 s2], back-off [RFC6298 s5].
///
/// Times are counted in clock ticks, or in picoseconds for an exact clock; the recurrences are the same.
#[derive(Clone, Debug)]
pub(super) struct Estimator {
    /// 8 SRTT.
    srtt_by_8: u64,
    /// 4 RTTVAR.
    rttvar_by_4: u64,
    /// Timeout before bounds and back-off.
    timeout: Duration,
    /// The timeout is multiplied by this, 1, 2, 4 and so on.
    backoff: u32,
    /// The next sample starts the averages anew.
    fresh: bool,
}

/// Beyond this back-off the averages are held to be obsolete, as in BSD and ns-2 [RFC6298 s5 permits it].
const FORGET_ABOVE: u32 = 8;

/// The timeout when data follows a SYN that was lost [RFC6298 s5.7].
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);

impl Estimator {
    pub fn new(parameters: &Parameters) -> Estimator {
        Estimator { srtt_by_8: 0, rttvar_by_4: 0, timeout: parameters.initial_rto, backoff: 1, fresh: true }
    }

    /// A segment sent once, at `sent`, was acknowledged `now`. Ends the back-off [RFC6298 s5].
    pub fn on_sample(&mut self, parameters: &Parameters, sent: Time, now: Time) {
        let tick = parameters.timer_tick.as_ps().max(1);
        // A ticking clock sees how many ticks fell between the two instants, at least one.
        let sample = (now.as_ps() / tick - sent.as_ps() / tick).max(1);
        if self.fresh {
            self.srtt_by_8 = sample * 8;
            self.rttvar_by_4 = sample * 2;
            self.fresh = false;
        } else {
            let srtt = self.srtt_by_8 / 8;
            self.srtt_by_8 = (self.srtt_by_8 + sample - srtt).max(1);
            self.rttvar_by_4 = (self.rttvar_by_4 + sample.abs_diff(srtt) - self.rttvar_by_4 / 4).max(1);
        }
        self.timeout = Duration::from_ps(tick).times(self.srtt_by_8 / 8 + self.rttvar_by_4);
        self.backoff = 1;
    }

    /// The timer expired.
    pub fn back_off(&mut self, parameters: &Parameters) {
        self.backoff = self.backoff.saturating_mul(2).min(parameters.max_backoff.0);
        if self.backoff > FORGET_ABOVE {
            self.fresh = true;
        }
    }

    /// Data may be sent after a SYN was lost: there is no sample yet, and the path is not as quick as hoped.
    pub fn on_lost_syn(&mut self, parameters: &Parameters) {
        self.timeout = parameters.initial_rto.max(AFTER_LOST_SYN);
        self.backoff = 1;
    }

    /// RTO.
    #[inline]
    pub fn timeout(&self, parameters: &Parameters) -> Duration {
        let backed_off = self.timeout.max(parameters.min_rto).times(u64::from(self.backoff));
        backed_off.min(parameters.max_rto).max(parameters.timer_tick.times(2))
    }
}
