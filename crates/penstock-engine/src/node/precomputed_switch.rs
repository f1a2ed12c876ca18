//! A switch whose ports share only a buffer and compute departures on arrival: its only port events are arrivals.
//!
//! The time until which a packet holds memory is known when it is accepted. The memory of departed packets is freed lazily: at one port
//! when a packet arrives for it, at all ports when there seems to be no room or the state is read.

use crate::kernel::event::Arrival;
use crate::node::shared_state::Switch;
use crate::node::switch::SwitchRun;
use penstock_model::discipline::DropCause;
use penstock_model::id::HopId;
use penstock_model::units::Time;
use std::collections::VecDeque;

impl Switch {
    /// Makes the switch record the end of each transmission when one of its `ports` ports accepts the packet.
    pub fn precompute_departures(&mut self, ports: usize) {
        self.leaving = vec![VecDeque::new(); ports];
    }

    /// Whether its ports compute departures on arrival.
    #[inline]
    pub(super) fn precomputes_departures(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// Earliest end of a transmission whose packet holds memory; never if there is none or departures are not computed on arrival.
    pub fn next_departure(&self) -> Time {
        self.leaving.iter().filter_map(VecDeque::front).map(|(at, _)| *at).min().unwrap_or(Time::NEVER)
    }

    /// Frees the memory of all packets whose recorded transmission has ended by `now`.
    pub fn free_all(&mut self, now: Time) {
        (0..self.leaving.len()).for_each(|port| self.free_departed(now, port));
    }

    /// Frees the memory of packets of one port whose transmission has ended by `now`.
    #[inline]
    fn free_departed(&mut self, now: Time, port: usize) {
        while let Some((_, size)) = self.leaving[port].front().copied().filter(|(at, _)| *at <= now) {
            self.occupancies.remove(port, size);
            self.leaving[port].pop_front();
        }
    }

    /// Whether there is room for a packet of `size` bytes that arrives at `now` for `port`.
    #[inline]
    fn has_room_at(&mut self, now: Time, port: usize, size: u32) -> bool {
        self.free_departed(now, port);
        // Other ports may hold less than recorded. If there is room nevertheless, there is room with less held, too.
        self.has_room(port, size) || {
            self.free_all(now);
            self.has_room(port, size)
        }
    }

    fn hold_until(&mut self, at: Time, port: usize, size: u32) {
        self.occupancies.add(port, size);
        self.leaving[port].push_back((at, size));
        debug_assert!(self.occupancies.adds_up(), "the sum of the ports is what is shared");
        debug_assert_eq!(self.occupancies.of_port(port).packets, self.leaving[port].len() as u64, "what is held will leave");
    }
}

impl SwitchRun<'_, '_, '_> {
    /// Passes a packet with next hop `hop` to its port if the buffer has room for it; drops it otherwise.
    #[inline]
    pub(super) fn admit_until_departure(&mut self, arrival: &Arrival, hop: HopId, port: usize) {
        let Arrival { at: now, packet } = arrival;
        let context = &mut self.host_context.context;
        let at_port = &mut self.host_context.ports[port];
        if !self.switch.has_room_at(*now, port, packet.size) {
            at_port.drop_arrival(*now, packet, DropCause::Buffer, context);
        } else if let Some(end) = at_port.accept(arrival, hop, context) {
            self.switch.hold_until(end, port, packet.size);
        }
    }
}
