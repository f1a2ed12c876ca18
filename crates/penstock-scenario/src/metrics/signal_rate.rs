//! `signal-rate`.

use crate::measure::keys::Measure;
use crate::measure::target::MeasurableGroup;
use crate::metrics::common::calls::counters_of;
use crate::metrics::common::evaluation::{Evaluation, LabelledValues};
use crate::metrics::common::info::{MetricInfo, Targets};
use crate::metrics::common::metric::Metric;

pub(crate) struct SignalRate;

impl SignalRate {
    pub const INFO: MetricInfo = MetricInfo {
        name: "signal-rate",
        unit: "bit/s",
        doc:
            "Bits per second of the request packets of refused calls: blocked calls x `signalling.packet`. Requests must travel as packets.",
        targets: Targets::CALLS,
        ..MetricInfo::PLAIN
    };
}

impl Metric for SignalRate {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        match group.calls.is_some_and(|calls| calls.request_packet.is_none()) {
            false => Ok(()),
            true => Err(format!(
                "the requests of '{}' are not packets; write signalling = {{ packet = \"160 bytes\" }} there, or leave it out",
                group.name
            )),
        }
    }

    fn flow_values(&self, at: &Evaluation<'_>, _measure: &Measure, group: usize, flow: usize) -> LabelledValues {
        let packet = at.blueprint.groups[group].calls.as_ref().and_then(|calls| calls.request_packet).unwrap_or_default();
        let rate = counters_of(at.seen, flow).blocked as f64 * f64::from(packet) * 8.0 / at.window;
        vec![(Vec::new(), rate)]
    }
}
