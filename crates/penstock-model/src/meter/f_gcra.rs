//! The frame-based generic cell rate algorithm.

use super::Meter;
use crate::atm::circuits::PortCircuits;
use crate::atm::CELL;
use crate::packet::{Body, Packet};
use crate::parameters::{own, Cells, Check};
use crate::site::Site;
use crate::units::{Rate, Time, PS_PER_SECOND};
use std::any::Any;
use std::sync::Arc;

crate::parameters! {
    /// F-GCRA: tags whole frames of a circuit above its minimum cell rate.
    ///
    /// ## Decides
    /// Each circuit has a bucket that drains at its minimum cell rate (MCR). A frame conforms if its first cell has CLP 0 and
    /// finds at most `burst` (MBS) cells in the bucket:
    /// - Each cell of a conforming frame adds one cell to the bucket and keeps its CLP.
    /// - Each cell of any other frame gets CLP 1 (precedence 1) and adds nothing.
    ///
    /// Cells of circuits without an MCR are not changed. At a switch this is tagging by the network; at the link of a sender
    /// it is tagging by the end system. Only on cell links.
    ///
    /// ## State
    /// For each circuit, the bucket (exact), the time of its last update, and the decision about the current frame. Constant
    /// cost per cell.
    ///
    /// ## Departures
    /// The standard drops or tags; here cells are only tagged. Frames above the maximum size are refused when the scenario is
    /// read.
    ///
    /// ## Example
    /// ```toml
    /// marker.f-gcra = { burst = "200 cells" }
    /// ```
    ///
    /// ## References
    /// [TM4.1 app. VI]
    pub struct Parameters {
        /// Maximum level of the bucket at the start of a conforming frame (MBS), in cells.
        burst: Cells, changeable;
    }
}
impl Check for Parameters {}

/// Amount that a cell adds to a bucket, in bit-picoseconds per second.
const CELL_BITS: u128 = 8 * CELL as u128 * PS_PER_SECOND as u128;

/// State of the F-GCRA.
#[derive(Clone, Debug)]
pub struct FGcra {
    circuits: Arc<PortCircuits>,
    /// Maximum level of a bucket at the start of a conforming frame.
    limit: u128,
    states: Vec<CircuitState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct CircuitState {
    /// Level of the bucket (X) at its last update.
    filled: u128,
    counted: Time,
    /// Whether the current frame conforms; `None` between frames.
    conforms: Option<bool>,
}

/// The limit in the unit of a bucket's level.
fn limit_of(parameters: &Parameters) -> u128 {
    u128::from(parameters.burst.0) * CELL_BITS
}

impl FGcra {
    /// An F-GCRA with these parameters, without circuits.
    pub fn new(parameters: &Parameters, _: &Site) -> FGcra {
        FGcra { circuits: PortCircuits::none(), limit: limit_of(parameters), states: Vec::new() }
    }

    /// Sets the circuits that it meters.
    pub fn meter_circuits(&mut self, circuits: &Arc<PortCircuits>) {
        self.states = vec![CircuitState::default(); circuits.circuits.len()];
        self.circuits = Arc::clone(circuits);
    }

    /// Level of a circuit's bucket at `now` if it drains at `rate`.
    fn filled(&self, circuit: usize, rate: Rate, now: Time) -> u128 {
        let state = &self.states[circuit];
        let drained = u128::from(now.since(state.counted).as_ps()) * u128::from(rate.as_bps());
        state.filled.saturating_sub(drained)
    }

    /// Levels of the buckets of the circuits that pass the port at `now`, in bits.
    fn fills(&self, now: Time) -> impl Iterator<Item = f64> + '_ {
        self.circuits.here.iter().map(move |circuit| {
            let rate = self.circuits.circuits.all[*circuit as usize].mcr;
            rate.map_or(0.0, |rate| self.filled(*circuit as usize, rate, now) as f64 / PS_PER_SECOND as f64)
        })
    }
}

crate::state! {
    impl FGcra, |it, now| {
        /// Level of the bucket of each circuit of the port (X); zero without an MCR.
        "fill", "bit", each it.fills(now);
    }
}

impl Meter for FGcra {
    fn colour(&mut self, now: Time, cell: &Packet) -> u8 {
        if self.states.is_empty() {
            return cell.precedence;
        }
        let circuit = self.circuits.circuits.of(cell) as usize;
        let Some(rate) = self.circuits.circuits.all[circuit].mcr else { return cell.precedence };
        let filled = self.filled(circuit, rate, now);
        let state = &mut self.states[circuit];
        let conforms = state.conforms.unwrap_or(filled <= self.limit && cell.precedence == 0);
        state.conforms = matches!(cell.body, Body::Cell { .. }).then_some(conforms);
        if !conforms {
            return cell.precedence.max(1);
        }
        (state.filled, state.counted) = (filled + CELL_BITS, now);
        cell.precedence
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.limit = limit_of(own(parameters));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::frame::testing::{cell, port};
    use crate::parameters::testing::read;
    use crate::parameters::{Kind, LineRate, Parameter, Value};
    use crate::units::Duration;

    /// An MCR of 1,000 cells/s: a cell leaves the bucket in 1 ms.
    fn meter(burst: u32) -> FGcra {
        let mut meter = FGcra::new(&Parameters { burst: Cells(burst) }, &Site::trial());
        meter.meter_circuits(&port(&[424_000]).circuits);
        meter
    }

    /// Colour of a frame of `cells` cells that arrive at once; it must be the same for all of them.
    fn frame(meter: &mut FGcra, ms: u64, cells: u32, precedence: u8) -> u8 {
        let now = Time::ZERO + Duration::from_ms(ms);
        let colours: Vec<u8> = (1..=cells).map(|i| meter.colour(now, &Packet { precedence, ..cell(0, i == cells) })).collect();
        assert!(colours.iter().all(|colour| *colour == colours[0]), "a frame has one colour");
        colours[0]
    }

    #[test]
    fn a_frame_conforms_if_the_bucket_holds_no_more_than_the_burst() {
        let mut it = meter(24);
        // The frames find 0, 12, 24 and 36 cells.
        assert_eq!([0; 4].map(|at| frame(&mut it, at, 12, 0)), [0, 0, 0, 1]);
        // 12 ms later 24 are left, so one frame conforms; 36 remain for the next.
        assert_eq!([12, 12, 23, 24].map(|at| frame(&mut it, at, 12, 0)), [0, 1, 1, 0]);
    }

    /// 100 frames of 12 cells per second for 10 s at 1,000 cells/s with a burst of 24: at most 24 + 12 + 1,000 t cells conform.
    #[test]
    fn the_count_of_conforming_frames_is_that_of_the_rate() {
        let mut it = meter(24);
        let conforming = (0..1000).filter(|i| frame(&mut it, 10 * i, 12, 0) == 0).count();
        // After 999 x 10 ms, 9,990 cells have drained, and at most 36 more were accepted: 10,026 / 12 = 835.5.
        assert_eq!(conforming, 835);
    }

    #[test]
    fn the_fill_is_what_has_come_less_what_has_drained() {
        let mut it = meter(24);
        let fill = |it: &FGcra, ms| it.fills(Time::ZERO + Duration::from_ms(ms)).collect::<Vec<_>>();
        frame(&mut it, 0, 12, 0);
        // 12 cells of 424 bits; one drains in a millisecond.
        assert_eq!([0, 5, 12, 20].map(|ms| fill(&it, ms)), [5088.0, 2968.0, 0.0, 0.0].map(|bits| vec![bits]));
    }

    #[test]
    fn tagged_frames_add_nothing() {
        let mut it = meter(0);
        assert_eq!(frame(&mut it, 0, 12, 1), 1);
        assert_eq!(frame(&mut it, 0, 12, 0), 0);
        assert_eq!(frame(&mut it, 11, 12, 0), 1);
        assert_eq!(frame(&mut it, 12, 12, 0), 0);
    }

    #[test]
    fn a_burst_is_in_cells() {
        let burst = |text: &str| read::<Parameters>(&[&format!("burst = {text}")]).map(|parameters| parameters.burst);
        assert_eq!(burst("200 cells"), Ok(Cells(200)));
        assert_eq!(burst("20 kB"), Err(vec!["burst: must be in cells, as in \"200 cells\"".to_owned()]));
        let range = "is not a number of cells between 1 and 4294967295; write \"200 cells\"";
        assert_eq!(burst("0 cells"), Err(vec![format!("burst: '0 cells' {range}")]));
        assert_eq!(Cells::KIND, Kind::Quantity("200 cells"));
        assert!(Cells::RANGE.starts_with("at least 1 cell;"));
        // 5 ms at 8.48 Mbit/s are 5300 bytes.
        let line = LineRate { rate: Rate::from_bps(8_480_000), cells: true };
        assert_eq!(Cells::from_value(&Cells::at_line(Value::Text("5 ms".to_owned()), line)), Ok(Cells(100)));
    }
}
