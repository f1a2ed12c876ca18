//! Windows: short intervals in which all due events of all processes are handled, process by process.
//!
//! Packets and messages take at least the shortest delay of all channels. So within a window no longer than that, no process can
//! affect another, and the processes may handle their arrivals in any order. Packets sent go into one wheel of windows
//! ([`crate::merge::window_wheel`]) instead of the receivers' inputs. Each packet is written once and read once, next to others of
//! the same time, and a packet in flight touches no memory of its receiver.
//!
//! Windows suit networks of many processes, each with few events before its horizon.

use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::merge::deferred_set::DeferredSet;
use crate::merge::window_wheel::WindowWheel;
use penstock_model::prefetch::prefetch;
use penstock_model::units::{Duration, Time};

/// Maximum length of a window, so that a window in a network of long delays does not hold too many arrivals.
const LONGEST_WINDOW: Duration = Duration::from_ms(1_000);

/// Returns the length of windows if `shortest` is the shortest delay: no longer than `shortest` (unless that is zero), and not zero.
pub fn window_length(shortest: Duration) -> Duration {
    shortest.clamp(Duration::from_ps(1), LONGEST_WINDOW)
}

/// Returns the start of the window that contains `time`, for windows of this `length`.
pub fn beginning_of_window(time: Time, length: Duration) -> Time {
    Time::from_ps(time.as_ps() / length.as_ps() * length.as_ps())
}

/// The current window: its arrivals by process, and the due processes.
#[derive(Clone, Debug)]
pub struct Window {
    /// Its arrivals.
    pub(super) arrivals: WindowArrivals,
    /// The due hot ports.
    pub ports: DueList,
    /// The due processes that are not hot ports.
    pub processes: DueList,
    /// Wheel slots of the known arrivals of the next window, the number of them prefetched so far, and the number prefetched per visit.
    coming: Vec<u32>,
    asked_for: usize,
    asked_for_at_once: usize,
    /// The inputs of the process being visited.
    pub inputs: Inputs,
    /// For each process, whether it is a hot port.
    is_hot_port: Vec<bool>,
    /// For each process, whether messages to it are in flight. They are in its own inputs.
    pub has_mail: Vec<bool>,
}

/// Due processes, in the order of their visits.
#[derive(Clone, Debug, Default)]
pub struct DueList {
    due: Vec<Due>,
    /// Number of processes visited, from the first on.
    pub(super) visited: usize,
}

/// A due process.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Its number.
    pub process: u32,
    /// Wheel slot of its arrival that was sent first, or [`NONE`] if it is due without an arrival.
    arrival: u32,
}

/// The arrivals of a window.
#[derive(Clone, Debug)]
pub(super) struct WindowArrivals {
    /// Their wheel slots.
    slots: Vec<u32>,
    /// For each arrival, the index in `slots` of the previous one at the same process, or [`NONE`].
    before: Vec<u32>,
    /// For each process, the index in `slots` of its last arrival, or [`NONE`].
    last: Vec<u32>,
    /// Buffer for the wheel slots of several arrivals at one process, in order.
    order: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Window {
    /// Creates an empty window; `is_hot_port` tells for each process whether it is a hot port.
    pub fn new(is_hot_port: Vec<bool>) -> Window {
        let processes = is_hot_port.len();
        let mut inputs = Inputs::new(&[false], None);
        // They hold the messages of a process with mail while it is visited.
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

    /// Prefetches a part of the arrivals of the next window.
    #[inline(always)]
    pub fn prefetch_coming(&mut self, wheel: &WindowWheel<Arrival>) {
        for _ in 0..self.asked_for_at_once {
            let Some(slot) = self.coming.get(self.asked_for) else { return };
            prefetch(wheel.get(*slot));
            self.asked_for += 1;
        }
    }

    /// Gives up the rest of the window: returns the processes not visited, and puts their arrivals back into `wheel`.
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
    /// Returns the arrival that was sent first, if there is one.
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

    /// Returns the number of processes, visited or not.
    pub fn len(&self) -> usize {
        self.due.len()
    }

    /// Returns whether no process has been visited.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.visited == 0
    }

    /// Returns the process to be visited after `ahead` others, if there is one.
    #[inline(always)]
    pub fn upcoming(&self, ahead: usize) -> Option<&Due> {
        self.due.get(self.visited + ahead)
    }

    /// Takes the next process to visit.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Due> {
        let due = *self.due.get(self.visited)?;
        self.visited += 1;
        Some(due)
    }

    /// Returns the processes not visited, and counts them as visited.
    fn take_rest(&mut self) -> &[Due] {
        let rest = std::mem::replace(&mut self.visited, self.due.len());
        &self.due[rest..]
    }
}

impl WindowArrivals {
    /// Returns the wheel slots of the arrivals at a process, by time, then input, then order of sending. Call it once per window and
    /// process.
    #[inline(always)]
    pub(super) fn of(&mut self, process: u32, wheel: &WindowWheel<Arrival>) -> &[u32] {
        let last = std::mem::replace(&mut self.last[process as usize], NONE);
        match self.before.get(last as usize) {
            None => &[],
            Some(&NONE) => std::slice::from_ref(&self.slots[last as usize]),
            Some(_) => self.in_order(last, wheel),
        }
    }

    /// Returns the sorted wheel slots of arrival `next` and all earlier ones at its process.
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
