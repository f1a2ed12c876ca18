//! RED with several drop precedences.

use super::early_drop::{amount, hooks, verdict, Curve, Lane, Memory, Rule, Tally, MEAN_PACKET};
pub use super::early_drop::{Idle, Spacing};
use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict, PRECEDENCES};
use crate::packet::Packet;
use crate::parameters::{Check, Limit, Probability, Weight};
use crate::rng::Stream;
use crate::units::{Bytes, Time};

crate::parameters! {
    /// RED_n: RED with its own thresholds, maximum probability and average for each drop precedence; two make RIO.
    ///
    /// ## Decides
    /// As `red` does, with the i-th entry of each list for packets of precedence i; worse precedences than the lists have
    /// share the last entry; `ecn` is that of `red`. `averages` says which packets an average counts, and `updates` which arrivals refresh it. An
    /// arrival that ends idle time ages all of them. Whatever does not fit into `limit` is dropped (cause `overflow`).
    ///
    /// ## State
    /// One average per precedence, one count per precedence or one for all. The cost per packet grows with the number of
    /// precedences, at most four; one random number per arrival between its thresholds.
    ///
    /// ## Departures
    /// The documents leave open which arrivals refresh which average, whether the count is shared, and whether a packet
    /// that finds no room is an arrival: hence `updates`, `count` and `when-full`. ns-2's queue/rio.cc refreshes no
    /// average when an Out packet arrives, which no document asks for and which is not offered. Otherwise the departures
    /// of `red`; its "at most one packet waits" is over the packets that the precedence's own average counts. A queue is
    /// counted in packets only.
    ///
    /// ## Example
    /// ```toml
    /// queue.red-n = { limit = "60 packets", min-thresholds = ["20 packets", "20 packets"], max-thresholds = ["40 packets", "40 packets"], max-probabilities = ["1/30", "1/20"] }
    /// ```
    ///
    /// ## References
    /// [Goyal99 s2]; RIO: [Clark98 s3]; RED: [Floyd93 s4]; one average over all: draft-goyal-dpstdy-diffserv-01.
    pub struct Parameters {
        /// The most that the queue may hold, in packets.
        limit: Limit;
        /// Averages below which nothing is dropped, best protected precedence first (min_th).
        min_thresholds: Vec<Limit>;
        /// Averages from which everything is dropped (max_th).
        max_thresholds: Vec<Limit>;
        /// Drop probabilities just below the maximum thresholds, before spacing (max_p).
        max_probabilities: Vec<Probability>;
        /// Weight of an arrival's sample in an average (w_q); default of [Floyd93 s6], [Goyal99 Table 1] and ns-2.
        weight: Weight = "0.002";
        /// Mean packet, which makes idle time into packets; default of ns-2.
        mean_packet: Bytes = "500 bytes";
        /// What idle time does to the averages.
        idle: Idle = "corrected";
        /// How drops follow one another; default of ns-2.
        spacing: Spacing = "wait";
        /// Whether the probability rises steadily to 1 above the maximum threshold; off in [Floyd93 s4].
        gentle: bool = "false";
        /// Which packets the average of a precedence counts; default of [Goyal99 s2] and RIO.
        averages: Averages = "coupled";
        /// Which averages an arrival refreshes; default of RIO.
        updates: Updates = "rio";
        /// Whose packets the count of the spacing counts.
        count: CountOf = "per-precedence";
        /// What an arrival that finds no room does to averages and count.
        when_full: WhenFull = "refresh";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
    }
}

crate::choice! {
    /// Which queued packets the average of precedence i counts.
    pub enum Averages {
        /// Those of precedence 0 to i.
        "coupled" => Coupled,
        /// Those of precedence i.
        "separate" => Separate,
        /// All.
        "total" => Total,
    }
}

crate::choice! {
    /// Which averages an arrival refreshes.
    pub enum Updates {
        /// Those that will count it.
        "rio" => Rio,
        /// All.
        "all" => All,
    }
}

crate::choice! {
    /// Whose packets are counted between drops.
    pub enum CountOf {
        /// Each precedence counts its own, from its own last drop.
        "per-precedence" => PerPrecedence,
        /// One count for all, restarted by any drop and by any precedence whose average rises above its minimum.
        "shared" => Shared,
    }
}

crate::choice! {
    /// What an arrival that finds no room does to averages and count.
    pub enum WhenFull {
        /// What every arrival does, and as a drop it restarts the count.
        "refresh" => Refresh,
        /// Nothing, as in ns-2's diffserv/dsredq.cc: under overload the averages stay lower.
        "ignore" => Ignore,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let n = self.min_thresholds.len();
        for (key, len) in [("max-thresholds", self.max_thresholds.len()), ("max-probabilities", self.max_probabilities.len())] {
            if len != n {
                mistake(key, format!("has {len} entries and min-thresholds has {n}; one for each precedence"));
            }
        }
        if n > PRECEDENCES {
            mistake("min-thresholds", format!("has {n} entries; a packet has at most {PRECEDENCES} precedences"));
        }
        let thresholds = self.min_thresholds.iter().chain(&self.max_thresholds);
        if thresholds.chain([&self.limit]).any(|limit| matches!(limit, Limit::Bytes(_))) {
            mistake("limit", "limit and all thresholds must be in packets".to_owned());
            return;
        }
        for (i, (min, max)) in self.min_thresholds.iter().zip(&self.max_thresholds).enumerate() {
            if amount(*min) >= amount(*max) {
                mistake("max-thresholds", format!("item {i}: must be above item {i} of min-thresholds"));
            }
            if amount(*max) > amount(self.limit) {
                mistake("max-thresholds", format!("item {i}: is above limit, where the average never comes; at most limit"));
            }
        }
        let mut idle_word = |key: &str, why: &str| mistake(key, format!("has no effect with {why}; leave it out"));
        if self.updates != Updates::Rio && self.averages == Averages::Total {
            idle_word("updates", "averages = \"total\", where every arrival refreshes the one average");
        }
        if n == 1 && self.averages != Averages::Coupled {
            idle_word("averages", "one precedence");
        }
        if n == 1 && self.updates != Updates::Rio {
            idle_word("updates", "one precedence");
        }
        if n == 1 && self.count != CountOf::PerPrecedence {
            idle_word("count", "one precedence");
        }
        if self.count != CountOf::PerPrecedence && self.spacing == Spacing::Independent {
            idle_word("count", "spacing = \"independent\"");
        }
        if self.mean_packet != MEAN_PACKET && self.idle == Idle::Ignored {
            idle_word("mean-packet", "idle = \"ignored\"");
        }
    }
}

/// RED_n at work.
#[derive(Clone, Debug)]
pub struct RedN {
    limit: Limit,
    memory: Memory,
    rule: Rule,
    averages: Averages,
    updates: Updates,
    count: CountOf,
    when_full: WhenFull,
    ecn: bool,
    classes: Vec<Class>,
    stream: Stream,
}

/// What RED_n keeps for one precedence.
#[derive(Clone, Copy, Debug)]
struct Class {
    average: f64,
    lane: Lane,
    tally: Tally,
}

impl RedN {
    /// A RED_n discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> RedN {
        let thresholds = parameters.min_thresholds.iter().zip(&parameters.max_thresholds);
        let curves = thresholds.zip(&parameters.max_probabilities).map(|((min, max), max_p)| Curve {
            min: amount(*min) as f64,
            max: amount(*max) as f64,
            max_p: max_p.0,
            gentle: parameters.gentle,
        });
        RedN {
            limit: parameters.limit,
            memory: Memory::new(parameters.weight, parameters.idle, parameters.mean_packet, port.rate),
            rule: Rule { spacing: parameters.spacing, mean_packet: None },
            averages: parameters.averages,
            updates: parameters.updates,
            count: parameters.count,
            when_full: parameters.when_full,
            ecn: parameters.ecn,
            classes: curves.map(|curve| Class { average: 0.0, lane: Lane::new(curve), tally: Tally::default() }).collect(),
            stream: port.key.child("early-drop").stream(),
        }
    }

    /// The averages as of the last arrival, one per precedence.
    pub fn averages(&self) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().map(|class| class.average)
    }

    /// The queued packets that the average of precedence `i` counts. The last precedence stands for all worse ones.
    #[inline]
    fn counted(&self, i: usize, queue: &Occupancy) -> u64 {
        let last = i + 1 == self.classes.len();
        let packets = match self.averages {
            Averages::Total => queue.packets,
            Averages::Coupled if last => queue.packets,
            Averages::Coupled => queue.of_precedence[..=i].iter().sum(),
            Averages::Separate if last => queue.of_precedence[i..].iter().sum(),
            Averages::Separate => queue.of_precedence[i],
        };
        u64::from(packets)
    }

    /// Whether the average of precedence `i` counts packets of precedence `own`.
    #[inline]
    fn counts(&self, i: usize, own: usize) -> bool {
        match self.averages {
            Averages::Total => true,
            Averages::Coupled => own <= i,
            Averages::Separate => own == i,
        }
    }
}

impl Discipline for RedN {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if self.when_full == WhenFull::Ignore && !queue.has_room(packet, self.limit) {
            return Verdict::Drop(DropCause::Overflow);
        }
        let own = usize::from(packet.precedence).min(self.classes.len() - 1);
        let kept = self.memory.kept(now, queue.idle_since);
        for i in 0..self.classes.len() {
            let aged = self.classes[i].average * kept;
            let refreshed = self.updates == Updates::All || self.counts(i, own);
            self.classes[i].average = if refreshed { self.memory.next(aged, self.counted(i, queue)) } else { aged };
        }

        let counter = if self.count == CountOf::Shared { 0 } else { own };
        let waiting = self.counted(own, queue);
        let mut tally = self.classes[counter].tally;
        tally.add(packet.size);
        let class = &mut self.classes[own];
        let judged = class.lane.judge(class.average, waiting, &mut tally, packet.size, &self.rule, &mut self.stream);
        let cause = if queue.has_room(packet, self.limit) { judged } else { Some(DropCause::Overflow) };
        if cause.is_some() {
            tally.clear();
        }
        self.classes[counter].tally = tally;
        verdict(cause, self.ecn, packet)
    }

    fn hooks(&self) -> Hooks {
        hooks(self.ecn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arrivals, gaps, packet, port, queue};
    use super::*;
    use crate::packet::Ecn;
    use crate::parameters::testing::read;
    use crate::units::Duration;

    const FORCED: Verdict = Verdict::Drop(DropCause::Forced);
    const THREE: [&str; 4] = [
        "limit = 60 packets",
        "min-thresholds = [20 packets, 20 packets, 20 packets]",
        "max-thresholds = [40 packets, 40 packets, 40 packets]",
        "max-probabilities = [1/30, 1/20, 1/10]",
    ];

    fn red_n(more: &[&str]) -> RedN {
        RedN::new(&read(&[&THREE[..], more].concat()).expect("sound"), &port())
    }

    fn averages(it: &RedN) -> Vec<f64> {
        it.averages().collect()
    }

    #[test]
    fn capable_packets_are_marked_instead_of_dropped_early() {
        let verdicts = |lines: &[&str], ecn: Ecn| {
            let mut it = red_n(&[&["weight = 1", "spacing = independent"], lines].concat());
            let packet = Packet { ecn, ..packet(500, 2) };
            (0..400).map(|_| it.on_arrival(Time::ZERO, &packet, &queue([0, 0, 30, 0]))).collect::<Vec<_>>()
        };
        let other = |verdicts: Vec<Verdict>| verdicts.into_iter().find(|verdict| *verdict != Verdict::Accept);
        assert_eq!(other(verdicts(&["ecn = true"], Ecn::Ect1)), Some(Verdict::Mark));
        assert_eq!(other(verdicts(&["ecn = true"], Ecn::NotEct)), Some(Verdict::Drop(DropCause::Early)));
        assert_eq!(other(verdicts(&[], Ecn::Ect1)), Some(Verdict::Drop(DropCause::Early)));
    }

    /// The averages after an arrival of each of the given precedences to a queue of 4, 6 and 10 packets, w = 1/2.
    fn after(precedences: &[u8], more: &[&str]) -> Vec<f64> {
        let mut it = red_n(&[more, &["weight = 0.5"]].concat());
        for precedence in precedences {
            arrivals(&mut it, *precedence, &queue([4, 6, 10, 0]), 1);
        }
        averages(&it)
    }

    #[test]
    fn coupled_averages_count_a_precedence_and_the_better_ones() {
        // An arrival of precedence 2 is counted by the last average only, of precedence 0 by all.
        assert_eq!(after(&[2], &[]), [0.0, 0.0, 10.0]);
        assert_eq!(after(&[2, 0], &[]), [2.0, 5.0, 15.0]);
        assert_eq!(after(&[2, 0, 1], &[]), [2.0, 7.5, 17.5]);
        assert_eq!(after(&[2], &["updates = all"]), [2.0, 5.0, 10.0]);
    }

    #[test]
    fn arrivals_without_room_refresh_the_averages_or_change_nothing() {
        let full = queue([20, 40, 0, 0]);
        let mut it = red_n(&["weight = 0.5"]);
        assert_eq!(arrivals(&mut it, 0, &full, 1), [Verdict::Drop(DropCause::Overflow)]);
        assert_eq!(averages(&it), [10.0, 30.0, 30.0]);
        let mut it = red_n(&["weight = 0.5", "when-full = ignore"]);
        assert_eq!(arrivals(&mut it, 0, &full, 1), [Verdict::Drop(DropCause::Overflow)]);
        assert_eq!(averages(&it), [0.0; 3]);
    }

    #[test]
    fn a_count_goes_on_over_arrivals_that_are_ignored() {
        // Half-way between the thresholds precedence 1 has p = 1/40, so gaps of at most 40.
        let mut it = red_n(&["weight = 1", "spacing = count", "when-full = ignore"]);
        let (half, full) = (queue([0, 30, 0, 0]), queue([0, 60, 0, 0]));
        arrivals(&mut it, 1, &half, 1);
        for _ in 0..100 {
            let mut accepted = 0;
            while arrivals(&mut it, 1, &half, 1) == [Verdict::Accept] {
                accepted += 1;
                arrivals(&mut it, 1, &full, 1);
            }
            assert!(accepted < 40, "{accepted} in a row");
        }
    }

    #[test]
    fn separate_averages_count_one_precedence_each() {
        assert_eq!(after(&[1], &["averages = separate"]), [0.0, 3.0, 0.0]);
        assert_eq!(after(&[1, 2], &["averages = separate"]), [0.0, 3.0, 5.0]);
        assert_eq!(after(&[1, 2], &["averages = separate", "updates = all"]), [3.0, 4.5, 7.5]);
    }

    #[test]
    fn one_total_average_counts_everything_on_every_arrival() {
        assert_eq!(after(&[2], &["averages = total"]), [10.0, 10.0, 10.0]);
        assert_eq!(after(&[2, 0], &["averages = total"]), [15.0, 15.0, 15.0]);
    }

    #[test]
    fn idle_time_ages_every_average() {
        let mut it = red_n(&["weight = 0.5"]);
        arrivals(&mut it, 0, &queue([4, 6, 10, 0]), 1);
        let idle = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
        // 10 ms hold three packets of 500 bytes at 1.5 Mbit/s: an eighth remains, and half of that where the arrival counts.
        it.on_arrival(Time::ZERO + Duration::from_ms(10), &packet(500, 1), &idle);
        assert_eq!(averages(&it), [2.0 / 8.0, 5.0 / 16.0, 10.0 / 16.0]);
    }

    #[test]
    fn the_worse_are_dropped_before_the_better() {
        let mut it = red_n(&["weight = 1"]);
        let full_of_worst = queue([15, 4, 30, 0]);
        assert_eq!(arrivals(&mut it, 2, &full_of_worst, 2), [FORCED; 2]);
        assert_eq!(arrivals(&mut it, 0, &full_of_worst, 50), [Verdict::Accept; 50]);
        assert_eq!(arrivals(&mut it, 1, &full_of_worst, 50), [Verdict::Accept; 50]);
        assert_eq!(arrivals(&mut it, 0, &queue([0, 0, 60, 0]), 1), [Verdict::Drop(DropCause::Overflow)]);
    }

    #[test]
    fn precedences_beyond_the_lists_share_the_last_entry() {
        let mut it = red_n(&["weight = 1", "averages = separate"]);
        assert_eq!(arrivals(&mut it, 3, &queue([0, 0, 15, 25]), 1), [FORCED]);
        assert_eq!(averages(&it), [0.0, 0.0, 40.0]);
    }

    #[test]
    fn one_precedence_is_red() {
        let one = ["limit = 60 packets", "min-thresholds = [20 packets]", "max-thresholds = [40 packets]", "max-probabilities = [0.2]"];
        let mut red_n = RedN::new(&read(&one).expect("sound"), &port());
        let red = ["limit = 60 packets", "min-threshold = 20 packets", "max-threshold = 40 packets", "max-probability = 0.2"];
        let mut red = super::super::red::Red::new(&read(&red).expect("sound"), &port());
        for packets in (0..=60).chain((0..60).rev()).cycle().take(20_000) {
            let held = queue([packets / 2, packets - packets / 2, 0, 0]);
            assert_eq!(arrivals(&mut red_n, 0, &held, 1), arrivals(&mut red, 0, &held, 1));
        }
    }

    /// Gaps between drops where precedences 0 and 1 alternate at p = .1: in all arrivals, and in those of precedence 0.
    fn alternating(count: &str) -> (Vec<usize>, Vec<usize>) {
        let two = [
            "limit = 60 packets",
            "min-thresholds = [20 packets, 20 packets]",
            "max-thresholds = [40 packets, 40 packets]",
            "max-probabilities = [0.2, 0.2]",
            "averages = total",
            "weight = 1",
            count,
        ];
        let mut it = RedN::new(&read(&two).expect("sound"), &port());
        let verdicts: Vec<Verdict> = (0..20_000u32).map(|i| arrivals(&mut it, (i % 2) as u8, &queue([15, 15, 0, 0]), 1)[0]).collect();
        let own: Vec<Verdict> = verdicts.iter().step_by(2).copied().collect();
        (gaps(&verdicts), gaps(&own))
    }

    #[test]
    fn the_count_is_kept_per_precedence_or_shared() {
        let least = |gaps: Vec<usize>| gaps.into_iter().min().expect("drops");
        let (all, own) = alternating("count = per-precedence");
        assert!(least(all) < 10 && least(own) == 10);
        let (all, own) = alternating("count = shared");
        assert!(least(all) == 10 && least(own) < 10);
    }

    fn mistakes(lines: &[&str]) -> Vec<String> {
        read::<Parameters>(lines).expect_err("a mistake")
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let short = ["limit = 60 packets", "min-thresholds = [20 packets, 50 packets]", "max-thresholds = [70 packets, 50 packets]"];
        assert_eq!(
            mistakes(&[&short[..], &["max-probabilities = [0.1]"]].concat()),
            [
                "max-probabilities: has 1 entries and min-thresholds has 2; one for each precedence",
                "max-thresholds: item 0: is above limit, where the average never comes; at most limit",
                "max-thresholds: item 1: must be above item 1 of min-thresholds",
            ]
        );
        let five = |what: &str, item: &str| format!("{what} = [{}]", [item; 5].join(", "));
        let (min, max, p) = (five("min-thresholds", "2 packets"), five("max-thresholds", "4 packets"), five("max-probabilities", "0.1"));
        assert_eq!(mistakes(&["limit = 9 packets", &min, &max, &p]), ["min-thresholds: has 5 entries; a packet has at most 4 precedences"]);
        let bytes = ["limit = 60 kB", THREE[1], THREE[2], THREE[3]];
        assert_eq!(mistakes(&bytes), ["limit: limit and all thresholds must be in packets"]);
    }

    #[test]
    fn settings_without_effect_are_refused() {
        let with = |more: &[&str]| mistakes(&[&THREE[..], more].concat());
        assert!(with(&["averages = total", "updates = all"])[0].starts_with("updates: has no effect with averages = \"total\""));
        assert!(with(&["count = shared", "spacing = independent"])[0].starts_with("count: has no effect"));
        assert!(with(&["mean-packet = 576 bytes", "idle = ignored"])[0].starts_with("mean-packet: has no effect"));
        let one = ["limit = 60 packets", "min-thresholds = [20 packets]", "max-thresholds = [40 packets]", "max-probabilities = [0.2]"];
        let idle = mistakes(&[&one[..], &["averages = separate", "updates = all", "count = shared"]].concat());
        assert_eq!(idle.len(), 3);
        assert!(idle.iter().all(|mistake| mistake.ends_with("has no effect with one precedence; leave it out")));
    }
}
