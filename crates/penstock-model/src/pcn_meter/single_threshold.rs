//! Single threshold marking (STM): one mark for two rates.

use super::bucket::{Bucket, Clock, Taken};
use super::bucket_integer::BucketInteger;
use super::depth::{check_below, check_rates, Depth};
use super::{meter_each, MarkingRate, Metered, PcnMeter, PcnMeterParameters};
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::{Check, Count};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use std::hint::select_unpredictable;

crate::parameters! {
    /// Single threshold marking: no packet below the admissible rate, every N-th between, all above the supportable rate.
    ///
    /// ## Decides
    /// Every packet takes its tokens from two buckets:
    /// - The switch bucket (SwTB) fills at `admissible-rate` (AR). While it is low, the switch is on. With the switch off, no
    ///   packet is marked.
    /// - The marking bucket (MkTB) fills at `supportable-rate` (SR). While it is low, every packet is marked. Otherwise the
    ///   packets that find it not full are counted, a share of about load/SR of all, and every N-th of them is marked.
    ///
    /// The marked share is therefore 0 below AR, $load / (N SR)$ up to SR, and 1 above. `form` defines the level that is
    /// compared with a bucket's threshold:
    ///
    /// | `form` | Level of the switch bucket | Level of the marking bucket | Level equal to the threshold |
    /// |---|---|---|---|
    /// | `first` | after the packet | after the packet | low |
    /// | `second` | before the packet less the packet's size | before the packet | not low |
    ///
    /// With `second`, the marking bucket starts to mark every packet up to one packet later.
    ///
    /// ## State
    /// The tokens of two buckets (exact) and the count of packets towards N. Constant cost per packet.
    ///
    /// ## Departures
    /// The first form as printed never stores the time of its update; here it does. The two printed forms of the counter (k
    /// mod N and k = N) are equivalent, because each mark resets it. The counter keeps its value while the switch is off. The
    /// document's text has N = 3.
    ///
    /// ## Example
    /// ```toml
    /// pcn.single-threshold = { admissible-rate = "64 Mbit/s", supportable-rate = "115.2 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// [Satoh10 s3.1, s10.4, appendix D].
    pub struct Parameters {
        /// Rate of the switch bucket, above which calls are to be refused (AR, SwTB.rate).
        admissible_rate: Rate;
        /// Rate of the marking bucket, above which calls are to be terminated (SR, MkTB.rate).
        supportable_rate: Rate;
        /// Size of the switch bucket (SwTB.size); default of [Satoh10 s10.4].
        switch_size: Depth = "20 ms";
        /// Fill below which the switch is on (SwTB.threshold); default of [Satoh10 s10.4].
        switch_threshold: Depth = "10 ms";
        /// Size of the marking bucket (MkTB.size); default of [Satoh10 s10.4].
        marking_size: Depth = "10 ms";
        /// Fill below which every packet is marked (MkTB.threshold); default of [Satoh10 s10.4].
        marking_threshold: Depth = "8 ms";
        /// Marks one packet in N between the two rates (N); default of [Satoh10 s10.4].
        mark_every: Count = "3";
        /// Packets that count towards N while the switch is on.
        counted: Counted = "not-full";
        /// Printed form of the marker to use.
        form: Form = "second";
        /// Initial level of the buckets.
        start: Start = "full";
    }
}

crate::choice! {
    /// The packets that count towards N: every N-th of them is marked.
    pub enum Counted {
        /// Packets that find the marking bucket not full, as in both printed forms.
        "not-full" => NotFull,
        /// All packets.
        "arrivals" => Arrivals,
    }
}

crate::choice! {
    /// The printed forms of the marker.
    pub enum Form {
        /// Judges after the packet's tokens have been taken; a level equal to the threshold is low.
        "first" => First,
        /// Judges before the packet's tokens are taken; a level equal to the threshold is not low.
        "second" => Second,
    }
}

impl Parameters {
    /// Marked share just above the admissible rate, AR/(N SR), or 1/N if all packets count: upper limit of a threshold for an
    /// estimate of the marked share on a path whose tightest link this is [Satoh10 eq. 1].
    pub fn highest_level(&self) -> f64 {
        let counted = match self.counted {
            Counted::NotFull => self.admissible_rate.as_bps() as f64 / self.supportable_rate.as_bps() as f64,
            Counted::Arrivals => 1.0,
        };
        counted / f64::from(self.mark_every.0)
    }
}

impl PcnMeterParameters for Parameters {
    fn mark(&self) -> PcnMark {
        PcnMark::Threshold
    }

    fn marking_rates(&self) -> Vec<MarkingRate> {
        vec![
            MarkingRate::admission("admissible-rate", self.admissible_rate),
            MarkingRate::termination("supportable-rate", self.supportable_rate),
        ]
    }

    fn highest_level(&self) -> Option<f64> {
        Some(Parameters::highest_level(self))
    }

    fn marks_runs_above_supportable(&self) -> bool {
        true
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_rates(mistake, self.admissible_rate, self.supportable_rate);
        let switch = ("switch-threshold", self.switch_threshold);
        check_below(mistake, self.admissible_rate, switch, ("switch-size", self.switch_size));
        let marking = ("marking-threshold", self.marking_threshold);
        check_below(mistake, self.supportable_rate, marking, ("marking-size", self.marking_size));
        if self.counted == Counted::Arrivals && self.mark_every.0 == 1 {
            mistake("counted", "\"arrivals\" with mark-every = 1 marks every packet above the admissible rate; use threshold".to_owned());
        }
    }
}

/// State of STM.
#[derive(Clone, Debug)]
pub struct SingleThreshold<N> {
    clock: Clock,
    switch: Bucket<N>,
    /// Grains missing in the switch bucket at its threshold.
    switch_low: N,
    marking: Bucket<N>,
    /// Grains missing in the marking bucket at its threshold.
    marking_low: N,
    form: Form,
    counter: Counter,
}

/// Counts packets and marks every N-th of them.
#[derive(Clone, Copy, Debug)]
struct Counter {
    mark_every: u32,
    counts_arrivals: bool,
    count: u32,
}

/// State of both buckets that a packet finds.
struct Found {
    switch_on: bool,
    not_full: bool,
    low: bool,
}

impl Form {
    /// State that a packet finds, from the grains that it takes of each bucket and the grains missing at its threshold.
    #[inline(always)]
    fn judge<T: Ord>(self, (switch, switch_low): (Taken<T>, T), (marking, marking_low): (Taken<T>, T), zero: T) -> Found {
        match self {
            // [Satoh10 s3.1, first pseudo code]: the shallow threshold is the size of the bucket minus the packet.
            Form::First => {
                Found { switch_on: switch.after >= switch_low, not_full: marking.after > marking.grains, low: marking.after >= marking_low }
            }
            // [Satoh10 s3.1, second pseudo code].
            Form::Second => {
                Found { switch_on: switch.needed > switch_low, not_full: marking.before > zero, low: marking.before > marking_low }
            }
        }
    }
}

impl Counter {
    /// New mark of a packet that arrives with `mark`.
    #[inline(always)]
    fn mark(&mut self, Found { switch_on, not_full, low }: Found, mark: PcnMark) -> PcnMark {
        // Without branches, which would often be mispredicted.
        let counts = switch_on & (not_full | self.counts_arrivals);
        let count = self.count + u32::from(counts);
        let marks = counts & (not_full & low | (count >= self.mark_every));
        self.count = select_unpredictable(marks, 0, count);
        select_unpredictable(marks, mark.max(PcnMark::Threshold), mark)
    }
}

impl<N: BucketInteger> SingleThreshold<N> {
    /// A meter with these parameters; `None` if its levels do not fit.
    pub fn new(parameters: &Parameters, _: &Site) -> Option<SingleThreshold<N>> {
        let switch = Bucket::new(parameters.admissible_rate, parameters.switch_size, parameters.start)?;
        let marking = Bucket::new(parameters.supportable_rate, parameters.marking_size, parameters.start)?;
        Some(SingleThreshold {
            clock: Clock::default(),
            switch_low: switch.missing_at(parameters.switch_threshold),
            switch,
            marking_low: marking.missing_at(parameters.marking_threshold),
            marking,
            form: parameters.form,
            counter: Counter { mark_every: parameters.mark_every.0, counts_arrivals: parameters.counted == Counted::Arrivals, count: 0 },
        })
    }
}

crate::state! {
    impl SingleThreshold<N> where [N: BucketInteger], |it, now| {
        /// Level of the switch bucket.
        "switch-fill", "bit", is it.switch.bits_after(it.clock.elapsed(now));
        /// Level of the marking bucket.
        "marking-fill", "bit", is it.marking.bits_after(it.clock.elapsed(now));
        /// Packets counted towards N.
        "count", "packets", is f64::from(it.counter.count);
    }
}

impl<N: BucketInteger> PcnMeter for SingleThreshold<N> {
    #[inline(always)]
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        let elapsed = self.clock.advance(now);
        self.switch.fill(elapsed);
        self.marking.fill(elapsed);
        let switch = self.switch.take_and_tell(self.switch.grains(size));
        let marking = self.marking.take_and_tell(self.marking.grains(size));
        let found = self.form.judge((switch, self.switch_low), (marking, self.marking_low), N::ZERO);
        self.counter.mark(found, mark)
    }

    #[inline(never)]
    fn meter_alike<P: Metered>(&mut self, packets: &mut [P], size: Bytes) -> u64 {
        let (Some(first), Some(end)) = (packets.first().map(P::at), packets.last().map(P::at)) else { return 0 };
        let runs = (self.switch.run(self.clock, end, size), self.marking.run(self.clock, end, size));
        let (Some(mut switch), Some(mut marking)) = runs else { return meter_each(self, packets).0 };
        if !self.clock.is_before(first) {
            return meter_each(self, packets).0;
        }
        // The conversions fit: the thresholds are below the sizes, which `run` has checked.
        let (switch_low, marking_low) = (self.switch_low.value() as u64, self.marking_low.value() as u64);
        if switch.stays_below(switch_low, self.clock, packets.len()) && marking.stays_below(u64::MAX, self.clock, packets.len()) {
            // The switch stays off, so no packet is marked or counted.
            for packet in &*packets {
                let at = packet.at();
                switch.take_all(at);
                marking.take_all(at);
            }
            self.clock = Clock::at(end);
            self.switch.end_run(switch, end);
            self.marking.end_run(marking, end);
            return 0;
        }
        let (form, mut counter, mut marked) = (self.form, self.counter, 0);
        for packet in packets {
            let at = packet.at();
            let found = form.judge((switch.take(at), switch_low), (marking.take(at), marking_low), 0);
            let mark = packet.mark();
            let before = *mark;
            *mark = counter.mark(found, before);
            marked += u64::from(*mark > before);
        }
        (self.counter, self.clock) = (counter, Clock::at(end));
        self.switch.end_run(switch, end);
        self.marking.end_run(marking, end);
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
            form in prop::sample::select(vec!["form = first", "form = second"]),
            counted in prop::sample::select(vec!["counted = arrivals", "counted = not-full"]),
            start in prop::sample::select(vec!["start = full", "start = empty"]),
            batches in batches(),
        ) {
            same_together(|| meter(&[form, counted, start]), batches)?;
        }
    }

    /// The switch bucket fills at 1 byte/ms, the marking bucket at 2 bytes/ms; each holds 1000 bytes.
    const SMALL: [&str; 6] = [
        "admissible-rate = 8 kbit/s",
        "supportable-rate = 16 kbit/s",
        "switch-size = 1000 bytes",
        "switch-threshold = 500 bytes",
        "marking-size = 1000 bytes",
        "marking-threshold = 800 bytes",
    ];

    fn meter(more: &[&str]) -> SingleThreshold<u64> {
        SingleThreshold::new(&read(&[&SMALL, more].concat()).expect("sound"), &site()).expect("fits")
    }

    /// Ten packets of 100 bytes at once, then one every 30 ms from 500 ms on; `#` is a mark.
    ///
    /// At 500 ms the switch bucket holds 500, and the switch stays on from then on. The marking bucket is full again, and the packets find
    /// 1000, 960, 920, 880, 840, 800 and 760 in it.
    fn pattern(meter: &mut SingleThreshold<u64>) -> String {
        let packets: Vec<(u64, u32)> = (0..10).map(|_| (0, 100)).chain((0..7).map(|i| (500 + 30 * i, 100))).collect();
        marks(meter, &packets).into_iter().map(|mark| if mark == PcnMark::Threshold { '#' } else { '-' }).collect()
    }

    #[test]
    fn the_first_form_judges_after_removal_and_equality_is_low() {
        // The switch is on from the fifth packet (500 left). The marking bucket is low at 800 left or less; a packet that finds 880 leaves
        // 780.
        assert_eq!(pattern(&mut meter(&["form = first"])), "----######---####");
    }

    #[test]
    fn the_second_form_judges_before_removal_and_equality_is_not_low() {
        // The switch is on from the sixth packet. In the partial zone, packets find 960, 920 and 880, then 840 and 800.
        assert_eq!(pattern(&mut meter(&[])), "-----#####---#--#");
    }

    #[test]
    fn every_arrival_may_count() {
        // The packet that finds 1000 counts, so the third one finds 920.
        assert_eq!(pattern(&mut meter(&["counted = arrivals"])), "-----#####--#--##");
    }

    #[test]
    fn with_n_one_all_that_find_the_bucket_not_full_are_marked() {
        assert_eq!(pattern(&mut meter(&["mark-every = 1"])), "-----#####-######");
        assert_eq!(pattern(&mut meter(&["mark-every = 1", "form = first"])), "----######-######");
    }

    #[test]
    fn with_the_switch_off_nothing_is_marked_or_counted() {
        let mut meter = meter(&[]);
        marks(&mut meter, &[&[(0, 100); 10][..], &[(500, 100), (530, 100), (560, 100)]].concat());
        assert_eq!(probed(&meter, 560_000), [("switch-fill", 2080.0), ("marking-fill", 6560.0), ("count", 2.0)]);
        // After half a second the switch bucket holds 760; the second packet finds the marking bucket not full.
        assert_eq!(marks(&mut meter, &[(1060, 100), (1060, 100)]), [PcnMark::Unmarked; 2]);
        assert_eq!(probed(&meter, 1_060_000), [("switch-fill", 4480.0), ("marking-fill", 6400.0), ("count", 2.0)]);
        assert_eq!(marks(&mut meter, &[(1060, 100)]), [PcnMark::Threshold]);
    }

    #[test]
    fn marks_are_never_taken_off() {
        let mut meter = meter(&[]);
        for mark in [PcnMark::Threshold, PcnMark::Excess] {
            assert_eq!(meter.on_packet(at(0), &with_mark(100, mark)), mark);
        }
        (0..10).for_each(|_| {
            meter.on_packet(at(0), &with_mark(100, PcnMark::Unmarked));
        });
        assert_eq!(meter.on_packet(at(0), &with_mark(100, PcnMark::Excess)), PcnMark::Excess);
    }

    #[test]
    fn reading_the_state_does_not_change_it() {
        let (mut read, mut left) = (meter(&[]), meter(&[]));
        probed(&read, 10_000_000);
        assert_eq!(pattern(&mut read), pattern(&mut left));
    }

    #[test]
    fn the_highest_level_is_the_documents() {
        let parameters: Parameters = read(&["admissible-rate = 64 Mbit/s", "supportable-rate = 115.2 Mbit/s"]).expect("sound");
        assert!((parameters.highest_level() - 0.185_185).abs() < 1e-6);
    }

    #[test]
    fn thresholds_out_of_order_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("mistakes");
        assert_eq!(
            mistakes(&[
                "admissible-rate = 2 Mbit/s",
                "supportable-rate = 1 Mbit/s",
                "switch-threshold = 20 ms",
                "marking-threshold = 11 ms"
            ]),
            [
                "admissible-rate: 2 Mbit/s is above supportable-rate, 1 Mbit/s",
                "switch-threshold: 20 ms is not below switch-size, 20 ms",
                "marking-threshold: 11 ms is not below marking-size, 10 ms",
            ]
        );
        // 125 bytes are 10 ms at 100 kbit/s, and 1 ms at 1 Mbit/s.
        let rates = ["admissible-rate = 100 kbit/s", "supportable-rate = 1 Mbit/s"];
        assert_eq!(
            mistakes(&[&rates[..], &["switch-size = 125 bytes"]].concat()),
            ["switch-threshold: 10 ms is not below switch-size, 125 bytes"]
        );
        assert_eq!(
            mistakes(&[&rates[..], &["counted = arrivals", "mark-every = 1"]].concat()),
            ["counted: \"arrivals\" with mark-every = 1 marks every packet above the admissible rate; use threshold"]
        );
        assert_eq!(mistakes(&[&rates[..], &["mark-every = 0"]].concat()), ["mark-every: 0 is out of range; a whole number, at least 1"]);
        assert_eq!(mistakes(&[&rates[..], &["form = third"]].concat()), ["form: 'third' is not one of first, second"]);
    }
}
