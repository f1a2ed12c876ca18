//! Proportional rate reduction [RFC9937 s6].

use crate::transport::congestion_control::Window;

/// Counters of a recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reduction {
    /// Number of segments in flight at the start of the recovery (RecoverFS).
    pub recover_flight: u32,
    /// Number of segments that have arrived since then (prr_delivered).
    pub delivered: u32,
    /// Number of segments sent since then (prr_out).
    pub out: u32,
}

impl Reduction {
    /// Starts a recovery.
    pub fn begin(recover_flight: u32) -> Reduction {
        Reduction { recover_flight, delivered: 0, out: 0 }
    }

    /// Updates cwnd for an acknowledgement that shows `newly` segments to have arrived and leaves `in_flight` in the network. `is_safe`
    /// means that it advances and shows no further loss [RFC9937 s6.2].
    pub fn update(&mut self, newly: u32, is_safe: bool, in_flight: u32, window: &mut Window) {
        if newly == 0 {
            return;
        }
        self.delivered += newly;
        let in_flight = f64::from(in_flight);
        let (delivered, out, threshold) = (f64::from(self.delivered), f64::from(self.out), window.threshold);
        let mut count = if in_flight > threshold {
            (delivered * threshold / f64::from(self.recover_flight)).ceil() - out
        } else {
            let conserving = (delivered - out).max(f64::from(newly));
            (conserving + if is_safe { 1.0 } else { 0.0 }).min(threshold - in_flight)
        };
        count = count.max(0.0);
        if self.out == 0 && count < 1.0 {
            count = 1.0; // the fast retransmit
        }
        window.size = in_flight + count;
    }
}
