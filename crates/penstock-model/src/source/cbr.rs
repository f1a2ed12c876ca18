//! Constant bit rate.

use super::size::SizeLaw;
use super::{Emission, OpenLoop, Source};
use crate::parameters::{Check, Probability};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// Constant bit rate: packets at a fixed spacing, or nearly so.
    ///
    /// ## Decides
    /// A packet is sent every packet / rate. With `spacing-jitter` j, each spacing is multiplied by an independent number, uniform on
    /// 1 - j to 1 + j, which keeps the mean rate and lets the phase drift. If `packet` is a distribution, the spacing is that of the
    /// mean size: the rate is constant in packets, and constant only on average in bits.
    ///
    /// ## State
    /// None; one random number per packet with jitter, and another where the size varies.
    ///
    /// ## Departures
    /// None. ns-2's CBR with `random_` is `spacing-jitter = 0.5`; without `random_`, it is `phase = "zero"` and no jitter.
    ///
    /// ## Example
    /// ```toml
    /// source.cbr = { rate = "56 kbit/s", packet = "160 bytes", spacing-jitter = "10 %" }
    /// ```
    ///
    /// ## References
    /// None.
    pub struct Parameters {
        /// Mean rate, headers included.
        rate: Rate;
        /// Bytes of a packet on the wire.
        packet: SizeLaw;
        /// Time of the first packet.
        phase: Phase = "random";
        /// Maximum deviation of a spacing from its mean, as a fraction of it (j).
        spacing_jitter: Probability = "0";
    }
}

crate::choice! {
    /// Time of the first packet of a periodic source.
    pub enum Phase {
        /// Uniform within one spacing after the flow's start.
        "random" => Random,
        /// At the flow's start.
        "zero" => Zero,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.spacing() == Duration::ZERO {
            mistake(
                "rate",
                format!("{} leave no picosecond between packets, so they would never end; larger packets or a lower rate", self.rate),
            );
        }
    }
}

impl Parameters {
    /// Mean time between packets.
    pub fn spacing(&self) -> Duration {
        match self.packet.constant() {
            Some(size) => self.rate.transmission_time(size),
            None => Duration::from_seconds(self.packet.mean() * 8.0 / self.rate.as_bps() as f64),
        }
    }
}

impl OpenLoop for Parameters {
    fn mean_rate(&self) -> Rate {
        self.rate
    }

    fn spacing(&self) -> Option<Duration> {
        Some(self.spacing())
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

/// State of a CBR source.
#[derive(Clone, Debug)]
pub struct Cbr {
    spacing: Duration,
    sizes: SizeLaw,
    phase: Phase,
    jitter: f64,
}

impl Cbr {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Cbr {
        Cbr {
            spacing: parameters.spacing(),
            sizes: parameters.packet.clone(),
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
        Emission { after, size: self.sizes.sample(stream) }
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> Emission {
        let after = if self.jitter == 0.0 {
            self.spacing
        } else {
            Duration::from_seconds(self.spacing.as_seconds() * (1.0 + self.jitter * (2.0 * stream.unit() - 1.0)))
        };
        Emission { after, size: self.sizes.sample(stream) }
    }

    fn period(&self) -> Option<Duration> {
        (self.jitter == 0.0 && self.sizes.constant().is_some()).then_some(self.spacing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    fn cbr(more: &[&str]) -> Cbr {
        // 160 bytes at 64 kbit/s: 20 ms.
        Cbr::new(&read(&[&["rate = 64 kbit/s", "packet = 160 bytes"], more].concat()).expect("sound"), &Site::trial())
    }

    fn stream() -> Stream {
        Key::root(1, 0).child("cbr").stream()
    }

    #[test]
    fn without_jitter_the_spacing_never_varies() {
        let (mut source, mut stream) = (cbr(&["phase = zero"]), stream());
        assert_eq!(source.first(&mut stream), Emission { after: Duration::ZERO, size: 160 });
        assert!((0..100).all(|_| source.next(&mut stream) == Emission { after: Duration::from_ms(20), size: 160 }));
        assert_eq!(source.period(), Some(Duration::from_ms(20)));
        assert_eq!(cbr(&["spacing-jitter = 0.1"]).period(), None);
    }

    #[test]
    fn random_phases_fill_one_spacing() {
        let (mut source, mut stream) = (cbr(&[]), stream());
        let n = 100_000u32;
        let phases: Vec<f64> = (0..n).map(|_| source.first(&mut stream).after.as_seconds()).collect();
        assert!(phases.iter().all(|phase| (0.0..0.020).contains(phase)));
        let mean = phases.iter().sum::<f64>() / f64::from(n);
        // Uniform on 20 ms: standard deviation 5.77 ms; four standard errors.
        assert!((mean - 0.010).abs() < 4.0 * 0.00577 / f64::from(n).sqrt(), "{mean}");
    }

    #[test]
    fn jitter_keeps_its_bounds_and_the_mean_rate() {
        let (mut source, mut stream) = (cbr(&["spacing-jitter = 10%"]), stream());
        let n = 100_000u32;
        let spacings: Vec<f64> = (0..n).map(|_| source.next(&mut stream).after.as_seconds()).collect();
        assert!(spacings.iter().all(|spacing| (0.018..=0.022).contains(spacing)));
        // Standard deviation 4 ms / sqrt 12; four standard errors.
        let mean = spacings.iter().sum::<f64>() / f64::from(n);
        let deviation = 0.004 / 12f64.sqrt();
        assert!((mean - 0.020).abs() < 4.0 * deviation / f64::from(n).sqrt(), "{mean}");
        let variance = spacings.iter().map(|spacing| (spacing - mean).powi(2)).sum::<f64>() / f64::from(n);
        // The sample variance of a uniform law has a relative standard error of sqrt(0.8/n).
        assert!((variance / deviation.powi(2) - 1.0).abs() < 4.0 * (0.8 / f64::from(n)).sqrt(), "{variance}");
    }

    #[test]
    fn the_spacing_is_that_of_the_mean_size() {
        let law = SizeLaw::Mix(vec![(0.5, 160), (1.0, 1500)].into());
        let mixed = Parameters { rate: Rate::from_bps(83_000), packet: law, phase: Phase::Zero, spacing_jitter: Probability(0.0) };
        let (mut source, mut stream) = (Cbr::new(&mixed, &Site::trial()), stream());
        // 830 bytes at 83 kbit/s: 80 ms.
        assert_eq!((mixed.spacing(), source.period()), (Duration::from_ms(80), None));
        source.first(&mut stream);
        let n = 10_000u32;
        let sent: Vec<Emission> = (0..n).map(|_| source.next(&mut stream)).collect();
        assert!(sent.iter().all(|emission| emission.after == Duration::from_ms(80) && [160, 1500].contains(&emission.size)));
        let short = sent.iter().filter(|emission| emission.size == 160).count() as f64 / f64::from(n);
        // Standard error sqrt(.25 / n); four of them.
        assert!((short - 0.5).abs() < 4.0 * 0.5 / f64::from(n).sqrt(), "{short}");
    }

    #[test]
    fn packets_without_time_between_them_are_refused() {
        let mistakes = read::<Parameters>(&["rate = 100 Tbit/s", "packet = 1 byte"]).expect_err("a mistake");
        assert_eq!(
            mistakes,
            ["rate: 100000 Gbit/s leave no picosecond between packets, so they would never end; larger packets or a lower rate"]
        );
    }

    #[test]
    fn a_packet_larger_than_any_is_refused() {
        let mistakes = read::<Parameters>(&["rate = 1 Mbit/s", "packet = 64 KiB"]).expect_err("a mistake");
        assert_eq!(mistakes, ["packet: 65536 bytes is larger than any packet; at most 65535 bytes"]);
    }
}
