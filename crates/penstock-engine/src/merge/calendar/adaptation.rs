//! Adapts the width and the number of a calendar's buckets to the traffic.

use crate::merge::calendar::{Calendar, CHAINS, MANY_BUCKETS, MAX_PER_BUCKET, MIN_PER_BUCKET, MIN_WIDTH, NONE};
use crate::merge::Timed;

/// Number of sorted buckets after which the width is judged.
const BUCKETS_PER_GROUP: u32 = 64;
const MAX_WIDTH: u32 = 36;

impl<T: Timed> Calendar<T> {
    /// Makes buckets wider or narrower if they hold too few or too many events, and more of them if more events wait.
    #[inline]
    pub(super) fn adapt(&mut self) {
        self.group.0 += 1;
        self.group.1 += self.keys.len() as u32;
        if self.group.0 == BUCKETS_PER_GROUP {
            let held = std::mem::take(&mut self.group).1;
            self.handled += held as usize;
            // Another width moves all events, so it must pay.
            if self.handled < self.waiting / MAX_PER_BUCKET as usize {
                return;
            }
            if held < MIN_PER_BUCKET * BUCKETS_PER_GROUP && self.width < MAX_WIDTH {
                self.resize(self.width + 1, self.buckets.len());
            } else if held > MAX_PER_BUCKET * BUCKETS_PER_GROUP && self.width > MIN_WIDTH {
                self.resize(self.width - 1, self.buckets.len());
            } else if self.waiting > self.buckets.len() && self.buckets.len() < MANY_BUCKETS {
                self.resize(self.width, 2 * self.buckets.len());
            }
        }
    }

    /// Changes the width or the number of buckets.
    #[cold]
    pub(super) fn resize(&mut self, width: u32, slots: usize) {
        for chain in self.buckets.as_flattened_mut() {
            let mut number = std::mem::replace(chain, NONE);
            while let Some(link) = self.links.get(number as usize) {
                self.overflow.push(number);
                number = link.before;
            }
        }
        self.buckets.resize(slots, [NONE; CHAINS]);
        self.occupied.clear();
        self.occupied.resize(slots / 64, 0);
        self.width = width;
        self.handled = 0;
        self.overflow_from = u64::MAX;
        for number in std::mem::take(&mut self.overflow) {
            self.put(self.links[number as usize].at, number);
        }
    }
}
