//! CL's admission marking.

use super::bucket::{Bucket, Clock};
use super::bucket_integer::BucketInteger;
use super::depth::Depth;
use super::{meter_each, MarkingRate, Metered, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::Check;
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::hint::select_unpredictable;

crate::parameters! {
    /// Virtual queue: marks at random, with a probability that grows with the length of a queue served at the admissible rate.
    ///
    /// ## Decides
    /// A virtual queue is drained at `admissible-rate` and grows by every packet, up to `upper-limit`. The length v that a
    /// packet finds gives the probability of a mark:
    ///
    /// | Length v | Probability |
    /// |---|---|
    /// | at most `min-threshold` | 0 |
    /// | between the thresholds | $(v - min) / (max - min)$ |
    /// | at least `max-threshold` | 1 |
    ///
    /// Equal thresholds make a step: packets at or above the threshold are marked, packets below it are not.
    ///
    /// ## State
    /// The virtual queue, exact. Constant cost per packet; one random number per packet between the thresholds.
    ///
    /// ## Departures
    /// None. The thresholds and the limit are times at `admissible-rate`, as in [Satoh10 s10.5]; an earlier version of that
    /// document measured them at the link's rate.
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
        /// Length up to which no packet is marked; default of [Satoh10 s10.5].
        min_threshold: Depth = "5 ms";
        /// Length from which every packet is marked; default of [Satoh10 s10.5].
        max_threshold: Depth = "15 ms";
        /// Maximum length of the virtual queue; default of [Satoh10 s10.5].
        upper_limit: Depth = "20 ms";
    }
}

impl PcnMeterParameters for Parameters {
    fn mark(&self) -> PcnMark {
        PcnMark::Threshold
    }

    fn marking_rates(&self) -> Vec<MarkingRate> {
        vec![MarkingRate::admission("admissible-rate", self.admissible_rate)]
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

/// State of a virtual queue.
#[derive(Clone, Debug)]
pub struct VirtualQueue<N> {
    clock: Clock,
    /// Room left in the virtual queue: a bucket that fills as the queue drains. The missing grains are the length of the queue.
    room: Bucket<N>,
    min: N,
    max: N,
    stream: Stream,
}

impl<N: BucketInteger> VirtualQueue<N> {
    /// A meter with these parameters; it draws from the stream `virtual-queue` below the key of `site`. `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, site: &Site) -> Option<VirtualQueue<N>> {
        let room = Bucket::new(parameters.admissible_rate, parameters.upper_limit, Start::Full)?;
        let (min, max) = (room.level(parameters.min_threshold), room.level(parameters.max_threshold));
        Some(VirtualQueue { clock: Clock::default(), room, min, max, stream: site.key.child("virtual-queue").stream() })
    }

    #[inline]
    fn marks(&mut self, queue: N) -> bool {
        if queue >= self.max {
            return true;
        }
        // In tokens, because grains would be rounded.
        let share = |above: N| self.room.tokens(above) as f64;
        queue > self.min && self.stream.chance(share(queue.less(self.min)) / share(self.max.less(self.min)))
    }
}

crate::state! {
    impl VirtualQueue<N> where [N: BucketInteger], |it, now| {
        /// Length of the virtual queue.
        "queue", "bit", is it.room.missing_bits_after(it.clock.elapsed(now));
    }
}

impl<N: BucketInteger> PcnMeter for VirtualQueue<N> {
    #[inline(always)]
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        self.room.fill(self.clock.advance(now));
        let queue = self.room.missing();
        self.room.take(self.room.grains(size));
        if self.marks(queue) {
            mark.max(PcnMark::Threshold)
        } else {
            mark
        }
    }

    #[inline(never)]
    fn meter_alike<P: Metered>(&mut self, packets: &mut [P], size: Bytes) -> u64 {
        let (Some(first), Some(end)) = (packets.first().map(P::at), packets.last().map(P::at)) else { return 0 };
        // Between different thresholds, marks are random.
        let is_step = self.min == self.max;
        let running = self.room.run(self.clock, end, size).filter(|_| is_step && self.clock.is_before(first));
        let Some(mut room) = running else { return meter_each(self, packets).0 };
        // The conversion fits: the threshold is at most the size, which `run` has checked.
        let (max, mut marked) = (self.max.value() as u64, 0);
        if room.stays_below(max, self.clock, packets.len()) {
            packets.iter().for_each(|packet| room.take_all(packet.at()));
            self.clock = Clock::at(end);
            self.room.end_run(room, end);
            return 0;
        }
        for packet in packets {
            let is_marked = room.take(packet.at()).before >= max;
            let mark = packet.mark();
            let before = *mark;
            *mark = select_unpredictable(is_marked, before.max(PcnMark::Threshold), before);
            marked += u64::from(*mark > before);
        }
        self.clock = Clock::at(end);
        self.room.end_run(room, end);
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, batches, marks, probed, same_together, site};
    use super::*;
    use crate::packet::testing::with_mark;
    use crate::parameters::testing::read;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn packets_of_one_size_are_marked_as_one_by_one(
            batches in batches(),
            more in prop::sample::select(vec!["min-threshold = 200 bytes", "min-threshold = 600 bytes"]),
        ) {
            same_together(|| meter(&[more]), batches)?;
        }
    }

    /// A virtual queue drained at 1 byte/ms.
    fn meter(more: &[&str]) -> VirtualQueue<u64> {
        let levels = ["min-threshold = 200 bytes", "max-threshold = 600 bytes", "upper-limit = 1000 bytes"];
        let lines = levels.iter().filter(|line| !more.iter().any(|own| own.split(' ').next() == line.split(' ').next()));
        let lines: Vec<&str> = lines.chain(more).chain(&["admissible-rate = 8 kbit/s"]).copied().collect();
        VirtualQueue::new(&read(&lines).expect("sound"), &site()).expect("fits")
    }

    #[test]
    fn the_queue_grows_drains_and_is_bounded() {
        let mut meter = meter(&[]);
        marks(&mut meter, &[(0, 300), (100, 300), (100, 300)]);
        assert_eq!(probed(&meter, 100_000), [("queue", 6400.0)]);
        assert_eq!(probed(&meter, 800_000), [("queue", 800.0)]);
        assert_eq!(probed(&meter, 2_000_000), [("queue", 0.0)]);
        marks(&mut meter, &[(100, 900)]);
        assert_eq!(probed(&meter, 100_000), [("queue", 8000.0)]);
    }

    #[test]
    fn the_ramp_is_the_probability_of_a_mark() {
        for (queue, probability) in [(200, 0.0), (300, 0.25), (400, 0.5), (599, 0.9975), (600, 1.0), (1000, 1.0)] {
            let mut meter = meter(&[]);
            marks(&mut meter, &[(0, queue)]);
            // Packets of size zero do not change the queue.
            let n = 20_000;
            let marked = marks(&mut meter, &vec![(0, 0); n]).iter().filter(|mark| **mark == PcnMark::Threshold).count() as f64;
            let error = (probability * (1.0 - probability) / n as f64).sqrt();
            assert!((marked / n as f64 - probability).abs() <= 4.0 * error, "{queue}: {marked} of {n}");
        }
    }

    #[test]
    fn equal_thresholds_make_a_step() {
        let mut meter = meter(&["min-threshold = 300 bytes", "max-threshold = 300 bytes"]);
        let packets: Vec<(u64, u32)> = vec![(0, 299), (0, 1), (0, 0), (1, 0), (1, 1), (1, 0)];
        let marked: Vec<bool> = marks(&mut meter, &packets).iter().map(|mark| *mark == PcnMark::Threshold).collect();
        assert_eq!(marked, [false, false, true, false, false, true]);
    }

    #[test]
    fn meters_with_different_keys_mark_independently() {
        let parameters: Parameters =
            read(&["admissible-rate = 8 kbit/s", "min-threshold = 1 byte", "max-threshold = 999 bytes", "upper-limit = 1000 bytes"])
                .expect("sound");
        let pattern = |name: &str| {
            let mut meter = VirtualQueue::<u64>::new(&parameters, &site().child(name)).expect("fits");
            meter.on_packet(at(0), &with_mark(500, PcnMark::Excess));
            marks(&mut meter, &[(0, 0); 64])
        };
        assert_eq!(pattern("a"), pattern("a"));
        assert_ne!(pattern("a"), pattern("b"));
    }

    #[test]
    fn thresholds_out_of_order_are_refused() {
        let lines = ["admissible-rate = 64 Mbit/s", "min-threshold = 16 ms", "upper-limit = 14 ms"];
        assert_eq!(
            read::<Parameters>(&lines).expect_err("mistakes"),
            [
                "max-threshold: 15 ms is below min-threshold, 16 ms",
                "upper-limit: 14 ms is below max-threshold, 15 ms, which the queue then never reaches",
            ]
        );
    }
}
