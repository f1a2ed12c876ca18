//! The congestion point of QCN: samples arriving frames, more often when the queue is longer, and sends feedback to their sources.

use super::{jittered, MAX_FEEDBACK};
use crate::feedback::{Feedback, MAX_MESSAGE};
use crate::parameters::{Check, Positive, Probability};
use crate::rng::{Key, Stream};
use crate::units::Bytes;

crate::parameters! {
    /// QCN, congestion point: samples the frames that arrive at a port, and sends quantised feedback to their sources.
    ///
    /// ## Decides
    /// At a sample, q bytes wait; q_old bytes waited at the previous sample. With $Q_off = q - Q_eq$ and $Q_delta = q - q_old$, the
    /// feedback is $Fb = -(Q_off + w Q_delta)$, limited to the range from $-Q_eq (1 + 2 w)$ to 0. |Fb| is quantised to six bits,
    /// rounded down; 63 is the maximum. If the quantised |Fb| is not 0, a message goes to the source of the sampled frame. There is no
    /// positive feedback. The next sample is the first frame after a number of bytes that depends on |Fb| [IEEE8021Qau s30.2.1]:
    ///
    /// | quantised feedback | bytes |
    /// |---|---|
    /// | 0 to 7 | `sample-base` (150 kB) |
    /// | 8 to 15 | 1/2 of it (75 kB) |
    /// | 16 to 23 | 1/3 (50 kB) |
    /// | 24 to 31 | 1/4 (37.5 kB) |
    /// | 32 to 39 | 1/5 (30 kB) |
    /// | 40 to 47 | 1/6 (25 kB) |
    /// | 48 to 55 | 43/300 (21.5 kB) |
    /// | 56 to 63 | 37/300 (18.5 kB) |
    ///
    /// The number is multiplied by a random factor, uniform between 1 - `jitter` and 1 + `jitter`.
    ///
    /// ## State
    /// The queue length at the last sample and the bytes until the next one. One random number per sample, none without `jitter`.
    ///
    /// ## Departures
    /// - A port has one congestion point for all its classes; the standard has one for each congestion-controlled priority.
    /// - Frames that the queue then refuses are samples too. Frames that carry messages are not.
    /// - A message is a minimum-size Ethernet frame in the class of the sampled frame. The standard allows it a priority of its own and
    ///   up to 64 bytes of the sampled frame.
    ///
    /// ## Example
    /// ```toml
    /// congestion-point.qcn = { equilibrium = "26 kB" }
    /// ```
    ///
    /// ## References
    /// [IEEE8021Qau s30.2.1, s32.8]; Alizadeh et al. [Alizadeh08].
    pub struct Parameters {
        /// Equilibrium queue length (Q_eq; cpQsp) [IEEE8021Qau s32.8].
        equilibrium: Bytes = "26 kB";
        /// Weight of the change of the queue length (w; cpW) [IEEE8021Qau s32.8].
        weight: Positive = "2";
        /// Bytes between samples without congestion (cpSampleBase) [IEEE8021Qau s32.8].
        sample_base: Bytes = "150 kB";
        /// Maximum random variation of the bytes between samples, as a fraction of them.
        jitter: Probability = "0.15";
        /// Size of a message.
        message: Bytes = "64 bytes";
    }
}

/// Maximum weight that the standard can express: 2^10.
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
    /// Queue length at the last sample.
    last: u64,
    /// Bytes until the next sample.
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

    /// Returns the feedback for the source of an arriving frame of `size` bytes, if any; `queue` bytes wait, the frame included.
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

    /// Quantised |Fb| while `queue` bytes wait.
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
        // Q_eq = 26 kB, w = 2: the maximum of |Fb| is 5 * 26 kB = 130 kB. Computed by hand, from the queue at the previous sample:
        let cases = [
            // No feedback at the equilibrium, nor above it while the queue drains.
            (26_000, 26_000, 0),
            // -6 kB + 2 * 20 kB = 34 kB: 16.5.
            (20_000, 0, 16),
            (30_000, 40_000, 0),
            // 4 kB + 2 * 4 kB = 12 kB: 5.8.
            (30_000, 26_000, 5),
            // 26 kB of the 130 are 12.6; all of it is 63, the maximum.
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
                // Half a step above the lower end, since quantisation rounds down.
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
        // The third frame completes 2500 bytes. The first |Fb| is 63: the next sample is due after 2500 * 18.5/150 = 308 bytes, so each
        // frame is sampled.
        assert_eq!(taken, [false, false, true, true, true, true, true, true]);
        // With jitter: 10,000 samples, 150 kB apart on average. Frames of 1 kB complete them half a frame late on average.
        let mut it = point(&[]);
        let frames = (1..).scan(0, |samples, frame| {
            let before = it.left;
            it.on_arrival(1000, 0);
            *samples += u32::from(before <= 1000);
            Some((*samples, frame))
        });
        let frames = frames.take_while(|(samples, _)| *samples < 10_000).count();
        // Four standard errors: 0.15 / sqrt(3) of 150 kB, divided by the square root of 10,000.
        assert!((frames as f64 / 10_000.0 - 150.5).abs() < 0.52, "{frames}");
    }

    #[test]
    fn mistakes_are_told() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["weight = 2000"]), ["weight: must be at most 1024"]);
        assert_eq!(mistakes(&["message = 2 kB"]), ["message: 2000 bytes is larger than a frame; at most 1518 bytes"]);
    }
}
