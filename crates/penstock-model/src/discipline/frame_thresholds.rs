//! One threshold for tagged frames and one for all frames.

use super::frame::{check_cells, EndOfFrame, FrameQueue};
use super::{Discipline, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Limit};
use crate::units::Time;

crate::parameters! {
    /// Frame thresholds: refuses tagged frames above a low threshold, and all above a high one.
    ///
    /// ## Decides
    /// A frame whose first cell finds more than `threshold` cells waiting is refused whole (cause `early`). A tagged frame, whose first
    /// cell has CLP 1 (a precedence above 0), is refused already above `tagged-threshold`. Without `tagged-threshold`, this is EPD
    /// on CLP 0+1. Cells of an accepted frame are treated as by `epd`. Only on cell links.
    ///
    /// ## State
    /// The state of the present frame of each circuit; constant cost per cell.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// queue.frame-thresholds = { limit = "1000 cells", threshold = "900 cells", tagged-threshold = "500 cells" }
    /// ```
    ///
    /// ## References
    /// [TM4.1]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// Number of waiting cells above which no frame is accepted (HBO).
        threshold: Cells;
        /// Number of waiting cells above which no tagged frame is accepted (LBO); `threshold` if left out.
        tagged_threshold: Option<Cells>;
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let tagged = self.tagged_threshold.unwrap_or(self.threshold);
        check_cells(&[("tagged-threshold", tagged), ("threshold", self.threshold), ("limit", self.limit)], mistake);
    }
}

/// State of frame thresholds.
#[derive(Clone, Debug)]
pub struct FrameThresholds {
    frames: FrameQueue,
    threshold: u32,
    tagged_threshold: u32,
}

impl FrameThresholds {
    /// A discipline with these parameters.
    pub fn new(parameters: &Parameters, port: &PortContext) -> FrameThresholds {
        let frames = FrameQueue::new(parameters.limit, parameters.end_of_frame, port);
        let tagged = parameters.tagged_threshold.unwrap_or(parameters.threshold);
        FrameThresholds { frames, threshold: parameters.threshold.0, tagged_threshold: tagged.0 }
    }
}

crate::state! {
    impl FrameThresholds, frames: FrameQueue, |_it, _now| {}
}

impl Discipline for FrameThresholds {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let FrameThresholds { frames, threshold, tagged_threshold } = self;
        frames.on_cell(packet, queue, |frame| frame.cells > if frame.is_tagged { *tagged_threshold } else { *threshold })
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.frames.limit())
    }

    fn needs_cells(&self) -> bool {
        true
    }
}
