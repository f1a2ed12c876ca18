//! Service mode: a port that decides who goes next whenever its wire becomes free.

use crate::api::blueprint::{PortPlan, QueuePlan};
use crate::kernel::channel::Arrival;
use crate::port::queueing::queue::Queue;
use crate::port::wire::Wire;
use penstock_model::discipline::{PortContext, Verdict};
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

/// The queues while somebody is at work on them: everything is one step away, and what changes with each packet can be in
/// registers.
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
        let queues = Queues {
            queues: plan.queues.iter().map(queue).collect(),
            states: vec![QueueState::default(); plan.queues.len()],
            of_class,
            wire: WireState { free_at: Time::ZERO, next_decision: Time::NEVER, is_held: false, backlog: 0 },
            times: TransmissionTimes::new(context.rate),
            unsettled: None,
        };
        let scheduler = AnyScheduler::new(&plan.scheduler, &classes, context.rate);
        EventDriven { scheduler, queues, is_paused: false }
    }

    /// What the discipline of the packet's queue says of it.
    #[inline]
    pub fn decide(&mut self, now: Time, packet: &Packet) -> Verdict {
        let EventDriven { queues, .. } = self;
        queues.settle(now);
        let service_state = queues.service_state();
        let index = service_state.index(packet);
        service_state.queues[index].decide(now, packet, &service_state.states[index])
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

    /// When the next decision is due.
    #[inline]
    pub fn next_decision(&self) -> Time {
        if self.is_paused {
            return Time::NEVER;
        }
        self.queues.wire.next_decision
    }

    /// Stops before the next transmission, or goes on. What is on the wire is completed [IEEE802.3 Annex 31B].
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
    pub fn begin(&mut self, now: Time, wire: &mut Wire) -> Option<(usize, Time)> {
        let EventDriven { scheduler, queues, is_paused } = self;
        queues.settle(now);
        if queues.wire.backlog == 0 || queues.wire.free_at > now || *is_paused {
            return None;
        }
        let index = match scheduler.next(now, &queues.states) {
            Turn::Queue(index) => index,
            Turn::NotBefore(time) => {
                debug_assert!(time > now, "who holds packets back says until when");
                queues.wire.hold_until(time);
                return None;
            }
        };
        let Packet { size, precedence, .. } = queues.queues[index].head().packet;
        let ready = wire.ready(now, size);
        if ready > now {
            queues.wire.hold_until(ready);
            return None;
        }
        let (_, end) = wire.transmit(now, size);
        if queues.queues[index].begin(size, precedence) {
            queues.unsettled = Some(index);
        }
        queues.service_state().sent(index, now, end, size, scheduler);
        Some((index, end))
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
