//! State shared by disciplines that drop whole frames: the current frame and the number of waiting cells of each circuit.
//!
//! A switch sees only cells and whether a cell ends a frame. The first cell of a frame is the one after an end of frame; if
//! that end was lost, the switch treats two frames as one.

use super::{DropCause, Occupancy, PortContext, Verdict};
use crate::atm::circuits::PortCircuits;
use crate::packet::{Body, Packet};
use crate::parameters::{Cells, Kind, Limit, LineRate, Parameter, Value};
use crate::printable::quoted;
use crate::queue_state::QueueState;
use std::collections::VecDeque;
use std::sync::Arc;

crate::choice! {
    /// Treatment of the last cell of a frame that has lost cells.
    pub enum EndOfFrame {
        /// Accepted if there is room, even if all other cells of the frame found the buffer full: it tells the receiver where the
        /// frame ends. A frame that the discipline refuses at its first cell is refused whole.
        "keep" => Keep,
        /// Dropped like the others; the receiver then also loses the next frame of the circuit.
        "drop" => Drop,
        /// Accepted if there is room, even if the discipline refused the frame.
        "always" => Always,
    }
}

/// State of the current frame of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Frame {
    /// Between frames: the next cell is the first of a frame.
    #[default]
    Between,
    /// All cells of the frame so far have been accepted.
    Taken,
    /// The frame has been refused from its first cell on.
    Refused,
    /// A cell of the frame found the buffer full, so the rest of the frame is useless.
    Damaged,
}

impl Frame {
    /// Whether the remaining cells of the frame are useless.
    fn is_lost(self) -> bool {
        matches!(self, Frame::Refused | Frame::Damaged)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct CircuitState {
    /// Waiting cells (X_i).
    cells: u32,
    frame: Frame,
}

/// The circuits of a FIFO queue.
#[derive(Clone, Debug)]
pub struct FrameQueue {
    circuits: Arc<PortCircuits>,
    /// Maximum number of cells (K).
    limit: u32,
    end_of_frame: EndOfFrame,
    states: Vec<CircuitState>,
    /// Circuits of accepted cells in order of arrival. The last ones, as many as the queue holds, belong to waiting cells.
    waiting: VecDeque<u32>,
    /// Circuits with waiting cells (Na).
    active: u32,
}

/// Occupancy of the other queues that share the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherQueues {
    /// Waiting cells in them.
    cells: u32,
    /// Number of queues with waiting cells.
    active: u32,
}

impl OtherQueues {
    /// Sums up all of `queues` except `own`.
    pub fn of(queues: &[QueueState], own: usize) -> OtherQueues {
        let others = || queues.iter().enumerate().filter(|(i, _)| *i != own).map(|(_, queue)| queue.packets);
        OtherQueues { cells: others().sum(), active: others().filter(|packets| *packets > 0).count() as u32 }
    }
}

/// Input of the decision about a frame, at the arrival of its first cell.
#[derive(Clone, Copy, Debug)]
pub struct FrameArrival {
    /// The circuit.
    pub circuit: usize,
    /// Waiting cells (X).
    pub cells: u32,
    /// Waiting cells of the circuit (X_i).
    pub of_circuit: u32,
    /// Circuits with waiting cells (Na).
    pub active: u32,
    /// Whether the first cell has CLP 1.
    pub is_tagged: bool,
}

impl FrameArrival {
    /// Share of the circuit relative to an equal share, times X (X_i Na).
    #[inline]
    pub fn load(&self) -> f64 {
        f64::from(self.of_circuit) * f64::from(self.active)
    }
}

impl FrameQueue {
    /// A queue without cells, in which no circuit has begun a frame.
    pub fn new(limit: Cells, end_of_frame: EndOfFrame, port: &PortContext) -> FrameQueue {
        let circuits = Arc::clone(&port.circuits);
        let states = vec![CircuitState::default(); circuits.circuits.len()];
        FrameQueue { circuits, limit: limit.0, end_of_frame, states, waiting: VecDeque::new(), active: 0 }
    }

    /// Maximum number of waiting cells (K).
    pub fn limit(&self) -> Limit {
        Limit::Packets(self.limit)
    }

    /// Verdict on a cell; `refuses` decides on each frame at its first cell.
    #[inline]
    pub fn on_cell(&mut self, cell: &Packet, queue: &Occupancy, refuses: impl FnOnce(&FrameArrival) -> bool) -> Verdict {
        self.on_cell_beside(OtherQueues::default(), cell, queue, refuses)
    }

    /// Verdict on a cell for a buffer that `others` share; each of them counts as a circuit.
    #[inline]
    pub fn on_cell_beside(
        &mut self,
        others: OtherQueues,
        cell: &Packet,
        queue: &Occupancy,
        refuses: impl FnOnce(&FrameArrival) -> bool,
    ) -> Verdict {
        self.forget_sent(queue.packets);
        let (cells, active) = (queue.packets + others.cells, self.active + others.active);
        let circuit = self.circuits.circuits.of(cell);
        let is_last = !matches!(cell.body, Body::Cell { .. });
        let CircuitState { cells: of_circuit, mut frame } = self.states[circuit as usize];
        if frame == Frame::Between {
            let is_tagged = cell.precedence > 0;
            let arrival = FrameArrival { circuit: circuit as usize, cells, of_circuit, active, is_tagged };
            frame = if refuses(&arrival) { Frame::Refused } else { Frame::Taken };
        }
        let has_room = cells < self.limit;
        let is_kept = is_last && has_room;
        let verdict = match (frame, self.end_of_frame) {
            (Frame::Taken | Frame::Between, _) if has_room => Verdict::Accept,
            (Frame::Taken | Frame::Between, _) => {
                frame = Frame::Damaged;
                Verdict::Drop(DropCause::Overflow)
            }
            (Frame::Damaged, EndOfFrame::Keep | EndOfFrame::Always) | (Frame::Refused, EndOfFrame::Always) if is_kept => Verdict::Accept,
            (Frame::Damaged, _) => Verdict::Drop(DropCause::Partial),
            (Frame::Refused, _) => Verdict::Drop(DropCause::Early),
        };
        let state = &mut self.states[circuit as usize];
        state.frame = if is_last { Frame::Between } else { frame };
        if verdict == Verdict::Accept {
            self.active += u32::from(state.cells == 0);
            state.cells += 1;
            self.waiting.push_back(circuit);
        }
        verdict
    }

    /// Applies `value` to the entries of the circuits that pass the port, in their order; `all` has an entry for each circuit
    /// of the network.
    pub fn of_port<'a, T>(&'a self, all: &'a [T], value: impl Fn(&T) -> f64 + 'a) -> impl Iterator<Item = f64> + 'a {
        self.circuits.here.iter().map(move |circuit| value(&all[*circuit as usize]))
    }

    /// Removes the cells that have left the queue. The queue is FIFO and holds the last `packets` cells.
    #[inline]
    fn forget_sent(&mut self, packets: u32) {
        while self.waiting.len() > packets as usize {
            let circuit = self.waiting.pop_front().expect("some wait");
            let state = &mut self.states[circuit as usize];
            state.cells -= 1;
            self.active -= u32::from(state.cells == 0);
        }
    }
}

crate::state! {
    impl FrameQueue, |it, _now| {
        /// Waiting cells of each circuit of the port after the last arrival (X_i).
        "circuit-queue", "cells", each it.of_port(&it.states, |state| f64::from(state.cells));
        /// Number of circuits with waiting cells after the last arrival (N_a).
        "active-circuits", "circuits", is f64::from(it.active);
        /// Whether the rest of the current frame of each circuit is dropped: 1 or 0. `end-of-frame` may except its last cell.
        "dropping", "1", each it.of_port(&it.states, |state| f64::from(u8::from(state.frame.is_lost())));
    }
}

/// Values of some circuits, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct PerCircuit<T>(pub Vec<(String, T)>);

impl<T> PerCircuit<T> {
    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<T: Parameter> Parameter for PerCircuit<T> {
    const KIND: Kind = Kind::Law("{ vc1 = \"100 cells\" }");

    fn at_line(value: Value, line: LineRate) -> Value {
        match value {
            Value::Table(entries) => Value::Table(entries.into_iter().map(|(name, value)| (name, T::at_line(value, line))).collect()),
            other => other,
        }
    }

    fn from_value(value: &Value) -> Result<PerCircuit<T>, String> {
        let Value::Table(entries) = value else {
            return Err(format!("{} is not a table; write {{ circuit = ... }}", value.quoted()));
        };
        let one = |(name, value): &(String, Value)| match T::from_value(value) {
            Ok(value) => Ok((name.clone(), value)),
            Err(message) => Err(format!("{}: {message}", quoted(name))),
        };
        entries.iter().map(one).collect::<Result<_, _>>().map(PerCircuit)
    }
}

/// Reports thresholds that are above the next one; returns whether all are valid.
pub fn check_cells(limits: &[(&str, Cells)], mistake: &mut dyn FnMut(&str, String)) -> bool {
    let mut sound = true;
    for pair in limits.windows(2) {
        let ((lower, low), (upper, high)) = (pair[0], pair[1]);
        if low.0 > high.0 {
            mistake(lower, format!("{} cells are above {upper}, {} cells", low.0, high.0));
            sound = false;
        }
    }
    sound
}

#[cfg(test)]
pub(crate) mod testing {
    use super::super::{Discipline, Occupancy, PortContext, Verdict};
    use crate::atm::circuits::{Circuit, Circuits, PortCircuits};
    use crate::discipline::DropCause;
    use crate::id::FlowId;
    use crate::packet::testing::packet;
    use crate::packet::{Body, Packet};
    use crate::units::{Rate, Time};
    use std::sync::Arc;

    /// A port with the circuits `vc0`, `vc1` and so on of the flows with the same numbers, with these minimum cell rates.
    pub fn port(mcrs: &[u64]) -> PortContext {
        let circuit = |(i, mcr): (usize, &u64)| Circuit { name: format!("vc{i}"), mcr: Some(Rate::from_bps(*mcr)) };
        let here: Vec<u32> = (0..mcrs.len() as u32).collect();
        let of_flow = here.iter().map(|circuit| [*circuit; 2]).collect();
        let circuits = Arc::new(Circuits::new(mcrs.iter().enumerate().map(circuit).collect(), of_flow));
        PortContext { circuits: Arc::new(PortCircuits { circuits, here }), ..super::super::testing::port() }
    }

    /// A cell of a circuit; `is_last` if it ends its frame.
    pub fn cell(circuit: u32, is_last: bool) -> Packet {
        let body = match is_last {
            true => Body::datagram(0),
            false => Body::Cell { frame: 0, packet_size: 100, index: 0, backward: false },
        };
        Packet { flow: FlowId(circuit), body, ..packet(53, 0) }
    }

    /// A queue with this number of cells.
    pub fn holding(cells: u32) -> Occupancy {
        Occupancy { packets: cells, ..Occupancy::default() }
    }

    /// Checks whether a frame of circuit 0 is refused when the given numbers of cells of circuits 0 and 1 wait.
    pub fn refusals<D: Discipline>(new: &mut dyn FnMut(&PortContext) -> D, cases: &[((u32, u32), bool)]) {
        for ((own, other), refused) in cases {
            let mut it = new(&port(&[1, 1, 1]));
            // The last of these cells ends the frame of each circuit, while the queue still reports few cells.
            let mut cells = 0;
            for (circuit, count) in [(0, *own), (1, *other)] {
                for i in 0..count {
                    let verdict = it.on_arrival(Time::ZERO, &cell(circuit, i + 1 == count), &holding(cells));
                    assert_eq!(verdict, Verdict::Accept);
                    cells += 1;
                }
            }
            let verdict = it.on_arrival(Time::ZERO, &cell(0, false), &holding(cells));
            let expected = if *refused { Verdict::Drop(DropCause::Early) } else { Verdict::Accept };
            assert_eq!(verdict, expected, "X_0 = {own}, X_1 = {other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{cell, holding, port};
    use super::*;
    use crate::parameters::Cells;
    use crate::probe::Probe;
    use crate::units::Time;

    const ACCEPT: Verdict = Verdict::Accept;
    const OVERFLOW: Verdict = Verdict::Drop(DropCause::Overflow);
    const PARTIAL: Verdict = Verdict::Drop(DropCause::Partial);
    const EARLY: Verdict = Verdict::Drop(DropCause::Early);

    /// Verdicts on the cells of a frame that find `found` cells waiting in a queue of four, and on the first cell of the next
    /// frame.
    fn verdicts(end_of_frame: EndOfFrame, is_refused: bool, found: &[u32]) -> Vec<Verdict> {
        let mut queue = FrameQueue::new(Cells(4), end_of_frame, &port(&[1]));
        let last = found.len() - 1;
        let mut verdict = |waiting: u32, is_last: bool, refuses: bool| queue.on_cell(&cell(0, is_last), &holding(waiting), |_| refuses);
        let mut all: Vec<Verdict> = found.iter().enumerate().map(|(i, waiting)| verdict(*waiting, i == last, is_refused)).collect();
        all.push(verdict(0, false, false));
        all
    }

    /// The second cell finds the queue full. The third cell and the end of the frame find room.
    #[test]
    fn the_end_of_a_damaged_frame_is_kept_or_not() {
        for (end_of_frame, end) in [(EndOfFrame::Keep, ACCEPT), (EndOfFrame::Drop, PARTIAL), (EndOfFrame::Always, ACCEPT)] {
            assert_eq!(verdicts(end_of_frame, false, &[3, 4, 3, 3]), [ACCEPT, OVERFLOW, PARTIAL, end, ACCEPT], "{end_of_frame:?}");
            assert_eq!(verdicts(end_of_frame, false, &[3, 4, 3, 4]), [ACCEPT, OVERFLOW, PARTIAL, PARTIAL, ACCEPT], "no room for it");
        }
    }

    #[test]
    fn the_end_of_a_refused_frame_is_kept_only_always() {
        for (end_of_frame, end) in [(EndOfFrame::Keep, EARLY), (EndOfFrame::Drop, EARLY), (EndOfFrame::Always, ACCEPT)] {
            assert_eq!(verdicts(end_of_frame, true, &[3, 3, 3]), [EARLY, EARLY, end, ACCEPT], "{end_of_frame:?}");
            assert_eq!(verdicts(end_of_frame, true, &[3, 3, 4]), [EARLY, EARLY, EARLY, ACCEPT], "no room for it");
        }
    }

    /// Four of ten cells find the queue full. Tail drop would accept the six others, all of them useless. Here two are wasted: the one
    /// before the first loss, and the end of the frame. If ends are dropped, only the first of them is.
    #[test]
    fn few_cells_of_a_damaged_frame_are_wasted() {
        let found = [3, 4, 3, 4, 3, 4, 3, 4, 3, 3];
        assert_eq!(found.iter().filter(|waiting| **waiting < 4).count(), 6);
        let wasted = |end_of_frame| verdicts(end_of_frame, false, &found)[..10].iter().filter(|verdict| **verdict == ACCEPT).count();
        assert_eq!((wasted(EndOfFrame::Keep), wasted(EndOfFrame::Drop)), (2, 1));
    }

    /// State of a queue after these cells. Each cell is given by its circuit, whether it ends its frame, and the number of cells that it
    /// finds.
    fn shown(queue: &mut FrameQueue, cells: &[(u32, bool, u32)]) -> Vec<(&'static str, Option<u32>, f64)> {
        for (circuit, is_last, waiting) in cells {
            queue.on_cell(&cell(*circuit, *is_last), &holding(*waiting), |frame| frame.circuit == 2);
        }
        let mut all = Vec::new();
        queue.probe(Time::ZERO, &mut |variable, circuit, value| all.push((variable.name, circuit, value)));
        all
    }

    #[test]
    fn the_state_is_what_waits_of_each_circuit_and_which_frames_are_lost() {
        // Circuit 2 is refused; a cell of circuit 0 finds no room.
        let cells = [(0, false, 0), (0, false, 1), (1, true, 2), (2, false, 3), (0, false, 4)];
        let state = |of_circuits: [f64; 3], active: f64, dropping: [f64; 3]| {
            let each = |name, values: [f64; 3]| (0..).zip(values).map(move |(i, value)| (name, Some(i), value));
            let before = each("circuit-queue", of_circuits).chain([("active-circuits", None, active)]);
            before.chain(each("dropping", dropping)).collect::<Vec<_>>()
        };
        let mut queue = FrameQueue::new(Cells(4), EndOfFrame::Keep, &port(&[1, 1, 1]));
        assert_eq!(shown(&mut queue, &cells), state([2.0, 1.0, 0.0], 2.0, [1.0, 0.0, 1.0]));
        // The two cells of circuit 0 have left when its end arrives, and no cell of the next frame is lost.
        assert_eq!(shown(&mut queue, &[(0, true, 1), (2, true, 2)]), state([1.0, 1.0, 0.0], 2.0, [0.0; 3]));
    }

    /// An end that finds no room is lost like any other cell, and the next cell starts a new frame.
    #[test]
    fn the_end_of_a_whole_frame_may_be_what_overflows() {
        for end_of_frame in [EndOfFrame::Keep, EndOfFrame::Drop, EndOfFrame::Always] {
            assert_eq!(verdicts(end_of_frame, false, &[2, 3, 4]), [ACCEPT, ACCEPT, OVERFLOW, ACCEPT], "{end_of_frame:?}");
        }
    }
}
