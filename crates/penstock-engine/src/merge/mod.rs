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
    /// When it is due.
    fn at(&self) -> Time;
}

#[cfg(test)]
mod testing {
    use super::*;

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
