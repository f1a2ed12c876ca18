//! The properties of a metric that are plain data.

use crate::measure::words::{SplitBy, Statistic};

/// The name, targets and keys of a metric.
pub struct MetricInfo {
    /// The scenario key, such as `page-time`.
    pub name: &'static str,
    /// The unit; `1` for a share.
    pub unit: &'static str,
    /// The documentation (Markdown).
    pub doc: &'static str,
    /// The population of its statistics, in a sentence; empty if it has none.
    pub statistics: &'static str,
    /// The targets that it may be measured of.
    pub targets: Targets,
    /// Statistics allowed in `take`; empty if the metric is one number over all targets in `of`.
    pub take: &'static [Statistic],
    /// The default of `take`.
    pub default_take: &'static [Statistic],
    /// Criteria allowed in `by`.
    pub split: &'static [SplitBy],
    /// The keys that it uses in addition to those that every metric has.
    pub uses: &'static [Key],
    /// The keys of `uses` that must be given.
    pub requires: &'static [Key],
    /// Whether it is a share or an index between 0 and 1, so that its interval must stay between these bounds.
    pub is_ratio: bool,
    /// Whether it is a part of a whole, which is read in per cent.
    pub is_part: bool,
    /// Whether only finished transfers have it.
    pub is_of_finished: bool,
    /// Whether it counts transfers, including finished ones, by the label `what`.
    pub counts_finished: bool,
    /// Whether it is an average over time at links, so that all statistics of one link are equal.
    pub is_time_average: bool,
    /// Whether it has statistics, and therefore `take`, even with `per = "flow"` or `"link"`: over the packets or samples of a member.
    pub has_member_statistics: bool,
    /// Number of rows for each statistic of each target, for the estimate of memory.
    pub rows: usize,
}

impl MetricInfo {
    /// A metric with one number for each member over the whole run, summed over members by default.
    pub const PLAIN: MetricInfo = MetricInfo {
        name: "",
        unit: "",
        doc: "",
        statistics: "Statistics are over flows, aggregates or links, each with one number for the whole run.",
        targets: Targets { flows: false, calls: false, links: false },
        take: ANY,
        default_take: SUM,
        split: &[],
        uses: &[],
        requires: &[],
        is_ratio: false,
        is_part: false,
        is_of_finished: false,
        counts_finished: false,
        is_time_average: false,
        has_member_statistics: false,
        rows: 1,
    };

    /// A metric that is an average over time at links.
    pub const TIME_AVERAGE: MetricInfo = MetricInfo {
        statistics: "Statistics are over links, each with its average over time; for a single link, all statistics equal that average.",
        targets: Targets::LINKS,
        default_take: MEAN,
        ..MetricInfo::PLAIN
    };

    /// Whether it uses `key`.
    pub fn uses(&self, key: Key) -> bool {
        self.uses.contains(&key) || self.requires.contains(&key)
    }
}

/// All statistics.
pub const ANY: &[Statistic] = &[Statistic::Sum, Statistic::Mean, Statistic::Min, Statistic::Max];
/// All statistics but the sum.
pub const MEANS: &[Statistic] = &[Statistic::Mean, Statistic::Min, Statistic::Max];
/// The sum alone.
pub const SUM: &[Statistic] = &[Statistic::Sum];
/// The mean alone.
pub const MEAN: &[Statistic] = &[Statistic::Mean];
/// Mean and maximum.
pub const EXTREMES: &[Statistic] = &[Statistic::Mean, Statistic::Max];

/// The `statistics` of shares of packets.
pub const SHARES: &str = "The mean is over all packets together; `min` and `max` are over flows, aggregates or links, each with its share.";

/// The kinds of targets that a metric may be measured of.
#[derive(Clone, Copy)]
pub struct Targets {
    /// Whether it applies to flows.
    pub flows: bool,
    /// Whether it applies to aggregates of calls.
    pub calls: bool,
    /// Whether it applies to links.
    pub links: bool,
}

impl Targets {
    /// Flows, calls and links.
    pub const ALL: Targets = Targets { flows: true, calls: true, links: true };
    /// Flows and calls.
    pub const ENDS: Targets = Targets { flows: true, calls: true, links: false };
    /// Flows only.
    pub const FLOWS: Targets = Targets { flows: true, calls: false, links: false };
    /// Calls only.
    pub const CALLS: Targets = Targets { flows: false, calls: true, links: false };
    /// Links only.
    pub const LINKS: Targets = Targets { flows: false, calls: false, links: true };
}

/// The keys of a measurement that only some metrics use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `quantiles`.
    Quantiles,
    /// `unit`.
    Unit,
    /// `sample`.
    Sample,
    /// `sizes`.
    Sizes,
    /// `interval`.
    Interval,
    /// `tolerance`.
    Tolerance,
    /// `between`.
    Between,
    /// `below`.
    Below,
    /// `classes`.
    Classes,
    /// `rate`.
    Rate,
}
