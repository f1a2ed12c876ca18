//! Constant bit rate.

use super::{Emission, Source};
use crate::parameters::{Check, Probability};
use crate::rng::Stream;
use crate::source::size::LARGEST;
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// Constant bit rate: packets of one size at a fixed spacing, or nearly so.
    ///
    /// ## Decides
    /// A packet goes out every packet / rate. With `spacing-jitter` j each spacing is multiplied by a number uniform on
    /// 1 - j to 1 + j, independently, so the mean rate stays and the phase wanders.
    ///
    /// ## State
    /// None; one random number per packet with jitter, none without.
    ///
    /// ## Departures
    /// None. ns-2's CBR with `random_` set is `spacing-jitter = 0.5`; without it, `phase = "zero"` and no jitter.
    ///
    /// ## Example
    /// ```toml
    /// source.cbr = { rate = "56 kbit/s", packet = "160 bytes", spacing-jitter = "10 %" }
    /// ```
    ///
    /// ## References
    /// None: the plainest source there is.
    pub struct Parameters {
        /// Mean rate, headers included.
        rate: Rate;
        /// Bytes of each packet on the wire, at most 65535.
        packet: Bytes;
        /// When the first packet goes out.
        phase: Phase = "random";
        /// How far a spacing may lie from its mean, as a share of it (j).
        spacing_jitter: Probability = "0";
    }
}

crate::choice! {
    /// When a periodic source sends its first packet.
    pub enum Phase {
        /// Uniform within one spacing after the flow's start.
        "random" => Random,
        /// At the flow's start.
        "zero" => Zero,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.packet.get() > LARGEST {
            mistake("packet", format!("{} is larger than any packet; at most {LARGEST} bytes", self.packet));
        }
    }
}

/// A CBR source at work.
#[derive(Clone, Debug)]
pub struct Cbr {
    spacing: Duration,
    size: u32,
    phase: Phase,
    jitter: f64,
}

impl Cbr {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters) -> Cbr {
        Cbr {
            spacing: parameters.rate.transmission_time(parameters.packet),
            size: parameters.packet.get() as u32,
            phase: parameters.phase,
            jitter: parameters.spacing_jitter.0,
        }
    }
}

impl Source for Cbr {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        let after = match self.phase {
            Phase::Random => Duration::from_ps(stream.below(self.spacing.as_ps().max(1))),
            Phase::Zero => Duration::ZERO,
        };
        Emission { after, size: self.size }
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> Emission {
        let after = if self.jitter == 0.0 {
            self.spacing
        } else {
            Duration::from_seconds(self.spacing.as_seconds() * (1.0 + self.jitter * (2.0 * stream.unit() - 1.0)))
        };
        Emission { after, size: self.size }
    }

    fn period(&self) -> Option<Duration> {
        (self.jitter == 0.0).then_some(self.spacing)
    }
}
