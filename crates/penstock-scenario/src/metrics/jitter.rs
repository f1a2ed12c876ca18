//! `jitter`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{mean_seconds, seconds, Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::{quantiles_of, PacketStatistics};
use penstock_engine::blueprint::FlowWatch;

pub(crate) struct Jitter;

impl Jitter {
    pub const INFO: MetricInfo = MetricInfo {
        name: "jitter",
        unit: "s",
        doc: "Jitter as in RFC 2598, |(aj - dj) - (ai - di)|: the difference between the delays of two data packets that have consecutive numbers and arrive one after the other [RFC2598 A.3.1]. Pairs that a loss or reordering has separated are left out.",
        statistics: "Statistics are over the pairs of packets of all flows together.",
        targets: Targets::FLOWS,
        take: EXTREMES,
        default_take: EXTREMES,
        uses: &[Key::Quantiles, Key::Unit],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Jitter {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn record_flows(&self, _keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.variation = true;
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        PacketStatistics { info: self.info(), statistic, quantiles }.add(at, measure, flow_set);
    }
}

fn statistic(at: &Evaluation<'_>, take: Statistic, flows: &[usize]) -> f64 {
    let jitter = at.variation(flows).magnitudes();
    match take {
        Statistic::Max => seconds(jitter.max()),
        _ => mean_seconds(jitter.sum_ps(), jitter.count()),
    }
}

fn quantiles(at: &Evaluation<'_>, shares: &[f64], flows: &[usize]) -> Vec<f64> {
    quantiles_of(&at.variation(flows).magnitudes(), shares)
}

#[cfg(test)]
mod tests {
    use crate::metrics::common::testing::of_recorded_flow;
    use penstock_engine::observations::Timings;
    use penstock_model::stats::variation::Variation;
    use penstock_model::units::Duration;

    /// Delays of 2, 5, 4 and 4 ms.
    #[test]
    fn differences_count_without_their_sign() {
        let mut variation = Variation::default();
        [(2, 5), (5, 4), (4, 4)].iter().for_each(|(before, delay)| variation.add(Duration::from_ms(*before), Duration::from_ms(*delay)));
        let [mean, max] = of_recorded_flow("jitter", Timings { variation: Some(variation), ..Timings::default() })[..] else {
            panic!("a mean and a maximum");
        };
        assert!((mean - 0.004 / 3.0).abs() < 1e-12, "{mean}");
        assert_eq!(max, 0.003);
    }
}
