//! Changes of the parameters of ports and of senders at known instants.

use crate::api::blueprint::PortPlan;
use crate::node::host::Host;
use crate::node::shared_state::Switch;
use crate::port::Port;
use penstock_model::id::FlowId;
use penstock_model::transport::TransportPlan;
use penstock_model::units::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// Future changes at a process, by time.
#[derive(Clone, Default)]
pub(super) struct Changes(VecDeque<(Time, Changed)>);

/// A port or sender, with its parameters from some instant on.
#[derive(Clone)]
pub enum Changed {
    /// The port with this index.
    Port(u32, Arc<PortPlan>),
    /// The sender of this flow at the host, in this slot of its transport.
    Transport(FlowId, u32, Arc<TransportPlan>),
}

impl Changed {
    /// Whether it has parameters that can change.
    pub(super) fn is_changeable(&self) -> bool {
        match self {
            Changed::Port(_, plan) => plan.is_changeable(),
            Changed::Transport(.., plan) => plan.changeable().is_some(),
        }
    }
}

impl Changes {
    /// Adds a change after all others at the same instant.
    pub(super) fn add(&mut self, at: Time, changed: Changed) {
        let place = self.0.partition_point(|(other, _)| *other <= at);
        self.0.insert(place, (at, changed));
    }

    /// Time of the next change.
    pub(super) fn next(&self) -> Time {
        self.0.front().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// Applies the changes that are due at `now`.
    pub(super) fn make(&mut self, now: Time, ports: &mut [Port], mut host: Option<&mut Host>, mut switch: Option<&mut Switch>) {
        let due = self.0.partition_point(|(at, _)| *at <= now);
        for (_, changed) in self.0.drain(..due) {
            match (changed, &mut host) {
                (Changed::Port(port, plan), _) => {
                    ports[port as usize].change(now, &plan);
                    switch.iter_mut().for_each(|switch| switch.note_change(port as usize, ports));
                }
                (Changed::Transport(flow, slot, plan), Some(host)) => host.change_sender(now, (flow, slot), plan.own_parameters()),
                (Changed::Transport(..), None) => unreachable!("flows begin at hosts"),
            }
        }
    }
}
