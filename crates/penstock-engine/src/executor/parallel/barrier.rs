//! The barrier at which threads wait for each other, poisoned by a panic of any of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A reusable barrier in two steps: a thread arrives when the others may go on, and waits when it needs their results. After waiting,
/// every thread sees all that each thread did before it arrived.
///
/// Threads reach it every few microseconds, so a waiting thread spins first. If that lasts, it yields its core, and finally it sleeps,
/// since another program may be using the core of the thread it waits for.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    /// Number of rounds at which all threads have arrived.
    complete: AtomicUsize,
    poisoned: AtomicBool,
}

const SPINS: u32 = 2_000;
const YIELDS: u32 = 200;
const NAP: Duration = Duration::from_micros(50);

impl Barrier {
    /// Creates a barrier for `threads` threads.
    pub fn new(threads: usize) -> Barrier {
        Barrier { threads, arrived: AtomicUsize::new(0), complete: AtomicUsize::new(0), poisoned: AtomicBool::new(false) }
    }

    /// Arrives at the next round. The thread must have waited for the previous one.
    pub fn arrive(&self) {
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.complete.fetch_add(1, Ordering::Release);
        }
    }

    /// Waits until all threads have arrived at `round`, counted from 0; returns `false` if one of them has panicked.
    pub fn wait(&self, round: usize) -> bool {
        let mut attempts = 0;
        while self.complete.load(Ordering::Acquire) <= round {
            if self.poisoned.load(Ordering::Relaxed) {
                return false;
            }
            match attempts {
                0..SPINS => std::hint::spin_loop(),
                SPINS..=YIELDS_END => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
            attempts = attempts.saturating_add(1);
        }
        true
    }

    /// Returns a guard that poisons the barrier if its thread panics.
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
            self.0.poisoned.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn all_see_what_was_done_before() {
        let (barrier, counts) = (Barrier::new(3), [const { AtomicU64::new(0) }; 3]);
        std::thread::scope(|scope| {
            for me in 0..3 {
                let (barrier, counts) = (&barrier, &counts);
                scope.spawn(move || {
                    for round in 0..200 {
                        counts[me].store(round, Ordering::Relaxed);
                        barrier.arrive();
                        assert!(barrier.wait(round as usize));
                        // Others may have arrived at the next one, and not at the one after that.
                        assert!(counts.iter().all(|count| (round..=round + 1).contains(&count.load(Ordering::Relaxed))));
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_ends_the_wait_of_all_others() {
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            let fails = scope.spawn(|| {
                let _guard = barrier.guard();
                panic!("on purpose");
            });
            barrier.arrive();
            assert!(!barrier.wait(0));
            fails.join().expect_err("it panics");
        });
    }
}
