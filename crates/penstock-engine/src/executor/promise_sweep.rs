//! Visits in sweeps: everybody in one order, again and again, each as far as nothing can still get at it.
//!
//! Each process *promises* that nothing which it has not sent yet arrives anywhere before some instant. That follows from
//! when something happens there next, from when its wire is free, and from how long the smallest packet takes; and it
//! bounds those to whom the process sends. In an order in which senders stand before receivers, but for one place in each
//! loop, promises and packets go all the way round in one sweep (null messages without any messages).
//!
//! Looking at a process takes a few instructions, finding the next one of many in an order of time takes hundreds. So this
//! is for networks whose visits are short, because feedback is fast or traffic is thin.

use crate::executor::deferred_set::DeferredSet;
use crate::executor::lookahead::Latencies;
use penstock_model::units::{Duration, Time};

/// A process in the order of sweeps.
#[derive(Clone, Copy, Debug)]
struct Stop {
    process: u32,
    /// Behind the last of its senders in the list of all.
    senders: u32,
    /// What it sends takes at least so long after its wire is free.
    reach: Duration,
    /// When its wire is free.
    free: Time,
    /// What it has not sent yet arrives nowhere before.
    promise: Time,
}

/// The order of sweeps, and how far the one under way has come.
#[derive(Debug)]
pub struct PromiseSweep {
    stops: Vec<Stop>,
    /// For each stop, one after another, the places of those that send to it.
    senders: Vec<u32>,
    at: usize,
    /// Where the senders of the next stop begin.
    first_sender: usize,
    /// Before this, nothing gets at the process that is being visited.
    bound: Time,
    /// A sweep goes no further, so that what nothing hurries does not run away.
    end: Time,
    span: Duration,
    /// What has been done in the sweep, and at how many processes.
    handled: u64,
    visits: u64,
    /// Sweeps since they were judged, and visits in them.
    judged: (u64, u64),
}

/// A sweep that handles more than this for each process is followed by shorter ones.
const LARGE: u64 = 32;
const FIRST_SPAN: Duration = Duration::from_ms(10);
const LONGEST_SPAN: Duration = Duration::from_ms(1_000);
/// Sweeps are judged in groups of so many;
const JUDGED: u64 = 64;
/// those that visit fewer than one process of so many do not pay.
const SPARSE: u64 = 16;

impl PromiseSweep {
    /// The order for processes that are coupled in this way.
    pub fn new(processes: usize, latencies: &Latencies, reach: &[Duration]) -> PromiseSweep {
        let order = order(processes, latencies);
        let mut place = vec![0; processes];
        order.iter().enumerate().for_each(|(i, process)| place[*process as usize] = i as u32);
        let mut pairs: Vec<(u32, u32)> = latencies.keys().map(|(from, to)| (place[*to as usize], place[*from as usize])).collect();
        pairs.sort_unstable();
        let stop = |(i, process): (usize, &u32)| Stop {
            process: *process,
            senders: pairs.partition_point(|(to, _)| *to <= i as u32) as u32,
            reach: reach[*process as usize],
            free: Time::ZERO,
            promise: Time::ZERO,
        };
        let stops = order.iter().enumerate().map(stop).collect();
        let senders = pairs.into_iter().map(|(_, from)| from).collect();
        let (at, first_sender, bound, end) = (0, 0, Time::ZERO, Time::ZERO);
        PromiseSweep { stops, senders, at, first_sender, bound, end, span: FIRST_SPAN, handled: 0, visits: 0, judged: (0, 0) }
    }

    /// Begins a sweep that ends before `end`, when nothing happens anywhere before `first`.
    pub fn begin(&mut self, first: Time, end: Time) {
        for stop in &mut self.stops {
            stop.promise = stop.promise.max(first + stop.reach);
        }
        if self.handled > LARGE * self.stops.len() as u64 {
            self.span = Duration::from_ps((self.span.as_ps() / 2).max(1));
        } else if self.handled < LARGE / 4 * self.stops.len() as u64 {
            self.span = self.span.times(2).min(LONGEST_SPAN);
        }
        (self.at, self.first_sender, self.handled, self.visits) = (0, 0, 0, 0);
        self.end = end.min((first + self.span).after());
    }

    /// The next process at which something is due that nothing can get at any more, and until when it may run; `None` at the
    /// end of the sweep.
    #[inline]
    pub fn next(&mut self, due: &DeferredSet) -> Option<(usize, Time)> {
        while let Some(stop) = self.stops.get(self.at) {
            let (process, last) = (stop.process as usize, stop.senders as usize);
            let senders = &self.senders[self.first_sender..last];
            self.bound =
                senders.iter().map(|sender| self.stops[*sender as usize].promise).min().map_or(self.end, |bound| bound.min(self.end));
            self.first_sender = last;
            if due.of(process) < self.bound {
                return Some((process, self.bound.before()));
            }
            self.promise(self.bound);
        }
        None
    }

    /// The process has been visited, handled so many things, and is due next at `next`; its wire is free at `free`.
    #[inline]
    pub fn visited(&mut self, next: Time, free: Time, handled: u64) {
        self.stops[self.at].free = free;
        self.handled += handled;
        self.visits += 1;
        self.promise(next.min(self.bound));
    }

    /// Nothing happens at the process before `next`; goes on to the one behind it.
    #[inline]
    fn promise(&mut self, next: Time) {
        let stop = &mut self.stops[self.at];
        stop.promise = stop.promise.max(next.max(stop.free) + stop.reach);
        self.at += 1;
    }

    /// Whether sweeps seem to pay, as far as there have been enough of them.
    #[inline]
    pub fn pays(&mut self) -> Option<bool> {
        self.judged = (self.judged.0 + 1, self.judged.1 + self.visits);
        if self.judged.0 < JUDGED {
            return None;
        }
        let (sweeps, visits) = std::mem::take(&mut self.judged);
        Some(visits * SPARSE >= sweeps * self.stops.len() as u64)
    }
}

/// An order in which senders mostly stand before receivers: the reverse of that in which a search in depth leaves them.
fn order(processes: usize, latencies: &Latencies) -> Vec<u32> {
    let mut left = Vec::with_capacity(processes);
    let mut seen = vec![false; processes];
    let mut path: Vec<(u32, u32)> = Vec::new();
    for root in 0..processes as u32 {
        if !std::mem::replace(&mut seen[root as usize], true) {
            path.push((root, 0));
        }
        while let Some((process, from)) = path.last_mut() {
            let receiver = latencies.range((*process, *from)..=(*process, u32::MAX)).next().map(|((_, to), _)| *to);
            let Some(to) = receiver else {
                left.push(*process);
                path.pop();
                continue;
            };
            *from = to + 1;
            if !std::mem::replace(&mut seen[to as usize], true) {
                path.push((to, 0));
            }
        }
    }
    left.reverse();
    left
}
