//! `drops`.

use crate::measure::keys::Measure;
use crate::measure::words::SplitBy;
use crate::metrics::common::counts::{counts, dropped};
use crate::metrics::common::evaluation::{Evaluation, LabelledValues};
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct Drops;

impl Drops {
    pub const INFO: MetricInfo = MetricInfo {
        name: "drops",
        unit: "packets",
        doc: "Packets lost. Of a link: those that it dropped; `by` splits them. Of a flow or an aggregate of calls: packets that it sent after the warm-up and that were dropped, anywhere, before the end of the run.",
        targets: Targets::ALL,
        split: &[SplitBy::Cause, SplitBy::Precedence, SplitBy::Class, SplitBy::Ingress],
        ..MetricInfo::PLAIN
    };
}

impl Metric for Drops {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.seen.flows[flow].lost_packets as f64
    }

    fn link_values(&self, _at: &Evaluation<'_>, measure: &Measure, link: &LinkCounters) -> LabelledValues {
        counts(&measure.by, link, dropped)
    }
}
