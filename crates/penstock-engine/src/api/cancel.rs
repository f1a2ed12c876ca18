//! A flag that stops long work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A flag that any thread can set to stop the work that checks it. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// Number of items of a list between two checks of the flag.
const STRIDE: usize = 1024;

impl Cancel {
    /// Raises the flag.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the flag has been raised.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the items until the flag is raised. The caller must check the flag before it uses a result made from them.
    pub fn until_set<I: IntoIterator>(&self, items: I) -> impl Iterator<Item = I::Item> + use<'_, I> {
        let goes_on = |(i, _): &(usize, I::Item)| !i.is_multiple_of(STRIDE) || !self.is_set();
        items.into_iter().enumerate().take_while(goes_on).map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_soon_after_the_flag_is_raised() {
        let cancel = Cancel::default();
        let other = cancel.clone();
        assert_eq!(cancel.until_set(0..5_000).count(), 5_000);
        let seen = cancel
            .until_set(0..1_000_000)
            .inspect(|i| {
                if *i == 5_000 {
                    other.set()
                }
            })
            .count();
        assert!((5_001..=5_000 + STRIDE).contains(&seen), "{seen}");
        assert_eq!(cancel.until_set(0..10).count(), 0);
    }
}
