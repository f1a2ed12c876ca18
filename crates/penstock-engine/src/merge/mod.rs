//! Containers that merge several inputs in order of time. They know nothing of packets or processes.

pub mod batch_sort;
pub mod calendar;
pub mod deferred_set;
pub mod radix_sort;
pub mod random_ties;
pub mod ring;
#[cfg(test)]
mod tests;
pub mod timing_wheel;
pub mod tournament_tree;
pub mod wheel_pair;
pub mod window_wheel;

use penstock_model::units::Time;

/// An event that is due at a known time. The default value only fills slots that are about to be overwritten.
pub trait Timed: Copy + Default {
    /// Returns the time at which it is due.
    fn at(&self) -> Time;
}

/// Returns the index of the first set bit of `words` at or after `first`, wrapping around; `None` if no bit is set.
#[inline]
fn first_set(words: &[u64], first: usize) -> Option<usize> {
    let (word, bit) = (first / 64, first % 64);
    // The first word comes twice: the second time for its bits below `first`.
    let rest = (1..=words.len()).map(|step| (word + step) % words.len()).map(|word| (word, words[word]));
    let mut set = std::iter::once((word, words[word] >> bit << bit)).chain(rest).filter(|(_, bits)| *bits != 0);
    set.next().map(|(word, bits)| word * 64 + bits.trailing_zeros() as usize)
}

#[cfg(test)]
mod testing {
    use super::*;

    #[test]
    fn the_first_set_bit_is_sought_around() {
        let words = [1 << 3 | 1 << 40, 0, 1 << 5];
        let found = [0, 3, 4, 41, 64, 133, 134].map(|first| first_set(&words, first));
        assert_eq!(found, [3, 3, 40, 133, 133, 133, 3].map(Some));
        // Only bits below the first one, in the only word.
        assert_eq!((first_set(&[1], 63), first_set(&[0, 0], 70)), (Some(0), None));
    }

    /// An event that can be distinguished from others due at the same time.
    #[derive(Clone, Copy, Default)]
    pub struct Event {
        pub at: Time,
        pub number: u64,
    }

    impl Timed for Event {
        fn at(&self) -> Time {
            self.at
        }
    }
}
