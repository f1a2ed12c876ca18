//! Selective drop.

use super::frame::{check_cells, EndOfFrame, FrameQueue};
use super::{Discipline, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Fraction, Limit};
use crate::units::Time;

crate::parameters! {
    /// Selective drop (SD): above a threshold, refuses frames of circuits that hold more than their share of the buffer.
    ///
    /// ## Decides
    /// A frame of circuit i is refused whole (cause `early`) if its first cell finds more than `threshold` cells waiting (X >
    /// R) and the circuit holds more than `z` times an equal share of them: $X_i N_a / X > Z$, where N_a is the number of circuits
    /// with waiting cells. Cells of an accepted frame are treated as by `epd`. Only on cell links.
    ///
    /// ## State
    /// The waiting cells and the state of the present frame of each circuit; constant cost per cell.
    ///
    /// ## Departures
    /// None. X, X_i and N_a exclude the arriving cell and the cell in transmission.
    ///
    /// ## Example
    /// ```toml
    /// queue.selective-drop = { limit = "1000 cells", threshold = "900 cells" }
    /// ```
    ///
    /// ## References
    /// [Goyal98]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// Number of waiting cells above which circuits above their share are refused (R); 0.9 K did best in [Goyal98].
        threshold: Cells;
        /// Share of the queue that a circuit may hold, relative to an equal share (Z); 0.8 did best in [Goyal98].
        z: Fraction = "0.8";
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_cells(&[("threshold", self.threshold), ("limit", self.limit)], mistake);
    }
}

/// State of selective drop.
#[derive(Clone, Debug)]
pub struct SelectiveDrop {
    frames: FrameQueue,
    threshold: u32,
    z: f64,
}

impl SelectiveDrop {
    /// A discipline with these parameters.
    pub fn new(parameters: &Parameters, port: &PortContext) -> SelectiveDrop {
        let frames = FrameQueue::new(parameters.limit, parameters.end_of_frame, port);
        SelectiveDrop { frames, threshold: parameters.threshold.0, z: parameters.z.0 }
    }
}

crate::state! {
    impl SelectiveDrop, frames: FrameQueue, |_it, _now| {}
}

impl Discipline for SelectiveDrop {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let SelectiveDrop { frames, threshold, z } = self;
        frames.on_cell(packet, queue, |frame| frame.cells > *threshold && frame.load() > *z * f64::from(frame.cells))
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.frames.limit())
    }

    fn needs_cells(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::testing::refusals;
    use super::*;
    use crate::parameters::testing::read;

    /// (X_0, X_1) and whether a frame of circuit 0 is refused: K = 100, R = 20, Z = 0.8.
    #[test]
    fn a_circuit_is_refused_above_its_share_and_the_threshold() {
        let parameters = read(&["limit = 100 cells", "threshold = 20 cells", "z = 0.8"]).expect("sound");
        let cases = [
            ((10, 10), false), // X = R
            ((11, 10), true),  // 11 x 2 / 21 = 1.05
            ((8, 13), false),  // 8 x 2 / 21 = 0.76
            ((9, 13), true),   // 18 / 22 = 0.818
            ((8, 12), false),  // X = R
            ((30, 0), true),   // alone: 1
            ((0, 30), false),  // circuit 0 has no waiting cells
        ];
        refusals(&mut |port| SelectiveDrop::new(&parameters, port), &cases);
    }

    #[test]
    fn mistakes_name_what_is_allowed() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("refused").join("; ");
        assert_eq!(mistakes(&["limit = 10 cells", "threshold = 11 cells"]), "threshold: 11 cells are above limit, 10 cells");
        assert_eq!(mistakes(&["limit = 10 cells", "threshold = 9 cells", "z = 1.1"]), "z: 1.1 is out of range; above 0, at most 1");
    }
}
