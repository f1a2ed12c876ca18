//! A queue of an event-driven port, and its discipline.

use crate::kernel::event::Arrival;
use crate::merge::ring::Ring;
use penstock_model::discipline::tail_drop::TailDrop;
use penstock_model::discipline::{
    AnyDiscipline, Counting, DepartureVerdict, Discipline, DisciplinePlan, Eviction, Hooks, Leave, Occupancy, Verdict,
};
use penstock_model::packet::Packet;
use penstock_model::scheduler::QueueState;
use penstock_model::units::Time;

/// A queue and its discipline.
#[derive(Clone)]
pub struct Queue {
    /// Packets that wait.
    pub waiting: Ring<Arrival>,
    /// The discipline.
    pub discipline: AnyDiscipline,
    counting: Counting,
    hooks: Hooks,
    /// Packets that count against the limit. The service loop does not update it and uses [`QueueState`] instead.
    occupancy: Occupancy,
    /// A packet of this queue is in service, or the end of its service has not been noted yet.
    is_serving: bool,
    /// The packet in service, if it counts as queued.
    in_service: Option<Packet>,
}

impl Queue {
    /// Creates an empty queue with this discipline.
    pub fn new(discipline: AnyDiscipline) -> Queue {
        Queue {
            waiting: Ring::default(),
            counting: discipline.counting(),
            hooks: discipline.hooks(),
            occupancy: Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() },
            is_serving: false,
            in_service: None,
            discipline,
        }
    }

    /// Sets the parameters of the discipline to those in `plan` from `now` on.
    pub fn change(&mut self, now: Time, plan: &DisciplinePlan) {
        plan.changeable().into_iter().for_each(|parameters| self.discipline.change(now, parameters));
    }

    /// Returns the discipline if it is tail drop that counts waiting packets only.
    #[inline(always)]
    pub fn tail_drop(&self) -> Option<&TailDrop> {
        match &self.discipline {
            AnyDiscipline::TailDrop(discipline) if self.counting == Counting::Waiting => Some(discipline),
            _ => None,
        }
    }

    /// Packets and bytes that count against the limit.
    pub fn occupancy(&self) -> (u32, u64) {
        (self.occupancy.packets, self.occupancy.bytes)
    }

    /// Writes the arrival time of the head, which is at `position`, to the occupancy if the discipline uses it.
    #[inline]
    fn note_head(&mut self, position: usize) {
        if self.hooks.has(Hooks::HEAD_AGE) {
            self.occupancy.head_since = self.waiting.iter().nth(position).map(|arrival| arrival.at);
        }
    }

    /// Removes `packet` from the packets that count as queued.
    #[inline]
    fn leave(&mut self, now: Time, packet: &Packet, why: Leave) {
        self.occupancy.remove(packet.size, packet.precedence);
        if self.hooks.has(Hooks::LEAVE) {
            self.discipline.on_leave(now, packet, why);
        }
    }

    /// Returns the discipline's decision about an arrival.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, packet: &Packet) -> Verdict {
        self.note_head(0);
        let verdict = self.discipline.on_arrival(now, packet, &self.occupancy);
        debug_assert!(verdict != Verdict::Mark || packet.ecn.is_capable(), "only ECN-capable packets are marked");
        debug_assert!(!matches!(verdict, Verdict::Evict { .. }) || self.hooks.has(Hooks::EVICTION), "evictions are declared");
        verdict
    }

    /// Returns the packet of any queue of the port that the discipline drops before it decides about an arrival.
    pub fn make_room(&mut self, now: Time, packet: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        self.hooks.has(Hooks::ROOM).then(|| self.discipline.make_room(now, packet, own, queues))?
    }

    /// Counts an accepted packet as queued.
    #[inline]
    pub fn admit(&mut self, packet: &Packet) {
        self.occupancy.add(packet.size, packet.precedence);
        self.occupancy.idle_since = None;
    }

    /// Returns the discipline's decision about the head, which can be sent now.
    #[inline]
    pub fn on_departure(&mut self, now: Time) -> DepartureVerdict {
        if !self.hooks.has(Hooks::DEPARTURE) {
            return DepartureVerdict::Send;
        }
        self.note_head(1);
        let Queue { waiting, discipline, occupancy, .. } = self;
        let Arrival { at, packet } = waiting.first().expect("a queue that sends has a packet");
        // The packets that wait behind the head.
        let mut behind = occupancy.clone();
        behind.remove(packet.size, packet.precedence);
        let verdict = discipline.on_departure(now, packet, now.since(*at), &behind);
        debug_assert!(verdict != DepartureVerdict::Mark || packet.ecn.is_capable(), "only ECN-capable packets are marked");
        verdict
    }

    /// Notes the start of the transmission of `packet`, which was the head.
    #[inline]
    pub fn on_transmission_start(&mut self, now: Time, packet: &Packet) {
        self.is_serving = true;
        match self.counting {
            Counting::Waiting => self.leave(now, packet, Leave::Sent),
            Counting::InSystem => self.in_service = Some(*packet),
        }
    }

    /// Notes that the transmission of a packet of this queue has ended at `end`.
    pub fn on_transmission_end(&mut self, end: Time) {
        self.is_serving = false;
        if let Some(packet) = self.in_service.take() {
            self.leave(end, &packet, Leave::Sent);
        }
        if self.waiting.len() == 0 {
            self.occupancy.idle_since = Some(end);
        }
    }

    /// Removes and returns a dropped packet; `position` counts from the head.
    pub fn remove(&mut self, position: usize, now: Time, why: Leave) -> Arrival {
        let arrival = self.waiting.remove(position);
        self.leave(now, &arrival.packet, why);
        if self.waiting.len() == 0 && !self.is_serving {
            self.occupancy.idle_since = Some(now);
        }
        arrival
    }

    /// Time at which the discipline's timer is due; never if it has none.
    pub fn next_deadline(&self) -> Time {
        if self.hooks.has(Hooks::TIMER) {
            self.discipline.next_deadline()
        } else {
            Time::NEVER
        }
    }

    /// Calls the discipline if its timer is due.
    pub fn run_timer(&mut self, now: Time) {
        self.note_head(0);
        while self.next_deadline() <= now {
            let due = self.discipline.next_deadline();
            self.discipline.on_timer(due, &self.occupancy);
            assert!(self.discipline.next_deadline() > due, "a timer is set to a later time");
        }
    }

    /// Returns the first packet with its arrival time. Panics if the queue is empty.
    #[inline(always)]
    pub fn head(&self) -> &Arrival {
        self.waiting.first().expect("a queue that sends has a packet")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::discipline::DropCause;
    use penstock_model::units::Duration;

    /// Accepts everything.
    #[derive(Clone)]
    struct Open;

    penstock_model::state! {
        impl Open, |_it, _now| {}
    }

    impl Discipline for Open {
        fn on_arrival(&mut self, _now: Time, _packet: &Packet, _queue: &Occupancy) -> Verdict {
            Verdict::Accept
        }
    }

    /// A transmission ends at 8 ms. The next packet, then the only one, is dropped at 10 ms.
    #[test]
    fn a_queue_is_idle_from_the_drop_of_its_last_packet_on() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut queue = Queue::new(AnyDiscipline::Custom(Box::new(Open)));
        let idle_since = |queue: &Queue| queue.occupancy.idle_since;
        let arrive = |queue: &mut Queue, ms| {
            queue.admit(&Arrival::PLACEHOLDER.packet);
            queue.waiting.push(Arrival { at: at(ms), ..Arrival::PLACEHOLDER });
        };
        arrive(&mut queue, 0);
        let sent = queue.waiting.take_first();
        queue.on_transmission_start(at(0), &sent.packet);
        queue.on_transmission_end(at(8));
        assert_eq!(idle_since(&queue), Some(at(8)));
        arrive(&mut queue, 9);
        assert_eq!(idle_since(&queue), None);
        queue.remove(0, at(10), Leave::Dropped(DropCause::Early));
        assert_eq!(idle_since(&queue), Some(at(10)));
    }
}
