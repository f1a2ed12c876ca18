//! `offered`.

use crate::measure::keys::Measure;
use crate::measure::words::SplitBy;
use crate::metrics::common::counts::counts;
use crate::metrics::common::evaluation::{Evaluation, LabelledValues};
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;

pub(crate) struct Offered;

impl Offered {
    pub const INFO: MetricInfo = MetricInfo {
        name: "offered",
        unit: "packets",
        doc: "Packets offered to a link. If split by precedence, a packet counts with its precedence after marking.",
        targets: Targets::LINKS,
        split: &[SplitBy::Precedence, SplitBy::Class, SplitBy::Ingress],
        ..MetricInfo::PLAIN
    };
}

impl Metric for Offered {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_values(&self, _at: &Evaluation<'_>, measure: &Measure, link: &LinkCounters) -> LabelledValues {
        counts(&measure.by, link, |link, _cause, precedence| match precedence {
            Some(precedence) => link.offered_packets[precedence],
            None => link.offered_packets.iter().sum(),
        })
    }
}
