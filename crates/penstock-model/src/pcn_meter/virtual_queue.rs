//! CL's admission marking.

use super::bucket::{bits, Bucket, Tokens};
use super::depth::Depth;
use super::PcnMeter;
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::Check;
use crate::rng::{Key, Stream};
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Virtual queue: marks at random, the more often the longer a queue at the admissible rate would be.
    ///
    /// ## Decides
    /// A virtual queue is drained at `admissible-rate` and grows by every packet, up to `upper-limit`. A packet that finds
    /// v there is marked with probability 0 up to `min-threshold`, (v - min)/(max - min) between, and 1 from `max-threshold`
    /// on. Equal thresholds make a step: all packets from there on, none below.
    ///
    /// ## State
    /// The virtual queue, exact. Constant cost per packet; one random number per packet between the thresholds.
    ///
    /// ## Departures
    /// None. The levels are times at `admissible-rate`, as [Satoh10 s10.5] has them; an earlier version of that document
    /// measured them at the link's rate.
    ///
    /// ## Example
    /// ```toml
    /// pcn.virtual-queue = { admissible-rate = "64 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// [Briscoe06 admission marking], [Satoh10 s10.5].
    pub struct Parameters {
        /// Rate at which the virtual queue is drained (AR).
        admissible_rate: Rate;
        /// Queue up to which nothing is marked; default of [Satoh10 s10.5].
        min_threshold: Depth = "5 ms";
        /// Queue from which everything is marked; default of [Satoh10 s10.5].
        max_threshold: Depth = "15 ms";
        /// The longest that the queue gets; default of [Satoh10 s10.5].
        upper_limit: Depth = "20 ms";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let at = |depth: Depth| depth.at(self.admissible_rate);
        if at(self.max_threshold) < at(self.min_threshold) {
            mistake("max-threshold", format!("{} is below min-threshold, {}", self.max_threshold, self.min_threshold));
        }
        if at(self.upper_limit) < at(self.max_threshold) {
            let (limit, max) = (self.upper_limit, self.max_threshold);
            mistake("upper-limit", format!("{limit} is below max-threshold, {max}, which the queue then never reaches"));
        }
    }
}

/// A virtual queue at work.
#[derive(Clone, Debug)]
pub struct VirtualQueue {
    /// The room that is left: a bucket that fills as the queue drains.
    room: Bucket,
    min: Tokens,
    max: Tokens,
    stream: Stream,
}

impl VirtualQueue {
    /// A meter with these parameters; it draws from the stream `virtual-queue` below `key`.
    pub fn new(parameters: &Parameters, key: Key) -> VirtualQueue {
        let rate = parameters.admissible_rate;
        VirtualQueue {
            room: Bucket::new(rate, parameters.upper_limit, Start::Full),
            min: parameters.min_threshold.at(rate),
            max: parameters.max_threshold.at(rate),
            stream: key.child("virtual-queue").stream(),
        }
    }

    #[inline]
    fn marks(&mut self, queue: Tokens) -> bool {
        if queue >= self.max {
            return true;
        }
        queue > self.min && self.stream.chance((queue - self.min) as f64 / (self.max - self.min) as f64)
    }
}

impl PcnMeter for VirtualQueue {
    #[inline]
    fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        self.room.settle(now);
        let queue = self.room.size() - self.room.fill();
        self.room.remove(size);
        if self.marks(queue) {
            mark.max(PcnMark::Threshold)
        } else {
            mark
        }
    }

    fn probe(&self, now: Time, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("queue", bits(self.room.size() - self.room.fill_at(now)));
    }
}
