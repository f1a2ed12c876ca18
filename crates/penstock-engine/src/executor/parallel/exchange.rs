//! The exchange between shards at a barrier: the contents of their outboxes, and their progress.

use crate::executor::shard::Shard;
use crate::kernel::logical_process::WindowProcess;
use crate::kernel::outbox::{Outbox, OutboxBatch};
use penstock_model::units::Time;
use std::sync::{Mutex, RwLock};

/// How far a shard has come, or all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShardState {
    /// Time of the next event; zero if the shard was interrupted.
    pub next: Time,
    /// Number of events handled in this run.
    pub handled: u64,
    /// Whether the shard stopped before the common horizon.
    pub is_interrupted: bool,
    /// Whether the shard, or every shard, runs in windows.
    pub has_windows: bool,
}

/// The slots through which shards exchange data. There are two sets, used in alternate rounds, since data published before one barrier
/// may still be read until the next.
pub struct Exchange {
    rounds: [Vec<Slot>; 2],
}

/// The data that one shard publishes.
#[repr(align(128))] // no two cores write to the same cache line
#[derive(Default)]
struct Slot {
    /// The progress of the shard. Its next event may be one that it has just sent.
    state: RwLock<ShardState>,
    /// For each shard, the batch that goes to it. The locks are never contended.
    batches: Vec<Mutex<OutboxBatch>>,
}

const NO_PANIC: &str = "nothing panics while it holds a lock";

impl Exchange {
    /// Creates the slots for `shards` shards.
    pub fn new(shards: usize) -> Exchange {
        let slot = |_| Slot { batches: (0..shards).map(|_| Mutex::default()).collect(), ..Slot::default() };
        Exchange { rounds: [(); 2].map(|()| (0..shards).map(slot).collect()) }
    }

    fn slots(&self, round: usize) -> &[Slot] {
        &self.rounds[round % 2]
    }

    /// Publishes the state and the outbox of shard `me`. The barrier makes all of it visible.
    pub fn publish(&self, round: usize, me: usize, state: ShardState, outbox: &mut Outbox) {
        let slot = &self.slots(round)[me];
        let sent = outbox.batches.iter().map(OutboxBatch::earliest).fold(state.next, Time::min);
        *slot.state.write().expect(NO_PANIC) = ShardState { next: sent, ..state };
        for (batch, slot) in outbox.batches.iter_mut().zip(&slot.batches) {
            std::mem::swap(batch, &mut slot.lock().expect(NO_PANIC));
        }
    }

    /// Hands the batches of all other shards to `shard`, whose number is `me`.
    pub fn receive<P: WindowProcess>(&self, round: usize, me: usize, shard: &mut Shard<'_, P>) {
        for slot in self.slots(round) {
            shard.receive(&mut slot.batches[me].lock().expect(NO_PANIC));
        }
    }

    /// The state of all shards together.
    pub fn state_of_all(&self, round: usize) -> ShardState {
        let state = |slot: &Slot| *slot.state.read().expect(NO_PANIC);
        let all = self.slots(round).iter().map(state).reduce(|one, other| ShardState {
            next: one.next.min(other.next),
            handled: one.handled + other.handled,
            is_interrupted: one.is_interrupted || other.is_interrupted,
            has_windows: one.has_windows && other.has_windows,
        });
        all.expect("there is at least one shard")
    }
}
