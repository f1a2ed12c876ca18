//! The safety of visits in order of time: before which instant nothing can arrive any more that has not been sent yet.
//!
//! What a process sends takes at least its *reach*, the shortest delay of its channels. So nothing that has not been sent
//! yet arrives anywhere before the *edge*: the smallest of all next events, each plus the reach of its process. The process
//! with that smallest sum can always run. How far depends on what can still reach it, which follows from the next events of
//! its ancestors in the process graph and the delays between (the promises of conservative simulation). So loops bound a
//! visit by their delay, and nothing else does.

use crate::kernel::process_graph::Latencies;
use crate::kernel::schedule::{Ready, Schedule};
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// A process from which another one can be reached, and the least time that takes.
#[derive(Clone, Copy, Debug)]
struct Ancestor {
    process: u32,
    /// Its own ancestors are not listed, so it may receive something from the edge on.
    is_last: bool,
    distance: Duration,
}

/// At most so many ancestors are considered for a visit.
const MAX_ANCESTORS: usize = 8;

/// The least delays of the process graph, as visits need them.
#[derive(Clone, Debug)]
pub struct Lookahead {
    reach: Vec<Duration>,
    /// For processes that only receive answers: when they send next. [`Time::ZERO`] for all others.
    quiet_until: Vec<Time>,
    /// Before when each process sends nothing, whatever it receives. [`Time::ZERO`] for those that promise nothing.
    silent_until: Vec<Time>,
    /// Some process has promised to be silent.
    some_are_silent: bool,
    /// The processes that send to each one, with the delay from there; none where there are too many.
    senders: Vec<(u32, Duration)>,
    /// Where the senders to each process begin.
    first_sender: Vec<u32>,
    ancestors: Vec<Ancestor>,
    /// Where the ancestors of each process begin; none at all if there are too many.
    first_ancestor: Vec<u32>,
    shortest: Duration,
}

impl Lookahead {
    /// The lookahead of processes with these delays between them.
    pub fn new(processes: usize, latencies: &Latencies) -> Lookahead {
        let mut reach = vec![Duration::FOREVER; processes];
        let mut senders: Vec<Vec<(u32, Duration)>> = vec![Vec::new(); processes];
        for (&(from, to), &delay) in latencies {
            reach[from as usize] = reach[from as usize].min(delay);
            senders[to as usize].push((from, delay));
        }
        let mut few_senders = Vec::new();
        let mut first_sender = vec![0];
        for senders in &senders {
            few_senders.extend(senders.iter().filter(|_| senders.len() <= MAX_ANCESTORS));
            first_sender.push(few_senders.len() as u32);
        }
        let mut ancestors = Vec::new();
        let mut first_ancestor = vec![0];
        for process in 0..processes {
            ancestors.extend(ancestors_of(process as u32, &senders));
            first_ancestor.push(ancestors.len() as u32);
        }
        let shortest = reach.iter().copied().min().unwrap_or(Duration::FOREVER);
        Lookahead {
            reach,
            quiet_until: vec![Time::ZERO; processes],
            silent_until: vec![Time::ZERO; processes],
            some_are_silent: false,
            senders: few_senders,
            first_sender,
            ancestors,
            first_ancestor,
            shortest,
        }
    }

    /// The shortest delay of the channels from `process`.
    #[inline]
    pub fn reach(&self, process: usize) -> Duration {
        self.reach[process]
    }

    /// The shortest delay of all channels.
    pub fn shortest(&self) -> Duration {
        self.shortest
    }

    /// `process` sends nothing before `until`, and receives only answers; [`Time::ZERO`] if that is not so.
    #[inline]
    pub fn set_quiet_until(&mut self, process: usize, until: Time) {
        self.quiet_until[process] = until;
    }

    /// `process` sends nothing before `until`, whatever it receives; [`Time::ZERO`] if that is not so.
    #[inline]
    pub fn set_silent_until(&mut self, process: usize, until: Time) {
        if until > Time::ZERO {
            self.silent_until[process] = until;
            self.some_are_silent = true;
        }
    }

    /// Whether `process` receives only answers to what it sends.
    #[inline]
    pub fn receives_only_answers(&self, process: usize) -> bool {
        self.quiet_until[process] > Time::ZERO
    }

    /// The horizon of the first process of the ready queue: nothing that has not been sent yet arrives there before.
    #[inline]
    pub fn horizon(&self, first: &Ready, schedule: &Schedule) -> Time {
        let horizon = self.promised(first.process, first.edge, schedule).max(self.first_answer(first.process));
        if self.some_are_silent {
            horizon.max(self.end_of_silence(first.process))
        } else {
            horizon
        }
    }

    /// Earliest arrival from those who send to a process, by their promises of silence; [`Time::ZERO`] if one promises none, or if
    /// there are too many of them.
    fn end_of_silence(&self, process: usize) -> Time {
        let senders = &self.senders[self.first_sender[process] as usize..self.first_sender[process + 1] as usize];
        let from = |&(sender, delay): &(u32, Duration)| match self.silent_until[sender as usize] {
            Time::ZERO => Time::ZERO,
            silent => silent + delay,
        };
        senders.iter().map(from).min().unwrap_or(Time::ZERO)
    }

    /// What the next events of its ancestors promise to a process.
    #[inline]
    fn promised(&self, process: usize, edge: Time, schedule: &Schedule) -> Time {
        let range = self.first_ancestor[process] as usize..self.first_ancestor[process + 1] as usize;
        if range.is_empty() {
            return edge;
        }
        let bound = |ancestor: &Ancestor| {
            let next = schedule.ready_at(ancestor.process as usize);
            (if ancestor.is_last { next.min(edge) } else { next }) + ancestor.distance
        };
        self.ancestors[range].iter().map(bound).min().unwrap_or(edge)
    }

    /// Earliest arrival of an answer to what a process sends next; [`Time::ZERO`] if it receives anything else.
    #[inline]
    fn first_answer(&self, process: usize) -> Time {
        match self.quiet_until[process] {
            Time::ZERO => Time::ZERO,
            quiet => quiet + self.reach[process],
        }
    }
}

/// The processes from which `process` can be reached, nearest first as far as there is room; itself alone if nothing reaches it, since
/// an empty list says that there are too many.
fn ancestors_of(process: u32, senders: &[Vec<(u32, Duration)>]) -> Vec<Ancestor> {
    let mut known: BTreeMap<u32, (Duration, bool)> = BTreeMap::new();
    let expand = |known: &mut BTreeMap<u32, (Duration, bool)>, of: u32, distance: Duration| {
        for &(from, delay) in &senders[of as usize] {
            let entry = known.entry(from).or_insert((Duration::FOREVER, from != process));
            entry.0 = entry.0.min(distance + delay);
        }
    };
    if senders[process as usize].len() > MAX_ANCESTORS {
        return Vec::new();
    }
    expand(&mut known, process, Duration::ZERO);
    loop {
        // The nearest one's senders are no nearer, so distances are final in this order.
        let nearest = known.iter().filter(|(_, (_, is_last))| *is_last).min_by_key(|(_, (distance, _))| *distance);
        let Some((&of, &(distance, _))) = nearest else { break };
        // Those that are known are among them, so there would be too many; a router may have very many senders.
        if senders[of as usize].len() > MAX_ANCESTORS {
            break;
        }
        let added = senders[of as usize].iter().filter(|(from, _)| !known.contains_key(from)).count();
        if known.len() + added > MAX_ANCESTORS {
            break;
        }
        known.insert(of, (distance, false));
        expand(&mut known, of, distance);
    }
    if known.is_empty() {
        known.insert(process, (Duration::FOREVER, false));
    }
    known.into_iter().map(|(process, (distance, is_last))| Ancestor { process, is_last, distance }).collect()
}
