//! A timing wheel: sources of one spacing, which keep their order from round to round.

use penstock_model::units::{Duration, Time};

/// A source in a wheel, with the time of its next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WheelEntry<N = ()> {
    /// When it sends next.
    pub at: Time,
    /// The flow's serial number, which orders simultaneous sources.
    pub flow: u32,
    /// Its slot at the host.
    pub slot: u32,
    /// What it sends next, where the entry holds that.
    pub next: N,
}

const _: () = assert!(std::mem::size_of::<WheelEntry>() == 16);

impl<N> WheelEntry<N> {
    /// The order of entries: by time, then by flow.
    #[inline(always)]
    pub fn order(&self) -> u128 {
        u128::from(self.at.as_ps()) << 64 | u128::from(self.flow)
    }
}

/// Entries sorted by time. A source that has sent moves to the end of the next round, one spacing later. Periodic sources never
/// leave, so their entries stay in place, and the next round holds only those that join.
#[derive(Clone, Debug)]
pub struct TimingWheel<N = ()> {
    /// The spacing of its sources.
    pub spacing: Duration,
    /// Whether its sources repeat one packet without end, held in [`WheelEntry::next`].
    pub periodic: bool,
    /// The entries of this round; those from `passed` on have not sent yet. All have only if the wheel is empty.
    round: Vec<WheelEntry<N>>,
    passed: usize,
    next_round: Vec<WheelEntry<N>>,
}

/// What an entry may hold: a value with a successor.
pub trait Successor: Copy + Default + Ord {
    /// The next value.
    #[must_use]
    fn successor(self) -> Self;
}

impl Successor for () {
    fn successor(self) {}
}

impl<N: Successor> TimingWheel<N> {
    /// An empty wheel of this spacing, for periodic sources or for others.
    pub fn new(spacing: Duration, periodic: bool) -> TimingWheel<N> {
        TimingWheel { spacing, periodic, round: Vec::new(), passed: 0, next_round: Vec::new() }
    }

    /// Whether it is for sources of this spacing that are, or are not, periodic.
    pub fn matches(&self, spacing: Duration, periodic: bool) -> bool {
        (self.spacing, self.periodic) == (spacing, periodic)
    }

    /// The entry that sends next.
    #[inline(always)]
    pub fn first(&self) -> Option<&WheelEntry<N>> {
        self.round.get(self.passed)
    }

    /// How many sources send before `until`, of those that are not periodic.
    pub fn count_before(&self, until: Time) -> usize {
        let before = |entries: &[WheelEntry<N>]| entries.partition_point(|entry| entry.at < until);
        before(&self.round[self.passed..]) + before(&self.next_round)
    }

    /// Inserts an entry if it is later than all others and earlier than the first one in the next round: only then the wheel stays
    /// sorted as it advances. Returns whether it did.
    pub fn try_insert(&mut self, entry: WheelEntry<N>) -> bool {
        let first = self.first().copied();
        let has_turned = self.periodic && self.passed > 0;
        let last = match self.next_round.last() {
            None if has_turned => self.round[..self.passed].last(),
            None => self.round.last(),
            // Of periodic sources, one that has sent since may be later than the last that has joined.
            last if has_turned => last.max(self.round[..self.passed].last()),
            last => last,
        }
        .copied();
        let last_round = if self.next_round.is_empty() && !has_turned { &mut self.round } else { &mut self.next_round };
        let fits = match (first, last) {
            (Some(first), Some(last)) => last < entry && entry < WheelEntry { at: first.at + self.spacing, ..first },
            _ => true,
        };
        if fits {
            last_round.push(entry);
        }
        fits
    }

    /// The entries of this round that are due before `bound`, at most `most` of them.
    #[inline]
    pub fn due(&self, bound: Time, most: usize) -> &[WheelEntry<N>] {
        let left = &self.round[self.passed..];
        let left = &left[..left.len().min(most)];
        &left[..left.partition_point(|entry| entry.at < bound)]
    }

    /// Advances the first `count` entries of [`TimingWheel::due`], whose periodic sources have sent.
    #[inline]
    pub fn advance_periodic(&mut self, count: usize) {
        for entry in &mut self.round[self.passed..self.passed + count] {
            entry.at += self.spacing;
            entry.next = entry.next.successor();
        }
        self.pass(count);
    }

    /// Moves the first `count` entries of [`TimingWheel::remaining`] to the next round, whose sources have sent and keep the spacing.
    #[inline]
    pub fn repeat(&mut self, count: usize) {
        let spacing = self.spacing;
        let sent = &self.round[self.passed..self.passed + count];
        self.next_round.extend(sent.iter().map(|entry| WheelEntry { at: entry.at + spacing, ..*entry }));
        self.pass(count);
    }

    /// The entries that have not sent in this round.
    #[inline]
    pub fn remaining(&self) -> &[WheelEntry<N>] {
        &self.round[self.passed..]
    }

    /// Lets the first source send, then those due before `bound`, at most `most` in all. `send` gets the time and the slot and
    /// returns when that source sends next. Stops at a source whose next packet does not keep the spacing: it leaves the wheel. Returns
    /// how many have sent (at least one), and the source that left with the time of its next packet. Panics if the wheel is empty.
    #[inline(always)]
    pub fn advance(&mut self, bound: Time, most: usize, mut send: impl FnMut(Time, u32) -> Time) -> (usize, Option<(WheelEntry<N>, Time)>) {
        let (mut sent, mut rescheduled) = (0, None);
        let due = &self.round[self.passed..];
        let due = &due[..due.len().min(most)];
        assert!(!due.is_empty(), "a wheel that advances is not empty");
        for entry in due {
            let next = send(entry.at, entry.slot);
            sent += 1;
            if next != entry.at + self.spacing {
                rescheduled = Some((*entry, next));
                break;
            }
            self.next_round.push(WheelEntry { at: next, ..*entry });
            if due.get(sent).is_some_and(|entry| entry.at >= bound) {
                break;
            }
        }
        self.pass(sent);
        (sent, rescheduled)
    }

    fn pass(&mut self, count: usize) {
        self.passed += count;
        if self.passed < self.round.len() {
            return;
        }
        self.passed = 0;
        if !self.periodic {
            self.round.clear();
            std::mem::swap(&mut self.round, &mut self.next_round);
        } else if !self.next_round.is_empty() {
            self.round.append(&mut self.next_round);
            // Two sorted runs.
            self.round.sort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Successor for u32 {
        fn successor(self) -> u32 {
            self + 1
        }
    }

    fn entry(at: u64, flow: u32) -> WheelEntry<u32> {
        WheelEntry { at: Time::from_ps(at), flow, slot: flow, next: 0 }
    }

    fn wheel(entries: &[(u64, u32)]) -> TimingWheel<u32> {
        wheel_of(false, entries)
    }

    fn wheel_of(periodic: bool, entries: &[(u64, u32)]) -> TimingWheel<u32> {
        let mut wheel = TimingWheel::new(Duration::from_ps(10), periodic);
        entries.iter().for_each(|&(at, flow)| assert!(wheel.try_insert(entry(at, flow))));
        wheel
    }

    #[test]
    fn it_takes_entries_that_keep_it_sorted() {
        let mut wheel = wheel(&[(5, 3), (7, 1), (7, 2)]);
        assert!(!wheel.try_insert(entry(7, 0)), "before the last");
        assert!(!wheel.try_insert(entry(15, 4)), "after the first in its next round");
        assert!(wheel.try_insert(entry(15, 2)));
    }

    #[test]
    fn it_counts_the_sources_before_an_instant() {
        let mut wheel = wheel(&[(5, 0), (7, 1), (9, 2)]);
        wheel.repeat(1);
        let counts = [7, 8, 15, 16].map(|until| wheel.count_before(Time::from_ps(until)));
        assert_eq!(counts, [0, 1, 2, 3], "at 7, 9 and 15 ps");
    }

    #[test]
    fn it_advances_as_far_as_the_bound() {
        let mut wheel = wheel(&[(5, 0), (7, 1), (9, 2)]);
        let mut seen = Vec::new();
        // A round ends and its first entry sends whatever the bound.
        for (bound, sent) in [(9, 2), (100, 1), (16, 1), (0, 1)] {
            let advanced = wheel.advance(Time::from_ps(bound), 9, |at, slot| {
                seen.push((at.as_ps(), slot));
                at + Duration::from_ps(10)
            });
            assert_eq!(advanced, (sent, None));
        }
        assert_eq!(seen, [(5, 0), (7, 1), (9, 2), (15, 0), (17, 1)]);
    }

    #[test]
    fn periodic_entries_stay() {
        let mut wheel = wheel_of(true, &[(5, 0), (7, 1), (9, 2)]);
        let mut seen = Vec::new();
        for (bound, most) in [(9, 9), (100, 9), (100, 2), (16, 9), (100, 9)] {
            let due: Vec<_> = wheel.due(Time::from_ps(bound), most).iter().map(|entry| (entry.at.as_ps(), entry.next)).collect();
            wheel.advance_periodic(due.len());
            seen.extend(due);
        }
        assert_eq!(seen, [(5, 0), (7, 0), (9, 0), (15, 1), (17, 1), (19, 1)]);
    }

    #[test]
    fn periodic_sources_join_at_any_time() {
        let mut wheel = wheel_of(true, &[(5, 0), (9, 2)]);
        wheel.advance_periodic(1);
        assert!(!wheel.try_insert(entry(14, 4)), "before one that has sent");
        assert!(!wheel.try_insert(entry(20, 4)), "after the first in its next round");
        assert!(wheel.try_insert(entry(16, 4)));
        assert!(!wheel.try_insert(entry(15, 5)), "before the last that has joined");
        wheel.advance_periodic(1);
        assert!(!wheel.try_insert(entry(25, 5)), "after the first in its next round");
        assert!(wheel.try_insert(entry(23, 5)));
        let due: Vec<_> = wheel.due(Time::from_ps(100), 9).iter().map(|entry| entry.at.as_ps()).collect();
        assert_eq!(due, [15, 16, 19, 23]);
    }

    #[test]
    fn a_periodic_source_joins_behind_the_last_that_has_sent() {
        let mut wheel = wheel_of(true, &[(5, 0), (7, 1), (9, 2)]);
        wheel.advance_periodic(2);
        assert!(!wheel.try_insert(entry(16, 4)), "before the last of two that have sent");
        assert!(wheel.try_insert(entry(18, 4)));
        // The last that has sent is due at 19, later than the last that has joined.
        let mut wheel = wheel_of(true, &[(5, 0), (7, 1), (9, 2), (11, 3)]);
        wheel.advance_periodic(1);
        assert!(wheel.try_insert(entry(16, 4)));
        wheel.advance_periodic(2);
        assert!(!wheel.try_insert(entry(18, 5)), "before the last of three that have sent");
        assert!(wheel.try_insert(entry(20, 5)));
    }

    #[test]
    fn a_source_that_does_not_keep_the_spacing_leaves() {
        let mut wheel = wheel(&[(5, 0), (7, 1)]);
        let advanced = wheel.advance(Time::from_ps(100), 9, |_, _| Time::from_ps(100));
        assert_eq!(advanced, (1, Some((entry(5, 0), Time::from_ps(100)))));
        assert_eq!(wheel.first(), Some(&entry(7, 1)));
    }
}
