//! One run on several cores.
//!
//! The processes are split into parts, one for each core. Parts meet again and again, hand over what they have sent each
//! other, and tell when something happens next at each. What happens in one part makes no difference in another for at
//! least the *lookahead*, the shortest delay of the channels between parts: so from the first event anywhere on, each part
//! runs for so long by itself. In what order things happen that cannot know of each other decides no number, as ever.
//!
//! All parts run until the same instant. A part that went on as far as the others' next events allow would leave them that
//! much less to do until the next meeting, and they would end up working in turn.

pub mod autotune;
pub mod barrier;
pub mod partition;
pub mod shard;

use crate::executor::lookahead::{Executor, Latencies, Lookahead};
use crate::executor::parallel::barrier::Barrier;
use crate::executor::parallel::shard::Shard;
use crate::kernel::channel::Inputs;
use crate::kernel::outbox::{Outbox, OutboxBatch};
use crate::kernel::route::Routes;
use crate::node::process::Process;
use penstock_model::units::{Duration, Time};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// How processes are split into parts.
pub struct ParallelExecutor {
    /// The process behind the last one of each part.
    ends: Vec<u32>,
    /// How long what happens in one part takes at least to arrive in another.
    lookahead: Duration,
    horizons: Vec<Lookahead>,
    /// What has been done by all of them.
    done: u64,
    in_turn: bool,
}

impl ParallelExecutor {
    /// Parts that end before the processes `ends`.
    pub fn new(ends: Vec<u32>, latencies: &Latencies) -> ParallelExecutor {
        let part = |process: u32| ends.partition_point(|end| *end <= process);
        let begin = |part: usize| if part == 0 { 0 } else { ends[part - 1] };
        let mut lookahead = Duration::FOREVER;
        let mut within = vec![Latencies::new(); ends.len()];
        for (&(from, to), &delay) in latencies {
            let (a, b) = (part(from), part(to));
            if a == b {
                within[a].insert((from - begin(a), to - begin(a)), delay);
            } else {
                lookahead = lookahead.min(delay);
            }
        }
        let size = |part: usize| (ends[part] - begin(part)) as usize;
        let horizons = within.iter().enumerate().map(|(part, latencies)| Lookahead::new(size(part), latencies)).collect();
        ParallelExecutor { ends, lookahead, horizons, done: 0, in_turn: false }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// What has been done on several cores, in packets and events of sources.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Chooses the executor.
    pub fn choose(&mut self, executor: Executor) {
        self.horizons.iter_mut().for_each(|horizon| horizon.choose(executor));
    }

    /// Runs the parts in turn, on one core and between the same meetings; for tests.
    pub fn take_turns(&mut self) {
        self.in_turn = true;
    }

    /// Does everything that is due up to and including `until`. A panic on any core is one here.
    pub fn run(&mut self, until: Time, mut processes: &mut [Process], mut inputs: &mut [Option<Box<Inputs>>], routes: &Routes) {
        let mut parts = Vec::with_capacity(self.ends.len());
        let mut first = 0;
        for (end, horizon) in self.ends.iter().zip(&mut self.horizons) {
            let size = *end as usize - first;
            let (these, others) = processes.split_at_mut(size);
            let (their_inputs, other_inputs) = inputs.split_at_mut(size);
            parts.push(Shard { first, processes: these, inputs: their_inputs, horizon, routes, train: Vec::new() });
            (processes, inputs, first) = (others, other_inputs, first + size);
        }
        let round = Round {
            meeting: Barrier::new(parts.len()),
            desks: [(); 2].map(|()| parts.iter().map(|_| ServiceState::new(parts.len())).collect()),
            ends: &self.ends,
            lookahead: self.lookahead,
            until,
        };
        let workers: Vec<Worker<'_>> = parts.into_iter().enumerate().map(|(me, part)| Worker::new(&round, me, part)).collect();
        let done = if self.in_turn {
            take_turns(workers)
        } else {
            work_together(workers.into_iter().map(|worker| || worker.work())).into_iter().sum::<u64>()
        };
        self.done += done;
    }
}

/// What a part tells the others at a meeting, and hands to them.
///
/// There are two for each part, in turn: what was put down for one meeting may still be read until the next.
#[repr(align(128))] // no two cores write to the same cache line
struct ServiceState {
    next: AtomicU64,
    /// For each part, when the first arrival in the bag is, and the bag. Nobody ever waits for it.
    bags: Vec<(AtomicU64, Mutex<OutboxBatch>)>,
}

impl ServiceState {
    fn new(parts: usize) -> ServiceState {
        let bags = (0..parts).map(|_| (AtomicU64::new(u64::MAX), Mutex::default())).collect();
        ServiceState { next: AtomicU64::new(0), bags }
    }

    fn put(&self, next: Time, outbox: &mut Outbox) {
        // The meeting makes all of it visible.
        self.next.store(next.as_ps(), Ordering::Relaxed);
        for (bag, (earliest, place)) in outbox.bags.iter_mut().zip(&self.bags) {
            earliest.store(bag.earliest.as_ps(), Ordering::Relaxed);
            if bag.earliest != Time::NEVER {
                std::mem::swap(bag, &mut place.lock().expect(NO_PANIC));
            }
        }
    }
}

const NO_PANIC: &str = "nothing panics while it holds a bag";

fn read(time: &AtomicU64) -> Time {
    Time::from_ps(time.load(Ordering::Relaxed))
}

/// What the threads share.
struct Round<'a> {
    meeting: Barrier,
    desks: [Vec<ServiceState>; 2],
    ends: &'a [u32],
    lookahead: Duration,
    until: Time,
}

/// One part at work.
struct Worker<'a> {
    me: usize,
    part: Shard<'a>,
    round: &'a Round<'a>,
    outbox: Outbox,
    done: u64,
}

impl<'a> Worker<'a> {
    fn new(round: &'a Round<'a>, me: usize, mut part: Shard<'a>) -> Worker<'a> {
        part.begin();
        Worker { me, part, round, outbox: Outbox::new(round.ends), done: 0 }
    }

    /// Before a meeting: tells the others how things stand.
    fn tell(&mut self, desks: &[ServiceState]) {
        desks[self.me].put(self.part.horizon.next(), &mut self.outbox);
    }

    /// After it: takes what they have handed over, and goes on; `false` if everybody is done.
    fn go_on(&mut self, desks: &[ServiceState]) -> bool {
        for (earliest, bag) in desks.iter().map(|service_state| &service_state.bags[self.me]) {
            if read(earliest) != Time::NEVER {
                self.part.take(&mut bag.lock().expect(NO_PANIC));
            }
        }
        // What has just been handed over counts too.
        let bags = desks.iter().flat_map(|service_state| &service_state.bags).map(|(earliest, _)| read(earliest));
        let first = desks.iter().map(|service_state| read(&service_state.next)).chain(bags).min().unwrap_or(Time::NEVER);
        if first > self.round.until {
            return false;
        }
        let bound = (first + self.round.lookahead).before();
        self.done += self.part.run(bound.min(self.round.until), &mut self.outbox);
        true
    }

    /// Works until everybody is done, or one of them has panicked; returns how much it did.
    fn work(mut self) -> u64 {
        let meeting = &self.round.meeting;
        let _guard = meeting.guard();
        for desks in self.round.desks.iter().cycle() {
            self.tell(desks);
            if !meeting.wait() || !self.go_on(desks) {
                break;
            }
        }
        self.done
    }
}

/// Each worker has a thread; the first has this one. A panic in any of them is one here.
fn work_together<T: Send>(workers: impl IntoIterator<Item = impl FnOnce() -> T + Send>) -> Vec<T> {
    std::thread::scope(|scope| {
        let mut workers = workers.into_iter();
        let first = workers.next().expect("there is at least one part");
        let others: Vec<_> = workers.map(|worker| scope.spawn(worker)).collect();
        let mut done = vec![first()];
        done.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        done
    })
}

fn take_turns(mut workers: Vec<Worker<'_>>) -> u64 {
    let round = workers[0].round;
    for desks in round.desks.iter().cycle() {
        workers.iter_mut().for_each(|worker| worker.tell(desks));
        // They agree whether to go on, but each has to be asked.
        let mut on = true;
        workers.iter_mut().for_each(|worker| on &= worker.go_on(desks));
        if !on {
            break;
        }
    }
    workers.iter().map(|worker| worker.done).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_on_another_core_comes_out_as_it_is() {
        let meeting = Barrier::new(2);
        let worker = |fails: bool| {
            let meeting = &meeting;
            move || {
                let _guard = meeting.guard();
                if fails {
                    std::panic::panic_any("the other one's");
                }
                meeting.wait()
            }
        };
        let panic = std::panic::catch_unwind(|| work_together([worker(false), worker(true)])).expect_err("one panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"the other one's"));
    }
}
