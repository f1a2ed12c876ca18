//! Single threshold marking (STM): one mark that tells two rates.

use super::bucket::{bits, tokens, Bucket, Tokens};
use super::depth::{check_below, check_rates, Depth};
use super::PcnMeter;
use crate::meter::bucket::Start;
use crate::packet::PcnMark;
use crate::parameters::{Check, Count};
use crate::rng::Key;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Single threshold marking: no packet below the admissible rate, every N-th between, all above the supportable rate.
    ///
    /// ## Decides
    /// Two buckets lose the tokens of every packet. The switch bucket (SwTB) fills at `admissible-rate` (AR); while it is low
    /// the switch is on, and with the switch off nothing is marked. The marking bucket (MkTB) fills at `supportable-rate`
    /// (SR); below `marking-threshold` every packet is marked, else every N-th of those that find it not full, which are a
    /// share of about load/SR. So the share of marked packets is 0 below AR, load/(N SR) up to SR, and 1 above.
    /// In form `first` both buckets are judged after the packet's tokens have been taken, and equality is low. In form
    /// `second` the switch is on if the fill less the packet is below its threshold, the marking bucket is judged by what
    /// the packet finds, and equality is not low: full marking begins up to a packet later.
    ///
    /// ## State
    /// The tokens of two buckets, exact, and the packets counted towards N. Constant cost per packet.
    ///
    /// ## Departures
    /// The first form as printed never stores the time of its update; here it does. The two forms of the counter (k mod N
    /// and k = N) are one, since each mark clears it; the switch being off keeps it. The document's text has N = 3.
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
        /// One packet in so many is marked between the two rates (N); default of [Satoh10 s10.4].
        mark_every: Count = "3";
        /// Which packets count towards N while the switch is on.
        counted: Counted = "not-full";
        /// Which of the two printed forms decides.
        form: Form = "second";
        /// What the buckets hold at the beginning.
        start: Start = "full";
    }
}

crate::choice! {
    /// The packets of which every N-th is marked.
    pub enum Counted {
        /// Those that find the marking bucket not full: both printed forms.
        "not-full" => NotFull,
        /// All.
        "arrivals" => Arrivals,
    }
}

crate::choice! {
    /// The printed forms of the marker.
    pub enum Form {
        /// Judged after the packet's tokens have been taken; equality is low.
        "first" => First,
        /// Judged before; equality is not low.
        "second" => Second,
    }
}

impl Parameters {
    /// The marked share just above the admissible rate, AR/(N SR): the highest threshold that an estimate of the marked
    /// share may be compared with on a path of which this is the tightest link [Satoh10 eq. 1].
    pub fn highest_level(&self) -> f64 {
        self.admissible_rate.as_bps() as f64 / self.supportable_rate.as_bps() as f64 / f64::from(self.mark_every.0)
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

/// STM at work.
#[derive(Clone, Debug)]
pub struct SingleThreshold {
    switch: Bucket,
    switch_threshold: Tokens,
    marking: Bucket,
    marking_threshold: Tokens,
    mark_every: u32,
    counted: Counted,
    form: Form,
    count: u32,
}

/// What a packet finds.
struct Found {
    switch_on: bool,
    not_full: bool,
    low: bool,
}

impl SingleThreshold {
    /// A meter with these parameters.
    pub fn new(parameters: &Parameters, _: Key) -> SingleThreshold {
        SingleThreshold {
            switch: Bucket::new(parameters.admissible_rate, parameters.switch_size, parameters.start),
            switch_threshold: parameters.switch_threshold.at(parameters.admissible_rate),
            marking: Bucket::new(parameters.supportable_rate, parameters.marking_size, parameters.start),
            marking_threshold: parameters.marking_threshold.at(parameters.supportable_rate),
            mark_every: parameters.mark_every.0,
            counted: parameters.counted,
            form: parameters.form,
            count: 0,
        }
    }

    #[inline]
    fn take(&mut self, size: Bytes) {
        self.switch.remove(size);
        self.marking.remove(size);
    }

    #[inline]
    fn meter(&mut self, size: Bytes) -> Found {
        match self.form {
            // [Satoh10 s3.1, first pseudo code]; the shallow threshold is the size of the bucket less the packet.
            Form::First => {
                self.take(size);
                Found {
                    switch_on: self.switch.fill() <= self.switch_threshold,
                    not_full: self.marking.fill() < self.marking.size() - tokens(size),
                    low: self.marking.fill() <= self.marking_threshold,
                }
            }
            // [Satoh10 s3.1, second pseudo code]
            Form::Second => {
                let found = Found {
                    switch_on: self.switch.fill() - tokens(size) < self.switch_threshold,
                    not_full: self.marking.fill() < self.marking.size(),
                    low: self.marking.fill() < self.marking_threshold,
                };
                self.take(size);
                found
            }
        }
    }
}

impl PcnMeter for SingleThreshold {
    #[inline]
    fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        self.switch.settle(now);
        self.marking.settle(now);
        let Found { switch_on, not_full, low } = self.meter(size);
        if !switch_on || !not_full && self.counted == Counted::NotFull {
            return mark;
        }
        self.count += 1;
        if not_full && low || self.count >= self.mark_every {
            self.count = 0;
            return mark.max(PcnMark::Threshold);
        }
        mark
    }

    fn probe(&self, now: Time, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("switch-fill", bits(self.switch.fill_at(now)));
        tell("marking-fill", bits(self.marking.fill_at(now)));
        tell("count", f64::from(self.count));
    }
}
