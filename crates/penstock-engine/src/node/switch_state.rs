//! What the ports of a switch or a station show of what they share.

use crate::api::blueprint::SwitchPlan;
use crate::api::series::SeriesPart;
use crate::node::shared_state::Switch;
use crate::port::probing::StateReader;
use penstock_model::id::FlowId;

/// The names of the components that a switch shares between its ports.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedNames {
    buffer: &'static str,
    congestion_point: &'static str,
    reaction_point: &'static str,
}

impl SharedNames {
    /// Those of `plan`; empty where it shares nothing of a kind.
    pub fn new(plan: &SwitchPlan) -> SharedNames {
        SharedNames {
            buffer: plan.buffer.as_ref().map_or("", |buffer| buffer.policy.name()),
            congestion_point: plan.congestion_points.as_ref().map_or("", |plan| plan.point.name()),
            reaction_point: plan.reaction_point.as_ref().map_or("", |point| point.name()),
        }
    }
}

impl Switch {
    /// Whether series of a port show the shared buffer or its congestion point.
    pub fn shows_ports(&self) -> bool {
        self.buffer.is_some() || self.congestion_points.is_some()
    }

    /// Reads what all ports share.
    pub fn read(&self, reader: &mut StateReader<'_>) {
        if self.buffer.is_some() {
            reader.read("buffer", self.names.buffer, SeriesPart::WHOLE, &self.occupancies);
        }
        if let Some(pause) = &self.pause {
            reader.read("pause", "", SeriesPart::WHOLE, pause);
        }
        if let Some(point) = &self.reaction_point {
            reader.read("reaction-point", self.names.reaction_point, SeriesPart::WHOLE, &point.state());
        }
    }

    /// Reads what port `port` has of that.
    pub fn read_port(&self, port: u32, reader: &mut StateReader<'_>) {
        if self.buffer.is_some() {
            reader.read("buffer", self.names.buffer, SeriesPart::WHOLE, &self.occupancies.of_port(port as usize));
        }
        if let Some(points) = &self.congestion_points {
            reader.read("congestion-point", self.names.congestion_point, SeriesPart::WHOLE, points.of_port(port));
        }
    }

    /// Reads how `flow`, which begins here, is limited.
    pub fn read_flow(&self, flow: FlowId, reader: &mut StateReader<'_>) {
        if let Some(point) = &self.reaction_point {
            let state = point.state_of(reader.now, flow);
            reader.read("reaction-point", self.names.reaction_point, SeriesPart::WHOLE, &state);
        }
    }
}
