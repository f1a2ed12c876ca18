//! Event-driven service: the port decides about the next departure whenever its wire becomes free.

mod eviction;
mod pause;
pub mod queues;

use crate::api::blueprint::{PortPlan, QueuePlan};
use crate::kernel::event::Arrival;
use crate::port::queueing::event_driven::queues::{FlowQueues, Queues, WireState};
use crate::port::queueing::queue::Queue;
use crate::port::verdict::{DecisionPoint, Records};
use penstock_model::discipline::{AnyDiscipline, DepartureVerdict, Discipline, Eviction, Hooks, Leave, PortContext, Verdict};
use penstock_model::packet::Packet;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{self, AnyScheduler, QueueState, Scheduler, SchedulerContext, Turn};
use penstock_model::transmission::TransmissionTimes;
use penstock_model::units::Time;
use penstock_model::wire::Wire;
use std::borrow::Cow;
use std::sync::Arc;

/// Returns the classes of the scheduler. A blueprint written by hand may have none: then each queue has one with default parameters.
fn classes_of(plan: &PortPlan) -> Cow<'_, [ClassPlan]> {
    match plan.classes.is_empty() {
        true => vec![ClassPlan::default(); plan.queues.len()].into(),
        false => (&plan.classes[..]).into(),
    }
}

/// The queues of a port and their scheduler.
#[derive(Clone)]
pub struct EventDriven {
    pub(crate) scheduler: AnyScheduler,
    pub(crate) queues: Queues,
    /// Pauses, if the port can be paused or send pause frames.
    pauses: Option<Box<pause::Pauses>>,
}

impl EventDriven {
    /// Creates empty queues.
    pub fn new(plan: &PortPlan, context: &PortContext) -> EventDriven {
        let queue = |queue: &QueuePlan| {
            let site = if queue.name.is_empty() { context.site.clone() } else { context.site.of_class(&queue.name) };
            Queue::new(AnyDiscipline::new(&queue.discipline, &PortContext { site, ..context.clone() }))
        };
        let mut of_class = [u8::MAX; 256];
        of_class[..plan.queue_of_class.len()].copy_from_slice(&plan.queue_of_class);
        let context_of_scheduler =
            SchedulerContext { site: context.site.clone(), framing: context.framing, traffic: Arc::clone(&context.traffic) };
        let wire = context_of_scheduler.wire();
        let scheduler = AnyScheduler::new(&plan.scheduler, &classes_of(plan), context_of_scheduler);
        let scheduler_hooks = scheduler.hooks();
        let flow_queues = |plan: &QueuePlan| Box::new(FlowQueues { plan: plan.discipline.clone(), context: context.clone(), chosen: 0 });
        let flows = scheduler_hooks.has(scheduler::Hooks::QUEUES).then(|| flow_queues(&plan.queues[0]));
        let of_classes = if flows.is_some() { &[][..] } else { &plan.queues[..] };
        let hooks = plan.queues.iter().fold(Hooks::ARRIVAL, |hooks, queue| hooks.and(queue.discipline.hooks()));
        let mut queues = Queues {
            queues: of_classes.iter().map(queue).collect(),
            states: vec![QueueState::default(); of_classes.len()],
            of_class,
            flows,
            wire: WireState { free_at: Time::ZERO, next_decision: Time::NEVER, is_held: false, backlog: 0 },
            times: TransmissionTimes::new(wire),
            in_service: None,
            scheduler_hooks,
            scheduler_deadline: scheduler.next_deadline(),
            decides_on_departure: scheduler_hooks.has(scheduler::Hooks::DEPARTURE) || hooks.has(Hooks::DEPARTURE),
            makes_room: hooks.has(Hooks::ROOM),
            has_timers: scheduler_hooks.has(scheduler::Hooks::TIMER) || hooks.has(Hooks::TIMER),
            deadline: Time::NEVER,
        };
        queues.reset_deadline();
        EventDriven { scheduler, queues, pauses: None }
    }

    /// Decides about an arrival: the scheduler may drop it first, then the discipline of its queue decides. Carries out evictions.
    #[inline]
    pub fn decide(&mut self, now: Time, packet: &Packet, records: &mut Records<'_>) -> Verdict {
        let EventDriven { queues, scheduler, .. } = self;
        queues.note_transmission_end(now);
        let index = queues.queue_of(now, packet, scheduler);
        if queues.scheduler_hooks.has(scheduler::Hooks::ARRIVAL) {
            let verdict = scheduler.on_arrival(now, packet, index, &queues.states);
            if verdict != Verdict::Accept {
                queues.queues[index].discipline.on_refusal(now, packet);
                return verdict;
            }
        }
        if queues.makes_room {
            self.make_room(now, index, packet, records);
        }
        let verdict = self.queues.queues[index].on_arrival(now, packet);
        if let Verdict::Evict { position, cause } = verdict {
            let first = Eviction { queue: index, position, cause };
            return self.while_shown(now, index, |port| port.decide_with_evictions(first, now, packet, records));
        }
        self.queues.reset_deadline();
        verdict
    }

    /// Enqueues an accepted packet.
    #[inline]
    pub fn enqueue(&mut self, now: Time, packet: Packet, records: &mut Records<'_>) {
        let EventDriven { queues, scheduler, pauses } = self;
        let index = queues.chosen_queue(&packet);
        if pauses.as_ref().is_some_and(|pauses| pauses.hidden(index).is_some()) {
            return self.enqueue_hidden(index, &Arrival { at: now, packet });
        }
        if queues.flows.is_some() && queues.wire.backlog == 0 && queues.wire.free_at < now {
            scheduler.on_idle();
        }
        let mut service_state = queues.service_state();
        service_state.queues[index].admit(&packet);
        service_state.enqueue(index, &Arrival { at: now, packet }, packet.hop, scheduler);
        drop(service_state);
        if self.queues.scheduler_hooks != scheduler::Hooks::NONE {
            self.finish_arrival(now, index, records);
        }
    }

    /// Drops redundant packets and packets over the limit, and updates the scheduler's timer, as far as the scheduler uses these hooks.
    fn finish_arrival(&mut self, now: Time, index: usize, records: &mut Records<'_>) {
        if self.queues.scheduler_hooks.has(scheduler::Hooks::FILTER) {
            self.drop_redundant(now, index, records);
        }
        if self.queues.scheduler_hooks.has(scheduler::Hooks::LIMIT) {
            self.drop_over_limit(now, records);
        }
        if self.queues.scheduler_hooks.has(scheduler::Hooks::TIMER) {
            self.queues.scheduler_deadline = self.scheduler.next_deadline();
            self.queues.reset_deadline();
        }
    }

    /// Time of the next decision or timer.
    #[inline]
    pub fn next_decision(&self) -> Time {
        if self.pauses.is_some() {
            return self.next_decision_between_pauses();
        }
        self.queues.wire.next_decision.min(self.queues.deadline)
    }

    /// Calls the disciplines and the scheduler whose timers are due.
    #[inline]
    pub fn run_timers(&mut self, now: Time) {
        if self.queues.deadline <= now {
            self.queues.run_timers(now, &mut self.scheduler);
        }
    }

    /// Sets the parameters of the disciplines and the scheduler to those in `plan` from `now` on. Packets held back get a new decision.
    pub fn change(&mut self, now: Time, plan: &PortPlan) {
        let EventDriven { scheduler, queues, .. } = self;
        queues.note_transmission_end(now);
        scheduler.change(now, &plan.scheduler, &classes_of(plan), &queues.states);
        if queues.scheduler_hooks.has(scheduler::Hooks::TIMER) {
            queues.scheduler_deadline = scheduler.next_deadline();
        }
        queues.change(now, &plan.queues);
        queues.wire.release(now);
    }

    /// Whether there is only one queue, so that the scheduler has no choice.
    #[inline]
    pub fn has_one_queue(&self) -> bool {
        self.queues.queues.len() == 1 && self.queues.flows.is_none()
    }

    /// Whether the service loop applies: several queues, tail drop that counts waiting packets at each, and a scheduler without hooks.
    pub fn supports_service_loop(&self) -> bool {
        let Queues { queues, scheduler_hooks, .. } = &self.queues;
        !self.has_one_queue() && *scheduler_hooks == scheduler::Hooks::NONE && queues.iter().all(|queue| queue.tail_drop().is_some())
    }

    /// Begins the next transmission if the wire is free and a packet may be sent. Returns the packet, removed from its queue, with its
    /// arrival time, and the end of the transmission.
    #[inline]
    pub fn begin_transmission(&mut self, now: Time, wire: &mut Wire, records: &mut Records<'_>) -> Option<(Arrival, Time)> {
        self.queues.note_transmission_end(now);
        let (index, size) = loop {
            if self.pauses.is_some() && !self.may_send(now) {
                return None;
            }
            let EventDriven { scheduler, queues, .. } = self;
            if queues.wire.backlog == 0 || queues.wire.free_at > now {
                return None;
            }
            let turn = match queues.scheduler_hooks.has(scheduler::Hooks::HEAD_TIMES) {
                false => scheduler.next(now, &queues.states),
                true => queues.next_by_heads(now, scheduler),
            };
            let index = match turn {
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
        let (_, end) = wire.transmit(now, queues.queues[index].head().at, size);
        queues.in_service = Some(index);
        queues.service_state().on_transmission_start(index, now, end, size, scheduler);
        let queue = &mut queues.queues[index];
        let sent = queue.waiting.take_first();
        queue.on_transmission_start(now, &sent.packet);
        Some((sent, end))
    }

    /// Returns true if the discipline of a queue and the scheduler let its head go, perhaps marked. Otherwise drops the head.
    #[inline]
    fn decide_departure(&mut self, now: Time, index: usize, records: &mut Records<'_>) -> bool {
        let queues = &mut self.queues;
        let mut verdict = queues.queues[index].on_departure(now);
        queues.reset_deadline();
        if queues.scheduler_hooks.has(scheduler::Hooks::DEPARTURE) && !matches!(verdict, DepartureVerdict::Drop(_)) {
            let Arrival { at, packet } = queues.queues[index].head();
            match self.scheduler.on_departure(now, packet, now.since(*at), index, &queues.states) {
                DepartureVerdict::Send => {}
                other => verdict = other,
            }
        }
        match verdict {
            DepartureVerdict::Send => return true,
            DepartureVerdict::Mark => {
                let Arrival { at, packet } = queues.queues[index].waiting.get_mut(0);
                let point = DecisionPoint::Queued(*at);
                packet.ecn = records.apply::<true>(Verdict::Mark, point, now, packet).unwrap_or(packet.ecn);
                return true;
            }
            DepartureVerdict::Drop(cause) => self.drop_waiting(now, (index, 0), Leave::Dropped(cause), records),
        }
        false
    }

    /// End of the last transmission that has begun.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.queues.wire.free_at
    }

    /// Number of packets that wait.
    pub fn waiting(&self) -> u32 {
        self.queues.wire.backlog as u32
    }

    /// Bytes of the packets that wait.
    pub fn waiting_bytes(&self) -> u64 {
        let hidden = self.pauses.as_ref().map_or(0, |pauses| pauses.hidden_bytes());
        self.queues.states.iter().map(|state| state.bytes).sum::<u64>() + hidden
    }

    /// Index of the waiting list of a class: its queue, or 0 if queues are by flow, since they share one list.
    pub fn waiting_list_of(&self, class: u8) -> usize {
        match &self.queues.flows {
            None => usize::from(self.queues.of_class[usize::from(class)]),
            Some(_) => 0,
        }
    }

    /// Packets and bytes at `now` that count against the limit of the queue of a waiting list; of all queues, if they are by flow.
    pub fn occupancy(&mut self, list: usize, now: Time) -> (u32, u64) {
        if self.queues.flows.is_some() {
            return (self.waiting(), self.waiting_bytes());
        }
        self.queues.note_transmission_end(now);
        self.queues.queues[list].occupancy()
    }

    /// Iterates over the waiting packets with their arrival times.
    pub fn waiting_packets(&self) -> impl Iterator<Item = &Arrival> + '_ {
        self.queues.queues.iter().flat_map(|queue| queue.waiting.iter())
    }

    /// Number of packets that wait, or whose transmission never ends because the link does not recover.
    pub fn unsent(&self) -> u64 {
        self.queues.wire.backlog + u64::from(self.queues.wire.free_at == Time::NEVER)
    }
}

#[cfg(test)]
mod tests;
