//! Partial packet discard.

use super::frame::{EndOfFrame, FrameQueue};
use super::{Discipline, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Limit};
use crate::units::Time;

crate::parameters! {
    /// Partial packet discard (PPD): drops the rest of a frame that has lost a cell.
    ///
    /// ## Decides
    /// A cell that finds `limit` cells waiting is dropped (cause `overflow`), and the following cells of its frame are dropped with it
    /// (cause `partial`); `end-of-frame` determines the treatment of the last one. Only on cell links.
    ///
    /// ## State
    /// The state of the present frame of each circuit; constant cost per cell.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// queue.ppd = { limit = "1000 cells" }
    /// ```
    ///
    /// ## References
    /// [Romanow95]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {}

/// State of partial packet discard.
#[derive(Clone, Debug)]
pub struct Ppd {
    frames: FrameQueue,
}

impl Ppd {
    /// A discipline with these parameters.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Ppd {
        Ppd { frames: FrameQueue::new(parameters.limit, parameters.end_of_frame, port) }
    }
}

crate::state! {
    impl Ppd, frames: FrameQueue, |_it, _now| {}
}

impl Discipline for Ppd {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        self.frames.on_cell(packet, queue, |_| false)
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.frames.limit())
    }

    fn needs_cells(&self) -> bool {
        true
    }
}
