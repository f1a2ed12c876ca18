//! Quick acknowledgements, as in Linux: each segment in order is acknowledged at once, although acknowledgements are otherwise delayed.

use super::Parameters;
use crate::units::{Duration, Time};

/// Number of quick acknowledgements after a congestion mark, which may leave the sender with a small window.
const AFTER_MARK: u32 = 2;

/// Counter of the remaining quick acknowledgements (`icsk_ack.quick` in Linux).
#[derive(Clone, Debug)]
pub(super) struct QuickAcks {
    /// Number granted at the start of a connection and whenever the sender seems to have a small window.
    granted: u32,
    left: u32,
    /// Retransmission timeout of this end: a longer gap between segments in order means that the sender's timer has expired.
    timeout: Duration,
    /// Minimum of 4 RTTVAR in `timeout`.
    min_rto: Duration,
    /// Time of the answer to the SYN, until the first segment completes the only round trip that this end measures.
    syn_ack_sent: Option<Time>,
    /// Arrival of the last segment in order.
    last: Option<Time>,
}

impl QuickAcks {
    /// State of a new connection; `None` if the parameters ask for no quick acknowledgements.
    pub fn new(parameters: &Parameters) -> Option<QuickAcks> {
        let granted = parameters.quick_acks.0;
        let (timeout, min_rto) = (parameters.initial_rto, parameters.min_rto);
        (granted > 0).then_some(QuickAcks { granted, left: granted, timeout, min_rto, syn_ack_sent: None, last: None })
    }

    /// Records that the SYN is answered.
    pub fn on_syn_ack(&mut self, now: Time) {
        self.syn_ack_sent = Some(now);
    }

    /// Records a segment in order; after a gap longer than the timeout, all quick acknowledgements are available again.
    pub fn on_segment(&mut self, now: Time) {
        if let Some(sent) = self.syn_ack_sent.take() {
            // SRTT + 4 RTTVAR after one sample.
            let rtt = now.since(sent);
            self.timeout = rtt + rtt.times(2).max(self.min_rto);
        }
        if self.last.replace(now).is_some_and(|last| now.since(last) > self.timeout) {
            self.left = self.granted;
        }
    }

    /// Records a segment that had arrived before: the sender's retransmission was unnecessary.
    pub fn on_duplicate(&mut self) {
        self.left = self.granted;
    }

    /// Records the mark that begins an echo.
    pub fn on_mark(&mut self) {
        self.left = self.left.max(AFTER_MARK.min(self.granted));
    }

    /// Whether the next segment is acknowledged immediately.
    pub fn is_available(&self) -> bool {
        self.left > 0
    }

    /// Counts an acknowledgement.
    pub fn on_ack(&mut self) {
        self.left = self.left.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::harness::{parameters, text};
    use super::*;
    use crate::parameters::Value;

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn quick_acks() -> QuickAcks {
        let given = [("ack-every", Value::Integer(2)), ("quick-acks", Value::Integer(4)), ("min-rto", text("200 ms"))];
        QuickAcks::new(&parameters(&given)).expect("quick acknowledgements")
    }

    /// Acknowledges all segments of a group that begins at `ms`; returns how many are acknowledged at once.
    fn group(it: &mut QuickAcks, ms: u64) -> u32 {
        it.on_segment(at_ms(ms));
        let quick = it.left;
        (0..10).for_each(|_| it.on_ack());
        quick
    }

    #[test]
    fn a_gap_longer_than_the_timeout_renews_them() {
        let mut it = quick_acks();
        it.on_syn_ack(at_ms(0));
        // A round trip of 50 ms: the timeout is 50 + 200 ms.
        assert_eq!([50, 300, 551, 801].map(|ms| group(&mut it, ms)), [4, 0, 4, 0]);
        // 150 ms: 150 + 300 ms.
        let mut it = quick_acks();
        it.on_syn_ack(at_ms(0));
        assert_eq!([150, 600, 1051].map(|ms| group(&mut it, ms)), [4, 0, 4]);
        // Without a SYN exchange, the initial timeout of 1 s.
        let mut it = quick_acks();
        assert_eq!([0, 1000, 2001].map(|ms| group(&mut it, ms)), [4, 0, 4]);
    }

    #[test]
    fn duplicates_renew_all_and_a_mark_two() {
        let mut it = quick_acks();
        group(&mut it, 0);
        it.on_mark();
        assert_eq!(group(&mut it, 1), 2);
        it.on_duplicate();
        assert_eq!(group(&mut it, 2), 4);
        it.on_duplicate();
        it.on_mark();
        assert_eq!(group(&mut it, 3), 4);
    }
}
