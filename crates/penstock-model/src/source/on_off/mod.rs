//! On-off sources.

mod stationary;

use super::cbr::Phase;
use super::laws::normal;
use super::size::SizeLaw;
use super::{Emission, OpenLoop, Source};
use crate::parameters::Check;
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// On-off: packets at one spacing during on periods, silence between them.
    ///
    /// ## Decides
    /// On and off periods alternate; both are exponential, with means `on` and `off`. `remainder` determines the packets:
    ///
    /// - `"carried"`: a packet each time `spacing` of on-time has passed since the one before, across on periods.
    /// - `"restarted"`: a packet at the beginning of each on period and every `spacing` after it.
    /// - `"whole"`: an on period is a whole number of spacings, the nearest to an exponential duration and at least one, with a packet
    ///   at the beginning of each.
    ///
    /// A `stationary` source starts in the state of a random instant of a source that has always been running, so its mean rate is
    /// constant from the start. If a source starts with an on or an off period, `phase` determines the time of its first packet.
    ///
    /// Voice with silence suppression (VBR): `packet = "160 bytes", spacing = "20 ms", on = "340 ms", off = "660 ms"`, 21.76
    /// kbit/s. Synthetic video (SVD): `packet = "1500 bytes", spacing = "1 ms"` with the same periods, 4.08 Mbit/s.
    ///
    /// ## State
    /// The rest of the on period. One or two random numbers per on period, and one per packet if the size varies.
    ///
    /// ## Departures
    /// If a spacing takes more than 10,000 on periods on average, their number and the sum of the silences between them are
    /// drawn at once, by expansions of their laws [Cornish38; Wilson31]: the number is wrong by at most one period, and the sum by less
    /// than 10^-4 of its standard deviation. The documents do not say what happens to the part of a spacing that ends an on period, and
    /// this changes the mean rate: `carried` has exactly packet/spacing x on/(on + off); with the numbers of VBR, `restarted` has 3 %
    /// more and `whole`, which is ns-2's Exponential On/Off, 0.1 % more.
    ///
    /// ## Example
    /// ```toml
    /// source.on-off = { packet = "160 bytes", spacing = "20 ms", on = "340 ms", off = "660 ms" }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s10.2].
    pub struct Parameters {
        /// Bytes of a packet on the wire.
        packet: SizeLaw;
        /// Time from packet to packet in an on period.
        spacing: Duration;
        /// Mean length of an on period.
        on: Duration;
        /// Mean length of an off period.
        off: Duration;
        /// State of the source when its flow starts.
        initial: Initial = "stationary";
        /// Time of the first packet, from the beginning of the first on period; zero if left out, except for a stationary source, whose
        /// first packet is random.
        phase: Option<Phase>;
        /// Treatment of the part of a spacing at the end of an on period.
        remainder: Remainder = "carried";
    }
}

crate::choice! {
    /// State of an on-off source when its flow starts.
    pub enum Initial {
        /// The beginning of an on period.
        "on" => On,
        /// The beginning of an off period.
        "off" => Off,
        /// The beginning of an on period or of an off period, each with probability 1/2.
        "either" => Either,
        /// The state of a random instant of a source that has always been running.
        "stationary" => Stationary,
    }
}

crate::choice! {
    /// Treatment of the part of a spacing at the end of an on period.
    pub enum Remainder {
        /// Counts towards the first packet of the next on period.
        "carried" => Carried,
        /// Is lost; every on period begins with a packet.
        "restarted" => Restarted,
        /// Does not exist: on periods are whole numbers of spacings.
        "whole" => Whole,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        for (key, span) in [("spacing", self.spacing), ("on", self.on), ("off", self.off)] {
            if span == Duration::ZERO {
                mistake(key, "must be above zero".to_owned());
            }
        }
        if self.initial == Initial::Stationary && self.phase == Some(Phase::Zero) {
            let message = "zero contradicts initial = \"stationary\", where any phase is as likely; leave it out";
            mistake("phase", message.to_owned());
        }
    }
}

impl OpenLoop for Parameters {
    /// Long-run rate, to the nearest bit/s.
    fn mean_rate(&self) -> Rate {
        let (spacing, on, off) = (self.spacing.as_seconds(), self.on.as_seconds(), self.off.as_seconds());
        let (packets, cycle) = match self.remainder {
            Remainder::Carried => (on / spacing, on + off),
            // Sum of P(on period > k spacings) over k = 0, 1, ...
            Remainder::Restarted => (-1.0 / libm::expm1(-spacing / on), on + off),
            Remainder::Whole => {
                let packets = whole_spacings(on / spacing);
                (packets, packets * spacing + off)
            }
        };
        Rate::from_bps((packets * self.packet.mean() * 8.0 / cycle + 0.5) as u64)
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

/// Mean number of spacings in an on period that is a whole number of them; `on` is the mean before rounding. For rounding to the nearest
/// number, it is the sum of P(on period > k + 1/2) over k = 0, 1, ...; a zero becomes one.
fn whole_spacings(on: f64) -> f64 {
    let half = libm::exp(-0.5 / on);
    -half / libm::expm1(-1.0 / on) + 1.0 - half
}

/// State of an on-off source.
#[derive(Clone, Debug)]
pub struct OnOff {
    sizes: SizeLaw,
    spacing: Duration,
    on: Duration,
    off: Duration,
    /// Rest of the on period after the last packet.
    left: Duration,
    initial: Initial,
    phase: Phase,
    remainder: Remainder,
}

impl OnOff {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> OnOff {
        OnOff::of(parameters)
    }

    /// Same as [`OnOff::new`], without a site.
    pub(super) fn of(parameters: &Parameters) -> OnOff {
        OnOff {
            sizes: parameters.packet.clone(),
            spacing: parameters.spacing,
            on: parameters.on,
            off: parameters.off,
            left: Duration::ZERO,
            initial: parameters.initial,
            phase: parameters.phase.unwrap_or(Phase::Zero),
            remainder: parameters.remainder,
        }
    }

    /// Rules of the source.
    pub(super) fn rules(&self) -> (Initial, Phase, Remainder) {
        (self.initial, self.phase, self.remainder)
    }

    /// Sizes, spacing and mean periods.
    #[cfg(test)]
    pub(super) fn format(&self) -> (SizeLaw, Duration, Duration, Duration) {
        (self.sizes.clone(), self.spacing, self.on, self.off)
    }

    /// Starts an on period.
    fn begin(&mut self, stream: &mut Stream) {
        // A source that is always on has no periods.
        let on = if self.on == Duration::FOREVER { self.on } else { draw(self.on, stream) };
        self.left = match self.remainder {
            Remainder::Carried | Remainder::Restarted => on,
            Remainder::Whole => {
                let spacing = self.spacing.as_ps();
                let whole = on.as_ps().saturating_add(spacing / 2) / spacing;
                self.spacing.times(whole.max(1))
            }
        };
    }

    /// Returns the time until `needed` of on-time has passed, and stores the rest of that on period. The part of a spacing at the end of an
    /// on period is lost unless it is carried.
    fn pass(&mut self, mut needed: Duration, stream: &mut Stream) -> Duration {
        let mut passed = Duration::ZERO;
        while needed >= self.left {
            if self.remainder == Remainder::Carried && (needed - self.left).as_ps() / MOST_PERIODS > self.on.as_ps() {
                return self.pass_many(needed, stream);
            }
            passed = passed + self.left + draw(self.off, stream);
            needed = match self.remainder {
                Remainder::Carried => needed - self.left,
                Remainder::Restarted | Remainder::Whole => Duration::ZERO,
            };
            self.begin(stream);
        }
        self.left = self.left - needed;
        passed + needed
    }

    /// Same as [`OnOff::pass`], for too many on periods to draw each of them. Their ends form a Poisson process in on-time, and the rest of
    /// the last period has the distribution of a whole one.
    #[cold]
    fn pass_many(&mut self, needed: Duration, stream: &mut Stream) -> Duration {
        let ended = 1.0 + poisson((needed - self.left).as_seconds() / self.on.as_seconds(), stream);
        let silence = Duration::from_seconds(self.off.as_seconds() * gamma(ended, stream));
        self.begin(stream);
        needed + silence
    }
}

/// Maximum number of on periods drawn one by one for a packet.
const MOST_PERIODS: u64 = 10_000;

/// Draws a Poisson number of a large mean: the first terms of the expansion of its quantiles around the normal distribution
/// [Cornish38].
fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    let z = normal(stream);
    libm::floor(mean + libm::sqrt(mean) * z + (z * z - 1.0) / 6.0 + 0.5).max(0.0)
}

/// Draws a gamma number of a large shape and scale 1. Its cube root is nearly normal [Wilson31].
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    let root = 1.0 - 1.0 / (9.0 * shape) + normal(stream) / (3.0 * libm::sqrt(shape));
    shape * root * root * root
}

impl Source for OnOff {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        let after = match self.initial {
            Initial::Stationary => self.first_of_stationary(stream),
            initial => {
                let is_on = initial == Initial::On || initial == Initial::Either && stream.chance(0.5);
                let silence = if is_on { Duration::ZERO } else { draw(self.off, stream) };
                self.begin(stream);
                let phase = match self.phase {
                    Phase::Zero => Duration::ZERO,
                    Phase::Random => uniform(self.spacing, stream),
                };
                silence + self.pass(phase, stream)
            }
        };
        Emission { after, size: self.sizes.sample(stream) }
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> Emission {
        let after = if self.left > self.spacing {
            self.left = self.left - self.spacing;
            self.spacing
        } else {
            self.pass(self.spacing, stream)
        };
        Emission { after, size: self.sizes.sample(stream) }
    }

    fn next_run(&mut self, stream: &mut Stream) -> (Emission, u32) {
        let next = self.next(stream);
        if self.sizes.constant().is_none() || self.spacing == Duration::ZERO {
            return (next, 0);
        }
        // The number of times that `next` would find more than a spacing left.
        let more = (self.left.as_ps().saturating_sub(1) / self.spacing.as_ps()).min(u64::from(u32::MAX));
        self.left = self.left - self.spacing.times(more);
        (next, more as u32)
    }

    fn spacing(&self) -> Option<Duration> {
        Some(self.spacing)
    }

    /// A new on period may start immediately if it begins with a packet and the last one was cut off.
    fn least_spacing(&self) -> Duration {
        match self.remainder {
            Remainder::Carried | Remainder::Whole => self.spacing,
            Remainder::Restarted => Duration::ZERO,
        }
    }
}

fn draw(mean: Duration, stream: &mut Stream) -> Duration {
    Duration::from_seconds(stream.exponential() * mean.as_seconds())
}

/// Uniform in [0, `span`).
fn uniform(span: Duration, stream: &mut Stream) -> Duration {
    Duration::from_ps(stream.below(span.as_ps().max(1)))
}

#[cfg(test)]
mod tests;
