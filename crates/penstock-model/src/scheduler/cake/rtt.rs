//! The round-trip time for which the tins are set up.

use crate::parameters::{duration, Kind, Parameter, Value};
use crate::units::Duration;

/// A round-trip time, or the word for a common one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rtt(pub Duration);

/// The words of tc-cake(8), with their microseconds.
const WORDS: [(&str, u64); 8] = [
    ("datacentre", 100),
    ("lan", 1_000),
    ("metro", 10_000),
    ("regional", 30_000),
    ("internet", 100_000),
    ("oceanic", 300_000),
    ("satellite", 1_000_000),
    ("interplanetary", 1_000_000_000),
];

const NAMES: &str = "datacentre, lan, metro, regional, internet, oceanic, satellite, interplanetary";

impl Parameter for Rtt {
    const KIND: Kind = Kind::Quantity("100 ms");
    const RANGE: &'static str = "at least 1 us, or one of datacentre (100 us), lan (1 ms), metro (10 ms), regional (30 ms), \
                                 internet (100 ms), oceanic (300 ms), satellite (1 s), interplanetary (1000 s)";
    fn from_value(value: &Value) -> Result<Self, String> {
        let word = match value {
            Value::Text(text) => WORDS.iter().find(|(word, _)| word == text),
            _ => None,
        };
        match word {
            Some((_, us)) => Ok(Rtt(Duration::from_us(*us))),
            None => match duration(value, "100 ms").map_err(|message| format!("{message}, or one of {NAMES}"))? {
                short if short < Duration::from_us(1) => Err(format!("{short} is too short; at least 1 us")),
                rtt => Ok(Rtt(rtt)),
            },
        }
    }
}

impl Rtt {
    /// Target of CoDel: a twentieth of the round-trip time.
    pub fn target(self) -> Duration {
        Duration::from_ps(self.0.as_ps() / 20)
    }
}
