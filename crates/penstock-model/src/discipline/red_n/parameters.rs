//! The parameters of RED_n.

use super::super::early_drop::{amount, unit_mistake, Idle, Mode, NearEmpty, Spacing, MEAN_PACKET, UNREACHED};
use super::super::PRECEDENCES;
use crate::parameters::{Check, Limit, Probability, QueueThreshold, Weight};
use crate::units::Bytes;

crate::parameters! {
    /// RED_n: RED with thresholds, maximum probability and average per drop precedence; RIO with two precedences.
    ///
    /// ## Decides
    /// Works like `red`, with the i-th entry of each list for packets of precedence i; precedences beyond the list use the last
    /// entry. `ecn`, `mode`, `idle` and `near-empty` work as in `red`. `averages` selects the packets that an average counts, and
    /// `updates` the arrivals that update it. An arrival that ends an idle period ages all averages. An arrival that does not fit
    /// into `limit` is dropped (cause `overflow`).
    ///
    /// ## State
    /// One average per precedence, and one count per precedence or one for all. The cost per packet grows with the number of
    /// precedences, at most four. An arrival takes one random number if the average is between the thresholds of its precedence. If
    /// averages in bytes distinguish precedences, RED_n itself counts the bytes of each precedence, and its port needs an event per
    /// departure.
    ///
    /// ## Departures
    /// The documents leave three things open: which arrivals update which average (see `updates`), whether the count is shared
    /// (`count`), and whether a packet that finds no room is an arrival (`when-full`). ns-2's queue/rio.cc updates no average when
    /// an Out packet arrives; no document requires that, and it is not offered. Otherwise the departures are the same as for `red`,
    /// where "at most one packet waiting" refers to the packets that the precedence's own average counts.
    ///
    /// ## Example
    /// ```toml
    /// queue.red-n = { limit = "60 packets", min-thresholds = ["20 packets", "20 packets"], max-thresholds = ["40 packets", "40 packets"], max-probabilities = ["1/30", "1/20"] }
    /// ```
    ///
    /// ## References
    /// [Goyal99 s2]; RIO: [Clark98 s3]; RED: [Floyd93 s4]; one average over all: draft-goyal-dpstdy-diffserv-01.
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit;
        /// Averages below which nothing is dropped, best protected precedence first (min_th), in the unit of `limit`; zero for no such
        /// threshold.
        min_thresholds: Vec<QueueThreshold>;
        /// Averages from which everything is dropped (max_th), in the unit of `limit`.
        max_thresholds: Vec<Limit>;
        /// Drop probabilities just below the maximum thresholds, before spacing (max_p).
        max_probabilities: Vec<Probability>;
        /// Weight of an arrival's sample in an average (w_q); default of [Floyd93 s6], [Goyal99 Table 1] and ns-2.
        weight: Weight = "0.002";
        /// Mean size of a packet, which converts idle time to packets and scales mode `bytes`; default of ns-2.
        mean_packet: Bytes = "500 bytes";
        /// Ageing of the averages by idle time; default of ns-2.
        idle: Idle = "corrected";
        /// Spacing of drops; default of ns-2.
        spacing: Spacing = "wait";
        /// Treatment of an arrival that finds at most one packet waiting; default of ns-2.
        near_empty: NearEmpty = "restart";
        /// Whether large packets are dropped more often than small ones; if left out, by the unit of the thresholds.
        mode: Option<Mode>;
        /// Let the probability rise linearly to 1 above the maximum threshold; off in [Floyd93 s4].
        gentle: bool = "false";
        /// Packets that the average of a precedence counts; default of [Goyal99 s2] and RIO.
        averages: Averages = "coupled";
        /// Averages that an arrival updates; default of RIO.
        updates: Updates = "rio";
        /// Scope of the count of `spacing`.
        count: CountOf = "per-precedence";
        /// How averages and count change with an arrival that finds no room.
        when_full: WhenFull = "refresh";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
    }
}

crate::choice! {
    /// Queued packets that the average of precedence i counts.
    pub enum Averages {
        /// Precedences 0 to i.
        "coupled" => Coupled,
        /// Precedence i.
        "separate" => Separate,
        /// All.
        "total" => Total,
    }
}

crate::choice! {
    /// Averages that an arrival updates.
    pub enum Updates {
        /// The averages that count the arriving packet.
        "rio" => Rio,
        /// All.
        "all" => All,
    }
}

crate::choice! {
    /// Packets that are counted between drops.
    pub enum CountOf {
        /// Each precedence counts its own, from its own last drop.
        "per-precedence" => PerPrecedence,
        /// One count for all, restarted by any drop and by any precedence whose average rises above its minimum.
        "shared" => Shared,
    }
}

crate::choice! {
    /// How averages and count change with an arrival that finds no room.
    pub enum WhenFull {
        /// As with any other arrival; the drop restarts the count.
        "refresh" => Refresh,
        /// Not at all, as in ns-2's diffserv/dsredq.cc: under overload the averages stay lower.
        "ignore" => Ignore,
    }
}

impl Parameters {
    /// Unit to which a drop probability applies.
    pub(super) fn mode(&self) -> Mode {
        self.mode.unwrap_or(Mode::of_unit(self.limit))
    }

    /// Reports thresholds whose unit differs from that of the limit. Returns whether there are any.
    fn check_units(&self, mistake: &mut dyn FnMut(&str, String)) -> bool {
        let min = self.min_thresholds.iter().enumerate().map(|(i, threshold)| ("min-thresholds", i, threshold.0));
        let max = self.max_thresholds.iter().enumerate().map(|(i, threshold)| ("max-thresholds", i, *threshold));
        let mut mixed = false;
        for (key, i, threshold) in min.chain(max) {
            if let Some(message) = unit_mistake(threshold, self.limit) {
                mistake(key, format!("item {i}: {message}"));
                mixed = true;
            }
        }
        mixed
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
        if self.check_units(mistake) {
            return;
        }
        for (i, (min, max)) in self.min_thresholds.iter().zip(&self.max_thresholds).enumerate() {
            if amount(min.0) >= amount(*max) {
                mistake("max-thresholds", format!("item {i}: must be above item {i} of min-thresholds"));
            }
            if amount(min.0) >= amount(self.limit) {
                mistake("min-thresholds", format!("item {i}: {UNREACHED}"));
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
        if self.mean_packet != MEAN_PACKET && self.idle == Idle::Ignored && self.mode() == Mode::Packets {
            idle_word("mean-packet", "idle = \"ignored\" and mode = \"packets\"");
        }
    }
}
