//! `rtp-jitter`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{mean_seconds, seconds, Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::PacketStatistics;
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct RtpJitter;

impl RtpJitter {
    pub const INFO: MetricInfo = MetricInfo {
        name: "rtp-jitter",
        unit: "s",
        doc: "The interarrival jitter that RTP receivers report, after each packet: J += (|D| - J)/16, where D is the difference between its delay and that of the packet that arrived before it [RFC3550 s6.4.1]. J is zero at the end of the warm-up.",
        statistics: "Statistics are over the packets of all flows together.",
        targets: Targets::FLOWS,
        take: EXTREMES,
        default_take: EXTREMES,
        uses: &[Key::Unit],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for RtpJitter {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.rtp_jitter = true;
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        PacketStatistics { info: self.info(), statistic, quantiles: |_, _, _| Vec::new() }.add(at, measure, flow_set);
    }
}

fn statistic(at: &Evaluation<'_>, take: Statistic, flows: &[usize]) -> f64 {
    let each = flows.iter().filter_map(|flow| at.timings(*flow).rtp_jitter.as_ref());
    match take {
        Statistic::Max => seconds(each.filter_map(|jitter| jitter.max()).max()),
        _ => mean_seconds(each.clone().map(|jitter| jitter.sum_ps()).sum(), each.map(|jitter| jitter.updates()).sum()),
    }
}
