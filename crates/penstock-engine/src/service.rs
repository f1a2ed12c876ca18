//! Service mode: a port that decides who goes next whenever its wire becomes free.

use crate::blueprint::PortPlan;
use crate::channel::Arrival;
use crate::link::Wire;
use crate::ring::Ring;
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, Occupancy, PortContext, Verdict};
use penstock_model::packet::Packet;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{AnyScheduler, QueueState, Scheduler, Turn};
use penstock_model::units::Time;

/// The queues of a port, their scheduler, and the packet in service.
pub struct Service {
    scheduler: AnyScheduler,
    queues: Vec<Queue>,
    states: Vec<QueueState>,
    queue_of_class: Vec<u8>,
    /// When the wire is free; the past when it is idle.
    free_at: Time,
    /// Nothing may go before; the past unless the scheduler or a shaper holds everything back.
    held_until: Time,
    /// When the last packet was queued.
    latest: Time,
    in_service: Option<InService>,
    backlog: u64,
}

struct Queue {
    discipline: AnyDiscipline,
    counting: Counting,
    occupancy: Occupancy,
    waiting: Ring<Arrival>,
}

#[derive(Clone, Copy, Debug)]
struct InService {
    queue: usize,
    size: u32,
    precedence: u8,
}

impl Service {
    /// Empty queues.
    pub fn new(plan: &PortPlan, context: &PortContext) -> Service {
        let queue = |queue: &crate::blueprint::QueuePlan| {
            let key = if queue.name.is_empty() { context.key } else { context.key.child(&queue.name) };
            let discipline = AnyDiscipline::new(&queue.discipline, &PortContext { key, ..*context });
            let counting = discipline.counting();
            let occupancy = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
            Queue { discipline, counting, occupancy, waiting: Ring::default() }
        };
        let mut classes = plan.classes.clone();
        if classes.is_empty() {
            classes.resize(plan.queues.len(), ClassPlan::default());
        }
        Service {
            scheduler: AnyScheduler::new(&plan.scheduler, &classes, context.rate),
            queues: plan.queues.iter().map(queue).collect(),
            states: vec![QueueState::default(); plan.queues.len()],
            queue_of_class: plan.queue_of_class.clone(),
            free_at: Time::ZERO,
            held_until: Time::ZERO,
            latest: Time::ZERO,
            in_service: None,
            backlog: 0,
        }
    }

    /// What the discipline of the packet's queue says of it.
    #[inline]
    pub fn decide(&mut self, now: Time, packet: &Packet) -> Verdict {
        let queue = &mut self.queues[usize::from(self.queue_of_class[usize::from(packet.class)])];
        queue.discipline.on_arrival(now, packet, &queue.occupancy)
    }

    /// Queues an accepted packet.
    #[inline]
    pub fn push(&mut self, now: Time, packet: Packet) {
        let index = usize::from(self.queue_of_class[usize::from(packet.class)]);
        let queue = &mut self.queues[index];
        queue.occupancy.add(packet.size, packet.precedence);
        queue.occupancy.idle_since = None;
        *queue.waiting.add() = Arrival { at: now, packet };
        self.backlog += 1;
        self.latest = now;
        let state = &mut self.states[index];
        state.packets += 1;
        state.bytes += u64::from(packet.size);
        if state.packets == 1 {
            state.head = packet.size;
            self.scheduler.on_backlog(now, index, &self.states);
            self.held_until = Time::ZERO;
        }
    }

    /// When the next decision is due: as soon as something waits, the wire is free and nothing holds back what waits. Only
    /// an arrival or a decision changes it.
    #[inline]
    pub fn next_decision(&self) -> Time {
        if self.backlog == 0 {
            Time::NEVER
        } else {
            self.free_at.max(self.held_until).max(self.latest)
        }
    }

    /// Only one queue: its decisions leave no choice.
    #[inline]
    pub fn has_one_queue(&self) -> bool {
        self.queues.len() == 1
    }

    /// Lets a transmission that has ended by `now` leave.
    #[inline]
    pub fn settle(&mut self, now: Time, sent: &mut u64) {
        if self.free_at > now {
            return;
        }
        if let Some(InService { queue, size, precedence }) = self.in_service.take() {
            *sent += 1;
            let queue = &mut self.queues[queue];
            if queue.counting == Counting::InSystem {
                queue.occupancy.remove(size, precedence);
            }
            let idle_since = &mut queue.occupancy.idle_since;
            *idle_since = std::hint::select_unpredictable(queue.waiting.len() == 0, Some(self.free_at), *idle_since);
        }
    }

    /// Begins the next transmission, if the wire is free (after [`Service::settle`]) and something may go: of which queue,
    /// and when it ends. The packet is that queue's [`Service::head`] until it is [taken off](Service::take_off).
    #[inline]
    pub fn begin(&mut self, now: Time, wire: &mut Wire) -> Option<(usize, Time)> {
        if self.backlog == 0 || self.in_service.is_some() {
            return None;
        }
        let index = match self.scheduler.next(now, &self.states) {
            Turn::Queue(index) => index,
            Turn::NotBefore(time) => {
                debug_assert!(time > now, "who holds packets back says until when");
                self.held_until = time;
                return None;
            }
        };
        let ready = wire.ready(now, self.states[index].head);
        if ready > now {
            self.held_until = ready;
            return None;
        }
        let queue = &mut self.queues[index];
        let Packet { size, precedence, .. } = queue.waiting.first().expect("the scheduler picks a queue that has a packet").packet;
        self.backlog -= 1;
        let state = &mut self.states[index];
        state.packets -= 1;
        state.bytes -= u64::from(size);
        // Whether another waits is anyone's guess: a jump would often be mispredicted, here and below.
        state.head = std::hint::select_unpredictable(state.packets > 0, queue.waiting.second_or_old().packet.size, 0);
        if queue.counting == Counting::Waiting {
            queue.occupancy.remove(size, precedence);
        }
        self.in_service = Some(InService { queue: index, size, precedence });
        (_, self.free_at) = wire.transmit(now, size);
        self.scheduler.on_sent(now, index, size, &self.states);
        Some((index, self.free_at))
    }

    /// The first packet of a queue, and when it arrived. Panics if there is none.
    #[inline]
    pub fn head(&self, queue: usize) -> &Arrival {
        self.queues[queue].waiting.first().expect("a packet that begins its transmission")
    }

    /// Takes the first packet off a queue.
    #[inline]
    pub fn take_off(&mut self, queue: usize) {
        self.queues[queue].waiting.consume(1);
    }

    /// When the last transmission that has begun ends.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Packets that wait.
    pub fn waiting(&self) -> u32 {
        self.backlog as u32
    }

    /// The waiting packets, and when each arrived.
    pub fn waiting_packets(&self) -> impl Iterator<Item = &Arrival> + '_ {
        self.queues.iter().flat_map(|queue| queue.waiting.iter())
    }

    /// Packets that wait, or whose transmission never ends because the link does not recover.
    pub fn held(&self) -> u64 {
        self.backlog + u64::from(self.in_service.is_some() && self.free_at == Time::NEVER)
    }

    /// Packets that wait or are in service.
    pub fn len(&self) -> u64 {
        self.backlog + u64::from(self.in_service.is_some())
    }
}
