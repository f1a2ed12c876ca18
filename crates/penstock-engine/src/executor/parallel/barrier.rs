//! Where threads wait for each other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A place where so many threads meet again and again. What each of them did before a meeting, all of them see after it.
///
/// They meet every few microseconds, so a thread first waits without giving up its core; only if that lasts, others may
/// have it, and in the end it sleeps. Somebody may have taken the core of the one that is waited for.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    held: AtomicUsize,
    broken: AtomicBool,
}

const SPINS: u32 = 2_000;
const YIELDS: u32 = 200;
const NAP: Duration = Duration::from_micros(50);

impl Barrier {
    /// A place for so many threads.
    pub fn new(threads: usize) -> Barrier {
        Barrier { threads, arrived: AtomicUsize::new(0), held: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// Waits for all threads; `false` if one of them will never come.
    pub fn wait(&self) -> bool {
        let held = self.held.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.held.store(held.wrapping_add(1), Ordering::Release);
            return true;
        }
        let mut looks = 0;
        while self.held.load(Ordering::Acquire) == held {
            if self.broken.load(Ordering::Relaxed) {
                return false;
            }
            match looks {
                0..SPINS => std::hint::spin_loop(),
                SPINS..=YIELDS_END => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
            looks = looks.saturating_add(1);
        }
        true
    }

    /// Sends everybody home if the thread that holds this panics.
    pub fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

const YIELDS_END: u32 = SPINS + YIELDS;

/// See [`Barrier::guard`].
pub struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn all_see_what_was_done_before() {
        let (meeting, counts) = (Barrier::new(3), [const { AtomicU64::new(0) }; 3]);
        std::thread::scope(|scope| {
            for me in 0..3 {
                let (meeting, counts) = (&meeting, &counts);
                scope.spawn(move || {
                    for round in 1..=200 {
                        counts[me].store(round, Ordering::Relaxed);
                        assert!(meeting.wait());
                        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == round));
                        assert!(meeting.wait());
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_panicked() {
        let meeting = Barrier::new(2);
        std::thread::scope(|scope| {
            let fails = scope.spawn(|| {
                let _guard = meeting.guard();
                panic!("on purpose");
            });
            assert!(!meeting.wait());
            fails.join().expect_err("it panics");
        });
    }
}
