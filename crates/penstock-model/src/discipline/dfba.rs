//! Differential fair buffer allocation.

use super::frame::{check_cells, EndOfFrame, FrameArrival, FrameQueue, PerCircuit};
use super::{Discipline, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Cells, Check, Kind, Limit, Parameter, Probability, Value};
use crate::rng::Stream;
use crate::units::Time;

crate::parameters! {
    /// Differential fair buffer allocation (DFBA): between two thresholds, refuses frames of circuits above their weighted share,
    /// tagged frames always and others with a probability.
    ///
    /// ## Decides
    /// The first cell of a frame of circuit i finds X cells waiting, of these X_i of its own circuit. The weighted share of the
    /// circuit is $r = W_i / W$, where W is the sum of the weights:
    ///
    /// | queue | treatment of the frame |
    /// |---|---|
    /// | X <= `low` (L) | accepted |
    /// | L < X <= `high` (H), X_i <= X r | accepted |
    /// | L < X <= H, X_i > X r, tagged (CLP 1, a precedence above 0) | refused |
    /// | L < X <= H, X_i > X r, not tagged | refused with probability p |
    /// | X > H | refused |
    ///
    /// With $F = (X_i - X r) / (X (1 - r))$ and $E = (X - L) / (H - L)$, p depends on `probability`: $Z_i (a F + (1 - a) E)$ for `sum`,
    /// $Z_i a F + (1 - a) E$ for `fairness-scaled`, $Z_i F E$ for `product`. A refused frame is refused whole (cause `early`); cells of
    /// an accepted frame are treated as by `epd`. Only on cell links.
    ///
    /// ## State
    /// The waiting cells and the state of the present frame of each circuit; constant cost per cell, and one random number per CLP 0
    /// frame above its share between the thresholds.
    ///
    /// ## Departures
    /// [Goyal98b] describes p only in words: one part is 0 at the fair share and 1 if all cells are the circuit's, the other is 0
    /// at L and 1 at H; Z_i is a scale. The three forms are readings of these words. At X = L the frame is accepted; at X = H, p
    /// decides.
    ///
    /// ## Example
    /// ```toml
    /// queue.dfba = { limit = "6000 cells", low = "3000 cells", high = "5400 cells" }
    /// ```
    ///
    /// ## References
    /// [Goyal98b]
    pub struct Parameters {
        /// Maximum number of waiting cells (K).
        limit: Cells;
        /// Number of waiting cells up to which every frame is accepted (L).
        low: Cells;
        /// Number of waiting cells above which no frame is accepted (H).
        high: Cells;
        /// Weight of fairness against efficiency (a).
        alpha: Probability = "0.5";
        /// Scale of the probability (Z_i): one number, or a number per named circuit and 1 for the others.
        z: Scale = "1";
        /// Combination of the two parts of the probability.
        probability: Combination = "sum";
        /// Weights of the circuits (W_i).
        weights: Weights = "mcr";
        /// Treatment of the last cell of a frame that has lost cells.
        end_of_frame: EndOfFrame = "keep";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if check_cells(&[("low", self.low), ("high", self.high), ("limit", self.limit)], mistake) && self.low == self.high {
            mistake("low", format!("{} cells must be below high, {} cells", self.low.0, self.high.0));
        }
    }
}

crate::choice! {
    /// Combination of fairness (F) and efficiency (E) in the probability.
    pub enum Combination {
        /// Z (a F + (1 - a) E).
        "sum" => Sum,
        /// Z a F + (1 - a) E.
        "fairness-scaled" => FairnessScaled,
        /// Z F E.
        "product" => Product,
    }
}

crate::choice! {
    /// The weights of circuits.
    pub enum Weights {
        /// Minimum cell rates; a circuit without one is above its share with its first waiting cell.
        "mcr" => Mcr,
        /// Equal weights for all circuits of the port.
        "equal" => Equal,
    }
}

/// The scale of the probability: of all circuits, or of each.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// One scale for all circuits.
    All(f64),
    /// A scale for each named circuit; 1 for all others.
    Each(PerCircuit<Probability>),
}

impl Parameter for Scale {
    const KIND: Kind = Kind::Law("0.8 or { vc1 = 0.8, vc2 = 1 }");
    const RANGE: &'static str = "between 0 and 1";
    fn from_value(value: &Value) -> Result<Scale, String> {
        match value {
            Value::Table(_) => PerCircuit::from_value(value).map(Scale::Each),
            other => Probability::from_value(other).map(|z| Scale::All(z.0)),
        }
    }
}

/// State of differential fair buffer allocation.
#[derive(Clone, Debug)]
pub struct Dfba {
    frames: FrameQueue,
    rule: Rule,
    stream: Stream,
}

/// Decision rule.
#[derive(Clone, Debug)]
struct Rule {
    low: u32,
    high: u32,
    alpha: f64,
    combination: Combination,
    /// For each circuit of the network, r and Z.
    circuits: Vec<(f64, f64)>,
}

impl Dfba {
    /// A discipline with these parameters; it draws from the stream `dfba` of its port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Dfba {
        let frames = FrameQueue::new(parameters.limit, parameters.end_of_frame, port);
        let shares = match parameters.weights {
            Weights::Mcr => port.circuits.mcr_shares(),
            Weights::Equal => vec![1.0 / port.circuits.here.len().max(1) as f64; port.circuits.circuits.len()],
        };
        let scales = match &parameters.z {
            Scale::All(z) => vec![*z; shares.len()],
            Scale::Each(table) => port.circuits.named(&table.0).into_iter().map(|z| z.map_or(1.0, |z| z.0)).collect(),
        };
        let rule = Rule {
            low: parameters.low.0,
            high: parameters.high.0,
            alpha: parameters.alpha.0,
            combination: parameters.probability,
            circuits: shares.into_iter().zip(scales).collect(),
        };
        Dfba { frames, rule, stream: port.site.key.child("dfba").stream() }
    }
}

impl Rule {
    /// Probability with which a frame is refused.
    fn probability(&self, frame: &FrameArrival) -> f64 {
        if frame.cells <= self.low {
            return 0.0;
        }
        if frame.cells > self.high {
            return 1.0;
        }
        let (share, z) = self.circuits[frame.circuit];
        let (cells, excess) = (f64::from(frame.cells), f64::from(frame.of_circuit) - f64::from(frame.cells) * share);
        if excess <= 0.0 {
            return 0.0;
        }
        if frame.is_tagged {
            return 1.0;
        }
        // A circuit above its share has a share below 1, so the divisor is positive.
        let fairness = excess / (cells * (1.0 - share));
        let efficiency = (cells - f64::from(self.low)) / f64::from(self.high - self.low);
        let (fair, efficient) = (self.alpha * fairness, (1.0 - self.alpha) * efficiency);
        match self.combination {
            Combination::Sum => z * (fair + efficient),
            Combination::FairnessScaled => z * fair + efficient,
            Combination::Product => z * fairness * efficiency,
        }
    }
}

crate::state! {
    impl Dfba, frames: FrameQueue, |_it, _now| {}
}

impl Discipline for Dfba {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let Dfba { frames, rule, stream } = self;
        frames.on_cell(packet, queue, |frame| match rule.probability(frame) {
            0.0 => false,
            1.0 => true,
            p => stream.chance(p),
        })
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
    use super::super::frame::testing::port;
    use super::*;
    use crate::parameters::testing::read;

    /// L = 50, H = 90, circuits with a quarter and three quarters.
    fn rule(lines: &[&str]) -> Rule {
        let lines = [&["limit = 100 cells", "low = 50 cells", "high = 90 cells"], lines].concat();
        Dfba::new(&read(&lines).expect("sound"), &port(&[1000, 3000])).rule
    }

    fn frame(cells: u32, of_circuit: u32, is_tagged: bool) -> FrameArrival {
        FrameArrival { circuit: 0, cells, of_circuit, active: 2, is_tagged }
    }

    #[test]
    fn the_probability_has_its_corners() {
        let rule = rule(&["z = 0.8"]);
        let p = |cells, of_circuit| rule.probability(&frame(cells, of_circuit, false));
        assert_eq!(p(50, 50), 0.0); // at L
        assert_eq!(p(91, 0), 1.0); // above H
        assert_eq!(p(80, 20), 0.0); // at the share, X r
        assert_eq!(p(90, 90), 0.8); // all of H: Z
                                    // X = 70: half way from L to H; X_i = 43.75 is half way from the share to all.
        assert_eq!(p(70, 43), 0.8 * 0.5 * ((43.0 - 17.5) / 52.5 + 0.5));
    }

    #[test]
    fn tagged_frames_above_the_share_are_refused() {
        let rule = rule(&["z = 0"]);
        assert_eq!(rule.probability(&frame(60, 16, true)), 1.0);
        assert_eq!(rule.probability(&frame(60, 15, true)), 0.0);
        assert_eq!(rule.probability(&frame(60, 16, false)), 0.0);
    }

    #[test]
    fn the_parts_go_together_in_three_ways() {
        let p = |word: &str| rule(&["z = 0.5", "alpha = 0.25", &format!("probability = {word}")]).probability(&frame(70, 70, false));
        // F = 1, E = 1/2.
        assert_eq!(p("sum"), 0.5 * (0.25 + 0.375));
        assert_eq!(p("fairness-scaled"), 0.5 * 0.25 + 0.375);
        assert_eq!(p("product"), 0.25);
    }

    #[test]
    fn mistakes_name_what_is_allowed() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("refused").join("; ");
        assert_eq!(mistakes(&["limit = 9 cells", "low = 5 cells", "high = 5 cells"]), "low: 5 cells must be below high, 5 cells");
        assert_eq!(mistakes(&["limit = 9 cells", "low = 6 cells", "high = 5 cells"]), "low: 6 cells are above high, 5 cells");
        assert_eq!(mistakes(&["limit = 9 cells", "low = 1 cells", "high = 5 cells", "z = 1.5"]), "z: 1.5 is out of range; between 0 and 1");
    }
}
