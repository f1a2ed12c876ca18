//! The congestion point of BCN: samples arriving frames and reports the length and the change of the queue to their sources.

use crate::feedback::{Feedback, MAX_MESSAGE, PARTS_OF_A_FRAME};
use crate::parameters::{Check, Count, Positive, Probability};
use crate::rng::{Key, Stream};
use crate::units::Bytes;

crate::parameters! {
    /// BCN 2.0, congestion point: samples the frames that arrive at a port, and sends feedback to their sources.
    ///
    /// ## Decides
    /// Each arriving frame is a sample with `probability`. With `interval`, the first frame after each `interval` bytes is one. At a
    /// sample, q frames wait, the arrival included; q_old frames waited at the previous sample. The feedback Fb follows from both:
    ///
    /// | value | formula | range |
    /// |---|---|---|
    /// | offset | $Q_off = Q_eq - q$ | -Q_eq to Q_eq |
    /// | change | $Q_delta = q - q_old$ | -2 Q_eq to 2 Q_eq |
    /// | feedback | $Fb = Q_off - W Q_delta$ | -Q_eq (1 + 2 W) to Q_eq (1 + 2 W) |
    ///
    /// The congestion point sends a message with Fb to the source of the sampled frame. Negative feedback goes to any source. Positive
    /// feedback goes to the source only if the frame carries the tag of a rate limiter that belongs to this port. If Fb is 0, no
    /// message is sent. If q is above `severe`, the message is a stop instead.
    ///
    /// ## State
    /// The queue length at the last sample. One random number per arrival with `probability`, none with `interval`.
    ///
    /// ## Departures
    /// - The slides define Q_delta as arrivals minus departures since the last sample. For frames that the queue admits, this is
    ///   $q - q_old$.
    /// - The slides give no Q_eq. 16 frames follow from the printed range of Fb, $|Fb| <= Q_eq (1 + 2 W) = 80$.
    /// - The slides do not say which samples are answered, what happens above the severe threshold, where that threshold is, how large
    ///   a message is, or which priority it has. The rules here follow the later drafts, as far as known. The message is a minimum-size
    ///   Ethernet frame in the class of the sampled frame. There is no severe threshold unless one is given.
    /// - Frames that the queue then refuses are samples too. Frames that carry messages are not.
    ///
    /// ## Example
    /// ```toml
    /// congestion-point.bcn = { equilibrium = 16, severe = 200 }
    /// ```
    ///
    /// ## References
    /// [Jiang06 slides 4-6, 9].
    pub struct Parameters {
        /// Probability that an arriving frame is a sample [Jiang06 slide 5]; 0.01 if neither it nor `interval` is given.
        probability: Option<Probability>;
        /// Bytes between samples, instead of a probability.
        interval: Option<Bytes>;
        /// Equilibrium queue length in frames (Q_eq).
        equilibrium: Count = "16";
        /// Weight of the change of the queue length (W) [Jiang06 slide 9].
        weight: Positive = "2";
        /// Queue length in frames above which sources are stopped (Q_sc); never if left out.
        severe: Option<Count>;
        /// Which samples are answered.
        answers: Answers = "negative-to-all";
        /// Size of a message.
        message: Bytes = "64 bytes";
    }
}

crate::choice! {
    /// Which samples a congestion point answers.
    pub enum Answers {
        /// Negative feedback goes to any source, positive feedback only to the sources of tagged frames.
        "negative-to-all" => NegativeToAll,
        /// Up to the equilibrium, only tagged frames are answered; above it, all frames.
        "above-equilibrium" => AboveEquilibrium,
    }
}

/// Largest equilibrium and weight whose feedback fits into a message.
const MAX_EQUILIBRIUM: u32 = 100_000;
const MAX_WEIGHT: f64 = 30.0;

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.probability.is_some() && self.interval.is_some() {
            mistake("interval", "cannot be combined with probability; keep one of them".to_owned());
        }
        if self.probability == Some(Probability(0.0)) {
            mistake("probability", "must be above 0, or nothing would be sampled".to_owned());
        }
        if self.severe.is_some_and(|severe| severe <= self.equilibrium) {
            mistake("severe", format!("must be above equilibrium, {} frames", self.equilibrium.0));
        }
        if self.equilibrium.0 > MAX_EQUILIBRIUM {
            mistake("equilibrium", format!("must be at most {MAX_EQUILIBRIUM} frames"));
        }
        if self.weight.0 > MAX_WEIGHT {
            mistake("weight", format!("must be at most {MAX_WEIGHT}"));
        }
        if self.message.get() > MAX_MESSAGE {
            mistake("message", format!("{} is larger than a frame; at most {MAX_MESSAGE} bytes", self.message));
        }
    }
}

impl Parameters {
    /// Maximum of |Fb| in frames: Q_eq (1 + 2 W).
    pub fn greatest_feedback(&self) -> f64 {
        f64::from(self.equilibrium.0) * (1.0 + 2.0 * self.weight.0)
    }
}

/// Rule that says when the next sample is due.
#[derive(Clone, Debug)]
enum Sampling {
    Random(f64, Stream),
    /// Sampling interval, and the bytes left until the next sample.
    Every(u64, u64),
}

impl Sampling {
    fn takes(&mut self, size: u32) -> bool {
        match self {
            Sampling::Random(probability, stream) => stream.chance(*probability),
            Sampling::Every(interval, left) => {
                let size = u64::from(size);
                let is_due = size >= *left;
                *left = if is_due { *interval - (size - *left) % *interval } else { *left - size };
                is_due
            }
        }
    }
}

/// State of a congestion point.
#[derive(Clone, Debug)]
pub struct CongestionPoint {
    sampling: Sampling,
    equilibrium: i64,
    weight: f64,
    severe: Option<u32>,
    answers: Answers,
    /// Queue length at the last sample.
    last: i64,
    /// Feedback of the last sample, in 1/256 frame.
    feedback: i32,
}

crate::state! {
    impl CongestionPoint, |it, _now| {
        /// Frames that waited when the last sample was taken (q_old).
        "sampled-queue", "packets", is it.last as f64;
        /// Feedback of the last sample (F_b), in frames, whether it was sent or not; samples that stop a source are left out.
        "feedback", "packets", is f64::from(it.feedback) / f64::from(PARTS_OF_A_FRAME);
    }
}

impl CongestionPoint {
    /// A congestion point; it draws from the stream `sampling` of its key.
    pub fn new(parameters: &Parameters, key: Key) -> CongestionPoint {
        let sampling = match (parameters.interval, parameters.probability) {
            (Some(interval), _) => Sampling::Every(interval.get(), interval.get()),
            (None, probability) => Sampling::Random(probability.map_or(0.01, |given| given.0), key.child("sampling").stream()),
        };
        CongestionPoint {
            sampling,
            equilibrium: i64::from(parameters.equilibrium.0),
            weight: parameters.weight.0,
            severe: parameters.severe.map(|severe| severe.0),
            answers: parameters.answers,
            last: 0,
            feedback: 0,
        }
    }

    /// Returns the feedback for the source of an arriving frame of `size` bytes, if any. `waiting` frames wait, this one included.
    /// `is_tagged` if the frame carries the tag of a rate limiter that belongs to this point.
    pub fn on_arrival(&mut self, size: u32, waiting: u32, is_tagged: bool) -> Option<Feedback> {
        if !self.sampling.takes(size) {
            return None;
        }
        let (queue, equilibrium) = (i64::from(waiting), self.equilibrium);
        let offset = (equilibrium - queue).clamp(-equilibrium, equilibrium);
        let delta = (queue - self.last).clamp(-2 * equilibrium, 2 * equilibrium);
        self.last = queue;
        if self.severe.is_some_and(|severe| waiting > severe) {
            return Some(Feedback::Stop);
        }
        let feedback = (offset as f64 - self.weight * delta as f64) * f64::from(PARTS_OF_A_FRAME);
        let feedback = libm::round(feedback) as i32;
        self.feedback = feedback;
        let answers = match self.answers {
            Answers::NegativeToAll => is_tagged || feedback < 0,
            Answers::AboveEquilibrium => is_tagged || queue > equilibrium,
        };
        (answers && feedback != 0).then_some(Feedback::Change(feedback))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;

    /// A congestion point that samples every frame of 1000 bytes.
    fn every_frame(more: &[&str]) -> CongestionPoint {
        let lines = [&["interval = 1000 bytes"], more].concat();
        CongestionPoint::new(&read(&lines).expect("sound"), Key::root(1, 0))
    }

    fn frames(feedback: f64) -> Option<Feedback> {
        Some(Feedback::Change((feedback * 256.0) as i32))
    }

    #[test]
    fn feedback_is_offset_less_weighted_change() {
        let mut point = every_frame(&[]);
        // Q_eq = 16, W = 2, by hand: 16 - 0 - 2 (0 - 0); 16 - 10 - 2 * 10; 16 - 16 - 2 * 6; 16 - 16 - 0; -16 - 2 * 32; -16 - 2 * -28.
        let expected = [(0, frames(16.0)), (10, frames(-14.0)), (16, frames(-12.0)), (16, None), (60, frames(-80.0)), (32, frames(40.0))];
        for (waiting, feedback) in expected {
            assert_eq!(point.on_arrival(1000, waiting, true), feedback, "{waiting} waiting");
        }
    }

    #[test]
    fn feedback_stays_in_the_printed_range() {
        let mut point = every_frame(&[]);
        assert_eq!(point.on_arrival(1000, 5000, true), frames(-80.0));
        assert_eq!(point.on_arrival(1000, 0, true), frames(80.0));
        assert_eq!(read::<Parameters>(&[]).expect("sound").greatest_feedback(), 80.0);
    }

    #[test]
    fn positive_feedback_needs_a_tag() {
        let mut point = every_frame(&[]);
        assert_eq!(point.on_arrival(1000, 0, false), None);
        assert_eq!(point.on_arrival(1000, 30, false), frames(-74.0));
        // Below the equilibrium, growth of the queue makes feedback negative; the other rule answers only tagged frames.
        let mut point = every_frame(&["answers = above-equilibrium"]);
        assert_eq!(point.on_arrival(1000, 12, false), None);
        assert_eq!(point.on_arrival(1000, 17, false), frames(-11.0));
    }

    #[test]
    fn above_the_severe_threshold_sources_stop() {
        let mut point = every_frame(&["severe = 100"]);
        assert_eq!(point.on_arrival(1000, 100, false), frames(-80.0));
        assert_eq!(point.on_arrival(1000, 101, false), Some(Feedback::Stop));
    }

    #[test]
    fn samples_come_every_interval_or_at_random() {
        let mut point = CongestionPoint::new(&read(&["interval = 2500 bytes"]).expect("sound"), Key::root(1, 0));
        let taken: Vec<bool> = (0..10).map(|_| point.on_arrival(1000, 40, true).is_some()).collect();
        // At 2500, 5000, 7500 and 10,000 bytes.
        assert_eq!(taken, [false, false, true, false, true, false, false, true, false, true]);
        let mut point = CongestionPoint::new(&read(&[]).expect("sound"), Key::root(1, 0));
        let taken = (0..100_000).filter(|_| point.on_arrival(1000, 40, true).is_some()).count() as f64;
        // Four standard errors of sqrt(100 000 * .01 * .99).
        assert!((taken - 1000.0).abs() < 126.0, "{taken}");
    }

    #[test]
    fn mistakes_are_told() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(
            mistakes(&["probability = 0.01", "interval = 150 kB"]),
            ["interval: cannot be combined with probability; keep one of them"]
        );
        assert_eq!(mistakes(&["severe = 16"]), ["severe: must be above equilibrium, 16 frames"]);
        assert_eq!(mistakes(&["probability = 0"]), ["probability: must be above 0, or nothing would be sampled"]);
        assert_eq!(mistakes(&["message = 2 kB"]), ["message: 2000 bytes is larger than a frame; at most 1518 bytes"]);
    }
}
