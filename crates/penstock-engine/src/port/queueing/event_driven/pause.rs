//! Pauses of an event-driven port: the far end of the link has stopped some of its packets, or its own pause frames occupy the wire.
//!
//! A queue is paused while any class that it serves is paused, and the scheduler then sees the queue as empty. A port with one queue,
//! or with queues by flow, is paused as a whole.

use crate::api::observations::PausedTime;
use crate::kernel::journal::Measurement;
use crate::port::queueing::event_driven::EventDriven;
use penstock_model::scheduler::{QueueState, Scheduler};
use penstock_model::units::{Duration, Time};
use penstock_model::wire::Wire;

/// The pause timers of a port, and the queues that the scheduler sees as empty.
#[derive(Clone, Debug, Default)]
pub struct Pauses {
    /// End of the last pause frame that this port sends. The wire is busy with such frames until then.
    frames_until: Time,
    /// Timers of the classes that have been paused, and of the whole port if it has been.
    timers: Vec<Timer>,
    /// By queue, the actual state if the scheduler sees it as empty. Has no entries until a queue is paused on its own.
    hidden: Vec<Option<QueueState>>,
    /// No queued packet is sent before this time.
    port_until: Time,
}

/// The pause timer of a class, or of the whole port [IEEE8023 s31B.3].
#[derive(Clone, Copy, Debug)]
struct Timer {
    class: Option<u8>,
    /// Time up to which `total` is complete.
    since: Time,
    until: Time,
    /// Paused time inside the measurement period.
    total: Duration,
}

impl Timer {
    fn count(&mut self, now: Time, measured: &Measurement) {
        self.total = self.total + Duration::from_ps(measured.overlap(self.since, now.min(self.until)));
        self.since = now;
    }
}

impl Pauses {
    fn set_timer(&mut self, now: Time, class: Option<u8>, time: Duration, measured: &Measurement) {
        let index = self.timers.iter().position(|timer| timer.class == class).unwrap_or_else(|| {
            self.timers.push(Timer { class, since: now, until: now, total: Duration::ZERO });
            self.timers.len() - 1
        });
        let timer = &mut self.timers[index];
        timer.count(now, measured);
        timer.until = now + time;
    }

    /// Time at which the last of the timers of these classes expires; zero if there are none.
    fn until(&self, includes: impl Fn(Option<u8>) -> bool) -> Time {
        self.timers.iter().filter(|timer| includes(timer.class)).map(|timer| timer.until).max().unwrap_or(Time::ZERO)
    }

    /// Returns the actual states of all queues; `states` shows paused ones as empty.
    pub fn with_hidden(&self, states: &[QueueState]) -> Vec<QueueState> {
        (0..).zip(states).map(|(queue, state)| *self.hidden(queue).unwrap_or(state)).collect()
    }

    /// Bytes in queues that the scheduler sees as empty.
    pub fn hidden_bytes(&self) -> u64 {
        self.hidden.iter().flatten().map(|state| state.bytes).sum()
    }

    /// Returns the actual state of a queue if the scheduler sees it as empty.
    #[inline]
    pub fn hidden(&self, queue: usize) -> Option<&QueueState> {
        self.hidden.get(queue).and_then(Option::as_ref)
    }
}

/// Replaces the scheduler when a packet joins a paused queue: the scheduler must not learn of the packet.
#[derive(Clone)]
struct Untold;

penstock_model::state! {
    impl Untold, |_it, _now| {}
}

impl Scheduler for Untold {
    fn next(&mut self, _now: Time, _queues: &[QueueState]) -> penstock_model::scheduler::Turn {
        unreachable!("a paused queue is not served")
    }
}

impl EventDriven {
    /// Enables the port to be paused and to send pause frames.
    pub fn make_pausable(&mut self) {
        self.pauses.get_or_insert_default();
    }

    /// Pauses `class`, or the whole port if `None`, for `time` from the next transmission on; a `time` of zero resumes it. A transmission
    /// that has begun is completed [IEEE8023 s31B.3].
    pub fn on_pause(&mut self, now: Time, class: Option<u8>, time: Duration, measured: &Measurement) {
        let is_one = self.is_paused_as_one();
        let Some(pauses) = &mut self.pauses else { unreachable!("a port that may be paused is made so") };
        pauses.set_timer(now, class, time, measured);
        if let (Some(class), false) = (class, is_one) {
            let queue = usize::from(self.queues.of_class[usize::from(class)]);
            if queue < self.queues.queues.len() {
                pauses.hidden.resize(self.queues.queues.len(), None);
                match self.queue_until(queue) > now {
                    true => self.hide(now, queue),
                    false => self.show(now, queue),
                }
            }
        }
        self.reset_port_until();
        let wire = &mut self.queues.wire;
        if wire.backlog > 0 {
            (wire.next_decision, wire.is_held) = (wire.free_at.max(now), false);
        }
    }

    /// Sends a pause frame once the wire is free. Returns the start and end of its transmission, or `None` if the link never recovers.
    pub fn send_pause_frame(&mut self, now: Time, size: u32, wire: &mut Wire) -> Option<(Time, Time)> {
        let free_at = self.queues.wire.free_at;
        let pauses = self.pauses.as_mut().expect("a port that sends pause frames is pausable");
        let start = now.max(free_at).max(pauses.frames_until);
        let end = if start == Time::NEVER { start } else { wire.transmit_unshaped(start, size) };
        pauses.frames_until = end;
        self.reset_port_until();
        (end != Time::NEVER).then_some((start, end))
    }

    /// Iterates over the classes whose pauses hold a packet of this class now; `None` is the whole port.
    pub fn pauses_of(&self, now: Time, class: u8) -> impl Iterator<Item = Option<u8>> + '_ {
        let (queue, is_one) = (self.queues.of_class[usize::from(class)], self.is_paused_as_one());
        let is_its = move |of: Option<u8>| of.is_none_or(|of| is_one || self.queues.of_class[usize::from(of)] == queue);
        let timers = self.pauses.iter().flat_map(|pauses| &pauses.timers);
        timers.filter(move |timer| timer.until > now && is_its(timer.class)).map(|timer| timer.class)
    }

    /// Returns for how long each class, or the whole port, was paused within the measurement period.
    pub fn paused_times(&mut self, measured: &Measurement) -> Vec<PausedTime> {
        let timers = self.pauses.iter_mut().flat_map(|pauses| &mut pauses.timers);
        let mut times: Vec<PausedTime> = timers
            .map(|timer| {
                timer.count(measured.to, measured);
                PausedTime { class: timer.class, time: timer.total }
            })
            .collect();
        times.sort_unstable_by_key(|paused| paused.class);
        times
    }

    /// Time of the next decision or timer at a pausable port: see [`EventDriven::next_decision`].
    #[cold]
    pub(super) fn next_decision_between_pauses(&self) -> Time {
        let port_until = self.pauses.as_ref().map_or(Time::ZERO, |pauses| pauses.port_until);
        self.queues.wire.next_decision.max(port_until).min(self.queues.deadline)
    }

    /// Whether a packet may be sent now. If all waiting packets are paused, schedules the next decision for the end of the first pause.
    #[cold]
    pub(super) fn may_send(&mut self, now: Time) -> bool {
        let Some(pauses) = &self.pauses else { return true };
        if pauses.port_until > now {
            return false;
        }
        for queue in 0..pauses.hidden.len() {
            if self.queue_until(queue) <= now {
                self.show(now, queue);
            }
        }
        let Some(pauses) = &self.pauses else { return true };
        if pauses.hidden.is_empty() || self.queues.states.iter().any(|state| state.packets > 0) {
            return true;
        }
        let waits = |queue: &usize| pauses.hidden(*queue).is_some_and(|state| state.packets > 0);
        let first = (0..pauses.hidden.len()).filter(waits).map(|queue| self.queue_until(queue)).min();
        if let Some(first) = first {
            // A discipline's timer may cause this call while the wire is busy.
            let free_at = self.queues.wire.free_at;
            self.queues.wire.hold_until(first.max(free_at));
        }
        false
    }

    /// Enqueues an accepted packet at a paused queue, without telling the scheduler.
    pub(super) fn enqueue_hidden(&mut self, index: usize, arrival: &crate::kernel::event::Arrival) {
        let pauses = self.pauses.as_mut().expect("it is paused");
        let hidden = pauses.hidden[index].as_mut().expect("the queue is paused");
        self.queues.states[index] = *hidden;
        let mut service_state = self.queues.service_state();
        service_state.queues[index].admit(&arrival.packet);
        service_state.enqueue(index, arrival, arrival.packet.hop, &mut Untold);
        drop(service_state);
        *hidden = std::mem::take(&mut self.queues.states[index]);
    }

    /// Shows a queue to the scheduler as empty.
    pub(super) fn hide(&mut self, now: Time, queue: usize) {
        let Some(pauses) = &mut self.pauses else { return };
        if pauses.hidden[queue].is_none() {
            let state = std::mem::take(&mut self.queues.states[queue]);
            pauses.hidden[queue] = Some(state);
            if state.packets > 0 {
                self.scheduler.on_drop(now, queue, 0, &self.queues.states);
            }
        }
    }

    /// Shows a queue to the scheduler as it is.
    pub(super) fn show(&mut self, now: Time, queue: usize) {
        let hidden = self.pauses.as_mut().and_then(|pauses| pauses.hidden.get_mut(queue));
        let Some(state) = hidden.and_then(Option::take) else { return };
        self.queues.states[queue] = state;
        if state.packets > 0 {
            self.scheduler.on_backlog(now, queue, &self.queues.states);
        }
    }

    /// Calls `act` while a queue, even a paused one, is visible to the scheduler.
    pub(super) fn while_shown<T>(&mut self, now: Time, queue: usize, act: impl FnOnce(&mut EventDriven) -> T) -> T {
        let is_hidden = self.pauses.as_ref().is_some_and(|pauses| pauses.hidden(queue).is_some());
        self.show(now, queue);
        let result = act(self);
        if is_hidden {
            self.hide(now, queue);
        }
        result
    }

    /// Whether classes cannot be paused individually.
    fn is_paused_as_one(&self) -> bool {
        self.queues.queues.len() == 1 || self.queues.flows.is_some()
    }

    fn queue_until(&self, queue: usize) -> Time {
        let is_its = |class: Option<u8>| class.is_some_and(|class| usize::from(self.queues.of_class[usize::from(class)]) == queue);
        self.pauses.as_ref().map_or(Time::ZERO, |pauses| pauses.until(is_its))
    }

    fn reset_port_until(&mut self) {
        let is_one = self.is_paused_as_one();
        if let Some(pauses) = &mut self.pauses {
            pauses.port_until = pauses.until(|class| is_one || class.is_none()).max(pauses.frames_until);
        }
    }
}
