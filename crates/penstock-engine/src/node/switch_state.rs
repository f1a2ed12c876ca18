//! What the ports of a switch or a station show of what they share.

use crate::api::blueprint::SwitchPlan;
use crate::api::series::{ComponentName, SeriesPart};
use crate::node::shared_state::Switch;
use crate::port::probing::ReportState;
use penstock_model::id::FlowId;
use penstock_model::probe::Probe;
use penstock_model::units::Time;

/// The names of the components that a switch shares between its ports.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedComponents {
    buffer: Option<ComponentName>,
    pause: Option<ComponentName>,
    congestion_point: Option<ComponentName>,
    reaction_point: Option<ComponentName>,
}

impl SharedComponents {
    /// Those of `plan`.
    pub fn new(plan: &SwitchPlan) -> SharedComponents {
        let named = |kind, name| ComponentName { kind, name };
        SharedComponents {
            buffer: plan.buffer.as_ref().map(|buffer| named("buffer", buffer.policy.name())),
            pause: plan.pause.as_ref().map(|_| named("pause", "")),
            congestion_point: plan.congestion_points.as_ref().map(|plan| named("congestion-point", plan.point.name())),
            reaction_point: plan.reaction_point.as_ref().map(|point| named("reaction-point", point.name())),
        }
    }

    /// Whether a port shows anything of them.
    pub fn has_ports(&self) -> bool {
        self.buffer.is_some() || self.congestion_point.is_some()
    }
}

impl Switch {
    /// Reports what all ports share at `now`.
    pub fn probe(&self, now: Time, names: &SharedComponents, report: &mut ReportState<'_>) {
        if let Some(name) = names.buffer {
            self.occupancies.probe(now, &mut |variable, _, value| report(name, SeriesPart::WHOLE, variable, value));
        }
        if let (Some(name), Some(pause)) = (names.pause, &self.pause) {
            pause.probe(now, &mut |variable, _, value| report(name, SeriesPart::WHOLE, variable, value));
        }
        if let (Some(name), Some(point)) = (names.reaction_point, &self.reaction_point) {
            point.state().probe(now, &mut |variable, _, value| report(name, SeriesPart::WHOLE, variable, value));
        }
    }

    /// Reports what port `port` has of that at `now`.
    pub fn probe_port(&self, now: Time, port: u32, names: &SharedComponents, report: &mut ReportState<'_>) {
        if let Some(name) = names.buffer {
            let held = self.occupancies.of_port(port as usize);
            held.probe(now, &mut |variable, _, value| report(name, SeriesPart::WHOLE, variable, value));
        }
        if let (Some(name), Some(points)) = (names.congestion_point, &self.congestion_points) {
            points.of_port(port).probe(now, &mut |variable, _, value| report(name, SeriesPart::WHOLE, variable, value));
        }
    }

    /// Reports how `flow`, which begins here, is limited at `now`.
    pub fn probe_flow(&self, now: Time, flow: FlowId, names: &SharedComponents, report: &mut ReportState<'_>) {
        if let (Some(name), Some(point)) = (names.reaction_point, &self.reaction_point) {
            point.state_of(now, flow).probe(now, &mut |variable, _, value| report(name, SeriesPart::WHOLE, variable, value));
        }
    }
}
