//! Segments that are sent a third time or later.

use crate::packet::SackBlock;
use crate::transport::ranges::RangeSet;
use crate::units::Time;

/// Counts retransmissions of segments that had already been retransmitted. One of the two transmissions was lost or unnecessary.
#[derive(Clone, Debug)]
pub(super) struct Repeats {
    /// Unacknowledged segments that have been sent again.
    resent: RangeSet,
    /// Time at which counting begins.
    from: Time,
    /// Number of such retransmissions.
    pub count: u64,
}

impl Repeats {
    pub fn new(from: Time) -> Repeats {
        Repeats { resent: RangeSet::default(), from, count: 0 }
    }

    /// Records that the segments from `first` up to `end` are sent again; `unacknowledged` is the first unacknowledged one.
    #[cold]
    pub fn on_resent(&mut self, now: Time, (first, end): (u32, u32), unacknowledged: u32) {
        self.resent.remove_below(unacknowledged);
        let repeated = end - first - self.resent.insert(SackBlock { start: first, end });
        if now >= self.from {
            self.count += u64::from(repeated);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    #[test]
    fn what_has_been_sent_again_before_counts() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut repeats = Repeats::new(at(10));
        let cases =
            [(1, (5, 6), 5, 0), (2, (5, 6), 5, 0), (11, (5, 6), 5, 1), (12, (6, 9), 6, 1), (13, (6, 12), 6, 4), (14, (7, 13), 7, 9)];
        for (ms, range, unacknowledged, count) in cases {
            repeats.on_resent(at(ms), range, unacknowledged);
            assert_eq!(repeats.count, count, "at {ms} ms");
        }
    }
}
