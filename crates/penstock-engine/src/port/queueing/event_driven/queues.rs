//! The queues of an event-driven port, by class or made as packets of flows arrive, and its wire; also while packets are handled.

use crate::api::blueprint::QueuePlan;
use crate::kernel::event::Arrival;
use crate::port::queueing::queue::Queue;
use penstock_model::discipline::{AnyDiscipline, DisciplinePlan, PortContext};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::scheduler::{AnyScheduler, Hooks, QueueState, Scheduler, Turn};
use penstock_model::transmission::TransmissionTimes;
use penstock_model::units::Time;

/// The queues of a port, and the state of its wire.
#[derive(Clone)]
pub(crate) struct Queues {
    pub(crate) queues: Vec<Queue>,
    /// Their state, as a scheduler sees it.
    pub(super) states: Vec<QueueState>,
    /// The queue of each class that there may be.
    pub(super) of_class: [u8; 256],
    pub(super) wire: WireState,
    /// At the link's first rate.
    pub(super) times: TransmissionTimes,
    /// The queue of the packet in service, until its discipline learns that the transmission has ended.
    pub(super) in_service: Option<usize>,
    /// How queues of flows are made, where the scheduler has such.
    pub(super) flows: Option<Box<FlowQueues>>,
    /// What the scheduler uses.
    pub(super) scheduler_hooks: Hooks,
    /// When its timer is due.
    pub(super) scheduler_deadline: Time,
    /// A discipline or the scheduler decides about departures.
    pub(super) decides_on_departure: bool,
    /// A discipline drops what waits in any queue.
    pub(super) makes_room: bool,
    /// A discipline or the scheduler uses a timer.
    pub(super) has_timers: bool,
    /// When the first of their timers is due.
    pub(super) deadline: Time,
}

/// Queues that are made as packets of flows arrive.
#[derive(Clone)]
pub(super) struct FlowQueues {
    pub(super) plan: DisciplinePlan,
    pub(super) context: PortContext,
    /// The queue of the arrival that is being handled, as it was classified before anything was written into it.
    pub(super) chosen: usize,
}

impl Queues {
    /// The queues, for handling packets.
    #[inline(always)]
    pub fn service_state(&mut self) -> ServiceState<'_> {
        let Queues { queues, states, of_class, times, wire, .. } = self;
        let queues = &mut queues[..];
        // As many as there are queues: so an index that is within the one is within the other.
        let states = &mut states[..queues.len()];
        ServiceState { queues, states, of_class, times, wire: *wire, stored_wire: wire }
    }

    /// Gives the disciplines the parameters of these plans from `now` on; all flow queues share the first.
    pub fn change(&mut self, now: Time, plans: &[QueuePlan]) {
        if let Some(flows) = &mut self.flows {
            flows.plan = plans[0].discipline.clone();
        }
        let of_flows = self.flows.is_some();
        for (i, queue) in self.queues.iter_mut().enumerate() {
            queue.change(now, &plans[if of_flows { 0 } else { i }].discipline);
        }
        self.reset_deadline();
    }

    /// The queue of an arrival; one of the scheduler's is made if it is not there yet.
    #[inline(always)]
    pub(super) fn queue_of(&mut self, now: Time, packet: &Packet, scheduler: &mut AnyScheduler) -> usize {
        match &self.flows {
            None => usize::from(self.of_class[usize::from(packet.class)]),
            Some(_) => self.classify(now, packet, scheduler),
        }
    }

    fn classify(&mut self, now: Time, packet: &Packet, scheduler: &mut AnyScheduler) -> usize {
        let flows = self.flows.as_deref_mut().expect("the scheduler makes queues");
        flows.chosen = scheduler.classify(now, packet);
        while self.queues.len() <= flows.chosen {
            let FlowQueues { plan, context, .. } = &*flows;
            let site = context.site.with_key(context.site.key.child("flow-queue").nth(self.queues.len() as u64));
            self.queues.push(Queue::new(AnyDiscipline::new(plan, &PortContext { site, ..context.clone() })));
            self.states.push(QueueState::default());
        }
        flows.chosen
    }

    /// The queue of a packet that has been accepted.
    #[inline(always)]
    pub(super) fn chosen_queue(&self, packet: &Packet) -> usize {
        match &self.flows {
            None => usize::from(self.of_class[usize::from(packet.class)]),
            Some(flows) => flows.chosen,
        }
    }

    /// Notes when the next timer is due: each call of a discipline may move its own.
    #[inline]
    pub(super) fn reset_deadline(&mut self) {
        if self.has_timers {
            let of_queues = self.queues.iter().map(Queue::next_deadline).min().unwrap_or(Time::NEVER);
            self.deadline = of_queues.min(self.scheduler_deadline);
        }
    }

    #[cold]
    pub(super) fn run_timers(&mut self, now: Time, scheduler: &mut AnyScheduler) {
        self.note_transmission_end(now);
        self.queues.iter_mut().for_each(|queue| queue.run_timer(now));
        while self.scheduler_deadline <= now {
            let due = self.scheduler_deadline;
            scheduler.on_timer(due, &|queue| head_since(&self.queues, queue));
            self.scheduler_deadline = scheduler.next_deadline();
            assert!(self.scheduler_deadline > due, "a timer is set to a later time");
        }
        self.reset_deadline();
    }

    /// The scheduler's choice by the arrival times of the heads.
    #[cold]
    pub(super) fn next_by_heads(&self, now: Time, scheduler: &mut AnyScheduler) -> Turn {
        scheduler.next_by_heads(now, &self.states, &|queue| head_since(&self.queues, queue))
    }

    /// Tells the discipline of the packet in service that its transmission has ended by `now`.
    #[inline]
    pub(super) fn note_transmission_end(&mut self, now: Time) {
        if self.wire.free_at <= now {
            if let Some(index) = self.in_service.take() {
                self.queues[index].on_transmission_end(self.wire.free_at);
            }
        }
    }
}

/// When the head of a queue arrived; `None` if nothing waits there.
fn head_since(queues: &[Queue], queue: usize) -> Option<Time> {
    queues.get(queue).and_then(|queue| queue.waiting.first()).map(|head| head.at)
}

/// The state of the wire of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireState {
    /// When it is free; the past when it is idle.
    pub(super) free_at: Time,
    /// When the next decision is due: as soon as something waits, the wire is free and nothing is held back. Only an arrival or
    /// a decision changes it.
    pub next_decision: Time,
    /// The scheduler or a shaper holds back until then everything that waits now.
    pub(super) is_held: bool,
    /// Packets that wait.
    pub backlog: u64,
}

impl WireState {
    /// Nothing holds packets back any more, as far as is known at `now`.
    pub fn release(&mut self, now: Time) {
        if self.is_held {
            (self.next_decision, self.is_held) = (self.free_at.max(now), false);
        }
    }

    /// Nothing that waits now may be sent before `time`.
    pub fn hold_until(&mut self, time: Time) {
        (self.next_decision, self.is_held) = (time, true);
    }
}

/// The queues while packets are handled: everything is one step away, and what changes with each packet can be in registers.
pub(crate) struct ServiceState<'a> {
    pub queues: &'a mut [Queue],
    pub states: &'a mut [QueueState],
    pub(super) of_class: &'a [u8; 256],
    pub times: &'a mut TransmissionTimes,
    pub wire: WireState,
    /// Where the wire's state is stored in the end.
    pub(super) stored_wire: &'a mut WireState,
}

impl Drop for ServiceState<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.stored_wire = self.wire;
    }
}

impl ServiceState<'_> {
    /// The queue of a packet.
    #[inline(always)]
    pub fn queue_of(&self, packet: &Packet) -> usize {
        usize::from(self.of_class[usize::from(packet.class)])
    }

    /// Queues a packet that is to go on to `hop`.
    #[inline(always)]
    pub fn enqueue<S: Scheduler + ?Sized>(&mut self, index: usize, arrival: &Arrival, hop: HopId, scheduler: &mut S) {
        let Arrival { at: now, packet } = arrival;
        let (now, size) = (*now, packet.size);
        let slot = self.queues[index].waiting.add();
        slot.at = now;
        slot.packet = *packet;
        slot.packet.hop = hop;
        self.wire.backlog += 1;
        let state = &mut self.states[index];
        state.packets += 1;
        state.bytes += u64::from(size);
        // Whether it is the first is unpredictable: a branch would be mispredicted.
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
    pub fn on_transmission_start<S: Scheduler + ?Sized>(&mut self, index: usize, now: Time, end: Time, size: u32, scheduler: &mut S) {
        let state = &mut self.states[index];
        state.packets -= 1;
        state.bytes -= u64::from(size);
        if scheduler.reads_heads() {
            // So is whether another one waits, here and below.
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
