//! Ranges of segments, and the sender's scoreboard of them [RFC6675].

use crate::packet::SackBlock;

/// A set of segments as disjoint ranges in ascending order; no memory while it is empty.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeSet {
    blocks: Vec<SackBlock>,
}

impl RangeSet {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn blocks(&self) -> &[SackBlock] {
        &self.blocks
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// The range that holds `seq`.
    pub fn block_of(&self, seq: u32) -> Option<SackBlock> {
        let index = self.blocks.partition_point(|block| block.end <= seq);
        self.blocks.get(index).filter(|block| block.start <= seq).copied()
    }

    pub fn contains(&self, seq: u32) -> bool {
        self.block_of(seq).is_some()
    }

    /// The first segment from `seq` on that is not in the set.
    pub fn end_of_run(&self, seq: u32) -> u32 {
        self.block_of(seq).map_or(seq, |block| block.end)
    }

    /// Adds a range and says how many of its segments were new.
    pub fn insert(&mut self, added: SackBlock) -> u32 {
        // The ranges that touch the new one, all of which become one.
        let first = self.blocks.partition_point(|block| block.end < added.start);
        let last = self.blocks.partition_point(|block| block.start <= added.end);
        let touched = &self.blocks[first..last];
        let old: u32 = touched.iter().map(|block| block.end - block.start).sum();
        let start = touched.first().map_or(added.start, |block| block.start.min(added.start));
        let end = touched.last().map_or(added.end, |block| block.end.max(added.end));
        if first == last {
            self.blocks.insert(first, added);
        } else {
            self.blocks[first] = SackBlock { start, end };
            self.blocks.drain(first + 1..last);
        }
        end - start - old
    }

    /// Forgets everything before `seq`.
    pub fn remove_below(&mut self, seq: u32) {
        let gone = self.blocks.partition_point(|block| block.end <= seq);
        self.blocks.drain(..gone);
        if let Some(first) = self.blocks.first_mut() {
            first.start = first.start.max(seq);
        }
    }

    /// How many segments of the set lie before `seq`.
    pub fn count_below(&self, seq: u32) -> u32 {
        self.blocks.iter().take_while(|block| block.start < seq).map(|block| block.end.min(seq) - block.start).sum()
    }
}

/// What the sender knows of the segments beyond the cumulative acknowledgement, and which of them it has sent again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    sacked: RangeSet,
    /// Segments before this one that are not SACKed count as lost (IsLost) [RFC6675 s4].
    lost_below: u32,
    /// The segment after the highest that was sent again in this recovery (HighRxt + 1).
    resent_below: u32,
    /// The rescue retransmission of this recovery has been used [RFC6675 s4 NextSeg (4)].
    rescued: bool,
}

/// What a sender asks the scoreboard about: `[unacknowledged, high)` has been sent and not acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outstanding {
    pub unacknowledged: u32,
    pub high: u32,
}

impl Scoreboard {
    /// Takes an acknowledgement's blocks in and says how many segments they newly cover.
    pub fn update(&mut self, blocks: &[SackBlock], unacknowledged: u32, dup_ack_threshold: u32) -> u32 {
        let beyond = blocks.iter().filter(|block| block.end > unacknowledged);
        let newly = beyond.map(|block| self.sacked.insert(SackBlock { start: block.start.max(unacknowledged), ..*block })).sum();
        if newly > 0 {
            self.lost_below = self.nth_highest(dup_ack_threshold).unwrap_or(0);
        }
        newly
    }

    /// Everything before `seq` has been acknowledged cumulatively.
    #[inline]
    pub fn remove_below(&mut self, seq: u32) {
        if !self.sacked.is_empty() {
            self.sacked.remove_below(seq);
        }
    }

    /// Forgets all, as after a timeout: the receiver may have discarded what it reported [RFC2018 s8].
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.lost_below = 0;
    }

    /// A recovery begins with the retransmission of `first`.
    pub fn begin_recovery(&mut self, first: u32) {
        self.resent_below = first + 1;
        self.rescued = false;
    }

    /// Whether at least DupThresh segments beyond `seq` have arrived and `seq` has not.
    pub fn is_lost(&self, seq: u32) -> bool {
        seq < self.lost_below && !self.sacked.contains(seq)
    }

    /// SACKed segments before `seq`.
    #[inline]
    pub fn sacked_below(&self, seq: u32) -> u32 {
        if self.sacked.is_empty() {
            0
        } else {
            self.sacked.count_below(seq)
        }
    }

    /// The first segment from `seq` on that is not SACKed.
    #[inline]
    pub fn next_hole(&self, seq: u32) -> u32 {
        if self.sacked.is_empty() {
            seq
        } else {
            self.sacked.end_of_run(seq)
        }
    }

    /// SetPipe: segments held to be in the network [RFC6675 s4].
    ///
    /// Each unSACKed segment counts once if it is not lost and once if it was sent again.
    pub fn pipe(&self, outstanding: Outstanding) -> u32 {
        let Outstanding { unacknowledged, high } = outstanding;
        let unsacked = |from: u32, to: u32| {
            let (from, to) = (from.max(unacknowledged), to.max(unacknowledged).min(high));
            (to - from.min(to)) - (self.sacked.count_below(to) - self.sacked.count_below(from.min(to)))
        };
        unsacked(self.lost_below, high) + unsacked(unacknowledged, self.resent_below)
    }

    /// NextSeg rule 1: the first lost segment that was not sent again.
    pub fn next_lost(&self, unacknowledged: u32) -> Option<u32> {
        let hole = self.next_hole(self.resent_below.max(unacknowledged));
        (hole < self.lost_below).then_some(hole)
    }

    /// NextSeg rule 3: the first hole below the highest SACKed segment that was not sent again, lost or not.
    pub fn next_suspect(&self, unacknowledged: u32) -> Option<u32> {
        let hole = self.next_hole(self.resent_below.max(unacknowledged));
        self.sacked.blocks().last().is_some_and(|last| hole < last.start).then_some(hole)
    }

    /// NextSeg rule 4: once in a recovery, the highest segment that is not SACKed, unless it was sent again.
    pub fn take_rescue(&mut self, outstanding: Outstanding) -> Option<u32> {
        let last = self.sacked.blocks().last().filter(|last| last.end == outstanding.high);
        let highest = last.map_or(outstanding.high, |last| last.start).checked_sub(1)?;
        let wanted = !self.rescued && highest >= self.resent_below.max(outstanding.unacknowledged);
        self.rescued |= wanted;
        wanted.then_some(highest)
    }

    /// `seq` was sent again by rule 1 or 3.
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
