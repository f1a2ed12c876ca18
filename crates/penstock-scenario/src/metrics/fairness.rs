//! `fairness`.

use crate::measure::keys::Measure;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{Key, MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use crate::metrics::throughput::Throughput;

pub(crate) struct Fairness;

impl Fairness {
    pub const INFO: MetricInfo = MetricInfo {
        name: "fairness",
        unit: "1",
        doc: "Jain's index (sum x)^2 / (n * sum x^2) of the throughputs x of all n flows that `of` names, or of groups of them with `between = \"groups\"`: 1 if all are equal, 1/n if one has everything.",
        statistics: "",
        targets: Targets::ENDS,
        take: &[],
        default_take: &[],
        uses: &[Key::Between],
        is_ratio: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Fairness {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn evaluate(&self, at: &mut Evaluation<'_>, measure: &Measure) {
        let (names, compared) = at.compared(&measure.of, measure.between);
        let rate = |flow: &usize| Throughput.flow_value(at, *flow);
        let values: Vec<f64> = compared.iter().map(|flows| flows.iter().map(rate).sum()).collect();
        let (sum, squares) = (values.iter().sum::<f64>(), values.iter().map(|x| x * x).sum::<f64>());
        at.push(&Self::INFO, &[("of", &names)], sum * sum / (values.len() as f64 * squares));
    }
}
