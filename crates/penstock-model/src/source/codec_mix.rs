//! A mix of voice codecs.

use super::cbr::Phase;
use super::on_off::{self, Initial, OnOff, Remainder};
use super::size::SizeLaw;
use super::{Emission, OpenLoop, Source};
use crate::parameters::Check;
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate};

crate::parameters! {
    /// Codec mix: each flow has one of eight voice codecs, all equally likely.
    ///
    /// ## Decides
    /// When its flow starts, the source draws one of four packet formats, with constant bit rate or with silence suppression:
    ///
    /// | packet | spacing | with silence suppression |
    /// |---|---|---|
    /// | 160 bytes | 20 ms | on for 340 ms, off for 660 ms on average |
    /// | 200 bytes | 20 ms | on 40 % of the time |
    /// | 120 bytes | 10 ms | on 40 % of the time |
    /// | 60 bytes | 20 ms | on 40 % of the time |
    ///
    /// The mean rate is 45.72 kbit/s.
    ///
    /// ## State
    /// That of `on-off`.
    ///
    /// ## Departures
    /// For three of the codecs, the drafts give only the fraction of on-time. Their mean periods are taken as 400 and 600 ms, which add
    /// up to a second like the periods of the first codec.
    ///
    /// ## Example
    /// ```toml
    /// source.codec-mix = { initial = "on" }
    /// ```
    ///
    /// ## References
    /// MIX of [Charny07 appendix A], [Zhang07 s3].
    pub struct Parameters {
        /// State of a source with silence suppression when its flow starts.
        initial: Initial = "stationary";
        /// Time of the first packet, from the start of the flow or of the first on period; always random for a stationary source with
        /// silence suppression.
        phase: Phase = "zero";
        /// Treatment of the part of a spacing at the end of an on period.
        remainder: Remainder = "carried";
    }
}
impl Check for Parameters {}

/// Bytes, spacing, and mean on and off periods in ms. An off period of zero means constant bit rate.
const CODECS: [(u32, u64, u64, u64); 8] = [
    (160, 20, 1000, 0),
    (160, 20, 340, 660),
    (200, 20, 1000, 0),
    (200, 20, 400, 600),
    (120, 10, 1000, 0),
    (120, 10, 400, 600),
    (60, 20, 1000, 0),
    (60, 20, 400, 600),
];

impl Parameters {
    fn codec(&self, codec: usize) -> on_off::Parameters {
        let (bytes, spacing, on, off) = CODECS[codec];
        on_off::Parameters {
            packet: SizeLaw::Constant(bytes),
            spacing: Duration::from_ms(spacing),
            on: if off == 0 { Duration::FOREVER } else { Duration::from_ms(on) },
            off: Duration::from_ms(off),
            initial: if off == 0 { Initial::On } else { self.initial },
            phase: Some(self.phase),
            remainder: self.remainder,
        }
    }
}

impl OpenLoop for Parameters {
    /// Mean rate over all codecs.
    fn mean_rate(&self) -> Rate {
        let of = |codec: usize| {
            let parameters = self.codec(codec);
            match parameters.on {
                Duration::FOREVER => u64::from(CODECS[codec].0) * 8 * 1000 / CODECS[codec].1,
                _ => parameters.mean_rate().as_bps(),
            }
        };
        Rate::from_bps(((0..CODECS.len()).map(of).sum::<u64>() + 4) / 8)
    }

    fn largest_packet(&self) -> Option<Bytes> {
        CODECS.iter().map(|(bytes, ..)| Bytes::new(u64::from(*bytes))).max()
    }
}

/// State of a source of the mix.
#[derive(Clone, Debug)]
pub struct CodecMix {
    source: OnOff,
}

impl CodecMix {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> CodecMix {
        // The second codec has silences, so it keeps the initial state until a codec has been drawn.
        CodecMix { source: OnOff::of(&parameters.codec(1)) }
    }
}

impl Source for CodecMix {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        let (initial, phase, remainder) = self.source.rules();
        let drawn = Parameters { initial, phase, remainder };
        self.source = OnOff::of(&drawn.codec(stream.below(CODECS.len() as u64) as usize));
        self.source.first(stream)
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> Emission {
        self.source.next(stream)
    }

    fn next_run(&mut self, stream: &mut Stream) -> (Emission, u32) {
        self.source.next_run(stream)
    }

    /// Spacing of the drawn codec, after [`Source::first`] has drawn it.
    fn spacing(&self) -> Option<Duration> {
        self.source.spacing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    fn plan() -> Parameters {
        read(&[]).expect("sound")
    }

    #[test]
    fn the_mean_rate_is_that_of_the_eight() {
        // 64 + 21.76 + 80 + 32 + 96 + 38.4 + 24 + 9.6 kbit/s, over 8.
        assert_eq!(plan().mean_rate(), Rate::from_bps(45_720));
    }

    #[test]
    fn every_codec_is_drawn_equally_often() {
        let mut stream = Key::root(1, 0).child("codecs").stream();
        let n = 80_000;
        let mut drawn = [0u32; CODECS.len()];
        for _ in 0..n {
            let mut source = CodecMix::new(&plan(), &Site::trial());
            source.first(&mut stream);
            let at = |codec: usize| OnOff::of(&plan().codec(codec)).format() == source.source.format();
            drawn[(0..CODECS.len()).find(|codec| at(*codec)).expect("one of the eight")] += 1;
        }
        // Binomial: 10,000 with standard deviation 93.5; four of them.
        assert!(drawn.iter().all(|count| (f64::from(*count) - 10_000.0).abs() < 374.0), "{drawn:?}");
    }

    #[test]
    fn constant_bit_rate_has_no_silence() {
        let mut stream = Key::root(1, 0).child("cbr").stream();
        let mut source = OnOff::of(&plan().codec(4));
        assert_eq!(source.first(&mut stream), Emission { after: Duration::ZERO, size: 120 });
        assert!((0..100_000).all(|_| source.next(&mut stream).after == Duration::from_ms(10)));
    }
}
