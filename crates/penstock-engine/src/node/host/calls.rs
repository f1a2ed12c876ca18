//! Aggregates of calls at a host: the times of their events, and the signals between their edges.

use crate::endpoints::host_context::HostContext;
use crate::kernel::message::CallSignal;
use crate::node::host::Host;
use penstock_model::units::Time;

impl Host {
    /// Handles the events of aggregates of calls up to and including `until`, by which no message arrives, or up to an earlier instant if
    /// there are very many. Returns their number. Does nothing if packets are forwarded, other endpoints send or events are traced here:
    /// otherwise, neither arrivals nor timers of receiving endpoints affect the aggregates.
    #[inline(always)] // part of two loops
    pub fn run_calls(&mut self, until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let has_other_senders = !self.sources.is_empty() || self.has_connections;
        if self.forwards || has_other_senders || !host_context.context.record.is_untraced() {
            return 0;
        }
        self.run_only_calls(until, host_context)
    }

    /// Whether all endpoints here belong to calls, and packets are forwarded. An arriving packet is then only forwarded, or counted and
    /// sampled for marks.
    #[inline]
    pub fn has_calls_beside_transit(&self) -> bool {
        self.forwards && self.has_only_sampled_calls
    }

    /// Does the same as [`Host::run_calls`] at a host without other senders.
    #[inline(always)] // part of two loops
    pub fn run_only_calls(&mut self, mut until: Time, host_context: &mut HostContext<'_, '_>) -> u64 {
        let mut events = 0;
        while self.next_call_event <= until && self.next_call_event != Time::NEVER {
            let (slot, end) = if self.calls.len() == 1 { (0, until) } else { (self.calls_due.first(), self.next_call_event) };
            events += self.calls[slot].run(end, host_context);
            self.update_calls_due(slot);
            if events >= host_context.max_events() {
                until = until.min(self.next());
            }
        }
        events
    }

    /// Updates the time of the next event of an aggregate, and of all aggregates.
    #[inline]
    pub(super) fn update_calls_due(&mut self, slot: usize) {
        let next = self.calls[slot].next();
        if self.calls.len() == 1 {
            self.next_call_event = next;
        } else {
            self.calls_due.set(slot, next);
            self.next_call_event = self.calls_due.first_key();
        }
    }

    /// Receives a signal between the edges of an aggregate; `number` is its number among the signals of its sender.
    pub fn on_call_signal(&mut self, now: Time, signal: &CallSignal, number: u32, host_context: &mut HostContext<'_, '_>) {
        let CallSignal { flow: id, to_egress, signal } = *signal;
        host_context.context.record.digest.number(now.as_ps() ^ u64::from(id.0) << 32 ^ u64::from(number));
        let flow = host_context.context.routes.flow(id);
        if to_egress {
            let end = &mut self.egresses[flow.sink as usize];
            end.on_signal(now, signal, &mut self.counted_calls[end.shared_count as usize].1, host_context);
            self.arm_egress(flow.sink);
        } else {
            let slot = flow.source as usize;
            self.calls[slot].on_signal(now, signal, host_context);
            self.update_calls_due(slot);
        }
    }
}
