//! Windows: everything that is due anywhere within a short time, process by process.
//!
//! What a process sends takes at least the shortest delay of all channels. So within a window no longer than that, no process
//! can affect another one, and all of them may handle what is due there, in any order. What they send goes into one wheel of
//! windows ([`crate::merge::window_wheel`]) instead of the receivers' inputs: a packet is written once and read once, beside
//! others of the same time, and a process has no memory that is touched only because a packet is on its way there.
//!
//! This is for networks of many processes of which each has little to do within the time that nothing can reach it.

use crate::kernel::compact_ports::{CompactPorts, Place};
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::merge::deferred_set::DeferredSet;
use crate::merge::window_wheel::WindowWheel;
use penstock_model::prefetch::prefetch;
use penstock_model::units::{Duration, Time};

/// No window is longer, so that one in a network of long delays does not hold too much.
const LONGEST_WINDOW: Duration = Duration::from_ms(1_000);

/// The length of windows where `shortest` is the shortest delay: not longer, and not zero.
pub fn window_length(shortest: Duration) -> Duration {
    shortest.clamp(Duration::from_ps(1), LONGEST_WINDOW)
}

/// When the window began that `time` lies in, if windows last for `length`.
pub fn beginning_of_window(time: Time, length: Duration) -> Time {
    Time::from_ps(time.as_ps() / length.as_ps() * length.as_ps())
}

/// The current window: what arrives there, by process, and the processes that have something to do.
#[derive(Debug)]
pub struct Window {
    /// Where the arrivals stand on the wheel.
    arrivals: Vec<u32>,
    /// For each arrival the one before it at the same process, or [`NONE`].
    before: Vec<u32>,
    /// The processes that have something to do; those before `visited` have been visited.
    due: Vec<Due>,
    visited: usize,
    /// Whether each process sends to other shards; nothing if that is not to be known. So many of those that are due, the first ones, do.
    is_border: Vec<bool>,
    border: usize,
    /// Where that stands on the wheel which is known of the next window, and how much of it is asked for at each visit.
    coming: Vec<u32>,
    coming_share: usize,
    /// For each process its place among those that are due, or [`NONE`].
    places: Vec<u32>,
    /// Where the arrivals of one process stand, in order.
    order: Vec<u32>,
    /// The inputs of the process that is visited.
    pub inputs: Inputs,
    /// The ports that processes have lent.
    pub compact: CompactPorts,
    /// For each process whether messages are on their way there; these are in its own inputs.
    has_mail: Vec<bool>,
}

/// A process that has something to do.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Its number.
    pub process: u32,
    /// Its last arrival, or [`NONE`] if it has something to do without any.
    last: u32,
    /// The port that it has lent, if it has.
    pub port: Option<Place>,
}

const NONE: u32 = u32::MAX;
/// More arrivals than this are not sorted by insertion.
const FEW: usize = 16;

impl Window {
    /// An empty window for so many processes; where it is known which of them send to other shards, these come first.
    pub fn new(processes: usize, is_border: Vec<bool>) -> Window {
        let mut inputs = Inputs::new(&[false], None);
        // Those of each process that has some, while it is visited.
        inputs.expect_messages();
        Window {
            arrivals: Vec::new(),
            before: Vec::new(),
            due: Vec::new(),
            visited: 0,
            is_border,
            border: 0,
            coming: Vec::new(),
            coming_share: 0,
            places: vec![NONE; processes],
            order: Vec::new(),
            inputs,
            compact: CompactPorts::new(processes),
            has_mail: vec![false; processes],
        }
    }

    /// Takes what is due in the window of `first`, when the first event is due, up to and including `until`.
    pub fn begin(&mut self, first: Time, until: Time, wheel: &mut WindowWheel<Arrival>, wakeups: &mut DeferredSet) {
        self.arrivals.clear();
        self.before.clear();
        self.due.clear();
        self.visited = 0;
        wheel.take(first, until, &mut self.arrivals);
        for (i, place) in (0..).zip(&self.arrivals) {
            let process = wheel.get(*place).receiver;
            let due = &mut self.places[process as usize];
            if *due == NONE {
                *due = self.due.len() as u32;
                self.due.push(Due { process, last: i, port: self.compact.place(process as usize) });
                self.before.push(NONE);
            } else {
                self.before.push(std::mem::replace(&mut self.due[*due as usize].last, i));
            }
        }
        wakeups.take(until, |process, _| {
            let due = &mut self.places[process];
            if *due == NONE {
                *due = self.due.len() as u32;
                self.due.push(Due { process: process as u32, last: NONE, port: self.compact.place(process) });
            }
        });
        if !self.is_border.is_empty() {
            self.put_border_first();
        }
        self.coming.clear();
        wheel.list_next(&mut self.coming);
        self.coming_share = self.coming.len().div_ceil(self.due.len().max(1));
    }

    /// Puts those that send to other shards before the others.
    fn put_border_first(&mut self) {
        self.border = 0;
        for i in 0..self.due.len() {
            if self.is_border[self.due[i].process as usize] {
                self.due.swap(i, self.border);
                self.border += 1;
            }
        }
    }

    /// Whether all that send to other shards have been visited, of which that is known, and others have not.
    #[inline]
    pub fn is_border_done(&self) -> bool {
        !self.is_border.is_empty() && self.visited == self.border && self.border < self.due.len()
    }

    /// Asks for a part of the memory of the next window.
    #[inline]
    pub fn prefetch_coming(&self, wheel: &WindowWheel<Arrival>) {
        let from = (self.visited * self.coming_share).min(self.coming.len());
        let to = (from + self.coming_share).min(self.coming.len());
        self.coming[from..to].iter().for_each(|place| prefetch(wheel.get(*place)));
    }

    /// The process to be visited after `ahead` others, if there is one.
    #[inline]
    pub fn upcoming(&self, ahead: usize) -> Option<Due> {
        self.due.get(self.visited + ahead).copied()
    }

    /// The last packet that arrives at a process that is due, if any does.
    #[inline]
    pub fn last_arrival<'a>(&self, due: Due, wheel: &'a WindowWheel<Arrival>) -> Option<&'a Arrival> {
        self.arrivals.get(due.last as usize).map(|place| &wheel.get(*place).item)
    }

    /// The next process with something to do.
    #[inline]
    pub fn next(&mut self, wheel: &WindowWheel<Arrival>) -> Option<Due> {
        let due = *self.due.get(self.visited)?;
        self.visited += 1;
        self.gather(due, wheel);
        Some(due)
    }

    /// Puts what arrives at the next process into `inputs`.
    #[inline]
    pub fn fill_inputs(&mut self, wheel: &WindowWheel<Arrival>) {
        let queue = self.inputs.queue(0).expect("there is one input");
        for place in &self.order {
            *queue.add() = wheel.get(*place).item;
        }
    }

    /// Where that stands on the wheel which arrives at the next process, in order, and the ports that processes have lent.
    #[inline]
    pub fn arrivals(&mut self) -> (&[u32], &mut CompactPorts) {
        (&self.order, &mut self.compact)
    }

    /// Lists the arrivals at a process that is due by time, then input, then as they were sent.
    #[inline]
    fn gather(&mut self, due: Due, wheel: &WindowWheel<Arrival>) {
        self.order.clear();
        self.places[due.process as usize] = NONE;
        if due.last != NONE {
            self.order.push(self.arrivals[due.last as usize]);
            let before = self.before[due.last as usize];
            if before != NONE {
                self.gather_from(before, wheel);
            }
        }
    }

    /// Lists those before the last, too.
    #[inline(never)]
    fn gather_from(&mut self, mut next: u32, wheel: &WindowWheel<Arrival>) {
        let Window { order, arrivals, before, .. } = self;
        while next != NONE {
            order.push(arrivals[next as usize]);
            next = before[next as usize];
        }
        order.reverse();
        let key = |place: u32| {
            let delivery = wheel.get(place);
            (delivery.item.at, delivery.input)
        };
        if order.len() > FEW {
            order.sort_by_key(|place| key(*place));
            return;
        }
        for i in 1..order.len() {
            let (moved, moved_key) = (order[i], key(order[i]));
            let mut place = i;
            while place > 0 && key(order[place - 1]) > moved_key {
                order[place] = order[place - 1];
                place -= 1;
            }
            order[place] = moved;
        }
    }

    /// Gives up the rest of the window: what arrives in it is added to `wheel` again; returns the processes.
    pub fn give_up(&mut self, wheel: &mut WindowWheel<Arrival>) -> &[Due] {
        let rest = self.visited;
        self.visited = self.due.len();
        for i in rest..self.due.len() {
            self.gather(self.due[i], wheel);
            self.order.iter().for_each(|place| wheel.put_back(*place));
        }
        &self.due[rest..]
    }

    /// Whether messages are on their way to `process`.
    #[inline]
    pub fn has_mail(&self, process: usize) -> bool {
        self.has_mail[process]
    }

    /// Takes note of whether messages are on their way to `process`.
    pub fn set_mail(&mut self, process: usize, has_mail: bool) {
        self.has_mail[process] = has_mail;
    }
}
