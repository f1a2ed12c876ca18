//! The deferred set: due times of many processes, of which few are read.

use penstock_model::units::Time;

/// When each of many processes is due, where it is rarely asked which of them are due until some instant.
///
/// Noting a time costs two stores: there is a lower bound for each block of times, for each block of such bounds, and so on,
/// and only a bound that falls is passed on. Bounds that are too low are mended when they are met.
#[derive(Clone, Debug)]
pub struct DeferredSet {
    due: Vec<Time>,
    /// Lower bounds of blocks of the level below, the lowest level first; the last level is one block.
    bounds: Vec<Vec<Time>>,
}

const BLOCK: usize = 64;

impl DeferredSet {
    /// So many processes, none of which is due.
    pub fn new(processes: usize) -> DeferredSet {
        let mut bounds = vec![vec![Time::NEVER; processes.div_ceil(BLOCK).max(1)]];
        while let Some(size) = bounds.last().map(Vec::len).filter(|size| *size > BLOCK) {
            bounds.push(vec![Time::NEVER; size.div_ceil(BLOCK)]);
        }
        DeferredSet { due: vec![Time::NEVER; processes], bounds }
    }

    /// `process` is due at `at`, whatever was noted before.
    #[inline]
    pub fn set(&mut self, process: usize, at: Time) {
        self.due[process] = at;
        let block = process / BLOCK;
        if at < self.bounds[0][block] {
            self.lower(block, at);
        }
    }

    /// `process` is due at `at` or, if that is earlier, when it was.
    #[inline]
    pub fn advance(&mut self, process: usize, at: Time) {
        self.set(process, at.min(self.due[process]));
    }

    /// When `process` is due.
    #[inline]
    pub fn due(&self, process: usize) -> Time {
        self.due[process]
    }

    /// When the first process is due.
    pub fn first(&mut self) -> Time {
        loop {
            // From the least bound of all down to the block of times below it.
            let mut levels = self.bounds.iter().rev();
            let (mut block, root) = levels.next().map_or((0, Time::NEVER), |level| least_of_block(level, 0));
            for level in levels {
                block = least_of_block(level, block).0;
            }
            let exact = least(&self.due[range(&self.due, block)]);
            if exact == root {
                return root;
            }
            self.tighten(block, exact);
        }
    }

    /// The first process that is due, and when; of several at that instant the lowest.
    pub fn first_due(&mut self) -> Option<(usize, Time)> {
        let at = self.first();
        let blocks = (0..self.bounds[0].len()).filter(|block| at != Time::NEVER && self.bounds[0][*block] <= at);
        let process = blocks.flat_map(|block| range(&self.due, block)).find(|process| self.due[*process] == at);
        process.map(|process| (process, at))
    }

    /// Removes every process that is due up to and including `until`, and calls `take` with it and when it is due.
    pub fn take(&mut self, until: Time, mut take: impl FnMut(usize, Time)) {
        let top = self.bounds.len() - 1;
        for block in 0..self.bounds[top].len() {
            self.take_of(top, block, until, &mut take);
        }
    }

    /// Removes what is due below one bound.
    fn take_of(&mut self, level: usize, block: usize, until: Time, take: &mut impl FnMut(usize, Time)) {
        if self.bounds[level][block] > until {
            return;
        }
        if level > 0 {
            let below = range(&self.bounds[level - 1], block);
            below.for_each(|block| self.take_of(level - 1, block, until, take));
            let below = &self.bounds[level - 1];
            self.bounds[level][block] = least(&below[range(below, block)]);
            return;
        }
        let first = block * BLOCK;
        let mut bound = Time::NEVER;
        let block_range = range(&self.due, block);
        for (i, due) in self.due[block_range].iter_mut().enumerate() {
            if *due <= until && *due != Time::NEVER {
                take(first + i, *due);
                *due = Time::NEVER;
            }
            bound = bound.min(*due);
        }
        self.bounds[0][block] = bound;
    }

    /// Passes an earlier time on to the bounds above a block.
    fn lower(&mut self, mut block: usize, at: Time) {
        for level in &mut self.bounds {
            if level[block] <= at {
                break;
            }
            level[block] = at;
            block /= BLOCK;
        }
    }

    /// Makes the bounds above a block of times, the least of which is `exact`, as exact as those beside them are.
    fn tighten(&mut self, mut block: usize, exact: Time) {
        self.bounds[0][block] = exact;
        for level in 1..self.bounds.len() {
            let (below, above) = self.bounds.split_at_mut(level);
            block /= BLOCK;
            let below = &below[level - 1];
            above[0][block] = least(&below[range(below, block)]);
        }
    }
}

fn range(level: &[Time], block: usize) -> std::ops::Range<usize> {
    block * BLOCK..level.len().min((block + 1) * BLOCK)
}

/// The least of these times.
#[inline]
fn least(times: &[Time]) -> Time {
    times.iter().copied().fold(Time::NEVER, Time::min)
}

/// The index of the least time of a block, and that time.
#[inline]
fn least_of_block(level: &[Time], block: usize) -> (usize, Time) {
    let times = &level[range(level, block)];
    let least = least(times);
    let slot = times.iter().position(|at| *at == least).unwrap_or(0);
    (block * BLOCK + slot, least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_knows_which_processes_are_due(
            processes in prop_oneof![1usize..200, 4_000usize..5_000, Just(300_000)],
            rounds in prop::collection::vec((prop::collection::vec((any::<usize>(), 0u64..99, any::<bool>()), 0..30), 0u64..99), 1..20),
        ) {
            let mut set = DeferredSet::new(processes);
            let mut plain = std::collections::BTreeMap::new();
            for (notes, until) in rounds {
                for (process, at, exactly) in notes {
                    let (process, at) = (process % processes, Time::from_ps(at));
                    if exactly {
                        set.set(process, at);
                        plain.insert(process, at);
                    } else {
                        set.advance(process, at);
                        plain.entry(process).and_modify(|before| *before = at.min(*before)).or_insert(at);
                    }
                    prop_assert_eq!(set.due(process), plain[&process]);
                }
                prop_assert_eq!(set.first(), plain.values().copied().min().unwrap_or(Time::NEVER));
                let mut taken = Vec::new();
                set.take(Time::from_ps(until), |process, at| taken.push((process, at)));
                let due: Vec<(usize, Time)> = plain.iter().map(|(process, at)| (*process, *at)).filter(|(_, at)| *at <= Time::from_ps(until)).collect();
                plain.retain(|_, at| *at > Time::from_ps(until));
                prop_assert_eq!(taken, due);
            }
        }
    }
}
