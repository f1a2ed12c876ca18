//! A Poisson stream of packets.

use super::size::SizeLaw;
use super::{Emission, OpenLoop, Source};
use crate::parameters::Check;
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// Poisson: packets at exponential spacings, independent of one another and of their sizes.
    ///
    /// ## Decides
    /// The time to each packet, including the first, is exponential with mean packet size / rate; sizes follow `packet`.
    ///
    /// ## State
    /// None; one random number per packet, and another if the size varies.
    ///
    /// ## Departures
    /// Spacings are rounded to the picosecond, exponential sizes to whole bytes, at least one. If the mean size is 1000
    /// bytes or more, this changes it by less than 0.001 bytes.
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

impl OpenLoop for Parameters {
    fn mean_rate(&self) -> Rate {
        self.rate
    }

    fn at_rate(&self, rate: Rate) -> Option<Parameters> {
        Some(Parameters { rate, ..self.clone() })
    }

    fn smallest_packet(&self) -> Bytes {
        self.packet.smallest()
    }

    fn largest_packet(&self) -> Option<Bytes> {
        self.packet.largest()
    }

    fn packet_sizes(&self) -> Vec<Bytes> {
        self.packet.sizes()
    }
}

/// State of a Poisson source.
#[derive(Clone, Debug)]
pub struct Poisson {
    mean_spacing: f64,
    sizes: SizeLaw,
}

impl Poisson {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Poisson {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    #[test]
    fn spacings_are_exponential_from_the_first_on() {
        // 1000 bytes at 1 Mbit/s: a mean of 8 ms.
        let mut source = Poisson::new(&read(&["rate = 1 Mbit/s", "packet = 1000 bytes"]).expect("sound"), &Site::trial());
        let mut stream = Key::root(1, 0).child("poisson").stream();
        let n = 100_000u32;
        let mut check = |emission: fn(&mut Poisson, &mut Stream) -> Emission| {
            let spacings: Vec<f64> = (0..n).map(|_| emission(&mut source, &mut stream).after.as_seconds()).collect();
            // Standard error of the mean 8 ms / sqrt n; P(X > mean) = 1/e, of error sqrt(.2325/n); four of each.
            let (error, share) = (0.008 / f64::from(n).sqrt(), spacings.iter().filter(|spacing| **spacing > 0.008).count());
            assert!((spacings.iter().sum::<f64>() / f64::from(n) - 0.008).abs() < 4.0 * error);
            assert!((share as f64 / f64::from(n) - (-1f64).exp()).abs() < 4.0 * (0.2325 / f64::from(n)).sqrt());
        };
        check(Source::first);
        check(Source::next);
        assert_eq!(source.period(), None);
    }

    #[test]
    fn the_rate_is_that_of_the_bits_whatever_the_sizes() {
        let mut source = Poisson { mean_spacing: 830.0 * 8.0 / 1e6, sizes: SizeLaw::Mix(vec![(0.5, 160), (1.0, 1500)].into()) };
        let mut stream = Key::root(1, 0).child("poisson").stream();
        let n = 200_000u32;
        let all: Vec<Emission> = (0..n).map(|_| source.next(&mut stream)).collect();
        let bits = all.iter().map(|emission| 8.0 * f64::from(emission.size)).sum::<f64>();
        let seconds = all.iter().map(|emission| emission.after.as_seconds()).sum::<f64>();
        // Relative standard error of the ratio: sqrt((1 + (670/830)^2)/n) = 0.0029; four of them.
        assert!((bits / seconds / 1e6 - 1.0).abs() < 0.0116);
    }
}
