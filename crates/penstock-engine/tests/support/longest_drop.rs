//! A discipline of a plug-in that drops from other queues of its port.

use penstock_model::discipline::{Discipline, Disciplines, DropCause, Eviction, Hooks, Occupancy, PortContext, Verdict};
use penstock_model::packet::Packet;
use penstock_model::parameters::{Check, Count};
use penstock_model::registry::{Plugin, Registry, INTERFACE};
use penstock_model::scheduler::QueueState;
use penstock_model::units::Time;

penstock_model::parameters! {
    /// Longest-queue drop: all queues of a port share a limit, and where it is reached the longest one loses its last packet.
    pub struct Parameters {
        /// Packets that wait in all queues together.
        limit: Count = "10";
    }
}
impl Check for Parameters {}

#[derive(Clone)]
struct LongestDrop {
    limit: u32,
    /// Of the arrival that is asked about next.
    is_refused: bool,
}

penstock_model::state! {
    impl LongestDrop, |_it, _now| {}
}

impl Discipline for LongestDrop {
    fn make_room(&mut self, _: Time, _: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        let is_full = queues.iter().map(|queue| queue.packets).sum::<u32>() >= self.limit;
        let longest = queues.iter().map(|queue| queue.packets).max().unwrap_or_default();
        self.is_refused = is_full && queues[own].packets == longest;
        let queue = queues.iter().position(|queue| queue.packets == longest)?;
        (is_full && !self.is_refused).then(|| Eviction { queue, position: longest - 1, cause: DropCause::Overflow })
    }

    fn on_arrival(&mut self, _: Time, _: &Packet, _: &Occupancy) -> Verdict {
        if self.is_refused {
            Verdict::Drop(DropCause::Overflow)
        } else {
            Verdict::Accept
        }
    }

    fn hooks(&self) -> Hooks {
        Hooks::ROOM
    }
}

fn build(parameters: &Parameters, _: &PortContext) -> Result<Box<dyn Discipline + Send>, String> {
    Ok(Box::new(LongestDrop { limit: parameters.limit.0, is_refused: false }))
}

/// The components of tests.
pub fn registry() -> Registry {
    let plugin = Plugin::new("test", INTERFACE, None).add::<Disciplines, Parameters>("longest-drop", LongestDrop::STATE, build);
    let mut registry = Registry::default();
    registry.load(plugin).expect("sound");
    registry
}
