//! The sender's scoreboard of selective acknowledgements [RFC6675 s4].

use crate::packet::SackBlock;
use crate::transport::ranges::RangeSet;

/// Segments beyond the cumulative acknowledgement that have arrived or have been sent again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// Number of SACKed segments.
    sacked_count: u32,
    /// Segments below this one that are not SACKed count as lost (IsLost) [RFC6675 s4].
    lost_below: u32,
    /// Segment after the highest that was sent again in this recovery (HighRxt + 1).
    resent_below: u32,
    /// A rescue retransmission is permitted once more than the segments below this one are acknowledged (RescueRxt + 1) [RFC6675 s4 NextSeg
    /// (4)].
    rescue_beyond: u32,
}

/// Range of outstanding segments: `[unacknowledged, high)` has been sent and is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outstanding {
    pub unacknowledged: u32,
    pub high: u32,
}

impl Scoreboard {
    /// Records the blocks of an acknowledgement. Returns the number of segments that they newly cover.
    pub fn update(&mut self, blocks: impl IntoIterator<Item = SackBlock>, unacknowledged: u32, dup_ack_threshold: u32) -> u32 {
        let beyond = blocks.into_iter().filter(|block| block.end > unacknowledged);
        let newly = beyond.map(|block| self.sacked.insert(SackBlock { start: block.start.max(unacknowledged), ..block })).sum();
        self.sacked_count += newly;
        if newly > 0 {
            self.lost_below = self.nth_highest(dup_ack_threshold).unwrap_or(0);
        }
        newly
    }

    /// Whether no segment is SACKed.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.sacked.is_empty()
    }

    /// Removes the segments before `seq`, which are acknowledged cumulatively.
    #[inline]
    pub fn remove_below(&mut self, seq: u32) {
        if !self.sacked.is_empty() {
            self.sacked_count -= self.sacked_below(seq);
            self.sacked.remove_below(seq);
        }
    }

    /// Discards everything, as after a timeout, since the receiver may have discarded the segments that it reported [RFC2018 s5, s8].
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.sacked_count = 0;
        self.lost_below = 0;
    }

    /// Starts a recovery with the retransmission of `first`.
    pub fn begin_recovery(&mut self, first: u32) {
        self.resent_below = first + 1;
        self.rescue_beyond = first + 1; // no premature rescue [RFC6675 s5 (4.3)]
    }

    /// Records that no segment has been sent again.
    pub fn forget_resent(&mut self) {
        self.resent_below = 0;
    }

    /// Bound below which segments that have not arrived are lost.
    pub fn lost_below(&self) -> u32 {
        self.lost_below
    }

    /// Number of segments from `from` up to, but not including, `to` that have not arrived.
    pub fn holes(&self, from: u32, to: u32) -> u32 {
        let from = from.min(to);
        (to - from) - (self.sacked_below(to) - self.sacked_below(from))
    }

    /// Whether at least DupThresh segments beyond `seq` have arrived, but `seq` has not.
    pub fn is_lost(&self, seq: u32) -> bool {
        seq < self.lost_below && !self.sacked.contains(seq)
    }

    /// Number of SACKed segments before `seq`.
    #[inline]
    pub fn sacked_below(&self, seq: u32) -> u32 {
        if self.sacked.first().is_none_or(|first| seq <= first) {
            0
        } else {
            self.sacked_count - self.sacked.count_from(seq)
        }
    }

    /// First segment from `seq` on that is not SACKed.
    #[inline]
    pub fn next_hole(&self, seq: u32) -> u32 {
        if self.sacked.is_empty() {
            seq
        } else {
            self.sacked.end_of_run(seq)
        }
    }

    /// SetPipe: number of segments considered to be in the network [RFC6675 s4].
    ///
    /// Each unSACKed segment counts once if it is not lost and once if it was sent again.
    pub fn pipe(&self, outstanding: Outstanding) -> u32 {
        let Outstanding { unacknowledged, high } = outstanding;
        let unsacked = |from: u32, to: u32| {
            let (from, to) = (from.max(unacknowledged), to.max(unacknowledged).min(high));
            (to - from.min(to)) - (self.sacked_below(to) - self.sacked_below(from.min(to)))
        };
        unsacked(self.lost_below, high) + unsacked(unacknowledged, self.resent_below)
    }

    /// NextSeg rule 1: the first lost segment that was not sent again.
    pub fn next_lost(&self, unacknowledged: u32) -> Option<u32> {
        let hole = self.next_hole(self.resent_below.max(unacknowledged));
        (hole < self.lost_below).then_some(hole)
    }

    /// NextSeg rule 3: the first hole below the highest SACKed segment that was not sent again, whether lost or not.
    pub fn next_suspect(&self, unacknowledged: u32) -> Option<u32> {
        let hole = self.next_hole(self.resent_below.max(unacknowledged));
        self.sacked.blocks().last().is_some_and(|last| hole < last.start).then_some(hole)
    }

    /// NextSeg rule 4: once per recovery, after acknowledgements beyond its first retransmission, the highest segment that is not SACKed,
    /// unless it was sent again.
    pub fn take_rescue(&mut self, outstanding: Outstanding) -> Option<u32> {
        let last = self.sacked.blocks().last().filter(|last| last.end == outstanding.high);
        let highest = last.map_or(outstanding.high, |last| last.start).checked_sub(1)?;
        let permitted = outstanding.unacknowledged > self.rescue_beyond;
        if !permitted || highest < self.resent_below.max(outstanding.unacknowledged) {
            return None;
        }
        self.rescue_beyond = u32::MAX; // RescueRxt is RecoveryPoint: an acknowledgement beyond it ends the recovery
        Some(highest)
    }

    /// Records that `seq` was sent again by rule 1 or 3.
    pub fn on_resent(&mut self, seq: u32) {
        self.resent_below = seq + 1;
    }

    /// The `n`-th highest SACKed segment.
    fn nth_highest(&self, n: u32) -> Option<u32> {
        let mut left = n;
        for block in self.sacked.blocks().iter().rev() {
            let length = block.end - block.start;
            if length >= left {
                return Some(block.end - left);
            }
            left -= length;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn block(start: u32, end: u32) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn what_lies_below_three_arrivals_is_lost() {
        let mut board = Scoreboard::default();
        assert_eq!(board.update([block(2, 3), block(5, 6)], 0, 3), 2);
        assert!(!board.is_lost(0));
        assert_eq!(board.update([block(5, 7), block(2, 3)], 0, 3), 1);
        assert_eq!([0, 1, 2, 3, 4].map(|seq| board.is_lost(seq)), [true, true, false, false, false]);
    }

    #[test]
    fn a_cleared_scoreboard_knows_nothing() {
        let mut board = Scoreboard::default();
        board.update([block(2, 8)], 0, 3);
        board.clear();
        assert!(!board.is_lost(0));
        assert_eq!((board.sacked_below(8), board.next_hole(2)), (0, 2));
    }

    #[test]
    fn the_next_segment_is_lost_then_new_then_suspected_then_rescued() {
        let outstanding = Outstanding { unacknowledged: 0, high: 9 };
        let mut board = Scoreboard::default();
        board.update([block(2, 3), block(5, 7)], 0, 3);
        board.begin_recovery(0);
        // Neither lost nor SACKed: 3 4 7 8; sent again: 0.
        assert_eq!(board.pipe(outstanding), 5);
        assert_eq!(board.next_lost(0), Some(1));
        board.on_resent(1);
        assert_eq!(board.pipe(outstanding), 6);
        assert_eq!((board.next_lost(0), board.next_suspect(0)), (None, Some(3)));
        board.on_resent(3);
        assert_eq!(board.next_suspect(0), Some(4));
        board.on_resent(4);
        // Segments 3 and 4 are not lost and were sent again, so they count twice.
        assert_eq!(board.pipe(outstanding), 8);
        assert_eq!(board.next_suspect(0), None);
        // HighACK must be above RescueRxt = 0, that is, segment 1 must be acknowledged too.
        for (unacknowledged, rescue) in [(0, None), (1, None), (2, Some(8)), (2, None), (3, None)] {
            assert_eq!(board.take_rescue(Outstanding { unacknowledged, ..outstanding }), rescue, "{unacknowledged}");
        }
    }

    #[test]
    fn what_was_sent_again_is_not_rescued() {
        let mut board = Scoreboard::default();
        board.update([block(1, 2), block(3, 5)], 0, 3);
        board.begin_recovery(0);
        let mut other = board.clone();
        board.on_resent(2);
        assert_eq!(board.take_rescue(Outstanding { unacknowledged: 2, high: 5 }), None);
        assert_eq!(other.take_rescue(Outstanding { unacknowledged: 2, high: 5 }), Some(2));
    }

    proptest! {
        /// The scoreboard's sums agree with the definitions of [RFC6675 s4], segment by segment.
        #[test]
        fn the_scoreboard_agrees_with_its_definition(
            ranges in prop::collection::vec((0u32..40, 1u32..6), 0..12),
            (unacknowledged, resent, threshold) in (0u32..20, 0u32..40, 1u32..5),
        ) {
            let high = 46;
            let mut board = Scoreboard::default();
            let mut sacked = BTreeSet::new();
            for (start, length) in &ranges {
                let before = sacked.len();
                sacked.extend((*start..start + length).filter(|seq| *seq >= unacknowledged));
                let newly = board.update([block(*start, start + length)], unacknowledged, threshold);
                prop_assert_eq!(newly as usize, sacked.len() - before);
            }
            board.begin_recovery(resent.max(unacknowledged));
            let open: Vec<u32> = (unacknowledged..high).filter(|seq| !sacked.contains(seq)).collect();
            let is_lost = |seq: u32| sacked.range(seq..).count() >= threshold as usize;
            let mut pipe = 0;
            for seq in &open {
                prop_assert_eq!(board.is_lost(*seq), is_lost(*seq));
                pipe += u32::from(!is_lost(*seq)) + u32::from(*seq <= resent.max(unacknowledged));
            }
            prop_assert_eq!(board.pipe(Outstanding { unacknowledged, high }), pipe);
            let beyond = |seq: &u32| *seq > resent.max(unacknowledged);
            prop_assert_eq!(board.next_lost(unacknowledged), open.iter().copied().filter(beyond).find(|seq| is_lost(*seq)));
            let highest = sacked.last().copied().unwrap_or(0);
            prop_assert_eq!(board.next_suspect(unacknowledged), open.iter().copied().filter(beyond).find(|seq| *seq < highest));
            prop_assert_eq!(board.sacked_below(33) as usize, sacked.range(..33).count());
        }
    }
}
