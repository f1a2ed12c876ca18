//! A ring buffer whose contents are read as slices.

use penstock_model::prefetch::prefetch;

/// A first-in-first-out queue of small values. Unlike `VecDeque` its capacity is a power of two, so that an index is one
/// mask away, and its front is returned as a slice, so that many values can be read at once.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    /// Either empty or a power of two long; what lies outside the queue is old.
    slots: Box<[T]>,
    head: u32,
    len: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { slots: Box::default(), head: 0, len: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// How many it holds.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    #[inline(always)]
    fn head(&self) -> usize {
        self.head as usize
    }

    /// Adds an old value at the back, to be overwritten: one made elsewhere would be copied once more.
    #[inline(always)]
    pub fn add(&mut self) -> &mut T {
        if self.is_full() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let slot = (self.head() + self.len()) & mask;
        self.len += 1;
        &mut self.slots[slot]
    }

    /// Adds a value at the back.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        *self.add() = value;
    }

    /// Adds what `write` writes of each of `values` over an old value, at most `most`, at the back; returns how many these are.
    #[inline(always)]
    pub fn add_all<V>(&mut self, mut values: impl Iterator<Item = V>, most: usize, mut write: impl FnMut(&mut T, V)) -> usize {
        self.make_room(most);
        let before = self.len;
        self.len += most as u32;
        let mut added = 0;
        'adding: for part in self.last_mut(most) {
            for slot in part {
                let Some(value) = values.next() else { break 'adding };
                write(slot, value);
                added += 1;
            }
        }
        self.len = before + added as u32;
        added
    }

    /// The last `count` values, which may lie at both ends of the ring.
    #[inline]
    pub fn last_mut(&mut self, count: usize) -> [&mut [T]; 2] {
        debug_assert!(count <= self.len());
        let from = self.head() + self.len() - count;
        let capacity = self.slots.len();
        if from >= capacity {
            return [&mut self.slots[from - capacity..from - capacity + count], &mut []];
        }
        let (before, after) = self.slots.split_at_mut(from);
        let beyond = (from + count).saturating_sub(capacity);
        [&mut after[..count - beyond], &mut before[..beyond]]
    }

    /// Takes the last `count` values off again.
    pub fn drop_last(&mut self, count: usize) {
        self.len -= count as u32;
    }

    /// Makes room for `room` more values. Afterwards there is at least one slot.
    #[inline]
    pub fn make_room(&mut self, room: usize) {
        while self.slots.len() < (self.len() + room).max(1) {
            self.grow();
        }
    }

    /// Returns the back of the ring, with room for `room` more values.
    #[inline(always)]
    pub fn back(&mut self, room: usize) -> Back<'_, T> {
        self.make_room(room);
        assert!(!self.slots.is_empty(), "room for some");
        Back { end: self.head() + self.len(), head: self.head(), slots: &mut self.slots, len: &mut self.len }
    }

    /// The value at the front.
    #[inline(always)]
    pub fn first(&self) -> Option<&T> {
        if self.len == 0 {
            None
        } else {
            self.slots.get(self.head())
        }
    }

    /// Returns the value after the front, or a stale value if there is none. Panics if no value was ever added.
    #[inline(always)]
    pub fn second_or_old(&self) -> &T {
        &self.slots[(self.head() + 1) & (self.slots.len() - 1)]
    }

    /// The value at the back.
    #[inline]
    pub fn last(&self) -> Option<&T> {
        match self.len() {
            0 => None,
            len => self.slots.get((self.head() + len - 1) & (self.slots.len() - 1)),
        }
    }

    /// Asks for the memory of the slot where the next value goes.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        self.slots.get((self.head() + self.len()) & self.slots.len().wrapping_sub(1)).into_iter().for_each(prefetch);
    }

    /// Values from the front on that lie side by side; none only if the queue is empty.
    #[inline]
    pub fn front(&self) -> &[T] {
        let end = (self.head() + self.len()).min(self.slots.len());
        &self.slots[self.head()..end]
    }

    /// Takes `count` values off the front; it holds as many.
    #[inline(always)]
    pub fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.len());
        self.len -= count as u32;
        // Only an empty ring has no slots; nothing is taken off that.
        let head = (self.head() + count) & self.slots.len().wrapping_sub(1);
        // An empty one begins again with the slots that the nearest cache has seen last.
        self.head = if self.len == 0 { 0 } else { head as u32 };
    }

    /// Takes all values.
    #[inline(always)]
    pub fn clear(&mut self) {
        (self.head, self.len) = (0, 0);
    }

    /// The value at `index` from the front. Panics if there is none.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> &mut T {
        assert!(index < self.len(), "an index into the queue");
        let slot = (self.head() + index) & (self.slots.len() - 1);
        &mut self.slots[slot]
    }

    /// Takes the value at `index` from the front out; those behind it move up. Panics if there is none.
    pub fn remove(&mut self, index: usize) -> T {
        let value = *self.get_mut(index);
        let (head, mask) = (self.head(), self.slots.len() - 1);
        // Those before it are moved back by one, and the first slot is freed: an eviction is mostly near the front.
        for i in (1..=index).rev() {
            self.slots[(head + i) & mask] = self.slots[(head + i - 1) & mask];
        }
        self.consume(1);
        value
    }

    /// Takes the value at the front. Panics if nothing was ever added.
    #[inline(always)]
    pub fn take_first(&mut self) -> T {
        let first = self.slots[self.head()];
        self.consume(1);
        first
    }

    /// All values, from front to back, in the two runs that lie side by side.
    #[inline]
    pub fn runs(&self) -> [&[T]; 2] {
        let split = (self.head() + self.len()).saturating_sub(self.slots.len());
        [self.front(), &self.slots[..split]]
    }

    /// All values, from front to back.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.runs().into_iter().flatten()
    }

    /// Whether the next one would make it grow.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len() == self.slots.len()
    }

    /// How many it can hold without growing.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Doubles its capacity.
    #[cold]
    pub fn grow(&mut self) {
        let mut slots = std::mem::take(&mut self.slots).into_vec();
        slots.rotate_left(self.head());
        self.head = 0;
        let len = (2 * slots.len()).max(4);
        slots.reserve_exact(len - slots.len());
        slots.resize(len, T::default());
        self.slots = slots.into_boxed_slice();
    }
}

/// The back of a ring while many values are added: what changes stays in registers.
pub struct Back<'a, T> {
    slots: &'a mut [T],
    head: usize,
    end: usize,
    len: &'a mut u32,
}

impl<T> Back<'_, T> {
    /// The slot of the next value, with an old value in it. Panics if there was no room for any.
    #[inline(always)]
    pub fn slot(&mut self) -> &mut T {
        let mask = self.slots.len() - 1;
        &mut self.slots[self.end & mask]
    }

    /// Adds what was written into [`Back::slot`], if it is to be added: without a jump.
    #[inline(always)]
    pub fn add_if(&mut self, counts: bool) {
        self.end += usize::from(counts);
    }
}

impl<T> Drop for Back<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.len = (self.end - self.head) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn many_at_a_time_are_as_one_by_one(steps in prop::collection::vec((0usize..20, 0usize..20), 1..60)) {
            let (mut ring, mut plain, mut number) = (Ring::default(), VecDeque::new(), 0);
            for (pushes, pops) in steps {
                let added = ring.add_all(number..number + pushes, 20, |slot, value| *slot = value);
                prop_assert_eq!(added, pushes);
                for value in ring.last_mut(added).into_iter().flatten() {
                    *value *= 2;
                }
                plain.extend((number..number + pushes).map(|number| 2 * number));
                number += pushes;
                let pops = pops.min(plain.len());
                ring.consume(pops);
                plain.drain(..pops);
                prop_assert!(ring.iter().eq(plain.iter()));
            }
        }

        #[test]
        fn it_is_a_queue(steps in prop::collection::vec((0usize..9, 0usize..9), 1..60)) {
            let (mut ring, mut plain, mut number) = (Ring::default(), VecDeque::new(), 0);
            for (pushes, pops) in steps {
                for _ in 0..pushes {
                    ring.push(number);
                    plain.push_back(number);
                    number += 1;
                }
                for _ in 0..pops.min(plain.len()) {
                    prop_assert_eq!(ring.first(), plain.front());
                    prop_assert_eq!(ring.front().first(), plain.front());
                    ring.consume(1);
                    plain.pop_front();
                }
                prop_assert_eq!(ring.len(), plain.len());
                prop_assert_eq!(ring.last(), plain.back());
                if let Some(second) = plain.get(1) {
                    prop_assert_eq!(ring.second_or_old(), second);
                }
                prop_assert!(ring.iter().eq(plain.iter()));
                prop_assert!(ring.front().iter().eq(plain.iter().take(ring.front().len())));
            }
        }
    }
}
