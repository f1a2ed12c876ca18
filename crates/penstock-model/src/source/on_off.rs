//! On-off sources.

use super::cbr::Phase;
use super::laws::normal;
use super::size::SizeLaw;
use super::{Emission, Source};
use crate::parameters::Check;
use crate::rng::Stream;
use crate::units::{Duration, Rate};

crate::parameters! {
    /// On-off: packets at one spacing during on periods, silence between them.
    ///
    /// ## Decides
    /// On and off periods alternate, exponential with means `on` and `off`. With `remainder = "carried"` a packet goes out
    /// each time `spacing` of on-time has passed since the one before, in whatever on periods; with `"restarted"` every on
    /// period sends at its beginning and each `spacing` later; with `"whole"` an on period is a whole number of spacings,
    /// the nearest to an exponential one and at least one, each with a packet at its beginning.
    ///
    /// Voice with silence suppression (VBR): `packet = "160 bytes", spacing = "20 ms", on = "340 ms", off = "660 ms"`, 21.76
    /// kbit/s. Synthetic video (SVD): `packet = "1500 bytes", spacing = "1 ms"` with the same periods, 4.08 Mbit/s.
    ///
    /// ## State
    /// What is left of the on period. One or two random numbers per on period, and one per packet where the size varies.
    ///
    /// ## Departures
    /// Where a spacing takes more than 10,000 on periods in the mean, their number and the sum of the silences between them are
    /// drawn at once, by expansions of their laws [Cornish38; Wilson31]: at most one period is wrong, and the sum by less than 10^-4
    /// of its standard deviation. The documents leave open what becomes of the part of a spacing that ends an on period, and this moves the mean
    /// rate: `carried` has exactly that of the formula, packet/spacing x on/(on + off); `restarted` has 3 % more with VBR's
    /// numbers; `whole` is ns-2's Exponential On/Off, with 0.1 % more.
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
        /// What the source does when its flow starts.
        initial: Initial = "stationary";
        /// When the first packet goes out, counted from the beginning of the first on period.
        phase: Phase = "zero";
        /// What becomes of the part of a spacing that ends an on period.
        remainder: Remainder = "carried";
    }
}

crate::choice! {
    /// What an on-off source does when its flow starts.
    pub enum Initial {
        /// An on period begins.
        "on" => On,
        /// An off period begins.
        "off" => Off,
        /// It is on with probability on/(on + off).
        "stationary" => Stationary,
    }
}

crate::choice! {
    /// What becomes of the part of a spacing that ends an on period.
    pub enum Remainder {
        /// It counts towards the first packet of the next on period.
        "carried" => Carried,
        /// It is lost; every on period begins with a packet.
        "restarted" => Restarted,
        /// There is none: on periods are whole numbers of spacings.
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
    }
}

impl Parameters {
    /// The rate in the long run, to the nearest bit/s.
    pub fn mean_rate(&self) -> Rate {
        let (spacing, on, off) = (self.spacing.as_seconds(), self.on.as_seconds(), self.off.as_seconds());
        let (packets, cycle) = match self.remainder {
            Remainder::Carried => (on / spacing, on + off),
            // The sum of P(on period > k spacings) over k = 0, 1, ...
            Remainder::Restarted => (-1.0 / libm::expm1(-spacing / on), on + off),
            // Rounded to the nearest: the sum of P(on period > k + 1/2 spacings), and one more where it would be none.
            Remainder::Whole => {
                let half = libm::exp(-spacing / on / 2.0);
                let packets = -half / libm::expm1(-spacing / on) + 1.0 - half;
                (packets, packets * spacing + off)
            }
        };
        Rate::from_bps((packets * self.packet.mean() * 8.0 / cycle + 0.5) as u64)
    }
}

/// An on-off source at work.
#[derive(Clone, Debug)]
pub struct OnOff {
    sizes: SizeLaw,
    spacing: Duration,
    on: Duration,
    off: Duration,
    /// What is left of the on period after the last packet.
    left: Duration,
    initial: Initial,
    phase: Phase,
    remainder: Remainder,
}

impl OnOff {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters) -> OnOff {
        OnOff {
            sizes: parameters.packet.clone(),
            spacing: parameters.spacing,
            on: parameters.on,
            off: parameters.off,
            left: Duration::ZERO,
            initial: parameters.initial,
            phase: parameters.phase,
            remainder: parameters.remainder,
        }
    }

    /// The rules that it follows.
    pub(super) fn rules(&self) -> (Initial, Phase, Remainder) {
        (self.initial, self.phase, self.remainder)
    }

    /// Sizes, spacing and mean periods.
    #[cfg(test)]
    pub(super) fn format(&self) -> (SizeLaw, Duration, Duration, Duration) {
        (self.sizes.clone(), self.spacing, self.on, self.off)
    }

    fn starts_on(&self, stream: &mut Stream) -> bool {
        match self.initial {
            Initial::On => true,
            Initial::Off => false,
            Initial::Stationary => stream.chance(self.on.as_seconds() / (self.on + self.off).as_seconds()),
        }
    }

    /// A new on period.
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

    /// How long it takes until `needed` of on-time has passed, and what is left of the on period then is kept. What the
    /// end of an on period cuts off is lost unless it is carried.
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

    /// The same through so many on periods that drawing each would take long. They end as a Poisson process in on-time, and what
    /// is left of the last one has the law of a whole one.
    #[cold]
    fn pass_many(&mut self, needed: Duration, stream: &mut Stream) -> Duration {
        let ended = 1.0 + poisson((needed - self.left).as_seconds() / self.on.as_seconds(), stream);
        let silence = Duration::from_seconds(self.off.as_seconds() * gamma(ended, stream));
        self.begin(stream);
        needed + silence
    }
}

/// So many on periods are drawn one by one for a packet.
const MOST_PERIODS: u64 = 10_000;

/// A Poisson number of a large mean: the first terms of the expansion of its quantiles around the normal law [Cornish38].
fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    let z = normal(stream);
    libm::floor(mean + libm::sqrt(mean) * z + (z * z - 1.0) / 6.0 + 0.5).max(0.0)
}

/// A gamma number of a large shape and scale 1: its cube root is nearly normal [Wilson31].
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    let root = 1.0 - 1.0 / (9.0 * shape) + normal(stream) / (3.0 * libm::sqrt(shape));
    shape * root * root * root
}

impl Source for OnOff {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        let silence = if self.starts_on(stream) { Duration::ZERO } else { draw(self.off, stream) };
        self.begin(stream);
        let phase = match self.phase {
            Phase::Zero => Duration::ZERO,
            Phase::Random => Duration::from_ps(stream.below(self.spacing.as_ps().max(1))),
        };
        Emission { after: silence + self.pass(phase, stream), size: self.sizes.sample(stream) }
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
        // As often as `next` finds more than a spacing left.
        let more = (self.left.as_ps().saturating_sub(1) / self.spacing.as_ps()).min(u64::from(u32::MAX));
        self.left = self.left - self.spacing.times(more);
        (next, more as u32)
    }

    fn spacing(&self) -> Option<Duration> {
        Some(self.spacing)
    }
}

fn draw(mean: Duration, stream: &mut Stream) -> Duration {
    Duration::from_seconds(stream.exponential() * mean.as_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    const VBR: [&str; 4] = ["packet = 160 bytes", "spacing = 20 ms", "on = 340 ms", "off = 660 ms"];

    fn plan(more: &[&str]) -> Parameters {
        read(&[&VBR, more].concat()).expect("sound")
    }

    fn stream(name: &str) -> Stream {
        Key::root(1, 0).child(name).stream()
    }

    /// Mean, standard deviation and third central moment.
    fn moments(samples: &[f64]) -> (f64, f64, f64) {
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let of_order = |order: i32| samples.iter().map(|sample| (sample - mean).powi(order)).sum::<f64>() / n;
        (mean, of_order(2).sqrt(), of_order(3))
    }

    #[test]
    fn very_many_on_periods_in_a_spacing_take_as_long_as_they_should() {
        // 40 s of on-time at 1 ms are 40,000 periods in the mean, and silences of 3 ms between them: a compound Poisson law with
        // the mean 120 s, the variance 2 x 40,000 x (3 ms)^2 and the third moment 6 x 40,000 x (3 ms)^3.
        let lines = ["packet = 160 bytes", "spacing = 40 s", "on = 1 ms", "off = 3 ms"];
        let n = 40_000;
        let silence = |spacing: &Duration| spacing.as_seconds() - 40.0;
        let samples: Vec<f64> = spacings(&read(&lines).expect("sound"), n).iter().map(silence).collect();
        let (mean, deviation, third) = moments(&samples);
        let expected = (0.003f64.powi(2) * 80_000.0).sqrt();
        let error = 1.0 / f64::from(n).sqrt();
        assert!((mean - 120.0).abs() < 4.0 * expected * error, "{mean}");
        // Standard errors of a standard deviation and of a third moment, as of a normal law.
        assert!((deviation / expected - 1.0).abs() < 4.0 * error / 2f64.sqrt(), "{deviation} instead of {expected}");
        assert!((third - 240_000.0 * 0.003f64.powi(3)).abs() < 4.0 * 6f64.sqrt() * expected.powi(3) * error, "{third}");
    }

    #[test]
    fn what_is_left_after_very_many_on_periods_has_the_law_of_a_whole_one() {
        let mut source = OnOff::new(&read(&["packet = 160 bytes", "spacing = 40 s", "on = 1 ms", "off = 3 ms"]).expect("sound"));
        let (mut stream, n) = (stream("left"), 40_000);
        source.first(&mut stream);
        let left = |_| {
            source.next(&mut stream);
            source.left.as_seconds()
        };
        let (mean, deviation, _) = moments(&(0..n).map(left).collect::<Vec<f64>>());
        // An exponential law has a standard deviation of its mean, with a standard error of sqrt(2 / n) of that.
        let error = 4.0 * (2.0 / f64::from(n)).sqrt();
        assert!((mean / 0.001 - 1.0).abs() < error && (deviation / 0.001 - 1.0).abs() < error, "{mean} +- {deviation}");
    }

    #[test]
    fn below_ten_thousand_periods_each_is_drawn() {
        // The stream stands at another place afterwards.
        let draws = |spacing: &str| {
            let mut source = OnOff::new(&read(&["packet = 160 bytes", spacing, "on = 1 ms", "off = 3 ms"]).expect("sound"));
            let (mut used, mut stream) = (0, stream("draws"));
            source.first(&mut stream);
            let mut other = stream.clone();
            source.next(&mut stream);
            let after = stream.unit();
            while other.unit() != after {
                used += 1;
            }
            used
        };
        assert!(draws("spacing = 9.5 s") > 18_000);
        assert!(draws("spacing = 10.5 s") < 10);
    }

    fn spacings(parameters: &Parameters, n: u32) -> Vec<Duration> {
        let (mut source, mut stream) = (OnOff::new(parameters), stream("on-off"));
        source.first(&mut stream);
        (0..n).map(|_| source.next(&mut stream).after).collect()
    }

    #[test]
    fn the_mean_rates_are_those_of_the_documents() {
        assert_eq!(plan(&[]).mean_rate(), Rate::from_bps(21_760));
        let svd: Parameters = read(&["packet = 1500 bytes", "spacing = 1 ms", "on = 340 ms", "off = 660 ms"]).expect("sound");
        assert_eq!(svd.mean_rate(), Rate::from_bps(4_080_000));
        // 17.5049 packets a second; 17.0265 in 1.000530 s.
        assert_eq!(plan(&["remainder = restarted"]).mean_rate(), Rate::from_bps(22_406));
        assert_eq!(plan(&["remainder = whole"]).mean_rate(), Rate::from_bps(21_782));
    }

    #[test]
    fn every_rule_has_the_mean_rate_that_it_tells() {
        for remainder in ["remainder = carried", "remainder = restarted", "remainder = whole"] {
            let parameters = plan(&[remainder]);
            let n = 2_000_000;
            let seconds: f64 = spacings(&parameters, n).iter().map(|span| span.as_seconds()).sum();
            let rate = f64::from(n) * 1280.0 / seconds;
            // About 117,600 cycles, whose length has a standard deviation of 0.74 s against a mean of 1 s and whose packets
            // vary by as much: the ratio's relative error is sqrt(.66^2 + .66^2)/343 = .0027; four of them would be .011.
            let relative = rate / parameters.mean_rate().as_bps() as f64 - 1.0;
            assert!(relative.abs() < 0.011, "{remainder}: {relative}");
        }
    }

    #[test]
    fn runs_of_packets_are_those_that_come_one_by_one() {
        for remainder in ["remainder = carried", "remainder = restarted", "remainder = whole"] {
            let one_by_one = spacings(&plan(&[remainder]), 20_000);
            let (mut source, mut stream) = (OnOff::new(&plan(&[remainder])), stream("on-off"));
            source.first(&mut stream);
            let mut in_runs = Vec::new();
            while in_runs.len() < one_by_one.len() {
                let (next, more) = source.next_run(&mut stream);
                assert_eq!(next.size, 160);
                in_runs.push(next.after);
                in_runs.extend((0..more).map(|_| Duration::from_ms(20)));
            }
            assert!(in_runs.iter().zip(&one_by_one).all(|(in_run, one)| in_run == one), "{remainder}");
        }
    }

    #[test]
    fn sizes_may_vary() {
        let mixed = Parameters { packet: SizeLaw::Mix(vec![(0.75, 160), (1.0, 1500)].into()), ..plan(&[]) };
        // A mean of 495 bytes every 20 ms, 34 % of the time.
        assert_eq!(mixed.mean_rate(), Rate::from_bps(67_320));
        let (mut source, mut stream) = (OnOff::new(&mixed), stream("sizes"));
        let n = 10_000u32;
        assert_eq!(source.next_run(&mut stream).1, 0);
        let short = (0..n).filter(|_| source.next(&mut stream).size == 160).count() as f64 / f64::from(n);
        // Standard error sqrt(.1875 / n); four of them.
        assert!((short - 0.75).abs() < 4.0 * (0.1875 / f64::from(n)).sqrt(), "{short}");
    }

    #[test]
    fn carried_packets_come_at_one_spacing_of_on_time() {
        let mut source = OnOff { left: Duration::from_ms(50), ..OnOff::new(&plan(&[])) };
        let mut stream = stream("carried");
        let mut next = || (source.next(&mut stream).after, source.left);
        assert_eq!(next(), (Duration::from_ms(20), Duration::from_ms(30)));
        assert_eq!(next(), (Duration::from_ms(20), Duration::from_ms(10)));
        // 10 ms are left: 10 ms, an off period and 10 ms of the next on period.
        let mut same = self::stream("carried");
        let (off, on) = (draw(Duration::from_ms(660), &mut same), draw(Duration::from_ms(340), &mut same));
        assert_eq!(next(), (Duration::from_ms(20) + off, on - Duration::from_ms(10)));
    }

    #[test]
    fn restarted_periods_begin_with_a_packet() {
        let mut source = OnOff { left: Duration::from_ms(10), ..OnOff::new(&plan(&["remainder = restarted"])) };
        let (mut stream, mut same) = (stream("restarted"), stream("restarted"));
        let (off, on) = (draw(Duration::from_ms(660), &mut same), draw(Duration::from_ms(340), &mut same));
        assert_eq!((source.next(&mut stream).after, source.left), (Duration::from_ms(10) + off, on));
    }

    #[test]
    fn whole_periods_have_at_least_one_packet_and_end_a_spacing_after_the_last() {
        let all = spacings(&plan(&["remainder = whole"]), 50_000);
        assert!(all.iter().all(|span| *span >= Duration::from_ms(20)));
        let in_period = all.iter().filter(|span| **span == Duration::from_ms(20)).count() as f64 / 50_000.0;
        // 17.0265 packets a period: 16.0265/17.0265 of the spacings; standard error below .0011.
        assert!((in_period - 16.0265 / 17.0265).abs() < 0.0044, "{in_period}");
    }

    #[test]
    fn a_source_starts_as_it_is_told() {
        let firsts = |more: &[&str]| {
            let (parameters, mut stream) = (plan(more), stream("first"));
            (0..20_000).map(|_| OnOff::new(&parameters).first(&mut stream).after).collect::<Vec<_>>()
        };
        assert!(firsts(&["initial = on"]).iter().all(|after| *after == Duration::ZERO));
        let mean = |all: &[Duration]| all.iter().map(|after| after.as_seconds()).sum::<f64>() / 20_000.0;
        // Exponential of mean 660 ms; four standard errors.
        assert!((mean(&firsts(&["initial = off"])) - 0.66).abs() < 4.0 * 0.66 / 20_000f64.sqrt());
        let at_once = firsts(&[]).iter().filter(|after| **after == Duration::ZERO).count() as f64 / 20_000.0;
        assert!((at_once - 0.34).abs() < 4.0 * (0.34 * 0.66 / 20_000f64).sqrt(), "{at_once}");
        let random = firsts(&["initial = on", "phase = random"]);
        let within = random.iter().filter(|after| **after < Duration::from_ms(20)).count() as f64 / 20_000.0;
        // Unless the on period ends before: the mean of exp(-t/340 ms) over 20 ms.
        let sure = (1.0 - (-20.0f64 / 340.0).exp()) * 340.0 / 20.0;
        assert!((within - sure).abs() < 4.0 * (sure * (1.0 - sure) / 20_000.0).sqrt(), "{within}");
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let zeros = read::<Parameters>(&["packet = 160 bytes", "spacing = 0 ms", "on = 0 s", "off = 0 s"]).expect_err("mistakes");
        assert_eq!(zeros, ["spacing: must be above zero", "on: must be above zero", "off: must be above zero"]);
        let large = read::<Parameters>(&["packet = 64 KiB", "spacing = 1 ms", "on = 1 s", "off = 1 s"]).expect_err("a mistake");
        assert_eq!(large, ["packet: 65536 bytes is larger than any packet; at most 65535 bytes"]);
    }
}
