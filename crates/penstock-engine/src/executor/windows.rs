//! Windows: everything that is due anywhere within a short time, process by process.
//!
//! What a process sends takes at least the shortest delay of all channels. So within a window no longer than that, no process
//! can affect another one, and all of them may handle their arrivals there, in any order. What they send goes into one wheel of
//! windows ([`crate::merge::window_wheel`]) instead of the receivers' inputs: a packet is written once and read once, beside
//! others of the same time, and a process has no memory that is touched only because a packet is on its way there.
//!
//! This is for networks of many processes, each with little to do within the time that nothing can reach it.

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
#[derive(Clone, Debug)]
pub struct Window {
    /// Its arrivals.
    pub(super) arrivals: WindowArrivals,
    /// The hot ports that have something to do.
    pub ports: DueList,
    /// The others that have something to do.
    pub processes: DueList,
    /// Where that stands on the wheel which is known of the next window, how much of it has been asked for, and how much is at each visit.
    coming: Vec<u32>,
    asked_for: usize,
    asked_for_at_once: usize,
    /// The inputs of the process that is visited.
    pub inputs: Inputs,
    /// For each process whether it is a hot port.
    is_hot_port: Vec<bool>,
    /// For each process whether messages are on their way there; these are in its own inputs.
    pub has_mail: Vec<bool>,
}

/// Processes that have something to do, in the order of their visits.
#[derive(Clone, Debug, Default)]
pub struct DueList {
    due: Vec<Due>,
    /// The number of processes visited, from the first on.
    pub(super) visited: usize,
}

/// A process that has something to do.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Its number.
    pub process: u32,
    /// Where its first arrival stands on the wheel, or [`NONE`] if it has something to do without any.
    arrival: u32,
}

/// What arrives in a window.
#[derive(Clone, Debug)]
pub(super) struct WindowArrivals {
    /// Where it stands on the wheel.
    slots: Vec<u32>,
    /// For each arrival the one before it at the same process, or [`NONE`].
    before: Vec<u32>,
    /// For each process its last arrival, or [`NONE`].
    last: Vec<u32>,
    /// Where several arrivals of one process stand, in order.
    order: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Window {
    /// An empty window; `is_hot_port` says of each process whether it is a hot port.
    pub fn new(is_hot_port: Vec<bool>) -> Window {
        let processes = is_hot_port.len();
        let mut inputs = Inputs::new(&[false], None);
        // Those of each process that has some, while it is visited.
        inputs.receives_messages = true;
        Window {
            arrivals: WindowArrivals { slots: Vec::new(), before: Vec::new(), last: vec![NONE; processes], order: Vec::new() },
            ports: DueList::default(),
            processes: DueList::default(),
            coming: Vec::new(),
            asked_for: 0,
            asked_for_at_once: 0,
            inputs,
            is_hot_port,
            has_mail: vec![false; processes],
        }
    }

    /// Takes the arrivals in the window of `first`, the time of the first event, up to and including `until`.
    pub fn begin(&mut self, first: Time, until: Time, wheel: &mut WindowWheel<Arrival>, wakeups: &mut DeferredSet) {
        let Window { arrivals: WindowArrivals { slots, before, last, .. }, ports, processes, is_hot_port, .. } = self;
        slots.clear();
        before.clear();
        ports.clear();
        processes.clear();
        let mut push = |process: u32, arrival: u32| {
            let list = if is_hot_port[process as usize] { &mut *ports } else { &mut *processes };
            list.due.push(Due { process, arrival });
        };
        wheel.take(first, until, slots);
        for (i, slot) in (0..).zip(&*slots) {
            let process = wheel.get(*slot).receiver;
            let previous = std::mem::replace(&mut last[process as usize], i);
            before.push(previous);
            if previous == NONE {
                push(process, *slot);
            }
        }
        wakeups.take(until, |process, _| {
            if last[process] == NONE {
                push(process as u32, NONE);
            }
        });
        self.coming.clear();
        wheel.list_next(&mut self.coming);
        self.asked_for = 0;
        self.asked_for_at_once = self.coming.len().div_ceil((ports.len() + processes.len()).max(1));
    }

    /// Asks for a part of the memory of the next window.
    #[inline(always)]
    pub fn prefetch_coming(&mut self, wheel: &WindowWheel<Arrival>) {
        for _ in 0..self.asked_for_at_once {
            let Some(slot) = self.coming.get(self.asked_for) else { return };
            prefetch(wheel.get(*slot));
            self.asked_for += 1;
        }
    }

    /// Gives up the rest of the window: what arrives in it is added to `wheel` again; returns the processes.
    pub fn give_up<'a>(&'a mut self, wheel: &'a mut WindowWheel<Arrival>) -> impl Iterator<Item = usize> + 'a {
        let Window { arrivals, ports, processes, .. } = self;
        let rest = ports.take_rest().iter().chain(processes.take_rest()).map(|due| due.process);
        rest.map(move |process| {
            arrivals.of(process, wheel).iter().for_each(|slot| wheel.put_back(*slot));
            process as usize
        })
    }
}

impl Due {
    /// The first packet that was sent to arrive there, if any does.
    #[inline(always)]
    pub fn arrival<'a>(&self, wheel: &'a WindowWheel<Arrival>) -> Option<&'a Arrival> {
        (self.arrival != NONE).then(|| &wheel.get(self.arrival).item)
    }
}

impl DueList {
    fn clear(&mut self) {
        self.due.clear();
        self.visited = 0;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.due.len()
    }

    /// Whether none has been visited.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.visited == 0
    }

    /// The one to be visited after `ahead` others, if there is one.
    #[inline(always)]
    pub fn upcoming(&self, ahead: usize) -> Option<&Due> {
        self.due.get(self.visited + ahead)
    }

    /// The next one.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Due> {
        let due = *self.due.get(self.visited)?;
        self.visited += 1;
        Some(due)
    }

    /// Those that have not been visited, as if they had.
    fn take_rest(&mut self) -> &[Due] {
        let rest = std::mem::replace(&mut self.visited, self.due.len());
        &self.due[rest..]
    }
}

impl WindowArrivals {
    /// Returns the wheel's slots of the arrivals at a process, by time, then input, then order of sending. To be called once per window.
    #[inline(always)]
    pub(super) fn of(&mut self, process: u32, wheel: &WindowWheel<Arrival>) -> &[u32] {
        let last = std::mem::replace(&mut self.last[process as usize], NONE);
        match self.before.get(last as usize) {
            None => &[],
            Some(&NONE) => std::slice::from_ref(&self.slots[last as usize]),
            Some(_) => self.in_order(last, wheel),
        }
    }

    /// Lists `next` and those before it.
    #[inline(never)]
    fn in_order(&mut self, mut next: u32, wheel: &WindowWheel<Arrival>) -> &[u32] {
        let WindowArrivals { order, slots, before, .. } = self;
        order.clear();
        while next != NONE {
            order.push(slots[next as usize]);
            next = before[next as usize];
        }
        order.reverse();
        order.sort_by_key(|slot| (wheel.get(*slot).item.at, wheel.get(*slot).input));
        order
    }
}
