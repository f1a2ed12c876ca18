//! Sets of segments.

use crate::packet::SackBlock;
use std::ops::Deref;

/// A set of segments as disjoint ranges in ascending order. Uses no memory while it is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeSet {
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

    /// Range that contains `seq`; `None` if no range does. Fast if `seq` is in the last range or outside of all.
    #[inline]
    pub fn block_of(&self, seq: u32) -> Option<SackBlock> {
        let (first, last) = (self.blocks.first()?, self.blocks.last()?);
        if last.start <= seq {
            return Some(*last).filter(|last| seq < last.end);
        }
        if seq < first.start {
            return None;
        }
        let index = self.blocks.partition_point(|block| block.end <= seq);
        self.blocks.get(index).filter(|block| block.start <= seq).copied()
    }

    pub fn contains(&self, seq: u32) -> bool {
        self.block_of(seq).is_some()
    }

    /// First segment from `seq` on that is not in the set.
    pub fn end_of_run(&self, seq: u32) -> u32 {
        self.block_of(seq).map_or(seq, |block| block.end)
    }

    /// Adds a range. Returns the number of segments that were new.
    pub fn insert(&mut self, added: SackBlock) -> u32 {
        match self.blocks.last_mut() {
            Some(last) if last.start <= added.start && added.end <= last.end => return 0,
            Some(last) if added.start < last.end => return self.insert_among(added),
            Some(last) if added.start == last.end => last.end = added.end,
            _ => self.blocks.push(added),
        }
        added.end - added.start
    }

    /// Same as [`RangeSet::insert`], for a range that does not begin beyond all others.
    fn insert_among(&mut self, added: SackBlock) -> u32 {
        if self.block_of(added.start).is_some_and(|block| added.end <= block.end) {
            return 0;
        }
        // The ranges that touch the new one are all merged with it.
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

    /// Removes all segments before `seq`.
    pub fn remove_below(&mut self, seq: u32) {
        if self.first().is_none_or(|first| seq <= first) {
            return;
        }
        let gone = self.blocks.partition_point(|block| block.end <= seq);
        self.blocks.drain(..gone);
        if let Some(first) = self.blocks.first_mut() {
            first.start = first.start.max(seq);
        }
    }

    /// First segment of the set.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.blocks.first().map(|block| block.start)
    }

    /// Number of segments of the set from `seq` on. Fast if `seq` is near the end of the set.
    pub fn count_from(&self, seq: u32) -> u32 {
        let from = self.blocks.iter().rev().take_while(|block| seq < block.end);
        from.map(|block| block.end - block.start.max(seq)).sum()
    }

    /// Removes a segment. Returns whether it was in the set.
    fn remove(&mut self, seq: u32) -> bool {
        if self.blocks.last().is_none_or(|last| last.end <= seq) {
            return false;
        }
        let index = self.blocks.partition_point(|block| block.end <= seq);
        let Some(block) = self.blocks.get_mut(index).filter(|block| block.start <= seq) else { return false };
        let SackBlock { start, end } = *block;
        match (start == seq, end == seq + 1) {
            (true, true) => drop(self.blocks.remove(index)),
            (true, false) => block.start = seq + 1,
            (false, true) => block.end = seq,
            (false, false) => {
                block.end = seq;
                self.blocks.insert(index + 1, SackBlock { start: seq + 1, end });
            }
        }
        true
    }
}

/// A set of segments with a counter of its segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedRangeSet {
    ranges: RangeSet,
    count: u32,
}

impl Deref for CountedRangeSet {
    type Target = RangeSet;

    fn deref(&self) -> &RangeSet {
        &self.ranges
    }
}

impl CountedRangeSet {
    /// Number of segments of the set.
    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn clear(&mut self) {
        self.ranges.clear();
        self.count = 0;
    }

    /// Adds a range. Returns the number of segments that were new.
    pub fn insert(&mut self, added: SackBlock) -> u32 {
        let new = self.ranges.insert(added);
        self.count += new;
        new
    }

    /// Removes all segments before `seq`.
    pub fn remove_below(&mut self, seq: u32) {
        if self.ranges.first().is_some_and(|first| first < seq) {
            self.ranges.remove_below(seq);
            self.count = self.ranges.count_from(0);
        }
    }

    /// Removes a segment.
    #[inline]
    pub fn remove(&mut self, seq: u32) {
        if self.count > 0 {
            self.count -= u32::from(self.ranges.remove(seq));
        }
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

    proptest! {
        /// A set of numbers gives the same counts.
        #[test]
        fn counts_are_those_of_a_set(changes in prop::collection::vec((0u32..40, 0u32..6), 0..30), below in 0u32..50) {
            let (mut set, mut numbers) = (CountedRangeSet::default(), BTreeSet::new());
            for (at, length) in changes {
                match length {
                    0 => {
                        set.remove(at);
                        numbers.remove(&at);
                    }
                    1 => {
                        set.remove_below(at / 4);
                        numbers = numbers.split_off(&(at / 4));
                    }
                    _ => {
                        let before = numbers.len();
                        numbers.extend(at..at + length);
                        prop_assert_eq!(set.insert(block(at, at + length)) as usize, numbers.len() - before);
                    }
                }
                prop_assert_eq!(set.count() as usize, numbers.len());
                prop_assert_eq!(set.count_from(below) as usize, numbers.range(below..).count());
            }
        }
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let mut set = CountedRangeSet::default();
        assert_eq!(set.insert(block(5, 7)), 2);
        assert_eq!(set.insert(block(9, 10)), 1);
        assert_eq!(set.blocks(), [block(5, 7), block(9, 10)]);
        assert_eq!(set.insert(block(10, 12)), 2);
        assert_eq!(set.insert(block(6, 9)), 2);
        assert_eq!(set.blocks(), [block(5, 12)]);
        assert_eq!((set.contains(11), set.contains(12)), (true, false));
        set.remove_below(8);
        assert_eq!(set.blocks(), [block(8, 12)]);
    }

    #[test]
    fn a_range_without_one_segment_is_shorter_or_two() {
        let mut set = CountedRangeSet::default();
        set.insert(block(5, 12));
        for (seq, rest) in [(8, vec![(5, 8), (9, 12)]), (5, vec![(6, 8), (9, 12)]), (11, vec![(6, 8), (9, 11)]), (8, vec![(6, 8), (9, 11)])]
        {
            set.remove(seq);
            assert!(set.blocks().iter().copied().eq(rest.into_iter().map(|(start, end)| block(start, end))), "without {seq}");
        }
        set.remove(6);
        set.remove(7);
        assert_eq!((set.blocks(), set.first(), set.count()), (&[block(9, 11)][..], Some(9), 2));
    }
}
