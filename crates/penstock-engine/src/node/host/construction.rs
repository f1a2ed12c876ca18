//! Construction of a host: adds its endpoints.

use crate::api::injection::Marking;
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::ingress::CallsIngress;
use crate::endpoints::counts::Received;
use crate::endpoints::custom::CustomEndpoints;
use crate::endpoints::emitter::Emitter;
use crate::endpoints::open_loop::{OpenLoopSink, OpenLoopSource};
use crate::endpoints::roce::RoceEndpoints;
use crate::endpoints::tcp::TcpEndpoints;
use crate::endpoints::timers::Timers;
use crate::kernel::journal::Measurement;
use crate::merge::tournament_tree::TournamentTree;
use crate::node::host::Host;
use penstock_model::rng::Key;
use penstock_model::units::{Duration, Time};

impl Host {
    /// Creates a host without flows; `ties` orders simultaneous timers at random.
    pub fn new(place: u32, measured: Measurement, ties: Option<Key>) -> Host {
        Host {
            forwards: false,
            may_be_quenched: false,
            place,
            measured,
            emitter: Emitter::new(ties),
            timers: Timers::new(ties),
            sources: Vec::new(),
            sinks: Vec::new(),
            connections: TcpEndpoints::new(place, measured),
            roce: RoceEndpoints::new(place, measured),
            custom: CustomEndpoints::new(place, measured),
            has_connections: false,
            calls: Vec::new(),
            calls_due: TournamentTree::new(0, Time::NEVER),
            next_call_event: Time::NEVER,
            egresses: Vec::new(),
            has_only_sampled_calls: false,
            may_be_silent: false,
            counted_calls: Vec::new(),
        }
    }

    /// Adds the sending end of an open-loop flow, which first sends at `first`, if ever, with its usual spacing. Returns its slot.
    pub fn add_source(&mut self, source: OpenLoopSource, first: Time, spacing: Option<Duration>) -> u32 {
        let slot = self.sources.len() as u32;
        if first != Time::NEVER {
            self.emitter.insert(first, source.template.flow.0, slot, spacing, source.periodic_packet());
        }
        self.sources.push(source);
        slot
    }

    /// Adds a packet to the list of the source in `slot`, as [`OpenLoopSource::inject`] does.
    pub fn inject(&mut self, slot: u32, flow: u32, packet: (Time, u32, Option<Marking>)) -> Result<(), (Time, Time)> {
        let due = self.sources[slot as usize].inject(packet)?;
        if due != Time::NEVER {
            self.emitter.insert(due, flow, slot, None, None);
        }
        Ok(())
    }

    /// Adds the receiving end of an open-loop flow; returns its slot.
    pub fn add_sink(&mut self, received: Received) -> u32 {
        self.sinks.push(OpenLoopSink { received });
        self.sinks.len() as u32 - 1
    }

    /// Adds the sending end of an aggregate of calls; returns its slot.
    pub fn add_calls(&mut self, calls: CallsIngress) -> u32 {
        self.calls.push(calls);
        self.calls.len() as u32 - 1
    }

    /// Completes the construction: finds the kinds of endpoints here, and the aggregate of calls that is due first.
    pub fn complete(&mut self) {
        self.has_connections = !self.connections.is_empty() || !self.roce.is_empty() || !self.custom.is_empty();
        let has_others = !self.sources.is_empty() || !self.sinks.is_empty() || self.has_connections;
        let has_calls = !self.calls.is_empty() || !self.egresses.is_empty();
        self.has_only_sampled_calls = !has_others && has_calls && self.egresses.iter().all(CallsEgress::only_samples);
        self.may_be_silent = !has_others && self.calls.is_empty() && self.egresses.iter().all(|end| end.egress.may_be_silent());
        self.calls_due = TournamentTree::new(self.calls.len(), Time::NEVER);
        (0..self.calls.len()).for_each(|slot| self.update_calls_due(slot));
        // There may be a million endpoints, and growth by doubling wastes up to half.
        self.sources.shrink_to_fit();
        self.sinks.shrink_to_fit();
        self.connections.shrink_to_fit();
        self.roce.shrink_to_fit();
    }

    /// Adds the receiving end of an aggregate of calls of group `group`, with `initial` calls at the start; returns its slot.
    pub fn add_egress(&mut self, mut egress: CallsEgress, group: u32, initial: u32) -> u32 {
        // Aggregates are added in the order of their groups.
        if self.counted_calls.last().is_none_or(|(counted, _)| *counted != group) {
            debug_assert!(self.counted_calls.iter().rev().take(8).all(|(counted, _)| *counted < group), "out of order");
            self.counted_calls.push((group, 0));
        }
        let shared = self.counted_calls.len() - 1;
        self.counted_calls[shared].1 += initial;
        egress.shared_count = shared as u32;
        self.egresses.push(egress);
        self.egresses.len() as u32 - 1
    }
}
