//! Due times of processes: a ready queue of what may be handled now, and the deferred set of what comes later.

use crate::merge::deferred_set::DeferredSet;
use crate::merge::tournament_tree::TournamentTree;
use penstock_model::units::{Duration, Time};

/// The key of a process and the time of its next event, in one word: one comparison, without a jump.
type Key = u128;

const NOT_READY: Key = key(Time::NEVER, Time::NEVER);

const fn key(edge: Time, due: Time) -> Key {
    (edge.as_ps() as Key) << 64 | due.as_ps() as Key
}

fn edge_of(key: Key) -> Time {
    Time::from_ps((key >> 64) as u64)
}

fn due_of(key: Key) -> Time {
    Time::from_ps(key as u64)
}

/// Due times of processes.
///
/// The ready queue is ordered by when the next event of a process may first affect another one: its time plus the *slack* of
/// the process. Equal keys go by the next event, then by number: of two processes that are due at the same instant, the lower
/// may send to the higher without delay.
#[derive(Clone, Debug)]
pub struct Schedule {
    ready: TournamentTree<Key>,
    slack: Vec<Duration>,
    /// Processes that are due later are in the deferred set.
    until: Time,
    deferred: DeferredSet,
}

/// The first process of the ready queue.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// Its number.
    pub process: usize,
    /// When its next event is due.
    pub due: Time,
    /// Its key: no event of any process that is ready affects another process before.
    pub edge: Time,
}

impl Schedule {
    /// So many processes, none of which is due.
    pub fn new(processes: usize) -> Schedule {
        Schedule {
            ready: TournamentTree::new(processes, NOT_READY),
            slack: vec![Duration::ZERO; processes],
            until: Time::ZERO,
            deferred: DeferredSet::new(processes),
        }
    }

    /// How many processes there are.
    pub fn len(&self) -> usize {
        self.slack.len()
    }

    /// Starts again with these times of the processes' next events, all deferred.
    pub fn reset(&mut self, due: impl Iterator<Item = Time>) {
        for (process, due) in due.enumerate() {
            self.ready.set(process, NOT_READY);
            self.deferred.set(process, due);
        }
        self.until = Time::ZERO;
    }

    /// Gives `process` another slack, for the next time that it becomes ready.
    #[inline]
    pub fn set_slack(&mut self, process: usize, slack: Duration) {
        self.slack[process] = slack;
    }

    /// Makes ready what is due up to and including `until`, and nothing else.
    pub fn extend(&mut self, until: Time) {
        if until < self.until {
            self.defer_ready();
        }
        self.until = until;
        let Schedule { ready, slack, deferred, .. } = self;
        deferred.take(until, |process, due| {
            // What was left unhandled is ready already, and may be due earlier.
            if due < due_of(ready.key(process)) {
                ready.set(process, key(due + slack[process], due));
            }
        });
    }

    /// Defers everything, and what is announced from now on.
    pub fn defer_all(&mut self) {
        self.defer_ready();
        self.until = Time::ZERO;
    }

    fn defer_ready(&mut self) {
        while let Some(Ready { process, due, .. }) = self.first_ready() {
            self.ready.set(process, NOT_READY);
            self.deferred.set(process, due);
        }
    }

    /// The first process of the ready queue.
    #[inline]
    pub fn first_ready(&self) -> Option<Ready> {
        let first = self.ready.first_key();
        let (edge, due) = (edge_of(first), due_of(first));
        (due != Time::NEVER).then(|| Ready { process: self.ready.first(), due, edge })
    }

    /// When `process` is due, if it is ready; [`Time::NEVER`] otherwise.
    #[inline]
    pub fn ready_at(&self, process: usize) -> Time {
        due_of(self.ready.key(process))
    }

    /// The deferred processes.
    #[inline]
    pub fn deferred(&mut self) -> &mut DeferredSet {
        &mut self.deferred
    }

    /// Something arrives at `process` at `at`, perhaps before its other events.
    #[inline]
    pub fn announce(&mut self, process: usize, at: Time) {
        if at > self.until {
            self.deferred.advance(process, at);
        } else if at < self.ready_at(process) {
            self.ready.set(process, key(at + self.slack[process], at));
        }
    }

    /// The next event of `process` is due at `due`.
    #[inline]
    pub fn set(&mut self, process: usize, due: Time) {
        if due > self.until || due == Time::NEVER {
            self.ready.set(process, NOT_READY);
            self.deferred.set(process, due);
        } else {
            self.ready.set(process, key(due + self.slack[process], due));
        }
    }
}
