//! A queue of an event-driven port, and its discipline.

use crate::kernel::event::Arrival;
use crate::merge::ring::Ring;
use penstock_model::discipline::tail_drop::TailDrop;
use penstock_model::discipline::{
    AnyDiscipline, Counting, DepartureVerdict, Discipline, DisciplinePlan, Eviction, Hooks, Leave, Occupancy, PortContext, Verdict,
};
use penstock_model::packet::Packet;
use penstock_model::scheduler::QueueState;
use penstock_model::units::Time;

/// A queue.
#[derive(Clone)]
pub struct Queue {
    /// What waits.
    pub waiting: Ring<Arrival>,
    admission: Admission,
}

/// What decides about packets.
#[derive(Clone)]
enum Admission {
    /// Tail drop on what waits, as the state of the queue says.
    TailDrop(TailDrop),
    /// Any other discipline.
    General(Box<General>),
}

/// A discipline that needs more state than that.
#[derive(Clone)]
struct General {
    discipline: AnyDiscipline,
    counting: Counting,
    hooks: Hooks,
    occupancy: Occupancy,
    /// A packet of this queue is in service, unless its end has not been noted yet.
    is_serving: bool,
    /// That packet, where it counts as queued.
    in_service: Option<Packet>,
}

impl General {
    /// Tells the discipline since when the head has waited, if it asks for that; the head is at `position`.
    #[inline]
    fn note_head(&mut self, waiting: &Ring<Arrival>, position: usize) {
        if self.hooks.has(Hooks::HEAD_AGE) {
            self.occupancy.head_since = waiting.iter().nth(position).map(|arrival| arrival.at);
        }
    }

    /// `packet` no longer counts as queued.
    #[inline]
    fn leave(&mut self, now: Time, packet: &Packet, why: Leave) {
        self.occupancy.remove(packet.size, packet.precedence);
        if self.hooks.has(Hooks::LEAVE) {
            self.discipline.on_leave(now, packet, why);
        }
    }
}

impl Queue {
    /// An empty queue.
    pub fn new(plan: &DisciplinePlan, context: &PortContext) -> Queue {
        Queue::of(AnyDiscipline::new(plan, context))
    }

    /// An empty queue of this discipline.
    pub fn of(discipline: AnyDiscipline) -> Queue {
        let admission = match (discipline.counting(), discipline) {
            (Counting::Waiting, AnyDiscipline::TailDrop(discipline)) => Admission::TailDrop(discipline),
            (counting, discipline) => {
                let occupancy = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
                let hooks = discipline.hooks();
                Admission::General(Box::new(General { discipline, counting, hooks, occupancy, is_serving: false, in_service: None }))
            }
        };
        Queue { waiting: Ring::default(), admission }
    }

    /// Gives the discipline the parameters of `plan` from `now` on.
    pub fn change(&mut self, now: Time, plan: &DisciplinePlan) {
        if let (Admission::General(general), Some(parameters)) = (&mut self.admission, plan.changeable()) {
            general.discipline.change(now, parameters);
        }
    }

    /// Tail drop on what waits, if that is the discipline.
    #[inline(always)]
    pub fn tail_drop(&self) -> Option<&TailDrop> {
        match &self.admission {
            Admission::TailDrop(discipline) => Some(discipline),
            Admission::General(_) => None,
        }
    }

    /// Packets and bytes that count against the limit, given the state of the queue.
    pub fn occupancy(&self, state: &QueueState) -> (u32, u64) {
        match &self.admission {
            Admission::TailDrop(_) => (state.packets, state.bytes),
            Admission::General(general) => (general.occupancy.packets, general.occupancy.bytes),
        }
    }

    /// What the discipline uses.
    pub fn hooks(&self) -> Hooks {
        match &self.admission {
            Admission::TailDrop(_) => Hooks::ARRIVAL,
            Admission::General(general) => general.hooks,
        }
    }

    /// What the discipline decides about an arrival.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, packet: &Packet, state: &QueueState) -> Verdict {
        match &mut self.admission {
            Admission::TailDrop(discipline) => discipline.verdict(state.packets, state.bytes, packet.size),
            Admission::General(general) => {
                general.note_head(&self.waiting, 0);
                let verdict = general.discipline.on_arrival(now, packet, &general.occupancy);
                debug_assert!(verdict != Verdict::Mark || packet.ecn.is_capable(), "only ECN-capable packets are marked");
                verdict
            }
        }
    }

    /// The scheduler has dropped an arrival.
    pub fn on_refusal(&mut self, now: Time, packet: &Packet) {
        if let Admission::General(general) = &mut self.admission {
            general.discipline.on_refusal(now, packet);
        }
    }

    /// The packet of any queue of the port that the discipline drops before it decides about an arrival.
    pub fn make_room(&mut self, now: Time, packet: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        match &mut self.admission {
            Admission::General(general) if general.hooks.has(Hooks::ROOM) => general.discipline.make_room(now, packet, own, queues),
            _ => None,
        }
    }

    /// A packet is accepted.
    #[inline]
    pub fn admit(&mut self, packet: &Packet) {
        if let Admission::General(general) = &mut self.admission {
            general.occupancy.add(packet.size, packet.precedence);
            general.occupancy.idle_since = None;
        }
    }

    /// What the discipline decides about the head, which could be sent now.
    #[inline]
    pub fn on_departure(&mut self, now: Time) -> DepartureVerdict {
        let Queue { waiting, admission: Admission::General(general) } = self else { return DepartureVerdict::Send };
        if !general.hooks.has(Hooks::DEPARTURE) {
            return DepartureVerdict::Send;
        }
        general.note_head(waiting, 1);
        let Arrival { at, packet } = waiting.first().expect("a queue that sends has a packet");
        // What waits behind it.
        let mut behind = general.occupancy.clone();
        behind.remove(packet.size, packet.precedence);
        let verdict = general.discipline.on_departure(now, packet, now.since(*at), &behind);
        debug_assert!(verdict != DepartureVerdict::Mark || packet.ecn.is_capable(), "only ECN-capable packets are marked");
        verdict
    }

    /// The head begins its transmission. Returns whether [`Queue::on_transmission_end`] is to be called.
    #[inline]
    pub fn on_transmission_start(&mut self, now: Time) -> bool {
        let Queue { waiting, admission: Admission::General(general) } = self else { return false };
        let packet = &waiting.first().expect("a queue that sends has a packet").packet;
        general.is_serving = true;
        match general.counting {
            Counting::Waiting => general.leave(now, packet, Leave::Sent),
            Counting::InSystem => general.in_service = Some(*packet),
        }
        true
    }

    /// The transmission of a packet of this queue has ended at `end`.
    pub fn on_transmission_end(&mut self, end: Time) {
        let Admission::General(general) = &mut self.admission else { return };
        general.is_serving = false;
        if let Some(packet) = general.in_service.take() {
            general.leave(end, &packet, Leave::Sent);
        }
        if self.waiting.len() == 0 {
            general.occupancy.idle_since = Some(end);
        }
    }

    /// Removes the packet at `position` from the head, which is dropped.
    pub fn remove(&mut self, position: usize, now: Time, why: Leave) -> Arrival {
        let arrival = self.waiting.remove(position);
        if let Admission::General(general) = &mut self.admission {
            general.leave(now, &arrival.packet, why);
            if self.waiting.len() == 0 && !general.is_serving {
                general.occupancy.idle_since = Some(now);
            }
        }
        arrival
    }

    /// When the discipline's timer is due.
    pub fn next_deadline(&self) -> Time {
        match &self.admission {
            Admission::General(general) if general.hooks.has(Hooks::TIMER) => general.discipline.next_deadline(),
            _ => Time::NEVER,
        }
    }

    /// Calls the discipline if its timer is due.
    pub fn run_timer(&mut self, now: Time) {
        let Queue { waiting, admission: Admission::General(general) } = self else { return };
        general.note_head(waiting, 0);
        while general.hooks.has(Hooks::TIMER) && general.discipline.next_deadline() <= now {
            let due = general.discipline.next_deadline();
            general.discipline.on_timer(due, &general.occupancy);
            assert!(general.discipline.next_deadline() > due, "a timer is set to a later time");
        }
    }

    /// Its discipline, where that has a state.
    pub fn discipline(&self) -> Option<&AnyDiscipline> {
        match &self.admission {
            Admission::TailDrop(_) => None,
            Admission::General(general) => Some(&general.discipline),
        }
    }

    /// The first packet, and when it arrived. Panics if there is none.
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

    /// A packet is sent until 8 ms; the next one, which is the only one then, is dropped at 10 ms.
    #[test]
    fn a_queue_is_idle_from_the_drop_of_its_last_packet_on() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut queue = Queue::of(AnyDiscipline::Custom(Box::new(Open)));
        let idle_since = |queue: &Queue| match &queue.admission {
            Admission::General(general) => general.occupancy.idle_since,
            Admission::TailDrop(_) => unreachable!("another discipline"),
        };
        let arrive = |queue: &mut Queue, ms| {
            queue.admit(&Arrival::PLACEHOLDER.packet);
            queue.waiting.push(Arrival { at: at(ms), ..Arrival::PLACEHOLDER });
        };
        arrive(&mut queue, 0);
        queue.on_transmission_start(at(0));
        queue.waiting.take_first();
        queue.on_transmission_end(at(8));
        assert_eq!(idle_since(&queue), Some(at(8)));
        arrive(&mut queue, 9);
        assert_eq!(idle_since(&queue), None);
        queue.remove(0, at(10), Leave::Dropped(DropCause::Early));
        assert_eq!(idle_since(&queue), Some(at(10)));
    }
}
