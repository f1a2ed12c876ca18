//! A run on one core, as a single shard, or on several.
//!
//! The processes are divided into shards, one for each core. Shards meet at a barrier, exchange packets and messages, and publish
//! the times of their next events. An event in one shard affects another shard no earlier than the *lookahead* later, the shortest
//! delay of the channels between shards. So each shard runs on its own for that long, from the first event of all shards on. The
//! order of events that cannot affect each other changes no result.
//!
//! All shards run until the same instant. If each shard ran as far as the next events of the others allow, the others would have
//! less to do until the next barrier, and the shards would end up working in turn.

pub mod barrier;
pub mod exchange;
pub mod partition;

use crate::executor::parallel::barrier::Barrier;
use crate::executor::parallel::exchange::{Exchange, ShardState};
use crate::executor::sequencer::{Mode, Sequencer};
use crate::executor::shard::{EventBudget, Shard};
use crate::executor::windows::{beginning_of_window, window_length};
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::logical_process::WindowProcess;
use crate::kernel::outbox::Outbox;
use crate::kernel::process_graph::Latencies;
use crate::kernel::route::Routes;
use penstock_model::units::{Duration, Time};

/// Number of events on several cores before their rate is compared with [`WORTHWHILE_EVENTS`].
const JUDGED_EVENTS: u64 = 100_000;
/// Minimum mean number of events between two barriers: with fewer, waiting costs more than the second core gains.
const WORTHWHILE_EVENTS: u64 = 50;

/// All processes, in order, with the inputs of each.
pub struct World<'a, P> {
    /// The processes, by their numbers.
    pub processes: &'a mut [P],
    /// The inputs of each process; `None` during a visit to it.
    pub inputs: &'a mut [Option<Box<Inputs>>],
    /// All routes.
    pub routes: &'a Routes,
}

/// The shards into which processes are divided. A single shard needs no barrier.
#[derive(Clone)]
pub struct ParallelExecutor {
    /// For each shard, the number after that of its last process.
    pub ends: Vec<u32>,
    /// Shortest delay of the channels between shards.
    lookahead: Duration,
    /// The sequencer of each shard.
    pub sequencers: Vec<Sequencer>,
    /// The horizon that a shard did not reach because its budget was spent; the next run first goes up to it. `None` otherwise.
    interrupted: Option<Time>,
    /// Whether the shards run in turn on one core, with the same barriers; for tests.
    pub in_turn: bool,
    /// Number of events handled and of barriers met with several shards.
    events: u64,
    rounds: u64,
}

impl ParallelExecutor {
    /// Creates shards that end before the process numbers in `ends`.
    pub fn new(ends: Vec<u32>, latencies: &Latencies) -> ParallelExecutor {
        let shard = |process: u32| ends.partition_point(|end| *end <= process);
        let begin = |shard: usize| if shard == 0 { 0 } else { ends[shard - 1] };
        let mut lookahead = Duration::FOREVER;
        let mut within = vec![Latencies::new(); ends.len()];
        for (&(from, to), &delay) in latencies {
            let (a, b) = (shard(from), shard(to));
            if a == b {
                within[a].insert((from - begin(a), to - begin(a)), delay);
            } else {
                lookahead = lookahead.min(delay);
            }
        }
        let size = |shard: usize| (ends[shard] - begin(shard)) as usize;
        let sequencers = within.iter().enumerate().map(|(shard, latencies)| Sequencer::new(size(shard), latencies)).collect();
        ParallelExecutor { ends, lookahead, sequencers, interrupted: None, in_turn: false, events: 0, rounds: 0 }
    }

    /// Returns whether the shards do enough between two barriers to keep several cores; true before [`JUDGED_EVENTS`].
    pub fn are_worthwhile(&self) -> bool {
        self.events < JUDGED_EVENTS || self.events >= WORTHWHILE_EVENTS * self.rounds
    }

    /// Makes `process` due at `at`, unless it is due earlier.
    pub fn advance(&mut self, process: u32, at: Time) {
        let shard = self.ends.partition_point(|end| *end <= process);
        let first = if shard == 0 { 0 } else { self.ends[shard - 1] };
        self.sequencers[shard].due.advance((process - first) as usize, at);
    }

    /// See [`Shard::take_under_way`].
    pub fn take_under_way<P: WindowProcess>(&mut self, under_way: &mut Vec<(u32, u32, Arrival)>, world: &mut World<'_, P>) {
        self.shards(world).iter_mut().for_each(|shard| shard.take_under_way(under_way));
    }

    /// Whether one core can run the shards in turn without loss: all run in windows. That takes about as long as a single shard of all
    /// processes, and no packet in flight has to be moved.
    pub fn suits_one_core(&self) -> bool {
        self.sequencers.iter().all(|sequencer| sequencer.mode == Mode::Windows)
    }

    /// Returns the more frequent mode of the shards, windows or sweeps.
    pub fn mode(&self) -> Mode {
        let in_mode = |mode: &Mode| self.sequencers.iter().filter(|sequencer| sequencer.mode == *mode).count();
        [Mode::Windows, Mode::Sweeps].into_iter().max_by_key(in_mode).expect("there are modes")
    }

    /// Asks all processes for their next events, selects `mode` in each shard that allows it, and adds the packets `under_way`.
    pub fn begin<P: WindowProcess>(&mut self, mode: Mode, under_way: &[(u32, u32, Arrival)], world: &mut World<'_, P>) {
        self.interrupted = None;
        let ends = self.ends.clone();
        let mut shards = self.shards(world);
        shards.iter_mut().for_each(|shard| shard.begin(mode));
        for (process, input, arrival) in under_way {
            shards[ends.partition_point(|end| end <= process)].add(*process, *input, arrival);
        }
    }

    /// Handles all events up to and including `until`, as long as `budget` lasts. Each shard has a thread, or all run `in_turn` on this
    /// one. Returns whether no event is left. A panic on any core is passed on to the caller.
    pub fn run<P: WindowProcess + Send>(&mut self, until: Time, in_turn: bool, budget: &mut EventBudget, world: &mut World<'_, P>) -> bool {
        if let [only] = &mut self.shards(world)[..] {
            return only.run(until, &mut Outbox::default(), budget);
        }
        let (ends, in_turn, limit) = (self.ends.clone(), in_turn || self.in_turn, budget.left());
        let shared = Shared { barrier: Barrier::new(ends.len()), exchange: Exchange::new(ends.len()), lookahead: self.lookahead, until };
        let interrupted = self.interrupted.take();
        let shards = self.shards(world).into_iter().enumerate();
        let worker = |(me, shard)| {
            let (outbox, budget) = (Outbox::new(&ends), EventBudget::new(limit));
            Worker { me, shard, shared: &shared, outbox, budget, horizon: Time::ZERO, is_interrupted: false }
        };
        let workers: Vec<Worker<'_, P>> = shards.map(worker).collect();
        let stops = if in_turn {
            take_turns(workers, interrupted)
        } else {
            run_on_threads(workers.into_iter().map(|worker| move || worker.run(interrupted)))
        };
        let handled = stops.iter().flatten().map(|stop| stop.handled).sum::<u64>();
        let stop = stops[0].expect("no shard has panicked");
        budget.handled += handled;
        self.events += handled;
        self.rounds += stop.rounds;
        self.interrupted = stop.interrupted;
        stop.is_complete
    }

    fn shards<'a, P>(&'a mut self, World { processes, inputs, routes }: &'a mut World<'_, P>) -> Vec<Shard<'a, P>> {
        let mut shards = Vec::with_capacity(self.ends.len());
        let (mut processes, mut inputs, mut first) = (&mut **processes, &mut **inputs, 0);
        for (end, sequencer) in self.ends.iter().zip(&mut self.sequencers) {
            let size = *end as usize - first;
            let (these, others) = processes.split_at_mut(size);
            let (their_inputs, other_inputs) = inputs.split_at_mut(size);
            shards.push(Shard { first, processes: these, inputs: their_inputs, sequencer, routes, train: Vec::new() });
            (processes, inputs, first) = (others, other_inputs, first + size);
        }
        shards
    }
}

/// The state that the threads share.
struct Shared {
    barrier: Barrier,
    exchange: Exchange,
    lookahead: Duration,
    until: Time,
}

/// How a run ended. All fields except `handled` are the same for all shards.
#[derive(Clone, Copy, Debug)]
struct Stop {
    handled: u64,
    rounds: u64,
    is_complete: bool,
    /// See [`ParallelExecutor::interrupted`].
    interrupted: Option<Time>,
}

/// One shard at work.
struct Worker<'a, P> {
    me: usize,
    shard: Shard<'a, P>,
    shared: &'a Shared,
    outbox: Outbox,
    /// The whole budget. A shard stops between barriers when it has spent it alone; all shards stop at a barrier when they have spent it
    /// together.
    budget: EventBudget,
    /// The instant up to which all shards run before the next barrier.
    horizon: Time,
    is_interrupted: bool,
}

impl<P: WindowProcess> Worker<'_, P> {
    /// Arrives at the first round. If the previous run was interrupted, runs to its horizon first.
    fn begin(&mut self, interrupted: Option<Time>) {
        match interrupted {
            Some(horizon) => self.run_to(horizon, 0),
            None => self.arrive(0),
        }
    }

    /// Runs the shard up to the horizon, or until its budget is spent, and arrives at `round`.
    fn run_to(&mut self, horizon: Time, round: usize) {
        self.horizon = horizon.min(self.shared.until);
        self.is_interrupted = !self.shard.run(self.horizon, &mut self.outbox, &mut self.budget);
        self.arrive(round);
    }

    /// Arrives at `round`: publishes the progress of the shard, and its packets and messages to others.
    fn arrive(&mut self, round: usize) {
        let next = if self.is_interrupted { Time::ZERO } else { self.shard.sequencer.next() };
        let has_windows = self.shard.sequencer.mode == Mode::Windows;
        let state = ShardState { next, handled: self.budget.handled, is_interrupted: self.is_interrupted, has_windows };
        self.shared.exchange.publish(round, self.me, state, &mut self.outbox);
        self.shared.barrier.arrive();
    }

    /// Receives what the others sent before the barrier of `round`, and continues, unless all shards must stop: then returns how.
    fn advance(&mut self, round: usize) -> Option<Stop> {
        let Shared { exchange, lookahead, until, .. } = self.shared;
        exchange.receive(round, self.me, &mut self.shard);
        let all = exchange.state_of_all(round);
        let (handled, rounds) = (self.budget.handled, round as u64 + 1);
        if all.is_interrupted {
            return Some(Stop { handled, rounds, is_complete: false, interrupted: Some(self.horizon) });
        }
        if all.next > *until || all.handled >= self.budget.limit {
            return Some(Stop { handled, rounds, is_complete: all.next > *until, interrupted: None });
        }
        let horizon = all.next + *lookahead;
        // While all shards run in windows, the horizon cuts no window in two.
        let end = if all.has_windows { beginning_of_window(horizon, window_length(*lookahead)) } else { horizon };
        self.run_to(end.before(), round + 1);
        None
    }

    /// Runs until all shards stop; returns `None` if one of them has panicked.
    fn run(mut self, interrupted: Option<Time>) -> Option<Stop> {
        let _guard = self.shared.barrier.guard();
        self.begin(interrupted);
        for round in 0.. {
            if !self.shared.barrier.wait(round) {
                break;
            }
            let stop = self.advance(round);
            if stop.is_some() {
                return stop;
            }
        }
        None
    }
}

/// Runs each worker on a thread of its own, but the first on this one. A panic in any worker is passed on to the caller.
fn run_on_threads<T: Send>(workers: impl IntoIterator<Item = impl FnOnce() -> T + Send>) -> Vec<T> {
    std::thread::scope(|scope| {
        let mut workers = workers.into_iter();
        let first = workers.next().expect("there is at least one shard");
        let others: Vec<_> = workers.map(|worker| scope.spawn(worker)).collect();
        let mut results = vec![first()];
        results.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        results
    })
}

fn take_turns<P: WindowProcess>(mut workers: Vec<Worker<'_, P>>, interrupted: Option<Time>) -> Vec<Option<Stop>> {
    workers.iter_mut().for_each(|worker| worker.begin(interrupted));
    for round in 0.. {
        // All shards decide alike whether to stop, but each must be asked.
        let stops: Vec<Option<Stop>> = workers.iter_mut().map(|worker| worker.advance(round)).collect();
        if stops.iter().any(Option::is_some) {
            return stops;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_on_another_core_comes_out_as_it_is() {
        let barrier = Barrier::new(2);
        let worker = |fails: bool| {
            let barrier = &barrier;
            move || {
                let _guard = barrier.guard();
                if fails {
                    std::panic::panic_any("the other one's");
                }
                barrier.arrive();
                barrier.wait(0)
            }
        };
        let panic = std::panic::catch_unwind(|| run_on_threads([worker(false), worker(true)])).expect_err("one panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"the other one's"));
    }
}
