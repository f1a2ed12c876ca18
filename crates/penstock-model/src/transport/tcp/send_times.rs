//! Send times of outstanding segments, for congestion controls that need a round-trip time with every acknowledgement.

use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// Times of the segments from `first` on; [`Time::NEVER`] for retransmitted ones (Karn's rule) [RFC6298 s3].
#[derive(Clone, Debug, Default)]
pub(super) struct SendTimes {
    first: u32,
    times: VecDeque<Time>,
}

impl SendTimes {
    /// Begins with the segment `first`.
    pub fn new(first: u32) -> SendTimes {
        SendTimes { first, times: VecDeque::new() }
    }

    /// Records that segment `seq` leaves: the one after the known ones, or a retransmission.
    pub fn on_sent(&mut self, now: Time, seq: u32) {
        let Some(place) = seq.checked_sub(self.first) else { return };
        match self.times.get_mut(place as usize) {
            Some(sent) => *sent = Time::NEVER,
            None => self.times.push_back(now),
        }
    }

    /// Removes the segments up to `next`, which have been acknowledged; returns the round-trip time of the last one, if it was sent
    /// once.
    pub fn on_ack(&mut self, now: Time, next: u32) -> Option<Duration> {
        let mut last = Time::NEVER;
        while self.first < next {
            self.first += 1;
            last = self.times.pop_front().unwrap_or(Time::NEVER);
        }
        (last != Time::NEVER).then(|| now.since(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_acknowledged_gives_the_sample_unless_it_was_sent_again() {
        let at_ms = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut times = SendTimes::new(0);
        (0..4).for_each(|seq| times.on_sent(at_ms(u64::from(seq)), seq));
        assert_eq!(times.on_ack(at_ms(100), 2), Some(Duration::from_ms(99)));
        times.on_sent(at_ms(101), 2);
        assert_eq!(times.on_ack(at_ms(200), 3), None);
        assert_eq!(times.on_ack(at_ms(200), 4), Some(Duration::from_ms(197)));
    }
}
