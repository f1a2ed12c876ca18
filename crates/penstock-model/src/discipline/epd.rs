//! Early packet discard.

use super::frame::{check_cells, EndOfFrame, FrameQueue};
use super::{Discipline, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Limit};
use crate::units::Time;

crate::parameters! {
    /// Early packet discard (EPD): refuses whole frames above a threshold.
    ///
    /// ## Decides
    /// A frame whose first cell finds more than `threshold` cells waiting (X > R) is refused whole (cause `early`). Cells of an accepted
    /// frame are accepted while there is room; at `limit` (K) a cell is dropped (cause `overflow`), and the rest of its frame with it
    /// (cause `partial`). Only on cell links.
    ///
    /// ## State
    /// The state of the present frame of each circuit; constant cost per cell.
    ///
    /// ## Departures
    /// None. A queue of exactly R cells accepts the frame.
    ///
    /// ## Example
    /// ```toml
    /// queue.epd = { limit = "12000 cells", threshold = "10800 cells" }
    /// ```
    ///
    /// ## References
    /// [Romanow95]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// Number of waiting cells above which no frame is accepted (R).
        threshold: Cells;
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_cells(&[("threshold", self.threshold), ("limit", self.limit)], mistake);
    }
}

/// State of early packet discard.
#[derive(Clone, Debug)]
pub struct Epd {
    frames: FrameQueue,
    threshold: u32,
}

impl Epd {
    /// A discipline with these parameters.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Epd {
        let frames = FrameQueue::new(parameters.limit, parameters.end_of_frame, port);
        Epd { frames, threshold: parameters.threshold.0 }
    }
}

crate::state! {
    impl Epd, frames: FrameQueue, |_it, _now| {}
}

impl Discipline for Epd {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let Epd { frames, threshold } = self;
        frames.on_cell(packet, queue, |frame| frame.cells > *threshold)
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.frames.limit())
    }

    fn needs_cells(&self) -> bool {
        true
    }
}
