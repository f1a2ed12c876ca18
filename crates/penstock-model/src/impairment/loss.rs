//! Random loss.

use super::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Check, Probability};
use crate::rng::{Key, Stream};
use crate::units::{Duration, Time};

crate::parameters! {
    /// Loss: each packet is lost with the same probability, independently of all others.
    ///
    /// ## Decides
    /// A packet on the wire is lost with `probability` (p), whatever its size, colour and kind.
    ///
    /// ## State
    /// None; one random number per packet, whatever p is, so that runs with different p share their draws: what is lost at a
    /// small p is lost at a larger one too.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// impairment.loss = { probability = 0.01 }
    /// ```
    ///
    /// ## References
    /// The loss model of \[Mathis97\] and \[Padhye98\] comparisons.
    pub struct Parameters {
        /// Probability of losing a packet (p).
        probability: Probability;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.probability.0 == 0.0 {
            mistake("probability", "0 has no effect; leave the impairment out".to_owned());
        }
    }
}

/// Random loss at work.
#[derive(Clone, Debug)]
pub struct Loss {
    probability: f64,
    stream: Stream,
}

impl Loss {
    /// Loss with these parameters; it draws from the stream `loss` below `key`.
    pub fn new(parameters: &Parameters, key: Key) -> Loss {
        Loss { probability: parameters.probability.0, stream: key.child("loss").stream() }
    }
}

impl Impairment for Loss {
    #[inline]
    fn on_departure(&mut self, _now: Time, _packet: &Packet) -> Fate {
        if self.stream.chance(self.probability) {
            Fate::Lost
        } else {
            Fate::Delayed(Duration::ZERO)
        }
    }

    fn reorders(&self) -> bool {
        false
    }
}
