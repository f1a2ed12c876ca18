//! Fair buffer allocation.

use super::frame::{check_cells, EndOfFrame, FrameQueue, OtherQueues};
use super::{Discipline, Eviction, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Fraction, Limit};
use crate::queue_state::QueueState;
use crate::units::Time;

crate::choice! {
    /// The cells that share the buffer.
    pub enum Buffer {
        /// The cells of the queue.
        "queue" => Queue,
        /// The cells of all queues of the port. Each other queue with waiting cells counts as one circuit in N_a.
        "port" => Port,
    }
}

crate::parameters! {
    /// Fair buffer allocation (FBA): above a threshold, refuses frames of circuits above a share that shrinks as the buffer fills.
    ///
    /// ## Decides
    /// A frame of circuit i whose first cell finds more than `threshold` cells waiting (X > R) is refused whole (cause `early`) if
    /// $X_i N_a / X > Z (K - R) / (X - R)$, where N_a circuits have waiting cells. Just above R, a circuit may hold the whole
    /// queue; at K, at most Z times an equal share. Cells of an accepted frame are treated as by `epd`. Only on cell links.
    ///
    /// ## State
    /// The waiting cells and the state of the present frame of each circuit; constant cost per cell; with `buffer = "port"` it
    /// grows with the number of queues.
    ///
    /// ## Departures
    /// `buffer = "port"` is not in the sources. X, X_i and N_a exclude the arriving cell and the cell in transmission.
    ///
    /// ## Example
    /// ```toml
    /// queue.fba = { limit = "1000 cells", threshold = "500 cells" }
    /// ```
    ///
    /// ## References
    /// [Heinanen98] [Goyal98]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// Number of waiting cells above which circuits above their share are refused (R); 0.5 K did best in [Goyal98].
        threshold: Cells;
        /// Share of a full buffer that a circuit may hold, relative to an equal share (Z); 0.8 did best in [Goyal98].
        z: Fraction = "0.8";
        /// The cells that X and `limit` count. With `port`, classes share a buffer, and each has a queue for its circuit.
        buffer: Buffer = "queue";
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_cells(&[("threshold", self.threshold), ("limit", self.limit)], mistake);
    }
}

/// State of fair buffer allocation.
#[derive(Clone, Debug)]
pub struct Fba {
    frames: FrameQueue,
    threshold: u32,
    /// Z (K - R).
    slope: f64,
    /// The other queues of the port at the present arrival; `None` unless all queues of the port share the buffer.
    others: Option<OtherQueues>,
}

impl Fba {
    /// A discipline with these parameters.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Fba {
        let frames = FrameQueue::new(parameters.limit, parameters.end_of_frame, port);
        let threshold = parameters.threshold.0;
        let slope = parameters.z.0 * f64::from(parameters.limit.0 - threshold);
        Fba { frames, threshold, slope, others: (parameters.buffer == Buffer::Port).then(OtherQueues::default) }
    }
}

crate::state! {
    impl Fba, frames: FrameQueue, |_it, _now| {}
}

impl Discipline for Fba {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let Fba { frames, threshold, slope, others } = self;
        // Both sides are multiplied by X (X - R), which is positive.
        frames.on_cell_beside(others.unwrap_or_default(), packet, queue, |frame| {
            frame.cells > *threshold && frame.load() * f64::from(frame.cells - *threshold) > *slope * f64::from(frame.cells)
        })
    }

    fn make_room(&mut self, _now: Time, _packet: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        self.others = Some(OtherQueues::of(queues, own));
        None
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.frames.limit())
    }

    fn hooks(&self) -> Hooks {
        if self.others.is_some() {
            Hooks::ROOM
        } else {
            Hooks::ARRIVAL
        }
    }

    fn needs_cells(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::testing::{cell, holding, port, refusals};
    use super::super::DropCause;
    use super::*;
    use crate::parameters::testing::read;

    /// (X_0, X_1) and whether a frame of circuit 0 is refused: K = 100, R = 50, Z = 0.8, so that the bound is 40 / (X - 50).
    #[test]
    fn the_share_falls_as_the_buffer_fills() {
        let parameters = read(&["limit = 100 cells", "threshold = 50 cells", "z = 0.8"]).expect("sound");
        let cases = [
            ((50, 0), false),  // X = R
            ((60, 10), false), // 1.714 against 40 / 20 = 2
            ((75, 0), false),  // alone: 1 against 40 / 25 = 1.6
            ((90, 0), false),  // 1 against 40 / 40
            ((91, 0), true),   // 1 against 40 / 41
            ((60, 20), true),  // 1.5 against 40 / 30 = 1.333
            ((40, 40), false), // 1 against 1.333
            ((40, 59), false), // 0.808 against 40 / 49 = 0.816
            ((41, 58), true),  // 0.828 against 0.816
        ];
        refusals(&mut |port| Fba::new(&parameters, port), &cases);
    }

    /// K = 100, R = 50, Z = 0.8; the queue of circuit 0 has X_0 cells, the queues of two other circuits have the others.
    #[test]
    fn queues_of_a_port_share_the_buffer() {
        let parameters = read(&["limit = 100 cells", "threshold = 50 cells", "buffer = port"]).expect("sound");
        let states = |packets: &[u32]| -> Vec<QueueState> {
            packets.iter().map(|packets| QueueState { packets: *packets, ..QueueState::default() }).collect()
        };
        let early = Verdict::Drop(DropCause::Early);
        for (own, others, expected) in [
            (20, [30, 0], Verdict::Accept),  // X = R
            (20, [30, 10], Verdict::Accept), // 20 * 3 / 60 = 1 against 40 / 10
            (40, [40, 0], Verdict::Accept),  // 1 against 40 / 30
            (40, [20, 20], early),           // 1.5 against 40 / 30
            (0, [50, 49], Verdict::Accept),  // circuit 0 has no cells
            (0, [50, 50], Verdict::Drop(DropCause::Overflow)),
        ] {
            let mut it = Fba::new(&parameters, &port(&[1]));
            assert_eq!(it.hooks(), Hooks::ROOM);
            for cells in 0..own {
                assert_eq!(it.make_room(Time::ZERO, &cell(0, false), 0, &states(&[cells])), None);
                assert_eq!(it.on_arrival(Time::ZERO, &cell(0, cells + 1 == own), &holding(cells)), Verdict::Accept);
            }
            it.make_room(Time::ZERO, &cell(0, false), 0, &states(&[own, others[0], others[1]]));
            assert_eq!(it.on_arrival(Time::ZERO, &cell(0, false), &holding(own)), expected, "X_0 = {own}, others {others:?}");
        }
    }
}
