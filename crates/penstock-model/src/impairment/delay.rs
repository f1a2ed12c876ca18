//! Added delay.

use super::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Check, Kind, Parameter, Value};
use crate::rng::{Key, Stream};
use crate::units::{Duration, Time};

crate::parameters! {
    /// Delay: each packet arrives later, all by the same time or each by a random one.
    ///
    /// ## Decides
    /// The time that a packet spends on the wire beyond the link's own delay: `added`, drawn anew for each packet. A packet
    /// with a short delay may overtake earlier ones, unless `keep-order` holds it back until the one before has arrived.
    ///
    /// ## State
    /// With `keep-order`, when the last packet arrived; one random number per packet where the delay varies.
    ///
    /// ## Departures
    /// None. \[Satoh10\] delays each packet by U(0, 50 ms), which overtakes at a spacing of 20 ms: hence the default.
    ///
    /// ## Example
    /// ```toml
    /// impairment.delay = { added = { uniform = ["0 ms", "50 ms"] } }
    /// ```
    ///
    /// ## References
    /// The randomised CBR traffic of the PCN studies: draft-zhang-pcn-performance-evaluation, draft-satoh-pcn-performance.
    pub struct Parameters {
        /// The delay, or the law that it follows.
        added: DelayLaw;
        /// Whether packets arrive in the order of their departure.
        keep_order: bool = "false";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match self.added {
            DelayLaw::Fixed(Duration::ZERO) => mistake("added", "0 has no effect; leave the impairment out".to_owned()),
            DelayLaw::Fixed(_) if self.keep_order => {
                mistake("keep-order", "has no effect with a fixed delay, which keeps the order anyway; leave it out".to_owned());
            }
            _ => {}
        }
    }
}

/// How long a delay is: `"5 ms"` or `{ uniform = ["0 ms", "50 ms"] }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayLaw {
    /// Always the same.
    Fixed(Duration),
    /// Uniform from the first (included) to the second, to the picosecond.
    Uniform(Duration, Duration),
}

const FORMS: &str = r#""5 ms" or { uniform = ["0 ms", "50 ms"] }"#;

impl Parameter for DelayLaw {
    const KIND: Kind = Kind::Law(FORMS);
    const RANGE: &'static str = "zero or more";

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Table(laws) = value else {
            return Duration::from_value(value).map(DelayLaw::Fixed);
        };
        let bounds = match laws.as_slice() {
            [(law, Value::List(bounds))] if law == "uniform" => bounds,
            [(law, _)] if law != "uniform" => return Err(format!("unknown law '{law}'; write {FORMS}")),
            _ => return Err(format!("a delay is one law: {FORMS}")),
        };
        let [low, high] = bounds.as_slice() else {
            return Err(format!("uniform has {} bounds; write {FORMS}", bounds.len()));
        };
        let low = Duration::from_value(low).map_err(|message| format!("uniform, item 0: {message}"))?;
        let high = Duration::from_value(high).map_err(|message| format!("uniform, item 1: {message}"))?;
        if low < high {
            Ok(DelayLaw::Uniform(low, high))
        } else {
            Err(format!("uniform: {low} is not below {high}"))
        }
    }
}

/// Added delay at work.
#[derive(Clone, Debug)]
pub struct Delay {
    law: DelayLaw,
    keep_order: bool,
    /// Departure plus added delay of the packet that will arrive last.
    last: Time,
    stream: Stream,
}

impl Delay {
    /// A delay with these parameters; it draws from the stream `delay` below `key`.
    pub fn new(parameters: &Parameters, key: Key) -> Delay {
        Delay { law: parameters.added, keep_order: parameters.keep_order, last: Time::ZERO, stream: key.child("delay").stream() }
    }
}

impl Impairment for Delay {
    #[inline]
    fn on_departure(&mut self, now: Time, _packet: &Packet) -> Fate {
        let added = match self.law {
            DelayLaw::Fixed(added) => added,
            DelayLaw::Uniform(low, high) => low + Duration::from_ps(self.stream.below((high - low).as_ps())),
        };
        if !self.keep_order {
            return Fate::Delayed(added);
        }
        self.last = self.last.max(now + added);
        Fate::Delayed(self.last.since(now))
    }

    fn reorders(&self) -> bool {
        matches!(self.law, DelayLaw::Uniform(..)) && !self.keep_order
    }
}
