//! Calls end or are terminated.

use super::CallsIngress;
use crate::endpoints::host_context::HostContext;
use penstock_model::edge::{TerminationPlan, Victims};
use penstock_model::units::Time;

impl CallsIngress {
    /// Terminates the calls that the ingress has decided to terminate, and sends its signals.
    pub(super) fn apply_decisions(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        let terminated = self.ingress.next_cut().min(self.live.len() as u32);
        for _ in 0..terminated {
            let slot = self.choose_victim();
            self.end(now, slot);
        }
        let slot_of = |call: u32| self.live.iter().copied().find(|slot| self.sending.calls[*slot as usize].serial == call);
        if let Some(slot) = self.ingress.take_marked().and_then(slot_of) {
            self.end(now, slot);
            self.ingress.on_end(now, self.live.len() as u32);
            self.counters.terminations.push((now, 1, self.live.len() as u32));
        }
        if terminated > 0 {
            self.counters.terminations.push((now, terminated, self.live.len() as u32));
        }
        while let Some(signal) = self.ingress.next_signal() {
            self.send_signal(now, signal, host_context);
        }
    }

    /// The slot of the call to terminate next; there is one.
    fn choose_victim(&mut self) -> u32 {
        let serial = |slot: &&u32| self.sending.calls[**slot as usize].serial;
        let chosen = match self.setup.plan.termination.as_ref().map_or(Victims::Random, TerminationPlan::victims) {
            Victims::Random => Some(&self.live[self.picks.below(self.live.len() as u64) as usize]),
            Victims::Newest => self.live.iter().max_by_key(serial),
            Victims::Oldest => self.live.iter().min_by_key(serial),
        };
        *chosen.expect("a call lives")
    }

    /// Ends the live call in `slot`.
    pub(super) fn end(&mut self, now: Time, slot: u32) {
        self.count_live(now);
        let position = self.sending.calls[slot as usize].end();
        self.live.swap_remove(position as usize);
        if let Some(moved) = self.live.get(position as usize) {
            self.sending.calls[*moved as usize].position = position;
        }
    }
}
