//! The exchange between shards at a barrier: the contents of their outboxes, and their progress.

use crate::executor::shard::Shard;
use crate::kernel::logical_process::WindowProcess;
use crate::kernel::outbox::{Outbox, OutboxBatch};
use penstock_model::units::Time;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;

/// How far a shard has come, or all of them.
#[derive(Clone, Copy, Debug)]
pub struct ShardState {
    /// When the next event is due, unless the shard was interrupted.
    pub next: Time,
    /// Events handled in this run.
    pub handled: u64,
    /// Whether the shard has not come up to the common horizon.
    pub is_interrupted: bool,
    /// Whether its processes run in windows, or those of all shards do.
    pub has_windows: bool,
}

/// The slots through which shards exchange: two sets of them, used in alternate rounds, since what was published before one
/// barrier may still be read until the next.
pub struct Exchange {
    rounds: [Vec<Slot>; 2],
}

/// What one shard publishes.
#[repr(align(128))] // no two cores write to the same cache line
struct Slot {
    next: AtomicU64,
    handled: AtomicU64,
    is_interrupted: AtomicBool,
    has_windows: AtomicBool,
    /// For each shard, when the first arrival of its batch is due, and the batch. The locks are never contended.
    batches: Vec<(AtomicU64, Mutex<OutboxBatch>)>,
}

const NO_PANIC: &str = "nothing panics while it holds a batch";

fn load(time: &AtomicU64) -> Time {
    Time::from_ps(time.load(Ordering::Relaxed))
}

impl Exchange {
    /// Places for so many shards.
    pub fn new(shards: usize) -> Exchange {
        let slot = |_| Slot {
            next: AtomicU64::new(0),
            handled: AtomicU64::new(0),
            is_interrupted: AtomicBool::new(false),
            has_windows: AtomicBool::new(false),
            batches: (0..shards).map(|_| (AtomicU64::new(u64::MAX), Mutex::default())).collect(),
        };
        Exchange { rounds: [(); 2].map(|()| (0..shards).map(slot).collect()) }
    }

    fn slots(&self, round: usize) -> &[Slot] {
        &self.rounds[round % 2]
    }

    /// Publishes the state and the outbox of shard `me`. The barrier makes all of it visible.
    pub fn publish(&self, round: usize, me: usize, state: ShardState, outbox: &mut Outbox) {
        let slot = &self.slots(round)[me];
        slot.next.store(state.next.as_ps(), Ordering::Relaxed);
        slot.handled.store(state.handled, Ordering::Relaxed);
        slot.is_interrupted.store(state.is_interrupted, Ordering::Relaxed);
        slot.has_windows.store(state.has_windows, Ordering::Relaxed);
        for (batch, (earliest, slot)) in outbox.batches.iter_mut().zip(&slot.batches) {
            earliest.store(batch.earliest.as_ps(), Ordering::Relaxed);
            if batch.earliest != Time::NEVER {
                std::mem::swap(batch, &mut slot.lock().expect(NO_PANIC));
            }
        }
    }

    /// Gives `shard`, number `me`, what all others have sent to it.
    pub fn receive<P: WindowProcess>(&self, round: usize, me: usize, shard: &mut Shard<'_, P>) {
        for (earliest, batch) in self.slots(round).iter().map(|slot| &slot.batches[me]) {
            if load(earliest) != Time::NEVER {
                shard.receive(&mut batch.lock().expect(NO_PANIC));
            }
        }
    }

    /// The state of all shards together; what has just been sent counts for the next event.
    pub fn state_of_all(&self, round: usize) -> ShardState {
        let slots = self.slots(round);
        let batches = slots.iter().flat_map(|slot| &slot.batches).map(|(earliest, _)| load(earliest));
        ShardState {
            next: slots.iter().map(|slot| load(&slot.next)).chain(batches).min().unwrap_or(Time::NEVER),
            handled: slots.iter().map(|slot| slot.handled.load(Ordering::Relaxed)).sum(),
            is_interrupted: slots.iter().any(|slot| slot.is_interrupted.load(Ordering::Relaxed)),
            has_windows: slots.iter().all(|slot| slot.has_windows.load(Ordering::Relaxed)),
        }
    }
}
