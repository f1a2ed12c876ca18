//! Who may run, and until when.
//!
//! What a process sends takes at least its *reach*, the shortest delay of its channels. So nothing that has not been sent
//! yet arrives anywhere before the *edge*: the smallest of all next events, each plus its process' reach. The process with
//! that smallest sum can always run; how far is a matter of what can still get to it, which follows from the next events
//! of the processes before it and the delays between (the promises of conservative simulation). Loops therefore bound a
//! visit by their delay, and nothing else does.
//!
//! Where visits are short all the same, the order costs more than they do. Such a network is *swept* instead
//! ([`crate::executor::promise_sweep`]).

use crate::executor::deferred_set::DeferredSet;
use crate::executor::promise_sweep::PromiseSweep;
use crate::merge::tournament_tree::TournamentTree;
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// How far a process runs at a visit; the results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// One instant: the reference, in which the events of all processes happen in the order of time.
    Plain,
    /// As far as nothing can still reach it, or in sweeps where that is faster.
    #[default]
    Horizon,
    /// In sweeps wherever everything takes some time; for tests.
    Sweeps,
}

/// Shortest delays of the channels between processes, by sender and receiver; messages are channels too.
pub type Latencies = BTreeMap<(u32, u32), Duration>;

/// A process that can get at another one, and how long that takes at least.
#[derive(Clone, Copy, Debug)]
struct Ancestor {
    process: u32,
    /// Its own ancestors are not listed, so that it may hear of something at the edge.
    is_last: bool,
    distance: Duration,
}

/// At most so many ancestors are looked at before a visit.
const MOST_ANCESTORS: usize = 8;
/// A visit that handles more than this is followed by shorter ones, so that what is sent does not pile up...
const LARGE_VISIT: u64 = 2_000;
/// ... and one that handles less by longer ones.
const SMALL_VISIT: u64 = 500;
/// The first visits last so long at most.
const FIRST_SPAN: Duration = Duration::from_ms(1);
/// No visit lasts longer, so that traffic which begins after a silence does not pile up either.
const LONGEST_SPAN: Duration = Duration::from_ms(100);
/// But that of the ingress of a few calls may, whose visit would be for fewer packets than this: what it needs leaves the
/// caches from one visit to the next.
const TINY_VISIT: u64 = 32;
const LONGEST_SPAN_OF_CALLS: Duration = Duration::from_ms(400);

/// The order of visits.
pub struct Lookahead {
    executor: Executor,
    /// For each process: how far its next event may reach at the earliest, and when that is. Equal reaches go by the
    /// next event, then by number: of two that are due at once, the lower may send to the higher in no time.
    agenda: TournamentTree<(Time, Time)>,
    reach: Vec<Duration>,
    /// Processes' visits last so long at most, and are put off by no more.
    span: Vec<Duration>,
    /// Nothing arrives at a process but in answer to what it sends from then on.
    quiet_until: Vec<Time>,
    ancestors: Vec<Ancestor>,
    /// Where the ancestors of each process begin; none at all if there are too many.
    first_ancestor: Vec<u32>,
    /// What lies beyond waits in `later`, and the agenda knows nothing of it.
    until: Time,
    later: DeferredSet,
    /// Nothing takes less time from one process to another.
    shortest: Duration,
    /// Visits since the length of visits was judged, and what they handled.
    judged: (u64, u64),
    /// How often visits must have been too short before sweeping is tried again; more each time that it does not pay.
    patience: u64,
    shorts: u64,
    sweeping: bool,
    sweeps: PromiseSweep,
}

/// Visits are judged in groups of so many;
const JUDGED: u64 = 1_000;
/// those that handle less than this in the mean are too short.
const SHORT: u64 = 2;
/// Sweeping is tried again at least once in so many times.
const MOST_PATIENCE: u64 = 1 << 16;
/// Fewer processes than this are not swept.
const FEW: usize = 16;

impl Lookahead {
    /// The order of visits of processes that are coupled in this way.
    pub fn new(processes: usize, latencies: &Latencies) -> Lookahead {
        let mut reach = vec![Duration::FOREVER; processes];
        let mut senders: Vec<Vec<(u32, Duration)>> = vec![Vec::new(); processes];
        for (&(from, to), &delay) in latencies {
            reach[from as usize] = reach[from as usize].min(delay);
            senders[to as usize].push((from, delay));
        }
        let mut ancestors = Vec::new();
        let mut first_ancestor = vec![0];
        for process in 0..processes {
            ancestors.extend(ancestors_of(process as u32, &senders));
            first_ancestor.push(ancestors.len() as u32);
        }
        let shortest = reach.iter().copied().min().unwrap_or(Duration::FOREVER);
        Lookahead {
            executor: Executor::default(),
            agenda: TournamentTree::new(processes, (Time::NEVER, Time::NEVER)),
            sweeps: PromiseSweep::new(processes, latencies, &reach),
            reach,
            span: vec![FIRST_SPAN; processes],
            quiet_until: vec![Time::ZERO; processes],
            ancestors,
            first_ancestor,
            until: Time::ZERO,
            later: DeferredSet::new(processes),
            shortest,
            judged: (0, 0),
            patience: 1,
            shorts: 0,
            sweeping: false,
        }
    }

    /// Chooses the executor.
    pub fn choose(&mut self, executor: Executor) {
        self.executor = executor;
        self.sweeping = executor == Executor::Sweeps && self.shortest > Duration::ZERO;
    }

    /// Begins anew with these next events.
    pub fn begin(&mut self, nexts: impl Iterator<Item = Time>) {
        for (process, next) in nexts.enumerate() {
            self.agenda.set(process, (Time::NEVER, Time::NEVER));
            self.later.set(process, next);
        }
    }

    /// What happens up to and including `until` is to be done now; everything before has been.
    pub fn extend(&mut self, until: Time) {
        self.until = until;
        let Lookahead { executor, agenda, reach, span, later, .. } = self;
        later.take(until, |process, next| agenda.set(process, key(*executor, next, reach[process], span[process])));
    }

    /// When something happens next, once nothing is left to do until the end of the last extension.
    pub fn next(&mut self) -> Time {
        debug_assert!(self.agenda.first_key().1 == Time::NEVER, "something is left to do");
        self.later.first()
    }

    /// Whether the network is swept now.
    #[inline]
    pub fn is_sweeping(&self) -> bool {
        self.sweeping
    }

    /// Judges the length of visits, and leaves what has been begun to sweeps if they are better; tells whether they are.
    #[inline]
    pub fn turns_to_sweeping(&mut self) -> bool {
        if self.judged.0 < JUDGED {
            return false;
        }
        self.judge_visits();
        self.sweeping
    }

    fn judge_visits(&mut self) {
        let (visits, handled) = std::mem::take(&mut self.judged);
        let may_sweep = self.executor == Executor::Horizon && self.shortest > Duration::ZERO && self.reach.len() >= FEW;
        self.shorts = if may_sweep && handled < SHORT * visits { self.shorts + 1 } else { 0 };
        if self.shorts < self.patience {
            return;
        }
        self.sweeping = true;
        for process in 0..self.reach.len() {
            let next = self.agenda.key(process).1;
            if next != Time::NEVER {
                self.agenda.set(process, (Time::NEVER, Time::NEVER));
                self.later.set(process, next);
            }
        }
    }

    /// Begins a sweep; `false` if nothing is left to do until `until`.
    pub fn begin_sweep(&mut self, until: Time) -> bool {
        let first = self.later.first();
        if first > until || first == Time::NEVER {
            return false;
        }
        // Whatever is announced waits in `later`.
        self.until = Time::ZERO;
        self.sweeps.begin(first, until.after());
        true
    }

    /// The next process of the sweep, and until when it may run; `None` at its end.
    #[inline]
    pub fn next_stop(&mut self) -> Option<(usize, Time)> {
        self.sweeps.next(&self.later)
    }

    /// The process of the sweep has handled `handled` things, and is due next at `next`; its wire is free at `free`.
    #[inline]
    pub fn stopped(&mut self, process: usize, next: Time, free: Time, handled: u64) {
        self.later.set(process, next);
        self.sweeps.visited(next, free, handled);
    }

    /// A sweep has ended: decides whether another one is better than visits in the order of time.
    pub fn end_sweep(&mut self) {
        if self.executor != Executor::Sweeps {
            if let Some(pays) = self.sweeps.pays() {
                self.patience = if pays { 1 } else { (self.patience * 2).min(MOST_PATIENCE) };
                (self.sweeping, self.shorts) = (pays, 0);
            }
        }
    }

    /// The process to visit, and until when it may run; `None` if nothing is left to do.
    #[inline]
    pub fn next_visit(&self) -> Option<(usize, Time)> {
        let (edge, now) = self.agenda.first_key();
        if now == Time::NEVER {
            return None;
        }
        let process = self.agenda.first();
        let until = match self.executor {
            Executor::Plain => now,
            Executor::Horizon | Executor::Sweeps => {
                let promised = self.promised(process, edge).max(self.answered(process)).before().max(now);
                promised.min(now + self.span[process]).min(self.until)
            }
        };
        Some((process, until))
    }

    /// The visited process has handled `handled` things, and the next is due at `next`.
    #[inline]
    pub fn visited(&mut self, process: usize, next: Time, handled: u64) {
        self.judged = (self.judged.0 + 1, self.judged.1 + handled);
        let span = &mut self.span[process];
        if handled > LARGE_VISIT {
            *span = Duration::from_ps((span.as_ps() / handled).saturating_mul(LARGE_VISIT / 2).max(1));
        } else if handled < SMALL_VISIT {
            let is_tiny = handled < TINY_VISIT && self.quiet_until[process] > Time::ZERO;
            *span = span.times(2).min(if is_tiny { LONGEST_SPAN_OF_CALLS } else { LONGEST_SPAN });
        }
        self.set(process, next);
    }

    /// Nothing arrives at `process` from now on but in answer to what it sends, and that is not before `until`.
    #[inline]
    pub fn is_quiet_until(&mut self, process: usize, until: Time) {
        self.quiet_until[process] = until;
    }

    /// Something is on its way to `process` that arrives at `at`.
    #[inline]
    pub fn announce(&mut self, process: usize, at: Time) {
        if at > self.until {
            self.later.advance(process, at);
        } else if at < self.agenda.key(process).1 {
            self.agenda.set(process, key(self.executor, at, self.reach[process], self.span[process]));
        }
    }

    #[inline]
    fn set(&mut self, process: usize, next: Time) {
        if next > self.until || next == Time::NEVER {
            self.agenda.set(process, (Time::NEVER, Time::NEVER));
            self.later.set(process, next);
        } else {
            self.agenda.set(process, key(self.executor, next, self.reach[process], self.span[process]));
        }
    }

    /// Before this, nothing arrives at `process` if it hears only answers.
    #[inline]
    fn answered(&self, process: usize) -> Time {
        match self.quiet_until[process] {
            Time::ZERO => Time::ZERO,
            quiet => quiet + self.reach[process],
        }
    }

    /// Before this, nothing arrives at `process` that has not been sent yet.
    #[inline]
    fn promised(&self, process: usize, edge: Time) -> Time {
        let range = self.first_ancestor[process] as usize..self.first_ancestor[process + 1] as usize;
        if range.is_empty() {
            return edge;
        }
        let bound = |ancestor: &Ancestor| {
            let next = self.agenda.key(ancestor.process as usize).1;
            (if ancestor.is_last { next.min(edge) } else { next }) + ancestor.distance
        };
        self.ancestors[range].iter().map(bound).min().unwrap_or(edge)
    }
}

/// Where a process stands in the agenda that is due at `next`.
#[inline]
fn key(executor: Executor, next: Time, reach: Duration, span: Duration) -> (Time, Time) {
    match executor {
        Executor::Plain => (next, next),
        Executor::Horizon | Executor::Sweeps => (next + reach.min(span), next),
    }
}

/// The processes that can get at `process`, nearest first as far as there is room; always with it among them, so that the
/// list of one that nothing gets at is not empty.
fn ancestors_of(process: u32, senders: &[Vec<(u32, Duration)>]) -> Vec<Ancestor> {
    let mut known: BTreeMap<u32, (Duration, bool)> = BTreeMap::new();
    let expand = |known: &mut BTreeMap<u32, (Duration, bool)>, of: u32, distance: Duration| {
        for &(from, delay) in &senders[of as usize] {
            let there = known.entry(from).or_insert((Duration::FOREVER, from != process));
            there.0 = there.0.min(distance + delay);
        }
    };
    if senders[process as usize].len() > MOST_ANCESTORS {
        return Vec::new();
    }
    expand(&mut known, process, Duration::ZERO);
    loop {
        // The nearest one's senders are no nearer, so distances are final in this order.
        let nearest = known.iter().filter(|(_, (_, is_last))| *is_last).min_by_key(|(_, (distance, _))| *distance);
        let Some((&of, &(distance, _))) = nearest else { break };
        let added = senders[of as usize].iter().filter(|(from, _)| !known.contains_key(from)).count();
        if known.len() + added > MOST_ANCESTORS {
            break;
        }
        known.insert(of, (distance, false));
        expand(&mut known, of, distance);
    }
    known.entry(process).or_insert((Duration::FOREVER, false));
    known.into_iter().map(|(process, (distance, is_last))| Ancestor { process, is_last, distance }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A horizon over processes with these next events, whose visits may be long.
    fn horizon(latencies: &[(u32, u32, u64)], nexts: &[u64]) -> Lookahead {
        let latencies = latencies.iter().map(|&(from, to, ms)| ((from, to), Duration::from_ms(ms))).collect();
        let mut horizon = Lookahead::new(nexts.len(), &latencies);
        horizon.span.fill(LONGEST_SPAN);
        horizon.begin(nexts.iter().map(|&ms| at(ms)));
        horizon.extend(at(1_000));
        horizon
    }

    #[test]
    fn two_that_answer_each_other_run_for_a_round_trip() {
        // The other one's next event is at 50; what process 0 sends at 10 comes back at 10 + 2 + 3.
        let horizon = horizon(&[(0, 1, 2), (1, 0, 3)], &[10, 50]);
        assert_eq!(horizon.next_visit(), Some((0, at(15).before())));
    }

    #[test]
    fn what_is_due_elsewhere_bounds_a_visit_by_its_way() {
        let horizon = horizon(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        assert_eq!(horizon.next_visit(), Some((0, at(14).before())));
    }

    #[test]
    fn a_chain_is_run_from_its_beginning_and_nothing_bounds_that() {
        let mut horizon = horizon(&[(0, 1, 1), (1, 2, 1)], &[10, 10, 10]);
        assert_eq!(horizon.next_visit(), Some((0, at(110))));
        horizon.visited(0, at(111), 500);
        // The next packet of process 0 reaches process 1 at 112.
        assert_eq!(horizon.next_visit(), Some((1, at(110))));
    }

    #[test]
    fn who_hears_only_answers_runs_until_the_first_may_come() {
        let mut horizon = horizon(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        assert_eq!(horizon.next_visit(), Some((0, at(14).before())));
        horizon.is_quiet_until(0, at(40));
        assert_eq!(horizon.next_visit(), Some((0, at(42).before())));
        horizon.is_quiet_until(0, Time::NEVER);
        assert_eq!(horizon.next_visit(), Some((0, at(110))));
    }

    #[test]
    fn of_many_senders_the_nearest_event_counts() {
        let latencies: Vec<(u32, u32, u64)> = (0..20).map(|sender| (sender, 20, 5 + u64::from(sender))).collect();
        let mut nexts = vec![100; 21];
        nexts[20] = 1;
        let mut horizon = horizon(&latencies, &nexts);
        // Process 20 sends nothing, so it can wait as long as its span.
        assert_eq!(horizon.next_visit(), Some((20, at(101).before())));
        horizon.visited(20, at(102), 500);
        assert_eq!(horizon.next_visit(), Some((0, at(200))));
    }

    #[test]
    fn of_two_at_the_same_instant_the_lower_goes_first() {
        let horizon = horizon(&[(0, 1, 0), (1, 0, 7)], &[10, 10]);
        assert_eq!(horizon.next_visit(), Some((0, at(17).before())));
    }

    #[test]
    fn what_lies_beyond_the_extension_waits_for_the_next_one() {
        let mut horizon = horizon(&[(0, 1, 2), (1, 0, 3)], &[10, 50]);
        horizon.begin([at(10), at(50)].into_iter());
        horizon.extend(at(12));
        assert_eq!(horizon.next_visit(), Some((0, at(12))));
        horizon.visited(0, at(60), 500);
        assert_eq!(horizon.next_visit(), None);
        assert_eq!(horizon.next(), at(50));
        horizon.announce(1, at(14));
        assert_eq!(horizon.next(), at(14));
        horizon.extend(at(20));
        assert_eq!(horizon.next_visit(), Some((1, at(19).before())));
    }

    #[test]
    fn the_plain_executor_goes_from_instant_to_instant() {
        let mut horizon = horizon(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        horizon.choose(Executor::Plain);
        horizon.begin([at(10), at(11)].into_iter());
        horizon.extend(at(1_000));
        assert_eq!(horizon.next_visit(), Some((0, at(10))));
        horizon.visited(0, at(12), 1);
        assert_eq!(horizon.next_visit(), Some((1, at(11))));
    }
}
