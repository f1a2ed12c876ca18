//! Send times of outstanding segments, for senders with timestamps and for congestion controls that need a round-trip time with every
//! acknowledgement.

use super::Detection;
use crate::transport::congestion_control::Window;
use crate::units::{Duration, Time};

/// First and last transmission of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub first: Time,
    pub last: Time,
    /// Position of the last transmission among all transmissions of the connection, modulo 2^32.
    pub order: u32,
    /// Whether the last transmission was a retransmission.
    pub is_resent: bool,
}

impl Sent {
    /// Whether the segment was sent once.
    pub fn is_first(&self) -> bool {
        self.first == self.last
    }
}

/// Transmissions of outstanding segments, and state that depends on their times.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentSegments {
    /// Send times.
    pub times: SendTimes,
    /// Segments from this one on have been sent once, in sequence, after the last retransmission.
    pub in_order_from: u32,
    /// Window before the timeout, until an acknowledgement shows whether the timeout was spurious.
    pub before_timeout: Option<Window>,
    /// Detection of losses by time, if the recovery uses it.
    pub detection: Option<Detection>,
}

/// The transmissions of the segments from `start` up to `end`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendTimes {
    start: u32,
    end: u32,
    /// Ring buffer, whose length is a power of two. The index of a segment is its number modulo the length.
    ring: Vec<Sent>,
    /// Number of transmissions.
    count: u32,
}

/// Times derived from an acknowledgement of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AckTimes {
    /// Echoed timestamp (TSecr): the time of a transmission of the first newly acknowledged segment [RFC7323 s4.3].
    pub echoed: Time,
    /// Round-trip time of the last newly acknowledged segment, if it was sent once.
    pub newest: Option<Duration>,
    /// Whether the timestamp is older than the last transmission of its segment, which was therefore not lost (Eifel detection) [RFC3522
    /// s3.2].
    pub first_was_not_lost: bool,
}

impl SentSegments {
    /// Records that segment `seq` leaves: the one after the known ones, or a retransmission.
    #[inline]
    pub fn on_sent(&mut self, now: Time, seq: u32) {
        if seq >= self.times.end {
            self.times.push(now, seq);
        } else if seq >= self.times.start {
            self.in_order_from = self.times.end;
            let order = self.times.replace(now, seq);
            self.detection.iter_mut().for_each(|detection| detection.on_sent_again(seq, order));
        }
    }

    /// Removes the segments up to `next`, which have been acknowledged with the timestamp of a first transmission, or of a later one
    /// (`sent_again`).
    pub fn on_ack(&mut self, now: Time, next: u32, sent_again: bool) -> Option<AckTimes> {
        let (first, last) = (self.times.of(self.times.start)?, self.times.of(next - 1)?);
        self.times.start = next;
        Some(AckTimes {
            echoed: if sent_again { first.last } else { first.first },
            newest: (last.first == last.last).then(|| now.since(last.first)),
            // A segment sent for the first time after the retransmission may have set the timestamp, if acknowledgements were lost.
            first_was_not_lost: !sent_again && first.first < first.last && last.first <= first.last,
        })
    }

    /// Same as [`SentSegments::on_ack`], for segments that were all sent once, in sequence, after all that have arrived, while none is
    /// lost. Passes the acknowledgement to the detection by time.
    #[inline]
    pub fn on_ack_in_order(&mut self, now: Time, next: u32) -> Option<AckTimes> {
        let (first, last) = (self.times.of(self.times.start)?, self.times.of(next - 1)?);
        self.times.start = next;
        if let Some(detection) = &mut self.detection {
            detection.on_ack_in_order(now, next, last);
        }
        Some(AckTimes { echoed: first.first, newest: Some(now.since(last.first)), first_was_not_lost: false })
    }
}

impl SendTimes {
    /// Records the first transmission of the segment after the known ones.
    #[inline]
    fn push(&mut self, now: Time, seq: u32) {
        if self.end - self.start == self.ring.len() as u32 {
            self.grow();
        }
        self.count = self.count.wrapping_add(1);
        self.end = seq + 1;
        let order = self.count;
        let place = self.place(seq);
        self.ring[place] = Sent { first: now, last: now, order, is_resent: false };
    }

    /// Records another transmission of an outstanding segment. Returns its position among all transmissions.
    fn replace(&mut self, now: Time, seq: u32) -> u32 {
        self.count = self.count.wrapping_add(1);
        let order = self.count;
        let place = self.place(seq);
        self.ring[place] = Sent { last: now, order, is_resent: true, ..self.ring[place] };
        order
    }

    #[inline]
    fn place(&self, seq: u32) -> usize {
        seq as usize & self.ring.len().wrapping_sub(1)
    }

    /// Doubles the ring.
    #[cold]
    fn grow(&mut self) {
        let longer = vec![Sent::default(); (2 * self.ring.len()).max(4)];
        let shorter = std::mem::replace(&mut self.ring, longer);
        for seq in self.start..self.end {
            let place = self.place(seq);
            self.ring[place] = shorter[seq as usize & (shorter.len() - 1)];
        }
    }

    /// First outstanding segment.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Transmissions of an outstanding segment; `None` for any other.
    #[inline]
    pub fn of(&self, seq: u32) -> Option<Sent> {
        let is_outstanding = self.start <= seq && seq < self.end;
        self.ring.get(self.place(seq)).filter(|_| is_outstanding).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Four segments sent from 0 ms on, one per millisecond; the first is sent again at 50 ms.
    fn sent() -> SentSegments {
        let mut it = SentSegments::default();
        (0..4).for_each(|seq| it.on_sent(at_ms(u64::from(seq)), seq));
        it.on_sent(at_ms(50), 0);
        it
    }

    #[test]
    fn the_timestamp_tells_transmissions_of_a_segment_apart() {
        let times = sent().on_ack(at_ms(150), 1, true);
        assert_eq!(times, Some(AckTimes { echoed: at_ms(50), newest: None, first_was_not_lost: false }));
        let times = sent().on_ack(at_ms(150), 1, false);
        assert_eq!(times, Some(AckTimes { echoed: at_ms(0), newest: None, first_was_not_lost: true }));
        let times = sent().on_ack(at_ms(150), 4, true);
        assert_eq!(times, Some(AckTimes { echoed: at_ms(50), newest: Some(Duration::from_ms(147)), first_was_not_lost: false }));
    }

    #[test]
    fn a_timestamp_that_a_new_segment_may_have_set_shows_nothing() {
        let mut it = sent();
        it.on_sent(at_ms(60), 4);
        assert!(it.clone().on_ack(at_ms(150), 4, false).is_some_and(|times| times.first_was_not_lost));
        assert!(it.on_ack(at_ms(150), 5, false).is_some_and(|times| !times.first_was_not_lost));
    }
}
