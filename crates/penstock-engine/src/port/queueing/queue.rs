//! A queue of a port in service mode, and who is let into it.

use crate::kernel::event::Arrival;
use crate::merge::ring::Ring;
use penstock_model::discipline::tail_drop::TailDrop;
use penstock_model::discipline::{AnyDiscipline, Counting, Discipline, DisciplinePlan, Occupancy, PortContext, Verdict};
use penstock_model::packet::Packet;
use penstock_model::scheduler::QueueState;
use penstock_model::units::Time;

/// A queue.
pub struct Queue {
    /// What waits.
    pub waiting: Ring<Arrival>,
    gate: Gate,
}

/// Who is let in.
enum Gate {
    /// Tail drop on what waits, which the state of the queue tells.
    TailDrop(TailDrop),
    /// Any other.
    Kept(Box<Kept>),
}

/// A discipline for which more has to be kept.
struct Kept {
    discipline: AnyDiscipline,
    counting: Counting,
    occupancy: Occupancy,
    in_service: Option<(u32, u8)>,
}

impl Queue {
    /// An empty queue.
    pub fn new(plan: &DisciplinePlan, context: &PortContext) -> Queue {
        let discipline = AnyDiscipline::new(plan, context);
        let gate = match (discipline.counting(), discipline) {
            (Counting::Waiting, AnyDiscipline::TailDrop(discipline)) => Gate::TailDrop(discipline),
            (counting, discipline) => {
                let occupancy = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
                Gate::Kept(Box::new(Kept { discipline, counting, occupancy, in_service: None }))
            }
        };
        Queue { waiting: Ring::default(), gate }
    }

    /// Tail drop on what waits, if that is the discipline.
    #[inline(always)]
    pub fn tail_drop(&self) -> Option<&TailDrop> {
        match &self.gate {
            Gate::TailDrop(discipline) => Some(discipline),
            Gate::Kept(_) => None,
        }
    }

    /// What the discipline says of a packet.
    pub fn decide(&mut self, now: Time, packet: &Packet, state: &QueueState) -> Verdict {
        match &mut self.gate {
            Gate::TailDrop(discipline) => discipline.verdict(state.packets, state.bytes, packet.size),
            Gate::Kept(kept) => kept.discipline.on_arrival(now, packet, &kept.occupancy),
        }
    }

    /// A packet is accepted.
    pub fn admit(&mut self, packet: &Packet) {
        if let Gate::Kept(kept) = &mut self.gate {
            kept.occupancy.add(packet.size, packet.precedence);
            kept.occupancy.idle_since = None;
        }
    }

    /// The first packet begins its transmission. Tells whether its end is to be [settled](Queue::settle).
    pub fn begin(&mut self, size: u32, precedence: u8) -> bool {
        let Gate::Kept(kept) = &mut self.gate else { return false };
        match kept.counting {
            Counting::Waiting => kept.occupancy.remove(size, precedence),
            Counting::InSystem => kept.in_service = Some((size, precedence)),
        }
        true
    }

    /// The transmission of a packet of this queue has ended at `end`.
    pub fn settle(&mut self, end: Time) {
        let Gate::Kept(kept) = &mut self.gate else { return };
        if let Some((size, precedence)) = kept.in_service.take() {
            kept.occupancy.remove(size, precedence);
        }
        if self.waiting.len() == 0 {
            kept.occupancy.idle_since = Some(end);
        }
    }

    /// The first packet, and when it arrived. Panics if there is none.
    #[inline(always)]
    pub fn head(&self) -> &Arrival {
        self.waiting.first().expect("a queue that sends has a packet")
    }
}
