//! The queues of an event-driven port, by class or created as packets of flows arrive, and its wire; and a view for handling packets.

use crate::api::blueprint::QueuePlan;
use crate::kernel::event::Arrival;
use crate::port::queueing::queue::Queue;
use penstock_model::discipline::{AnyDiscipline, DisciplinePlan, PortContext};
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::scheduler::{AnyScheduler, Hooks, QueueState, Scheduler, Turn};
use penstock_model::transmission::TransmissionTimes;
use penstock_model::units::Time;

/// The queues of a port and the state of its wire.
#[derive(Clone)]
pub(crate) struct Queues {
    pub(crate) queues: Vec<Queue>,
    /// The states of the queues as the scheduler sees them.
    pub(super) states: Vec<QueueState>,
    /// Index of the queue of each possible class.
    pub(super) of_class: [u8; 256],
    pub(super) wire: WireState,
    /// Transmission times at the link's initial rate.
    pub(super) times: TransmissionTimes,
    /// Index of the queue of the packet in service, until its discipline learns that the transmission has ended.
    pub(super) in_service: Option<usize>,
    /// Queues by flow, if the scheduler uses them.
    pub(super) flows: Option<Box<FlowQueues>>,
    /// The hooks that the scheduler uses.
    pub(super) scheduler_hooks: Hooks,
    /// Time at which the scheduler's timer is due.
    pub(super) scheduler_deadline: Time,
    /// A discipline or the scheduler decides about departures.
    pub(super) decides_on_departure: bool,
    /// A discipline may drop waiting packets of any queue.
    pub(super) makes_room: bool,
    /// A discipline or the scheduler uses a timer.
    pub(super) has_timers: bool,
    /// Time at which the first of these timers is due.
    pub(super) deadline: Time,
}

/// How queues are created as packets of flows arrive.
#[derive(Clone)]
pub(super) struct FlowQueues {
    pub(super) plan: DisciplinePlan,
    pub(super) context: PortContext,
    /// Index of the queue of the current arrival, which was classified before any stage wrote to the packet.
    pub(super) chosen: usize,
}

impl Queues {
    /// Returns a view of the queues for handling packets.
    #[inline(always)]
    pub fn service_state(&mut self) -> ServiceState<'_> {
        let Queues { queues, states, of_class, times, wire, .. } = self;
        let queues = &mut queues[..];
        // As long as `queues`, so that an index within the bounds of one is within the bounds of the other.
        let states = &mut states[..queues.len()];
        ServiceState { queues, states, of_class, times, wire: *wire, stored_wire: wire }
    }

    /// Sets the parameters of the disciplines to those in these plans from `now` on; all queues of flows use the first plan.
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

    /// Returns the index of an arrival's queue; creates the queue if the scheduler names a new one.
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

    /// Returns the index of the queue of a packet that has been accepted.
    #[inline(always)]
    pub(super) fn chosen_queue(&self, packet: &Packet) -> usize {
        match &self.flows {
            None => usize::from(self.of_class[usize::from(packet.class)]),
            Some(flows) => flows.chosen,
        }
    }

    /// Updates the time of the first timer: each call of a discipline may move its own timer.
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

    /// Returns the choice of a scheduler that uses the arrival times of the heads.
    #[cold]
    pub(super) fn next_by_heads(&self, now: Time, scheduler: &mut AnyScheduler) -> Turn {
        scheduler.next_by_heads(now, &self.states, &|queue| head_since(&self.queues, queue))
    }

    /// Notifies the discipline of the packet in service if the transmission has ended by `now`.
    #[inline]
    pub(super) fn note_transmission_end(&mut self, now: Time) {
        if self.wire.free_at <= now {
            if let Some(index) = self.in_service.take() {
                self.queues[index].on_transmission_end(self.wire.free_at);
            }
        }
    }
}

/// Arrival time of the head of a queue; `None` if it is empty.
fn head_since(queues: &[Queue], queue: usize) -> Option<Time> {
    queues.get(queue).and_then(|queue| queue.waiting.first()).map(|head| head.at)
}

/// The state of the wire of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireState {
    /// Time at which the wire becomes free; in the past if it is idle.
    pub(super) free_at: Time,
    /// Time of the next decision: as soon as a packet waits, the wire is free and no packet is held back. Only an arrival or a decision
    /// changes it.
    pub next_decision: Time,
    /// The scheduler or a shaper holds all waiting packets back until `next_decision`.
    pub(super) is_held: bool,
    /// Number of packets that wait.
    pub backlog: u64,
}

impl WireState {
    /// Ends a hold at `now`: the next decision is due as soon as the wire is free.
    pub fn release(&mut self, now: Time) {
        if self.is_held {
            (self.next_decision, self.is_held) = (self.free_at.max(now), false);
        }
    }

    /// Holds all waiting packets back until `time`.
    pub fn hold_until(&mut self, time: Time) {
        (self.next_decision, self.is_held) = (time, true);
    }
}

/// View of the queues for handling packets: each field is one step away, and the fields that change with each packet fit registers.
pub(crate) struct ServiceState<'a> {
    pub queues: &'a mut [Queue],
    pub states: &'a mut [QueueState],
    pub(super) of_class: &'a [u8; 256],
    pub times: &'a mut TransmissionTimes,
    pub wire: WireState,
    /// Destination of `wire` when the view is dropped.
    pub(super) stored_wire: &'a mut WireState,
}

impl Drop for ServiceState<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.stored_wire = self.wire;
    }
}

impl ServiceState<'_> {
    /// Returns the index of a packet's queue.
    #[inline(always)]
    pub fn queue_of(&self, packet: &Packet) -> usize {
        usize::from(self.of_class[usize::from(packet.class)])
    }

    /// Enqueues a packet whose next hop is `hop`.
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
        // Whether it is the first packet is unpredictable: a branch would be mispredicted.
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

    /// Updates the state for the transmission, from `now` to `end`, of the head of a queue, of `size` bytes.
    #[inline(always)]
    pub fn on_transmission_start<S: Scheduler + ?Sized>(&mut self, index: usize, now: Time, end: Time, size: u32, scheduler: &mut S) {
        let state = &mut self.states[index];
        state.packets -= 1;
        state.bytes -= u64::from(size);
        if scheduler.reads_heads() {
            // Whether another packet waits is unpredictable too, here and below.
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
