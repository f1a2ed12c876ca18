//! Changes of the parameters of ports at known instants.

use crate::api::blueprint::PortPlan;
use crate::port::Port;
use penstock_model::units::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// The changes to come at a process, by time.
#[derive(Clone, Default)]
pub(super) struct Changes(VecDeque<Change>);

/// A port has another plan from `at` on.
#[derive(Clone)]
struct Change {
    at: Time,
    port: u32,
    plan: Arc<PortPlan>,
}

impl Changes {
    /// Adds a change, behind others at the same instant.
    pub(super) fn add(&mut self, at: Time, port: u32, plan: Arc<PortPlan>) {
        let place = self.0.partition_point(|change| change.at <= at);
        self.0.insert(place, Change { at, port, plan });
    }

    /// When the next change is due.
    pub(super) fn next(&self) -> Time {
        self.0.front().map_or(Time::NEVER, |change| change.at)
    }

    /// Makes the changes that are due at `now`.
    pub(super) fn make(&mut self, now: Time, ports: &mut [Port]) {
        let due = self.0.partition_point(|change| change.at <= now);
        self.0.drain(..due).for_each(|change| ports[change.port as usize].change(now, &change.plan));
    }
}
