//! Promise sweeps: visits all processes in one fixed order, again and again, each up to its horizon.
//!
//! The *promise* of a process is a lower bound on the arrival time of anything that it has not sent yet. It follows from its next event,
//! its earliest output time, and its *reach*, the shortest delay of its channels. It bounds the processes to which this one sends. In
//! the fixed order, senders come before receivers, except for one step in each loop. So promises and packets propagate all the way
//! in one sweep, like null messages, but without messages.
//!
//! A visit costs more than a look. So a sweep skips a process whose next event is later than the end of the sweep, or earlier by no
//! more than its *slack*. The slack is no longer than the reach, so the promise of a skipped process bounds no process in this sweep. A
//! process that only receives replies, or whose only sender has a busy wire to it, runs past the end of the sweep, as far as a visit may
//! go. Other processes do not, so that few packets pile up.

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
    /// The end of its senders in the list of all senders.
    senders_end: u32,
    /// The minimum time from the start of a transmission, or from an event, to an arrival elsewhere.
    reach: Duration,
    /// The longest time that its next visit covers, unless the sweep is longer.
    visit: Duration,
    /// How long its visit may be postponed: the longest time of a visit, or the reach if that is shorter.
    slack: Duration,
    /// Its earliest output time, whatever it receives.
    eot: Time,
    /// Whether the earliest output time is later for some receivers.
    differs_by_receiver: bool,
    /// Lower bound on the arrival time of a reply, if the process receives only replies to what it sends; otherwise zero.
    first_answer: Time,
    /// Lower bound on the arrival time of anything that it has not sent yet.
    promise: Time,
}

/// The order of sweeps, and the progress of the current sweep.
#[derive(Clone, Debug, Default)]
pub struct PromiseSweep {
    stops: Vec<Stop>,
    /// The stop of each process.
    position: Vec<u32>,
    /// The senders of each stop, one stop after another, as positions in `stops`.
    senders: Vec<u32>,
    /// Stops that send to an earlier stop, which needs their promise before their turn.
    back_senders: Vec<u32>,
    /// Index of the current stop; the number of stops if no sweep is under way.
    current: usize,
    /// Where the senders of the next stop begin.
    first_sender: usize,
    /// The instant before which the process of the current stop may run: lower bound on further arrivals, at most the end of its visit.
    horizon: Time,
    /// End of the sweep. Later events wait for the next sweep, except at processes that may run past the end.
    end: Time,
    /// Instant that no visit of the sweep reaches.
    limit: Time,
    /// Minimum of next event + slack over all processes, at the beginning of the sweep.
    deadline: Time,
    /// Whether another sweep follows, so that visits can be postponed.
    leaves_out: bool,
}

impl PromiseSweep {
    /// Creates the order for `processes` processes with these delays between them.
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

    /// Begins a sweep that ends at most `longest` after the deadline, and handles no event after `until`; returns `false` if no event is
    /// due by then.
    ///
    /// Its end is after the deadline by at most twice the advance of the deadline: events further ahead are out of reach.
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
        // A process has no event before its own next one or the lower bound on arrivals at any process (LBTS), whichever is earlier.
        // Arrivals from other shards come after `until`.
        let bound = lbts.min(self.end);
        for sender in &self.back_senders {
            let stop = &mut self.stops[*sender as usize];
            stop.promise = stop.promise.max(due.due(stop.process as usize).min(bound) + stop.reach);
        }
        true
    }

    /// Returns whether a sweep that handles no event after `until` has begun and has not reached its last stop.
    pub fn is_under_way(&self, until: Time) -> bool {
        self.current < self.stops.len() && self.limit.before() <= until
    }

    /// Returns the next process with an event before its horizon, and the instant up to which it may run; `None` at the end of the
    /// sweep. `eot_to(sender, receiver)` is the earliest output time of `sender` for what it sends to `receiver`.
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
/// at processes with many receivers. These come last in their loops, so that few processes send against the order.
fn depth_first_order(processes: usize, latencies: &Latencies) -> Vec<u32> {
    let mut senders = vec![Vec::new(); processes];
    let mut receivers = vec![0; processes];
    for (from, to) in latencies.keys() {
        senders[*to as usize].push(*from);
        receivers[*from as usize] += 1;
    }
    let mut roots: Vec<u32> = (0..processes as u32).rev().collect();
    roots.sort_by_key(|process| Reverse(receivers[*process as usize]));
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
mod tests;
