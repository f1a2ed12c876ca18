//! The barrier at which threads wait for each other, poisoned by a panic of any of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A barrier for round after round, in two steps: a thread arrives at it when others may go on, and waits when it needs what they did. What
/// each thread did before it arrived, all of them see after they have waited.
///
/// It is reached every few microseconds, so a waiting thread first spins; only if that lasts does it yield its core, and in
/// the end it sleeps: another program may be using the core of the thread that is waited for.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    /// Rounds at which all have arrived.
    complete: AtomicUsize,
    poisoned: AtomicBool,
}

const SPINS: u32 = 2_000;
const YIELDS: u32 = 200;
const NAP: Duration = Duration::from_micros(50);

impl Barrier {
    /// A barrier for so many threads.
    pub fn new(threads: usize) -> Barrier {
        Barrier { threads, arrived: AtomicUsize::new(0), complete: AtomicUsize::new(0), poisoned: AtomicBool::new(false) }
    }

    /// Arrives at the next round, after waiting for the one before.
    pub fn arrive(&self) {
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.complete.fetch_add(1, Ordering::Release);
        }
    }

    /// Waits until all threads have arrived at `round`, counted from 0; `false` if one of them has panicked.
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

    /// Poisons the barrier if the thread that holds the guard panics.
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
