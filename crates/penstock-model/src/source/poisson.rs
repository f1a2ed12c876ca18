//! A Poisson stream of packets.

use super::size::SizeLaw;
use super::{Emission, Source};
use crate::parameters::Check;
use crate::rng::Stream;
use crate::units::{Duration, Rate};

crate::parameters! {
    /// Poisson: packets at exponential spacings, independent of one another and of their sizes.
    ///
    /// ## Decides
    /// The time to each packet, the first included, is exponential with mean E\[packet\] / rate; its size follows `packet`.
    ///
    /// ## State
    /// None; one random number per packet, and another where the size varies.
    ///
    /// ## Departures
    /// Spacings are rounded to the picosecond, exponential sizes to whole bytes, at least one, which changes their mean by
    /// less than 0.001 bytes from a mean of 1000 bytes.
    ///
    /// ## Example
    /// ```toml
    /// source.poisson = { rate = "0.45 Mbit/s", packet = { mix = [{ size = "160 bytes", share = 0.5 }, { size = "1500 bytes", share = 0.5 }] } }
    /// ```
    ///
    /// ## References
    /// The M in M/M/1 and M/G/1.
    pub struct Parameters {
        /// Mean rate, headers included.
        rate: Rate;
        /// Bytes of a packet on the wire.
        packet: SizeLaw;
    }
}
impl Check for Parameters {}

/// A Poisson source at work.
#[derive(Clone, Debug)]
pub struct Poisson {
    mean_spacing: f64,
    sizes: SizeLaw,
}

impl Poisson {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters) -> Poisson {
        let mean_spacing = parameters.packet.mean() * 8.0 / parameters.rate.as_bps() as f64;
        Poisson { mean_spacing, sizes: parameters.packet.clone() }
    }
}

impl Source for Poisson {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        self.next(stream)
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> Emission {
        let after = Duration::from_seconds(stream.exponential() * self.mean_spacing);
        Emission { after, size: self.sizes.sample(stream) }
    }
}
