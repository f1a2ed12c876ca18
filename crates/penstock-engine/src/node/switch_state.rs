//! What the ports of a switch or a station show of what they share.

use crate::api::series::SeriesPart;
use crate::node::shared_state::Switch;
use crate::port::probing::StateReader;
use penstock_model::id::FlowId;

impl Switch {
    /// Whether series of a port show the shared buffer or its congestion point.
    pub fn shows_ports(&self) -> bool {
        self.buffer.is_some() || self.congestion_points.is_some()
    }

    /// Reads what all ports share.
    pub fn read(&self, reader: &mut StateReader<'_>) {
        if let Some(buffer) = &self.plan.buffer {
            reader.read("buffer", buffer.policy.name(), SeriesPart::WHOLE, &self.occupancies);
        }
        if let Some(pause) = &self.pause {
            reader.read("pause", "", SeriesPart::WHOLE, pause);
        }
        if let (Some(plan), Some(point)) = (&self.plan.reaction_point, &self.reaction_point) {
            reader.read("reaction-point", plan.name(), SeriesPart::WHOLE, &point.state());
        }
    }

    /// Reads what port `port` has of that.
    pub fn read_port(&self, port: u32, reader: &mut StateReader<'_>) {
        if let Some(buffer) = &self.plan.buffer {
            reader.read("buffer", buffer.policy.name(), SeriesPart::WHOLE, &self.occupancies.of_port(port as usize));
        }
        if let (Some(plan), Some(points)) = (&self.plan.congestion_points, &self.congestion_points) {
            reader.read("congestion-point", plan.point.name(), SeriesPart::WHOLE, &points.points[port as usize].1);
        }
    }

    /// Reads how `flow`, which begins here, is limited.
    pub fn read_flow(&self, flow: FlowId, reader: &mut StateReader<'_>) {
        if let (Some(plan), Some(point)) = (&self.plan.reaction_point, &self.reaction_point) {
            reader.read("reaction-point", plan.name(), SeriesPart::WHOLE, &point.state_of(reader.now, flow));
        }
    }
}
