//! When processes are due that may not run yet.

use penstock_model::units::Time;

/// When each of many processes is due, to be asked only rarely which of them are due until some instant.
///
/// Noting costs two stores: beside the times there is, for each block of them, one that none of the block is before.
#[derive(Clone, Debug)]
pub struct DeferredSet {
    due: Vec<Time>,
    /// No time of the block is earlier.
    bounds: Vec<Time>,
}

const BLOCK: usize = 64;

impl DeferredSet {
    /// So many processes, none of which is due.
    pub fn new(processes: usize) -> DeferredSet {
        DeferredSet { due: vec![Time::NEVER; processes], bounds: vec![Time::NEVER; processes.div_ceil(BLOCK)] }
    }

    /// `process` is due at `at`, whatever was noted before.
    #[inline]
    pub fn set(&mut self, process: usize, at: Time) {
        self.due[process] = at;
        let bound = &mut self.bounds[process / BLOCK];
        *bound = at.min(*bound);
    }

    /// `process` is due at `at` or, if that is earlier, when it was.
    #[inline]
    pub fn advance(&mut self, process: usize, at: Time) {
        self.set(process, at.min(self.due[process]));
    }

    /// When `process` is due.
    #[inline]
    pub fn of(&self, process: usize) -> Time {
        self.due[process]
    }

    /// When the first process is due.
    pub fn first(&mut self) -> Time {
        loop {
            let Some((block, bound)) = self.bounds.iter().copied().enumerate().min_by_key(|(_, bound)| *bound) else {
                return Time::NEVER;
            };
            let exact = self.block(block).iter().copied().min().unwrap_or(Time::NEVER);
            if exact == bound {
                return exact;
            }
            self.bounds[block] = exact;
        }
    }

    /// Tells `take` of every process that is due up to and including `until`, and when, and forgets it.
    pub fn take(&mut self, until: Time, mut take: impl FnMut(usize, Time)) {
        for block in 0..self.bounds.len() {
            if self.bounds[block] > until {
                continue;
            }
            let first = block * BLOCK;
            let mut bound = Time::NEVER;
            for (i, due) in self.block(block).iter_mut().enumerate() {
                if *due <= until && *due != Time::NEVER {
                    take(first + i, *due);
                    *due = Time::NEVER;
                }
                bound = bound.min(*due);
            }
            self.bounds[block] = bound;
        }
    }

    fn block(&mut self, block: usize) -> &mut [Time] {
        let end = self.due.len().min((block + 1) * BLOCK);
        &mut self.due[block * BLOCK..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_knows_who_is_due(
            processes in 1usize..200,
            rounds in prop::collection::vec((prop::collection::vec((0usize..200, 0u64..99, any::<bool>()), 0..30), 0u64..99), 1..20),
        ) {
            let mut later = DeferredSet::new(processes);
            let mut plain = vec![Time::NEVER; processes];
            for (notes, until) in rounds {
                for (process, at, exactly) in notes {
                    let (process, at) = (process % processes, Time::from_ps(at));
                    if exactly {
                        later.set(process, at);
                        plain[process] = at;
                    } else {
                        later.advance(process, at);
                        plain[process] = plain[process].min(at);
                    }
                }
                prop_assert_eq!(later.first(), plain.iter().copied().min().expect("at least one"));
                let mut taken = Vec::new();
                later.take(Time::from_ps(until), |process, at| taken.push((process, at)));
                let due = plain.iter_mut().enumerate().filter(|(_, at)| **at <= Time::from_ps(until));
                let expected: Vec<(usize, Time)> = due.map(|(process, at)| (process, std::mem::replace(at, Time::NEVER))).collect();
                prop_assert_eq!(taken, expected);
            }
        }
    }
}
