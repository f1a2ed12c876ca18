//! `calls`.

use crate::measure::keys::Measure;
use crate::metrics::common::calls::counters_of;
use crate::metrics::common::evaluation::{Evaluation, LabelledValues};
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_model::units::PS_PER_SECOND;

pub(crate) struct Calls;

impl Calls {
    pub const INFO: MetricInfo = MetricInfo {
        name: "calls",
        unit: "calls",
        doc: "Number of calls, by the label `what`: those that were `offered`, `admitted`, `blocked` and `terminated`, and the time average of those that were `live`. Initial calls are neither offered nor admitted. Each event of a call counts at its own time, so a call may be offered in the warm-up and admitted after it.",
        targets: Targets::CALLS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Calls {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_values(&self, at: &Evaluation<'_>, _measure: &Measure, _group: usize, flow: usize) -> LabelledValues {
        let calls = counters_of(at.seen, flow);
        let counted = calls.terminations.iter().filter(|(time, ..)| at.seen.from <= *time);
        let terminated: u64 = counted.map(|(_, count, _)| u64::from(*count)).sum();
        let rows = [
            ("offered", calls.offered as f64),
            ("admitted", calls.admitted as f64),
            ("blocked", calls.blocked as f64),
            ("terminated", terminated as f64),
            ("live", calls.live_ps as f64 / (at.window * PS_PER_SECOND as f64)),
        ];
        rows.into_iter().map(|(metric, value)| (vec![("what", metric.to_owned())], value)).collect()
    }
}
