//! Event-driven service: a port that decides about the next departure whenever its wire becomes free.

use crate::api::blueprint::{PortPlan, QueuePlan};
use crate::kernel::event::Arrival;
use crate::port::queueing::queue::Queue;
use crate::port::stages::Records;
use crate::port::verdict::{self, Decision, Standing};
use crate::port::wire::Wire;
use penstock_model::discipline::{DepartureVerdict, DropCause, Hooks, Leave, PortContext, Verdict};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{AnyScheduler, QueueState, Scheduler, Turn};
use penstock_model::transmission::TransmissionTimes;
use penstock_model::units::Time;

/// The queues of a port, and their scheduler.
pub struct EventDriven {
    pub(crate) scheduler: AnyScheduler,
    pub(crate) queues: Queues,
    /// Told to stop by the far end of the link.
    is_paused: bool,
}

/// The queues of a port, and what its wire is doing.
pub(crate) struct Queues {
    queues: Vec<Queue>,
    /// What a scheduler sees of them.
    states: Vec<QueueState>,
    /// The queue of each class that there may be.
    of_class: [u8; 256],
    wire: WireState,
    /// At the link's first rate.
    times: TransmissionTimes,
    /// The queue whose discipline is to learn when the packet in service has left.
    unsettled: Option<usize>,
    /// A discipline decides about departures.
    decides_on_departure: bool,
    /// A discipline uses a timer.
    has_timers: bool,
    /// When the first of their timers is due.
    deadline: Time,
}

/// What the wire of a port is doing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireState {
    /// When it is free; the past when it is idle.
    free_at: Time,
    /// When the next decision is due: as soon as something waits, the wire is free and nothing holds back what waits. Only
    /// an arrival or a decision changes it.
    pub next_decision: Time,
    /// The scheduler or a shaper holds back until then whatever waits now.
    is_held: bool,
    /// Packets that wait.
    pub backlog: u64,
}

impl WireState {
    /// Nothing that waits now may go before `time`.
    pub fn hold_until(&mut self, time: Time) {
        (self.next_decision, self.is_held) = (time, true);
    }
}

/// The queues while packets are handled: everything is one step away, and what changes with each packet can be in registers.
pub(crate) struct ServiceState<'a> {
    pub queues: &'a mut [Queue],
    pub states: &'a mut [QueueState],
    of_class: &'a [u8; 256],
    pub times: &'a mut TransmissionTimes,
    pub wire: WireState,
    /// Where that is written down in the end.
    kept: &'a mut WireState,
}

impl EventDriven {
    /// Empty queues.
    pub fn new(plan: &PortPlan, context: &PortContext) -> EventDriven {
        let queue = |queue: &QueuePlan| {
            let key = if queue.name.is_empty() { context.key } else { context.key.child(&queue.name) };
            Queue::new(&queue.discipline, &PortContext { key, ..*context })
        };
        let mut classes = plan.classes.clone();
        if classes.is_empty() {
            classes.resize(plan.queues.len(), ClassPlan::default());
        }
        let mut of_class = [u8::MAX; 256];
        of_class[..plan.queue_of_class.len()].copy_from_slice(&plan.queue_of_class);
        let mut queues = Queues {
            queues: plan.queues.iter().map(queue).collect(),
            states: vec![QueueState::default(); plan.queues.len()],
            of_class,
            wire: WireState { free_at: Time::ZERO, next_decision: Time::NEVER, is_held: false, backlog: 0 },
            times: TransmissionTimes::new(context.rate),
            unsettled: None,
            decides_on_departure: false,
            has_timers: false,
            deadline: Time::NEVER,
        };
        let hooks = queues.queues.iter().fold(Hooks::ARRIVAL, |hooks, queue| hooks.and(queue.hooks()));
        (queues.decides_on_departure, queues.has_timers) = (hooks.has(Hooks::DEPARTURE), hooks.has(Hooks::TIMER));
        queues.reset_deadline();
        let scheduler = AnyScheduler::new(&plan.scheduler, &classes, context.rate);
        EventDriven { scheduler, queues, is_paused: false }
    }

    /// What the discipline of the packet's queue decides about its arrival, once it has evicted what it wants to.
    #[inline]
    pub fn decide(&mut self, now: Time, packet: &Packet, records: &mut Records<'_>) -> Decision {
        let EventDriven { queues, .. } = self;
        queues.settle(now);
        let index = queues.index(packet);
        let verdict = queues.queues[index].on_arrival(now, packet, &queues.states[index]);
        if let Verdict::Evict { position, cause } = verdict {
            return self.decide_with_evictions((index, position, cause), now, packet, records);
        }
        queues.reset_deadline();
        verdict.into()
    }

    /// Carries out an eviction and those that follow, at most as many as packets wait.
    #[cold]
    fn decide_with_evictions(
        &mut self,
        (index, mut position, mut cause): (usize, u32, DropCause),
        now: Time,
        packet: &Packet,
        records: &mut Records<'_>,
    ) -> Decision {
        loop {
            self.drop_waiting(now, (index, position as usize), Leave::Evicted(cause), cause, records);
            let Queues { queues, states, .. } = &mut self.queues;
            debug_assert!(queues[index].hooks().has(Hooks::EVICTION), "evictions are declared");
            match queues[index].on_arrival(now, packet, &states[index]) {
                Verdict::Evict { position: next, cause: why } => (position, cause) = (next, why),
                verdict => {
                    self.queues.reset_deadline();
                    return verdict.into();
                }
            }
        }
    }

    /// Drops the packet at a position of a queue. Whatever waits may then be asked for at once, if the wire is free.
    #[cold]
    fn drop_waiting(&mut self, now: Time, (index, position): (usize, usize), why: Leave, cause: DropCause, records: &mut Records<'_>) {
        let EventDriven { queues: Queues { queues, states, wire, .. }, scheduler, .. } = self;
        let Arrival { at, packet } = queues[index].remove(position, now, why);
        let state = &mut states[index];
        state.packets -= 1;
        state.bytes -= u64::from(packet.size);
        state.head = queues[index].waiting.first().map_or(0, |head| head.packet.size);
        wire.backlog -= 1;
        wire.is_held = false;
        wire.next_decision = if wire.backlog > 0 { wire.free_at.max(now) } else { Time::NEVER };
        scheduler.on_drop(now, index, packet.size, states);
        let standing = Standing::Waiting(at);
        verdict::apply::<true>(Decision::Drop(cause), standing, now, &packet, records.counters, records.journal);
    }

    /// Queues an accepted packet.
    #[inline]
    pub fn push(&mut self, now: Time, packet: Packet) {
        let EventDriven { queues, scheduler, .. } = self;
        let mut service_state = queues.service_state();
        let index = service_state.index(&packet);
        service_state.queues[index].admit(&packet);
        service_state.push(index, &Arrival { at: now, packet }, packet.hop, scheduler);
    }

    /// When the next decision, or a timer, is due.
    #[inline]
    pub fn next_decision(&self) -> Time {
        if self.is_paused {
            return self.queues.deadline;
        }
        self.queues.wire.next_decision.min(self.queues.deadline)
    }

    /// Calls the disciplines whose timers are due.
    #[inline]
    pub fn run_timers(&mut self, now: Time) {
        if self.queues.deadline <= now {
            self.queues.run_timers(now);
        }
    }

    /// Stops before the next transmission, or goes on. What is on the wire is completed [IEEE8023 s31B].
    pub fn on_pause(&mut self, now: Time, stops: bool) {
        if self.is_paused && !stops {
            self.queues.wire.next_decision = self.queues.wire.next_decision.max(now);
        }
        self.is_paused = stops;
    }

    /// Only one queue: its decisions leave no choice.
    #[inline]
    pub fn has_one_queue(&self) -> bool {
        self.queues.queues.len() == 1
    }

    /// Begins the next transmission, if the wire is free and something may go: of which queue, and when it ends. The packet
    /// is that queue's [`EventDriven::head`] until it is [taken off](EventDriven::take_off).
    #[inline]
    pub fn begin(&mut self, now: Time, wire: &mut Wire, records: &mut Records<'_>) -> Option<(usize, Time)> {
        self.queues.settle(now);
        let (index, size) = loop {
            let EventDriven { scheduler, queues, is_paused } = self;
            if queues.wire.backlog == 0 || queues.wire.free_at > now || *is_paused {
                return None;
            }
            let index = match scheduler.next(now, &queues.states) {
                Turn::Queue(index) => index,
                Turn::NotBefore(time) => {
                    debug_assert!(time > now, "a scheduler that holds packets back says until when");
                    queues.wire.hold_until(time);
                    return None;
                }
            };
            let size = queues.queues[index].head().packet.size;
            let ready = wire.ready(now, size);
            if ready > now {
                queues.wire.hold_until(ready);
                return None;
            }
            if !queues.decides_on_departure || self.decide_departure(now, index, records) {
                break (index, size);
            }
        };
        let EventDriven { scheduler, queues, .. } = self;
        let (_, end) = wire.transmit(now, size);
        if queues.queues[index].begin(now) {
            queues.unsettled = Some(index);
        }
        queues.service_state().sent(index, now, end, size, scheduler);
        Some((index, end))
    }

    /// Whether the discipline of a queue lets its head go, which may be marked; otherwise it has been dropped.
    #[inline]
    fn decide_departure(&mut self, now: Time, index: usize, records: &mut Records<'_>) -> bool {
        let queues = &mut self.queues;
        let verdict = queues.queues[index].on_departure(now);
        queues.reset_deadline();
        match verdict {
            DepartureVerdict::Send => return true,
            DepartureVerdict::Mark => {
                let Arrival { at, packet } = queues.queues[index].waiting.get_mut(0);
                let standing = Standing::Waiting(*at);
                let ecn = verdict::apply::<true>(Decision::Mark, standing, now, packet, records.counters, records.journal);
                packet.ecn = ecn.unwrap_or(packet.ecn);
                return true;
            }
            DepartureVerdict::Drop(cause) => self.drop_waiting(now, (index, 0), Leave::Dropped(cause), cause, records),
        }
        false
    }

    /// The first packet of a queue, and when it arrived. Panics if there is none.
    #[inline]
    pub fn head(&self, queue: usize) -> &Arrival {
        self.queues.queues[queue].head()
    }

    /// Takes the first packet off a queue.
    #[inline]
    pub fn take_off(&mut self, queue: usize) {
        self.queues.queues[queue].waiting.consume(1);
    }

    /// When the last transmission that has begun ends.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.queues.wire.free_at
    }

    /// Packets that wait.
    pub fn waiting(&self) -> u32 {
        self.queues.wire.backlog as u32
    }

    /// The waiting packets, and when each arrived.
    pub fn waiting_packets(&self) -> impl Iterator<Item = &Arrival> + '_ {
        self.queues.queues.iter().flat_map(|queue| queue.waiting.iter())
    }

    /// Packets that wait, or whose transmission never ends because the link does not recover.
    pub fn held(&self) -> u64 {
        self.queues.wire.backlog + u64::from(self.queues.wire.free_at == Time::NEVER)
    }
}

impl Queues {
    /// The queues to work on.
    #[inline(always)]
    pub fn service_state(&mut self) -> ServiceState<'_> {
        let Queues { queues, states, of_class, times, wire, .. } = self;
        let queues = &mut queues[..];
        // As many as there are queues: so an index that is within the one is within the other.
        let states = &mut states[..queues.len()];
        ServiceState { queues, states, of_class, times, wire: *wire, kept: wire }
    }

    /// Whether all queues drop tails, by what waits.
    pub fn drop_tails(&self) -> bool {
        self.queues.iter().all(|queue| queue.tail_drop().is_some())
    }

    /// The queue of a packet.
    #[inline(always)]
    fn index(&self, packet: &Packet) -> usize {
        usize::from(self.of_class[usize::from(packet.class)])
    }

    /// Notes when the next timer of a discipline is due, which each call may move.
    #[inline]
    fn reset_deadline(&mut self) {
        if self.has_timers {
            self.deadline = self.queues.iter().map(Queue::next_deadline).min().unwrap_or(Time::NEVER);
        }
    }

    #[cold]
    fn run_timers(&mut self, now: Time) {
        self.settle(now);
        self.queues.iter_mut().for_each(|queue| queue.run_timer(now));
        self.reset_deadline();
    }

    /// Lets a discipline that counts it know that a transmission has ended by `now`.
    #[inline]
    fn settle(&mut self, now: Time) {
        if self.wire.free_at <= now {
            if let Some(index) = self.unsettled.take() {
                self.queues[index].settle(self.wire.free_at);
            }
        }
    }
}

impl Drop for ServiceState<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.kept = self.wire;
    }
}

impl ServiceState<'_> {
    /// The queue of a packet.
    #[inline(always)]
    pub fn index(&self, packet: &Packet) -> usize {
        usize::from(self.of_class[usize::from(packet.class)])
    }

    /// Queues a packet that is to go on to `hop`.
    #[inline(always)]
    pub fn push<S: Scheduler + ?Sized>(&mut self, index: usize, arrival: &Arrival, hop: HopId, scheduler: &mut S) {
        let Arrival { at: now, packet } = arrival;
        let (now, size) = (*now, packet.size);
        let place = self.queues[index].waiting.add();
        place.at = now;
        place.packet = *packet;
        place.packet.hop = hop;
        self.wire.backlog += 1;
        let state = &mut self.states[index];
        state.packets += 1;
        state.bytes += u64::from(size);
        // Whether it is the first is often anyone's guess: a jump would be mispredicted.
        let is_first = state.packets == 1;
        if scheduler.reads_heads() {
            state.head = std::hint::select_unpredictable(is_first, size, state.head);
        }
        if !self.wire.is_held || is_first {
            self.wire.next_decision = self.wire.free_at.max(now);
            self.wire.is_held = false;
        }
        scheduler.on_packet(now, index, self.states);
    }

    /// The first packet of a queue, of `size` bytes, is on the wire from `now` to `end`.
    #[inline(always)]
    pub fn sent<S: Scheduler + ?Sized>(&mut self, index: usize, now: Time, end: Time, size: u32, scheduler: &mut S) {
        let state = &mut self.states[index];
        state.packets -= 1;
        state.bytes -= u64::from(size);
        if scheduler.reads_heads() {
            // The same of whether another waits, here and below.
            let next = self.queues[index].waiting.second_or_old().packet.size;
            state.head = std::hint::select_unpredictable(state.packets > 0, next, 0);
        }
        self.wire.backlog -= 1;
        self.wire.free_at = end;
        self.wire.is_held = false;
        self.wire.next_decision = std::hint::select_unpredictable(self.wire.backlog > 0, end, Time::NEVER);
        scheduler.on_sent(now, index, size, self.states);
    }
}
