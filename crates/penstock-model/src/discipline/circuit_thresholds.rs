//! A threshold for each circuit.

use super::frame::{check_cells, EndOfFrame, FrameQueue, PerCircuit};
use super::{Discipline, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Limit};
use crate::printable::quoted;
use crate::units::Time;

crate::parameters! {
    /// Circuit thresholds: keeps the waiting cells of each circuit near a threshold by dropping one frame at a time.
    ///
    /// ## Decides
    /// A frame of circuit i whose first cell finds more than R_i cells of the circuit waiting is refused whole (cause `early`). The
    /// circuit is then disarmed: none of its frames is refused again until the first cell of one finds fewer than R_i. Circuits
    /// without a threshold lose cells only at `limit`. Cells of an accepted frame are treated as by `epd`. Only on cell links.
    ///
    /// ## State
    /// The waiting cells of each circuit, whether it is armed, and the state of its present frame; constant cost per cell.
    ///
    /// ## Departures
    /// The source says "drop a single packet, let it decrease below R_i, repeat if necessary"; the rule above is our reading.
    ///
    /// ## Example
    /// ```toml
    /// queue.circuit-thresholds = { limit = "1000 cells", thresholds = { vc1 = "100 cells" } }
    /// ```
    ///
    /// ## References
    /// [Goyal98a]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// The threshold of each circuit (R_i), in cells, by the name of the circuit, or of the flow if that has a circuit of its own.
        thresholds: PerCircuit<Cells>;
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        for (name, threshold) in &self.thresholds.0 {
            let mut of = |_: &str, message: String| mistake("thresholds", format!("{}: {message}", quoted(name)));
            check_cells(&[("threshold", *threshold), ("limit", self.limit)], &mut of);
        }
    }
}

/// State of circuit thresholds.
#[derive(Clone, Debug)]
pub struct CircuitThresholds {
    frames: FrameQueue,
    /// For each circuit of the network: its threshold, and whether its frames may be refused.
    circuits: Vec<(u32, bool)>,
}

impl CircuitThresholds {
    /// A discipline with these parameters.
    pub fn new(parameters: &Parameters, port: &PortContext) -> CircuitThresholds {
        let frames = FrameQueue::new(parameters.limit, parameters.end_of_frame, port);
        let thresholds = port.circuits.named(&parameters.thresholds.0);
        let circuits = thresholds.into_iter().map(|threshold| (threshold.map_or(u32::MAX, |threshold| threshold.0), true)).collect();
        CircuitThresholds { frames, circuits }
    }
}

crate::state! {
    impl CircuitThresholds, frames: FrameQueue, |it, _now| {
        /// Whether a frame of each circuit of the port may be refused: 1 or 0.
        "armed", "1", each it.frames.of_port(&it.circuits, |(_, is_armed)| f64::from(u8::from(*is_armed)));
    }
}

impl Discipline for CircuitThresholds {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let CircuitThresholds { frames, circuits } = self;
        frames.on_cell(packet, queue, |frame| {
            let (threshold, is_armed) = &mut circuits[frame.circuit];
            *is_armed |= frame.of_circuit < *threshold;
            let refuses = *is_armed && frame.of_circuit > *threshold;
            *is_armed &= !refuses;
            refuses
        })
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.frames.limit())
    }

    fn needs_cells(&self) -> bool {
        true
    }
}
