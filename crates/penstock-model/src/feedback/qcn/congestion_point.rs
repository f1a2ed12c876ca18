//! The congestion point of QCN: samples arriving frames, the more often the worse the queue is, and tells their sources.

use super::{jittered, MAX_FEEDBACK};
use crate::feedback::{Feedback, MAX_MESSAGE};
use crate::parameters::{Check, Positive, Probability};
use crate::rng::{Key, Stream};
use crate::units::Bytes;

crate::parameters! {
    /// QCN, congestion point: samples the frames that arrive at a port, and sends quantised feedback to their sources.
    ///
    /// ## Decides
    /// With q bytes waiting at a sample and q' at the one before, Q_off = q - Q_eq, Q_delta = q - q' and Fb = -(Q_off + w Q_delta),
    /// within [-Q_eq (1 + 2 w), 0]. |Fb| is quantised to six bits, 63 of which are the greatest, and rounded down. A message goes to
    /// the source of the sampled frame if that is not 0: there is no positive feedback. The next sample is the first frame after
    /// 150 kB, or 75, 50, 37.5, 30, 25, 21.5 and 18.5 kB for the eighths of the range of |Fb| [IEEE8021Qau s30.2.1], times a factor that
    /// is uniform within `jitter` of 1.
    ///
    /// ## State
    /// The queue at the last sample, and the bytes up to the next one. A random number per sample, none without `jitter`.
    ///
    /// ## Departures
    /// The point of a port sees all its classes together; the standard has one for each priority under control. Frames that the
    /// queue then refuses are samples as well. A message is a smallest Ethernet frame in the class of the sampled one; the standard
    /// lets it have a priority of its own and up to 64 bytes of the sampled frame. Frames of messages are no samples.
    ///
    /// ## Example
    /// ```toml
    /// congestion-point.qcn = { equilibrium = "26 kB" }
    /// ```
    ///
    /// ## References
    /// [IEEE8021Qau s30.2.1, s32.8]; Alizadeh et al. [Alizadeh08].
    pub struct Parameters {
        /// Bytes that shall wait (Q_eq; cpQsp) [IEEE8021Qau s32.8].
        equilibrium: Bytes = "26 kB";
        /// Weight of the queue's change (w; cpW) [IEEE8021Qau s32.8].
        weight: Positive = "2";
        /// Bytes from one sample to the next while there is no congestion (cpSampleBase) [IEEE8021Qau s32.8].
        sample_base: Bytes = "150 kB";
        /// By how much the bytes up to the next sample vary at random, as a share of them.
        jitter: Probability = "0.15";
        /// The size of a message.
        message: Bytes = "64 bytes";
    }
}

/// The largest weight that the standard can express is 2^10.
const MAX_WEIGHT: f64 = 1024.0;

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.weight.0 > MAX_WEIGHT {
            mistake("weight", format!("must be at most {MAX_WEIGHT}"));
        }
        if self.message.get() > MAX_MESSAGE {
            mistake("message", format!("{} is larger than a frame; at most {MAX_MESSAGE} bytes", self.message));
        }
    }
}

/// Bytes to the next sample for each eighth of the range of |Fb|, in 1500ths of the sampling base [IEEE8021Qau s30.2.1].
const INTERVALS: [u64; 8] = [1500, 750, 500, 375, 300, 250, 215, 185];

/// State of a congestion point.
#[derive(Clone, Debug)]
pub struct CongestionPoint {
    equilibrium: f64,
    weight: f64,
    base: u64,
    jitter: f64,
    stream: Stream,
    /// The queue at the last sample.
    last: u64,
    /// Bytes up to the next sample.
    left: u64,
}

crate::state! {
    impl CongestionPoint, |it, _now| {
        /// Bytes that waited when the last sample was taken (Q_old).
        "sampled-queue-bytes", "bytes", is it.last as f64;
    }
}

impl CongestionPoint {
    /// A congestion point; it draws from the stream `sampling` of its key.
    pub fn new(parameters: &Parameters, key: Key) -> CongestionPoint {
        let (base, jitter) = (parameters.sample_base.get(), parameters.jitter.0);
        let mut stream = key.child("sampling").stream();
        let left = jittered(base, jitter, &mut stream);
        let equilibrium = parameters.equilibrium.get() as f64;
        CongestionPoint { equilibrium, weight: parameters.weight.0, base, jitter, stream, last: 0, left }
    }

    /// A frame of `size` bytes has arrived, and `queue` bytes wait with it: what its source is told.
    pub fn on_arrival(&mut self, size: u32, queue: u64) -> Option<Feedback> {
        let size = u64::from(size);
        if size < self.left {
            self.left -= size;
            return None;
        }
        let feedback = self.quantized_feedback(queue);
        self.last = queue;
        let interval = u128::from(self.base) * u128::from(INTERVALS[usize::from(feedback / 8)]) / 1500;
        self.left = jittered((interval as u64).max(1), self.jitter, &mut self.stream);
        (feedback > 0).then_some(Feedback::Quantized(feedback))
    }

    /// |Fb| in six bits, if so many bytes wait.
    fn quantized_feedback(&self, queue: u64) -> u8 {
        let offset = queue as f64 - self.equilibrium;
        let change = queue as f64 - self.last as f64;
        let most = self.equilibrium * (1.0 + 2.0 * self.weight);
        let feedback = (offset + self.weight * change).clamp(0.0, most);
        libm::floor(feedback * f64::from(MAX_FEEDBACK) / most) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;

    fn point(lines: &[&str]) -> CongestionPoint {
        CongestionPoint::new(&read(lines).expect("sound"), Key::root(1, 0))
    }

    #[test]
    fn feedback_is_quantised_to_six_bits() {
        // Q_eq = 26 kB, w = 2: the greatest |Fb| is 5 * 26 kB = 130 kB. By hand, from the queue at the sample before:
        let cases = [
            // At the equilibrium nothing, nor above it while it drains.
            (26_000, 26_000, 0),
            // -6 kB + 2 * 20 kB = 34 kB: 16.5.
            (20_000, 0, 16),
            (30_000, 40_000, 0),
            // 4 kB + 2 * 4 kB = 12 kB: 5.8.
            (30_000, 26_000, 5),
            // 26 kB of the 130 are 12.6; all of it is 63, and never more.
            (52_000, 52_000, 12),
            (156_000, 156_000, 63),
            (1_000_000, 0, 63),
        ];
        for (queue, last, expected) in cases {
            let mut it = point(&["jitter = 0"]);
            it.last = last;
            assert_eq!(it.quantized_feedback(queue), expected, "{queue} after {last} bytes");
        }
    }

    #[test]
    fn the_worse_the_queue_the_sooner_the_next_sample() {
        let table = [(0, 150_000), (8, 75_000), (16, 50_000), (24, 37_500), (32, 30_000), (40, 25_000), (48, 21_500), (56, 18_500)];
        for (feedback, bytes) in table {
            for within in [0, 7] {
                let mut it = point(&["jitter = 0"]);
                (it.left, it.weight) = (1, 1e-12);
                // Half a step above the lower end, since what is quantised is rounded down.
                let queue = 26_000.0 + 26_000.0 * (f64::from(feedback + within) + 0.5) / 63.0;
                let told = it.on_arrival(1000, queue as u64);
                let expected = (feedback + within > 0).then_some(Feedback::Quantized(feedback + within));
                assert_eq!((told, it.left), (expected, bytes), "feedback {}", feedback + within);
            }
        }
    }

    #[test]
    fn samples_are_counted_in_bytes() {
        let mut it = point(&["jitter = 0", "sample-base = 2500 bytes"]);
        let taken: Vec<bool> = (0..8).map(|_| it.on_arrival(1000, 26_000 + 130_000).is_some()).collect();
        // The third frame completes 2500 bytes. The first |Fb| is 63: 2500 * 18.5/150 = 308 bytes, so each frame is a sample.
        assert_eq!(taken, [false, false, true, true, true, true, true, true]);
        // With jitter: 10,000 samples 150 kB apart on average, of frames of 1 kB, which complete them half a frame late.
        let mut it = point(&[]);
        let frames = (1..).scan(0, |samples, frame| {
            let before = it.left;
            it.on_arrival(1000, 0);
            *samples += u32::from(before <= 1000);
            Some((*samples, frame))
        });
        let frames = frames.take_while(|(samples, _)| *samples < 10_000).count();
        // Four standard errors of 0.15 / sqrt(3) of 150 kB, over the root of 10,000.
        assert!((frames as f64 / 10_000.0 - 150.5).abs() < 0.52, "{frames}");
    }

    #[test]
    fn mistakes_are_told() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["weight = 2000"]), ["weight: must be at most 1024"]);
        assert_eq!(mistakes(&["message = 2 kB"]), ["message: 2000 bytes is larger than a frame; at most 1518 bytes"]);
    }
}
