//! Promise sweeps: all processes in one fixed order, again and again, each as far as nothing can reach it any more.
//!
//! Each process *promises* that nothing which it has not sent yet arrives anywhere before some instant. That follows from
//! its next event, from when its wire is free, and from how long the smallest packet takes; and it bounds the processes to
//! which it sends. In an order in which senders come before receivers, but for one place in each loop, promises and packets
//! go all the way round in one sweep: null messages, without the messages.
//!
//! Looking at a process takes a few instructions, finding the next one of many in an order of time takes hundreds. So this
//! is for networks whose visits are short, because feedback is fast or traffic is thin.

use crate::kernel::process_graph::Latencies;
use crate::merge::deferred_set::DeferredSet;
use penstock_model::units::{Duration, Time};

/// A process in the order of sweeps.
#[derive(Clone, Copy, Debug)]
struct Stop {
    process: u32,
    /// The end of its senders in the list of all.
    senders_end: u32,
    /// The least time from the start of a transmission, or from an event, to an arrival elsewhere.
    reach: Duration,
    /// When its wire is free.
    free: Time,
    /// Nothing that it has not sent yet arrives anywhere before.
    promise: Time,
}

/// The order of sweeps, and how far the current one has come.
#[derive(Clone, Debug)]
pub struct PromiseSweep {
    stops: Vec<Stop>,
    /// The senders of each stop, one stop after another, as positions in `stops`.
    senders: Vec<u32>,
    /// The current stop; behind the last one if no sweep is under way.
    current: usize,
    /// Where the senders of the next stop begin.
    first_sender: usize,
    /// Nothing reaches the process of the current stop before.
    horizon: Time,
    /// The sweep handles only what is due before, so that processes which nothing bounds do not run far ahead.
    end: Time,
}

impl PromiseSweep {
    /// The order for processes with these delays between them; `reach` is the least of each sender.
    pub fn new(processes: usize, latencies: &Latencies, reach: impl Fn(usize) -> Duration) -> PromiseSweep {
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
            let (reach, free, promise) = (reach(*process as usize), Time::ZERO, Time::ZERO);
            Stop { process: *process, senders_end: senders_end as u32, reach, free, promise }
        };
        let stops: Vec<Stop> = order.iter().enumerate().map(stop).collect();
        let senders = pairs.into_iter().map(|(_, from)| from).collect();
        PromiseSweep { current: stops.len(), stops, senders, first_sender: 0, horizon: Time::ZERO, end: Time::ZERO }
    }

    /// Begins a sweep over what is due before `end`; no event anywhere is due before `first`.
    pub fn begin(&mut self, first: Time, end: Time) {
        for stop in &mut self.stops {
            stop.promise = stop.promise.max(first + stop.reach);
        }
        (self.current, self.first_sender) = (0, 0);
        self.end = end;
    }

    /// Whether a sweep has been begun that handles nothing after `until`, and has not come to its end.
    pub fn is_under_way(&self, until: Time) -> bool {
        self.current < self.stops.len() && self.end.before() <= until
    }

    /// The next process with an event that nothing can precede any more, and until when it may run; `None` at the end of the
    /// sweep.
    #[inline]
    pub fn next(&mut self, due: &DeferredSet) -> Option<(usize, Time)> {
        while let Some(stop) = self.stops.get(self.current) {
            let (process, end) = (stop.process as usize, stop.senders_end as usize);
            let senders = &self.senders[self.first_sender..end];
            let promised = senders.iter().map(|sender| self.stops[*sender as usize].promise).min();
            self.horizon = promised.map_or(self.end, |promised| promised.min(self.end));
            self.first_sender = end;
            if due.due(process) < self.horizon {
                return Some((process, self.horizon.before()));
            }
            self.promise(self.horizon);
        }
        None
    }

    /// The process of the current stop has been visited. Its next event is due at `next`, its wire is free at `free`.
    #[inline]
    pub fn visited(&mut self, next: Time, free: Time) {
        self.stops[self.current].free = free;
        self.promise(next.min(self.horizon));
    }

    /// Derives the promise of the current stop from when its next event is due at the earliest, and goes on to the next stop.
    #[inline]
    fn promise(&mut self, next: Time) {
        let stop = &mut self.stops[self.current];
        stop.promise = stop.promise.max(next.max(stop.free) + stop.reach);
        self.current += 1;
    }
}

/// An order in which senders mostly come before receivers: the reverse postorder of a depth-first search.
fn depth_first_order(processes: usize, latencies: &Latencies) -> Vec<u32> {
    let mut postorder = Vec::with_capacity(processes);
    let mut seen = vec![false; processes];
    let mut path: Vec<(u32, u32)> = Vec::new();
    for root in 0..processes as u32 {
        if !std::mem::replace(&mut seen[root as usize], true) {
            path.push((root, 0));
        }
        while let Some((process, from)) = path.last_mut() {
            let receiver = latencies.range((*process, *from)..=(*process, u32::MAX)).next().map(|((_, to), _)| *to);
            let Some(to) = receiver else {
                postorder.push(*process);
                path.pop();
                continue;
            };
            *from = to + 1;
            if !std::mem::replace(&mut seen[to as usize], true) {
                path.push((to, 0));
            }
        }
    }
    postorder.reverse();
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// The sweep over channels with these delays in milliseconds, and the processes' next events.
    fn sweep(channels: &[(u32, u32, u64)], next: &[u64]) -> (PromiseSweep, DeferredSet) {
        let latencies: Latencies = channels.iter().map(|&(from, to, ms)| ((from, to), Duration::from_ms(ms))).collect();
        let reach = |process: usize| {
            let delays = latencies.iter().filter(|((from, _), _)| *from as usize == process).map(|(_, delay)| *delay);
            delays.min().unwrap_or(Duration::FOREVER)
        };
        let mut due = DeferredSet::new(next.len());
        next.iter().enumerate().for_each(|(process, ms)| due.set(process, at(*ms)));
        (PromiseSweep::new(next.len(), &latencies, reach), due)
    }

    #[test]
    fn senders_come_before_receivers() {
        let latencies: Latencies = [(3, 1), (1, 0), (0, 2), (3, 2)].map(|channel| (channel, Duration::from_ms(1))).into();
        let order = depth_first_order(4, &latencies);
        let position = |process: u32| order.iter().position(|other| *other == process);
        assert!(latencies.keys().all(|(from, to)| position(*from) < position(*to)));
    }

    #[test]
    fn a_chain_is_handled_from_end_to_end_in_one_sweep() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 2, 3)], &[10, 1_000, 1_000]);
        sweep.begin(at(10), at(100));
        assert_eq!(sweep.next(&due), Some((0, at(100).before())));
        // It sends something that arrives at 12, and its next event is beyond the sweep.
        due.set(1, at(12));
        due.set(0, at(200));
        sweep.visited(at(200), Time::ZERO);
        // No earlier event than at 100 is left in process 0, which takes 2 ms to reach process 1.
        assert_eq!(sweep.next(&due), Some((1, at(100).before())));
        due.set(2, at(15));
        sweep.visited(Time::NEVER, Time::ZERO);
        assert_eq!(sweep.next(&due), Some((2, at(100).before())));
        sweep.visited(Time::NEVER, Time::ZERO);
        assert_eq!(sweep.next(&due), None);
    }

    #[test]
    fn a_loop_bounds_each_process_by_what_the_other_may_still_send() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        sweep.begin(at(10), at(100));
        // What process 1 sends at 10 or later arrives at 13 or later.
        assert_eq!(sweep.next(&due), Some((0, at(13).before())));
        due.set(0, at(20));
        sweep.visited(at(20), Time::ZERO);
        // Process 0 may receive something at 13 and answer at once.
        assert_eq!(sweep.next(&due), Some((1, at(15).before())));
        due.set(1, at(30));
        sweep.visited(at(30), Time::ZERO);
        assert_eq!(sweep.next(&due), None);
        // Process 1 has promised nothing before 15 + 3, although its next event is at 30.
        sweep.begin(at(10), at(100));
        assert_eq!(sweep.next(&due), None);
        sweep.begin(at(20), at(100));
        assert_eq!(sweep.next(&due), Some((0, at(23).before())));
    }

    #[test]
    fn a_wire_in_use_promises_more() {
        let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 20]);
        sweep.begin(at(10), at(14));
        assert_eq!(sweep.next(&due), Some((0, at(14).before())));
        // The wire is free at 40, so nothing arrives at process 1 before 42.
        due.set(0, at(11));
        sweep.visited(at(11), at(40));
        assert_eq!(sweep.next(&due), None);
        sweep.begin(at(11), at(1_000));
        assert_eq!(sweep.next(&due), Some((0, at(1_000).before())));
        due.set(0, at(11));
        sweep.visited(at(11), at(40));
        assert_eq!(sweep.next(&due), Some((1, at(42).before())));
    }

    #[test]
    fn a_sweep_goes_no_further_than_its_end() {
        let (mut sweep, due) = sweep(&[(0, 1, 2)], &[10, 10]);
        sweep.begin(at(10), at(12));
        assert!(sweep.is_under_way(at(12).before()));
        assert!(!sweep.is_under_way(at(11)));
        assert_eq!(sweep.next(&due), Some((0, at(12).before())));
        sweep.visited(at(12), Time::ZERO);
        assert_eq!(sweep.next(&due), Some((1, at(12).before())));
        sweep.visited(at(12), Time::ZERO);
        assert_eq!(sweep.next(&due), None);
        assert!(!sweep.is_under_way(at(100)));
    }
}
