//! The keys of a measurement, and the measurement when its names are resolved.

use crate::measure::recording::RecordingPlan;
use crate::measure::target::{Measurable, Target};
use crate::measure::words::{Between, Grouping, SplitBy, Statistic, TimeUnit};
use crate::metrics::common::metric::Metric;
use crate::read::section::Section;
use crate::read::values::Names;
use penstock_model::parameters::{ClassName, Probability};
use penstock_model::units::{Bytes, Duration, Rate};

penstock_model::parameters! {
    /// A measurement. Without any `[[measure]]`, the default set is reported. Groups of flows or calls have throughput, goodput,
    /// delay and loss of each, the fairness between all of them, the numbers of calls and of transfers, and the blocking if calls
    /// have admission control. Links that dropped packets, or for which the scenario sets a queue, a scheduler, a policer, a shaper
    /// or a PCN meter, have utilisation, drops and queue.
    pub struct MeasureKeys {
        /// The metric.
        metric: &'static dyn Metric;
        /// The groups of flows or calls, or the links, to measure.
        of: Names;
        /// What one number covers.
        per: Grouping = "group";
        /// Statistics over the packets, members or samples of the metric; its page says over which. The metric's own default if left out. The interval of a number (±) is over runs.
        take: Option<Vec<Statistic>>;
        /// Quantiles to report in addition, such as `[0.5, 0.99]`: values that these shares of the packets (or frames, pages or transfers) do not exceed. Of `delay`, `jitter`, `ipdv`, `frame-delay`, `page-time`, `completion-time` and `wait`, to within 0.4 %, and of `slowdown`, exactly.
        quantiles: Option<Vec<Probability>>;
        /// The unit of `delay`, `jitter`, `ipdv` and `rtp-jitter`.
        unit: TimeUnit = "second";
        /// Interval between samples. `meter-state` samples the meters; `queue` samples the queue in addition to its time average.
        sample: Option<Duration>;
        /// How the numbers of a link are split; the metric lists the possible ways. They are not split if left out.
        by: Option<Vec<SplitBy>>;
        /// Measures `completion-time`, `slowdown` and `transfers` by size class. These sizes are the upper bounds of the classes, and a last class is unbounded: `["100 kB", "1 MB"]` makes the classes up to 100 kB, from there up to 1 MB, and above 1 MB. The label `size` names the class: `up to 100000 bytes`, `100000 bytes to 1000000 bytes`, `above 1000000 bytes`.
        sizes: Option<Vec<Bytes>>;
        /// Length of the intervals for which `throughput` of calls is measured separately, from the beginning of the run; or of the bins of `time-to-fairness`, 10 ms if left out.
        interval: Option<Duration>;
        /// Maximum deviation of a flow's throughput from the mean for `time-to-fairness`, as a share of the mean; 10 % if left out.
        tolerance: Option<Probability>;
        /// Whether `fairness` and `time-to-fairness` compare flows or groups of them.
        between: Between = "flows";
        /// Rate below which the load must fall, for `termination-time`.
        below: Option<Rate>;
        /// The traffic classes that `ef-error` treats as one aggregate.
        classes: Option<Vec<ClassName>>;
        /// Rate of the ideal server of `ef-error` (R).
        rate: Option<Rate>;
    }
}
/// A measurement whose names are resolved.
#[derive(Clone, Debug)]
pub struct Measure {
    pub(crate) metric: &'static dyn Metric,
    pub(crate) of: Vec<Target>,
    pub(crate) per: Grouping,
    /// Whether every flow or link is measured on its own.
    pub(crate) single: bool,
    /// The statistics that it asks for.
    pub take: Vec<Statistic>,
    /// The quantiles that it asks for, as shares.
    pub quantiles: Vec<f64>,
    pub(crate) unit: TimeUnit,
    /// The criteria that split its numbers.
    pub by: Vec<SplitBy>,
    /// Upper bounds of the size classes of transfers.
    pub(crate) sizes: Vec<Bytes>,
    /// The classes that are compared with a server of this rate.
    pub(crate) expedited: Option<(Vec<String>, Rate)>,
    /// Length of the intervals; each interval has a number of its own.
    pub(crate) interval: Option<Duration>,
    /// Maximum deviation from the mean that counts as fair, as a share of the mean.
    pub(crate) tolerance: f64,
    /// The shares that a fairness compares.
    pub(crate) between: Between,
    /// The load threshold to fall below.
    pub(crate) below: Rate,
    /// The time between samples.
    pub(crate) sample: Option<Duration>,
    /// For each target, the sample plans of its members.
    pub(crate) samples: Vec<std::ops::Range<usize>>,
    /// Whether the numbers are reported only if the link dropped a packet; for the default set.
    pub(crate) if_dropped: bool,
}

impl Measure {
    /// A measurement of the default set, with the metric's defaults.
    pub fn with_defaults(metric: &'static dyn Metric, of: Vec<Target>) -> Measure {
        let take = metric.info().default_take.to_vec();
        let (quantiles, by, samples, sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (per, unit, interval, below) = (Grouping::Group, TimeUnit::Second, None, Rate::ZERO);
        Measure {
            metric,
            of,
            per,
            single: false,
            take,
            quantiles,
            unit,
            by,
            sizes,
            expedited: None,
            interval,
            tolerance: FAIRNESS_TOLERANCE,
            between: Between::Flows,
            below,
            sample: None,
            samples,
            if_dropped: false,
        }
    }
}

/// The length of the run, and of its measurement window.
#[derive(Clone, Copy)]
pub struct Durations {
    pub run: Duration,
    pub window: Duration,
}

/// A measurement while it is read: its keys and targets, and the recording plan that it adds to.
pub struct Request<'a, 's> {
    /// Where mistakes are reported.
    pub(crate) section: &'a Section<'s>,
    pub keys: &'a MeasureKeys,
    pub of: &'a [Target],
    pub measurable: &'a Measurable<'a>,
    /// `None` if the keys that give them have mistakes.
    pub durations: Option<Durations>,
    pub recording: &'a mut RecordingPlan,
}

/// Default of `tolerance`.
pub(crate) const FAIRNESS_TOLERANCE: f64 = 0.1;

/// Maximum number of intervals of one measurement.
pub(crate) const MAX_INTERVALS: u64 = 100_000;
