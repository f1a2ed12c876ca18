//! A queue in a ring, read in runs.

/// A first-in-first-out queue of small values. Unlike `VecDeque` its capacity is a power of two, so that an index is one
/// mask away, and its front is handed out as a slice, so that many can be read with one look at the ring.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    /// Either empty or a power of two long; what lies outside the queue is old.
    places: Vec<T>,
    head: usize,
    len: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { places: Vec::new(), head: 0, len: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// How many it holds.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds an old value at the back, to be overwritten: one made elsewhere would be copied once more.
    #[inline(always)]
    pub fn add(&mut self) -> &mut T {
        if self.is_full() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let place = (self.head + self.len) & mask;
        self.len += 1;
        &mut self.places[place]
    }

    /// Adds a value at the back.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        *self.add() = value;
    }

    /// The value at the front.
    #[inline(always)]
    pub fn first(&self) -> Option<&T> {
        if self.len == 0 {
            None
        } else {
            self.places.get(self.head)
        }
    }

    /// The value behind the front, or an old one if there is only one. Panics if nothing was ever added.
    #[inline(always)]
    pub fn second_or_old(&self) -> &T {
        &self.places[(self.head + 1) & (self.places.len() - 1)]
    }

    /// The value at the back.
    #[inline]
    pub fn last(&self) -> Option<&T> {
        match self.len {
            0 => None,
            len => self.places.get((self.head + len - 1) & (self.places.len() - 1)),
        }
    }

    /// Values from the front on that lie side by side; none only if the queue is empty.
    #[inline]
    pub fn front(&self) -> &[T] {
        let end = (self.head + self.len).min(self.places.len());
        &self.places[self.head..end]
    }

    /// Takes `count` values off the front; it holds as many.
    #[inline(always)]
    pub fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.len);
        self.len -= count;
        // Only an empty ring has no places; nothing is taken off that.
        let head = (self.head + count) & self.places.len().wrapping_sub(1);
        // An empty one begins anew with the places that the nearest cache has seen last.
        self.head = if self.len == 0 { 0 } else { head };
    }

    /// Takes the value at the front. Panics if nothing was ever added.
    #[inline(always)]
    pub fn take_first(&mut self) -> T {
        let first = self.places[self.head];
        self.consume(1);
        first
    }

    /// All values, from front to back, in the two runs that lie side by side.
    #[inline]
    pub fn runs(&self) -> [&[T]; 2] {
        let split = (self.head + self.len).saturating_sub(self.places.len());
        [self.front(), &self.places[..split]]
    }

    /// All values, from front to back.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.runs().into_iter().flatten()
    }

    /// Whether the next one would make it grow.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len == self.places.len()
    }

    /// How many it can hold without growing.
    pub fn capacity(&self) -> usize {
        self.places.len()
    }

    /// Doubles its capacity.
    #[cold]
    pub fn grow(&mut self) {
        self.places.rotate_left(self.head);
        self.head = 0;
        let places = (2 * self.places.len()).max(4);
        self.places.resize(places, T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
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
