//! `blocking`.

use crate::metrics::common::calls::counters_of;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{MetricInfo, Targets, MEAN, MEANS};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::Observations;

pub(crate) struct Blocking;

impl Blocking {
    pub const INFO: MetricInfo = MetricInfo {
        name: "blocking",
        unit: "1",
        doc: "Share of calls that were refused: blocked / (blocked + admitted).",
        statistics: "The mean is over all calls together; `min` and `max` are over aggregates, each with its share.",
        targets: Targets::CALLS,
        take: MEANS,
        default_take: MEAN,
        is_ratio: true,
        is_part: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Blocking {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        blocking(at.seen, std::iter::once(flow))
    }

    fn pooled_flows(&self, at: &Evaluation<'_>, flows: &[usize]) -> Option<f64> {
        Some(blocking(at.seen, flows.iter().copied()))
    }
}

/// The blocking ratio over all of these aggregates.
fn blocking(seen: &Observations, flows: impl Iterator<Item = usize>) -> f64 {
    let (mut admitted, mut blocked) = (0, 0);
    for flow in flows {
        let calls = counters_of(seen, flow);
        admitted += calls.admitted;
        blocked += calls.blocked;
    }
    blocked as f64 / (admitted + blocked) as f64
}
