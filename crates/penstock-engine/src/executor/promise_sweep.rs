//! Promise sweeps: all processes in one fixed order, again and again, each as far as nothing can reach it any more.
//!
//! Each process *promises* that nothing which it has not sent yet arrives anywhere before some instant. That follows from its next event,
//! from when it sends again at the earliest, and from its *reach*, the shortest delay of its channels; and it bounds the processes to
//! which it sends. In an order in which senders come before receivers, but for one step in each loop, promises and packets go all the
//! way round in one sweep: null messages, without the messages.
//!
//! A visit takes longer than a look. So a process whose next event lies within its *slack* of the end of the sweep, or behind it, is
//! left out: its slack is no longer than its reach, so that what it promises bounds nobody in this sweep. And a process that only
//! receives replies, or whose only sender's wire to it is busy, runs past the end of the sweep, as far as a visit to it may go; others do
//! not, so that few packets pile up.

use crate::executor::tuning::{adapt_visit, FIRST_VISIT};
use crate::kernel::logical_process::EarliestOutput;
use crate::kernel::process_graph::Latencies;
use crate::merge::deferred_set::DeferredSet;
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;

/// A process in the order of sweeps.
#[derive(Clone, Copy, Debug, Default)]
struct Stop {
    process: u32,
    /// The end of its senders in the list of all.
    senders_end: u32,
    /// The least time from the start of a transmission, or from an event, to an arrival elsewhere.
    reach: Duration,
    /// The longest time that its next visit covers, unless the sweep is longer.
    visit: Duration,
    /// How long its visit may be postponed: no longer than a visit or the reach.
    slack: Duration,
    /// Its earliest output time, whatever it receives.
    eot: Time,
    /// Whether it is later for some receivers.
    differs_by_receiver: bool,
    /// Where it receives only answers to what it sends: the first one arrives then at the earliest.
    first_answer: Time,
    /// Nothing that it has not sent yet arrives anywhere before.
    promise: Time,
}

/// The order of sweeps, and how far the current one has come.
#[derive(Clone, Debug, Default)]
pub struct PromiseSweep {
    stops: Vec<Stop>,
    /// The stop of each process.
    position: Vec<u32>,
    /// The senders of each stop, one stop after another, as positions in `stops`.
    senders: Vec<u32>,
    /// Senders against the order: stops that send to an earlier one, which needs their promise before their turn.
    back_senders: Vec<u32>,
    /// The current stop; behind the last one if no sweep is under way.
    current: usize,
    /// Where the senders of the next stop begin.
    first_sender: usize,
    /// Nothing reaches the process of the current stop before.
    horizon: Time,
    /// End of the sweep: later events wait for the next one, except at processes that only receive replies.
    end: Time,
    /// No visit of the sweep reaches this instant.
    limit: Time,
    /// The first instant by which something has to be visited.
    deadline: Time,
    /// Whether another sweep follows, so that visits can be postponed.
    leaves_out: bool,
}

impl PromiseSweep {
    /// The order for processes with these delays between them.
    pub fn new(processes: usize, latencies: &Latencies) -> PromiseSweep {
        let mut reach = vec![Duration::FOREVER; processes];
        latencies.iter().for_each(|((from, _), delay)| reach[*from as usize] = reach[*from as usize].min(*delay));
        let order = depth_first_order(processes, latencies);
        let mut position = vec![0; processes];
        order.iter().enumerate().for_each(|(i, process)| position[*process as usize] = i as u32);
        let mut pairs: Vec<(u32, u32)> = latencies.keys().map(|(from, to)| (position[*to as usize], position[*from as usize])).collect();
        pairs.sort_unstable();
        let mut senders_end = 0;
        let stop = |(i, process): (usize, &u32)| {
            while pairs.get(senders_end).is_some_and(|(to, _)| *to <= i as u32) {
                senders_end += 1;
            }
            let (process, senders_end, reach) = (*process, senders_end as u32, reach[*process as usize]);
            Stop { process, senders_end, reach, visit: FIRST_VISIT, ..Stop::default() }
        };
        let stops: Vec<Stop> = order.iter().enumerate().map(stop).collect();
        let mut back_senders: Vec<u32> = pairs.iter().filter(|(to, from)| from >= to).map(|(_, from)| *from).collect();
        back_senders.sort_unstable();
        back_senders.dedup();
        let senders = pairs.into_iter().map(|(_, from)| from).collect();
        PromiseSweep { current: stops.len(), stops, position, senders, back_senders, ..PromiseSweep::default() }
    }

    /// Begins a sweep of no more than this length, up to `until` at most; `false` if nothing is due by then.
    ///
    /// It is at most twice as long as the advance of the previous one: events further ahead are out of reach.
    pub fn begin(&mut self, longest: Duration, until: Time, due: &DeferredSet) -> bool {
        let (mut first, mut deadline, mut lbts) = (Time::NEVER, Time::NEVER, Time::NEVER);
        for stop in &self.stops {
            let due = due.due(stop.process as usize);
            if due < Time::NEVER {
                first = first.min(due);
                deadline = deadline.min(due + stop.slack);
                lbts = lbts.min(due + stop.reach);
            }
        }
        if first > until || first == Time::NEVER {
            return false;
        }
        (self.current, self.first_sender) = (0, 0);
        let advance = Duration::from_ps(deadline.as_ps().saturating_sub(self.deadline.as_ps()));
        self.deadline = deadline;
        self.end = (deadline + longest.min(advance.times(2))).after();
        self.limit = until.after();
        self.leaves_out = self.end < self.limit;
        self.end = self.end.min(self.limit);
        // Nothing happens at a process before its own next event or the lower bound on arrivals anywhere (LBTS). Arrivals from other shards
        // come after `until`.
        let bound = lbts.min(self.end);
        for sender in &self.back_senders {
            let stop = &mut self.stops[*sender as usize];
            stop.promise = stop.promise.max(due.due(stop.process as usize).min(bound) + stop.reach);
        }
        true
    }

    /// Whether a sweep has been begun that handles nothing after `until`, and has not come to its end.
    pub fn is_under_way(&self, until: Time) -> bool {
        self.current < self.stops.len() && self.limit.before() <= until
    }

    /// The next process with an event that nothing can precede any more, and until when it may run; `None` at the end of the
    /// sweep. `eot_to` is the earliest output time of a process, of what it sends to a second one.
    #[inline]
    pub fn next(&mut self, due: &DeferredSet, eot_to: impl Fn(usize, usize) -> Time) -> Option<(usize, Time)> {
        let (stops, end) = (&mut self.stops[..], self.end);
        let mut first_sender = self.first_sender;
        for current in self.current..stops.len() {
            let stop = &stops[current];
            let senders = &self.senders[first_sender..stop.senders_end as usize];
            let promised = senders.iter().map(|sender| stops[*sender as usize].promise).min();
            let mut promised = promised.unwrap_or(Time::NEVER).max(stop.first_answer);
            let next = due.due(stop.process as usize);
            let mut runs_on = stop.first_answer > Time::ZERO;
            if let ([sender], true) = (senders, next < end && promised < end) {
                let sender = &stops[*sender as usize];
                if sender.differs_by_receiver {
                    promised = promised.max(eot_to(sender.process as usize, stop.process as usize) + sender.reach);
                    runs_on |= promised > end;
                }
            }
            let horizon = promised.min(if runs_on { end.max(next + stop.visit).min(self.limit) } else { end });
            let can_wait = self.leaves_out && next + stop.slack >= end;
            if next < horizon && !can_wait {
                (self.current, self.first_sender, self.horizon) = (current, first_sender, horizon);
                return Some((stop.process as usize, horizon.before()));
            }
            first_sender = stop.senders_end as usize;
            stops[current].promise_from(next, horizon);
        }
        self.current = self.stops.len();
        None
    }

    /// Sets the earliest output times of `process`.
    pub fn set_eot(&mut self, process: usize, eot: EarliestOutput) {
        self.stops[self.position[process] as usize].set_eot(eot);
    }

    /// The process of the current stop has been visited and has handled `events`. Its next event is due at `next`, and these are its
    /// earliest output times.
    #[inline]
    pub fn visited(&mut self, next: Time, eot: EarliestOutput, events: u64) {
        let stop = &mut self.stops[self.current];
        stop.set_eot(eot);
        adapt_visit(&mut stop.visit, events, stop.first_answer > Time::ZERO);
        stop.slack = stop.visit.min(stop.reach);
        stop.promise_from(next, self.horizon);
        self.first_sender = stop.senders_end as usize;
        self.current += 1;
    }
}

impl Stop {
    #[inline]
    fn set_eot(&mut self, EarliestOutput { of_all, of_requests, differs_by_receiver }: EarliestOutput) {
        (self.eot, self.differs_by_receiver) = (of_all, differs_by_receiver);
        self.first_answer = if of_requests > Time::ZERO { of_requests + self.reach } else { Time::ZERO };
    }

    /// Derives the promise of a process whose next event is due at `next`, and which nothing reaches before `horizon`.
    #[inline]
    fn promise_from(&mut self, next: Time, horizon: Time) {
        self.promise = self.promise.max(next.min(horizon).max(self.eot) + self.reach);
    }
}

/// An order in which senders mostly come before receivers: the postorder of a depth-first search from receivers to senders, which begins
/// at processes with many senders. These come last in their loops, so that few processes send against the order.
fn depth_first_order(processes: usize, latencies: &Latencies) -> Vec<u32> {
    let mut senders = vec![Vec::new(); processes];
    latencies.keys().for_each(|(from, to)| senders[*to as usize].push(*from));
    let mut roots: Vec<u32> = (0..processes as u32).rev().collect();
    roots.sort_by_key(|process| Reverse(senders[*process as usize].len()));
    let mut postorder = Vec::with_capacity(processes);
    let mut seen = vec![false; processes];
    let mut path = Vec::new();
    for root in roots {
        let mut next = Some(root);
        loop {
            match next {
                Some(process) if std::mem::replace(&mut seen[process as usize], true) => {}
                Some(process) => path.push(process),
                None => postorder.extend(path.pop()),
            }
            let Some(last) = path.last() else { break };
            next = senders[*last as usize].pop();
        }
    }
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_ms(ms)
    }

    /// Nothing is known of what a process sends to another one.
    fn unknown(_: usize, _: usize) -> Time {
        Time::ZERO
    }

    /// The sweep over channels with these delays in milliseconds, and the processes' next events.
    fn sweep(channels: &[(u32, u32, u64)], next: &[u64]) -> (PromiseSweep, DeferredSet) {
        let latencies: Latencies = channels.iter().map(|&(from, to, delay)| ((from, to), ms(delay))).collect();
        let mut due = DeferredSet::new(next.len());
        next.iter().enumerate().for_each(|(process, next)| due.set(process, at(*next)));
        (PromiseSweep::new(next.len(), &latencies), due)
    }

    /// The process of the current stop has been visited, and its next event is due at `next`.
    fn visited(sweep: &mut PromiseSweep, due: &mut DeferredSet, process: usize, next: u64) {
        due.set(process, at(next));
        visited_for(sweep, next, Duration::ZERO);
    }

    /// The same; its next visit covers `longest`.
    fn visited_for(sweep: &mut PromiseSweep, next: u64, longest: Duration) {
        let stop = &mut sweep.stops[sweep.current];
        stop.visit = longest;
        let eot = EarliestOutput { of_all: stop.eot, of_requests: Time::ZERO, differs_by_receiver: stop.differs_by_receiver };
        // Neither few events nor many, so that the next visit keeps its length.
        sweep.visited(at(next), eot, 1_000);
    }

    #[test]
    fn senders_come_before_receivers() {
        let latencies: Latencies = [(3, 1), (1, 0), (0, 2), (3, 2)].map(|channel| (channel, ms(1))).into();
        let order = depth_first_order(4, &latencies);
        let position = |process: u32| order.iter().position(|other| *other == process);
        assert!(latencies.keys().all(|(from, to)| position(*from) < position(*to)));
    }

    #[test]
    fn in_a_star_only_the_hub_sends_against_the_order() {
        let channels: Vec<(u32, u32, u64)> = (0..8).filter(|leaf| *leaf != 3).flat_map(|leaf| [(leaf, 3, 1), (3, leaf, 1)]).collect();
        let (sweep, _) = sweep(&channels, &[0; 8]);
        assert_eq!(sweep.back_senders.iter().map(|stop| sweep.stops[*stop as usize].process).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn a_chain_is_handled_from_end_to_end_in_one_sweep() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 2, 3)], &[10, 1_000, 1_000]);
        sweep.begin(Duration::FOREVER, at(25), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, at(25))));
        // It sends something that arrives at 12.
        due.set(1, at(12));
        visited(&mut sweep, &mut due, 0, 200);
        // No earlier event than at 25 is left in process 0, which takes 2 ms to reach process 1.
        assert_eq!(sweep.next(&due, unknown), Some((1, at(25))));
        due.set(2, at(15));
        visited(&mut sweep, &mut due, 1, 300);
        assert_eq!(sweep.next(&due, unknown), Some((2, at(25))));
        visited(&mut sweep, &mut due, 2, 300);
        assert_eq!(sweep.next(&due, unknown), None);
    }

    #[test]
    fn a_loop_bounds_each_process_by_what_the_other_may_still_send() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        // What process 1 sends at 11 or later arrives at 14 or later.
        assert_eq!(sweep.next(&due, unknown), Some((0, at(14).before())));
        visited(&mut sweep, &mut due, 0, 20);
        // Process 0 may receive something at 14 and answer at once.
        assert_eq!(sweep.next(&due, unknown), Some((1, at(16).before())));
        visited(&mut sweep, &mut due, 1, 30);
        assert_eq!(sweep.next(&due, unknown), None);
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        // Nothing arrives before 22, and what process 1 sends then arrives at 25.
        assert_eq!(sweep.next(&due, unknown), Some((0, at(25).before())));
    }

    #[test]
    fn a_silent_process_promises_more() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 20]);
        sweep.begin(Duration::FOREVER, at(14), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, at(14))));
        // Its wire is free at 40, so nothing arrives at process 1 before 42.
        sweep.set_eot(0, EarliestOutput { of_all: at(40), ..EarliestOutput::default() });
        visited(&mut sweep, &mut due, 0, 15);
        assert_eq!(sweep.next(&due, unknown), None);
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, at(25))));
        visited(&mut sweep, &mut due, 0, 26);
        assert_eq!(sweep.next(&due, unknown), Some((1, at(25))));
        visited(&mut sweep, &mut due, 1, 41);
        assert_eq!(sweep.next(&due, unknown), None);
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, at(48))));
        visited(&mut sweep, &mut due, 0, 27);
        assert_eq!(sweep.next(&due, unknown), Some((1, at(42).before())));
    }

    #[test]
    fn a_process_that_only_receives_replies_runs_until_the_first_may_arrive() {
        let (mut sweep, due) = sweep(&[(0, 1, 2), (1, 0, 3)], &[50, 51]);
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        sweep.set_eot(0, EarliestOutput { of_requests: at(90), ..EarliestOutput::default() });
        assert_eq!(sweep.next(&due, unknown), Some((0, at(92).before())));
    }

    #[test]
    fn a_process_whose_only_sender_has_a_busy_wire_to_it_runs_past_the_end_of_a_sweep() {
        let (mut sweep, due) = sweep(&[(0, 1, 2), (0, 2, 2), (2, 0, 2)], &[10, 1_000, 11]);
        let receiver = sweep.position[2] as usize;
        sweep.stops[receiver].visit = ms(100);
        let wires = |sender, receiver| if (sender, receiver) == (0, 2) { at(40) } else { Time::ZERO };
        for (differs_by_receiver, until) in [(false, at(14).before()), (true, at(42).before())] {
            let mut sweep = sweep.clone();
            sweep.set_eot(0, EarliestOutput { differs_by_receiver, ..EarliestOutput::default() });
            sweep.begin(ms(5), at(1_000), &due);
            assert_eq!(sweep.next(&due, wires), Some((0, at(13).before())));
            visited(&mut sweep, &mut due.clone(), 0, 12);
            assert_eq!(sweep.next(&due, wires), Some((2, until)), "differs by receiver: {differs_by_receiver}");
        }
    }

    #[test]
    fn what_lies_close_to_the_end_of_a_sweep_or_behind_it_waits_for_the_next_one() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 12]);
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, at(30))));
        due.set(0, at(29));
        // A visit may be put off by no more than it takes to reach process 1.
        visited_for(&mut sweep, 29, ms(5));
        assert_eq!(sweep.next(&due, unknown), Some((1, at(30))));
        due.set(1, at(28));
        visited_for(&mut sweep, 28, ms(5));
        assert_eq!(sweep.next(&due, unknown), None);
        let mut last = sweep.clone();
        // Something has to be visited by 31: 21 ms after the first time, and the sweep is twice as long.
        sweep.begin(Duration::FOREVER, at(1_000), &due);
        due.set(0, at(72));
        assert_eq!(sweep.next(&due, unknown), Some((1, at(73))));
        // No sweep follows the last one, so nothing waits for it.
        due.set(0, at(29));
        last.begin(Duration::FOREVER, at(50), &due);
        due.set(0, at(49));
        assert_eq!(last.next(&due, unknown), Some((0, at(50))));
    }

    #[test]
    fn a_process_that_only_receives_replies_runs_past_the_end_of_a_sweep_as_far_as_a_visit_goes() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 0, 2)], &[10, 100]);
        sweep.begin(ms(2), at(1_000), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, at(12))));
        due.set(0, at(13));
        visited_for(&mut sweep, 13, ms(20));
        assert_eq!(sweep.next(&due, unknown), None);
        // Its next request leaves at 60 at the earliest.
        for (of_requests, until, reached) in [(0, 1_000, at(17).before()), (60, 1_000, at(33).before()), (60, 25, at(25))] {
            let mut sweep = sweep.clone();
            sweep.set_eot(0, EarliestOutput { of_requests: at(of_requests), ..EarliestOutput::default() });
            sweep.begin(ms(2), at(until), &due);
            assert_eq!(sweep.next(&due, unknown), Some((0, reached)), "the sweep ends at 17, the run at {until}");
        }
    }

    #[test]
    fn a_sweep_goes_no_further_than_its_end() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 10]);
        sweep.begin(ms(2), at(1_000), &due);
        assert!(sweep.is_under_way(at(1_000)));
        assert!(!sweep.is_under_way(at(999)));
        assert_eq!(sweep.next(&due, unknown), Some((0, at(12))));
        visited(&mut sweep, &mut due, 0, 13);
        assert_eq!(sweep.next(&due, unknown), Some((1, at(12))));
        visited(&mut sweep, &mut due, 1, 13);
        assert_eq!(sweep.next(&due, unknown), None);
        assert!(!sweep.is_under_way(at(100)));
    }
}
