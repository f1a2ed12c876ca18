//! The deferred set: due times of many processes; few are read.

use penstock_model::units::Time;

/// The due times of many processes, for callers that rarely ask which processes are due up to an instant.
///
/// Setting a time costs two stores: the time, and a lower bound for its block of times. Bounds that are too low are corrected when they
/// are read.
#[derive(Clone, Debug)]
pub struct DeferredSet {
    due: Vec<Time>,
    /// Lower bounds of blocks of [`BLOCK`] times.
    bounds: Vec<Time>,
}

const BLOCK: usize = 64;

impl DeferredSet {
    /// Creates a set of `processes` processes without due times.
    pub fn new(processes: usize) -> DeferredSet {
        DeferredSet { due: vec![Time::NEVER; processes], bounds: vec![Time::NEVER; processes.div_ceil(BLOCK)] }
    }

    /// Sets the due time of `process`, whatever it was before.
    #[inline]
    pub fn set(&mut self, process: usize, at: Time) {
        self.due[process] = at;
        let bound = &mut self.bounds[process / BLOCK];
        *bound = at.min(*bound);
    }

    /// Sets the due time of `process` to `at`, unless it is earlier.
    #[inline]
    pub fn advance(&mut self, process: usize, at: Time) {
        self.set(process, at.min(self.due[process]));
    }

    /// Returns the due time of `process`; [`Time::NEVER`] if it has none.
    #[inline]
    pub fn due(&self, process: usize) -> Time {
        self.due[process]
    }

    /// Returns the minimum of all due times.
    pub fn first(&mut self) -> Time {
        self.first_block().map_or(Time::NEVER, |(_, at)| at)
    }

    /// Returns the process with the earliest due time, and that time; of several, the one with the lowest number.
    pub fn first_due(&mut self) -> Option<(usize, Time)> {
        let (block, at) = self.first_block().filter(|(_, at)| *at != Time::NEVER)?;
        self.block(block).iter().position(|due| *due == at).map(|process| (block * BLOCK + process, at))
    }

    /// The first of the blocks with the earliest time, and that time.
    fn first_block(&mut self) -> Option<(usize, Time)> {
        loop {
            let bound = least(&self.bounds);
            let block = self.bounds.iter().position(|other| *other == bound)?;
            let exact = least(self.block(block));
            if exact == bound {
                return Some((block, exact));
            }
            self.bounds[block] = exact;
        }
    }

    /// Removes every process that is due up to and including `until`, and calls `take` with it and its due time.
    pub fn take(&mut self, until: Time, mut take: impl FnMut(usize, Time)) {
        for (block, (times, bound)) in
            self.due.chunks_mut(BLOCK).zip(&mut self.bounds).enumerate().filter(|(_, (_, bound))| **bound <= until)
        {
            for (process, due) in (block * BLOCK..).zip(&mut *times).filter(|(_, due)| **due <= until && **due != Time::NEVER) {
                take(process, std::mem::replace(due, Time::NEVER));
            }
            *bound = least(times);
        }
    }

    fn block(&self, block: usize) -> &[Time] {
        &self.due[block * BLOCK..self.due.len().min((block + 1) * BLOCK)]
    }
}

fn least(times: &[Time]) -> Time {
    times.iter().copied().fold(Time::NEVER, Time::min)
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
