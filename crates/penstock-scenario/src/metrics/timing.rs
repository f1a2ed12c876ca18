//! Metrics of flows whose statistics are taken over packets, or pages: delays, how they vary, page times.

use crate::measure::metric::{MetricKind, Statistic, TimeUnit};
use crate::measure::Measure;
use crate::metrics::evaluation::{join, mean_seconds, Evaluation, FlowSet};
use penstock_engine::observations::{PageTimes, Timings};
use penstock_model::id::FlowId;
use penstock_model::stats::distribution::Distribution;
use penstock_model::stats::variation::Variation;
use penstock_model::units::Duration;

impl Evaluation<'_> {
    /// The statistics that `measure` asks of the flows of `part`, all packets together.
    pub fn over_packets(&mut self, measure: &Measure, flow_set: &FlowSet) {
        if measure.metric.is_of_transfers() {
            return self.over_transfers(measure, flow_set);
        }
        let labels = flow_set.labels();
        let (scale, unit) = match measure.unit {
            TimeUnit::Second => (1.0, measure.metric.info().unit),
            TimeUnit::PacketTime => (self.packet_time(flow_set.group), "packet times"),
        };
        for take in &measure.take {
            let value = self.statistic(measure.metric, *take, &flow_set.flows);
            self.push_in(unit, measure.metric, &join(&labels, &[("statistic", take.word().to_owned())]), value / scale);
        }
        for (quantile, value) in measure.quantiles.iter().zip(self.quantiles(measure, &flow_set.flows)) {
            self.push_in(unit, measure.metric, &join(&labels, &[("quantile", quantile.to_string())]), value / scale);
        }
    }

    /// The mean spacing of the packets of a group of cbr flows, in seconds.
    fn packet_time(&self, group: usize) -> f64 {
        self.blueprint.groups[group].source.spacing().expect("checked when it was read").as_seconds()
    }

    fn statistic(&self, metric: MetricKind, take: Statistic, flows: &[usize]) -> f64 {
        match metric {
            MetricKind::Delay => {
                let counters = flows.iter().map(|flow| &self.seen.flows[*flow]);
                let received = counters.clone().filter(|flow| flow.received_packets > 0);
                match take {
                    Statistic::Max => seconds(received.map(|flow| flow.delay_max).max()),
                    _ => mean_seconds(counters.map(|flow| flow.delay_sum_ps).sum(), received.map(|flow| flow.received_packets).sum()),
                }
            }
            MetricKind::Jitter => {
                let jitter = self.variation(flows).magnitudes();
                match take {
                    Statistic::Max => seconds(jitter.max()),
                    _ => mean_seconds(jitter.sum_ps(), jitter.count()),
                }
            }
            MetricKind::Ipdv => match take {
                Statistic::Min => self.variation(flows).min(),
                Statistic::Max => self.variation(flows).max(),
                _ => self.variation(flows).mean(),
            },
            MetricKind::RtpJitter => {
                let each = flows.iter().filter_map(|flow| self.timings(*flow).rtp_jitter.as_ref());
                match take {
                    Statistic::Max => seconds(each.filter_map(|jitter| jitter.max()).max()),
                    _ => mean_seconds(each.clone().map(|jitter| jitter.sum_ps()).sum(), each.map(|jitter| jitter.updates()).sum()),
                }
            }
            MetricKind::PageTime => {
                let each = flows.iter().map(|flow| self.pages(*flow));
                match take {
                    Statistic::Max => seconds(each.filter(|pages| pages.count > 0).map(|pages| pages.max).max()),
                    _ => mean_seconds(each.clone().map(|pages| pages.sum_ps).sum(), each.map(|pages| pages.count).sum()),
                }
            }
            _ => unreachable!("only metrics over packets come here"),
        }
    }

    fn quantiles(&self, measure: &Measure, flows: &[usize]) -> Vec<f64> {
        if measure.quantiles.is_empty() {
            return Vec::new();
        }
        let recorded = "the engine was told to record it";
        let of = |all: &Distribution| measure.quantiles.iter().map(|quantile| seconds(all.quantile(*quantile))).collect();
        match measure.metric {
            MetricKind::Delay => of(&merged(flows.iter().map(|flow| self.timings(*flow).delays.as_ref().expect(recorded)))),
            MetricKind::PageTime => of(&merged(flows.iter().map(|flow| self.pages(*flow).distribution.as_ref().expect(recorded)))),
            MetricKind::Jitter => of(&self.variation(flows).magnitudes()),
            _ => {
                let all = self.variation(flows);
                measure.quantiles.iter().map(|quantile| all.quantile(*quantile)).collect()
            }
        }
    }

    fn variation(&self, flows: &[usize]) -> Variation {
        let mut all = Variation::default();
        flows.iter().for_each(|flow| all.merge(self.timings(*flow).variation.as_ref().expect("the engine was told to record it")));
        all
    }

    pub(super) fn timings(&self, flow: usize) -> &Timings {
        let found = self.seen.timings.binary_search_by_key(&FlowId(flow as u32), |(flow, _)| *flow);
        &self.seen.timings[found.expect("the engine was told to record it")].1
    }

    fn pages(&self, flow: usize) -> &PageTimes {
        let found = self.seen.pages.binary_search_by_key(&FlowId(flow as u32), |(flow, _)| *flow);
        &self.seen.pages[found.expect("the engine counts the pages of every http flow")].1
    }
}

pub(crate) fn merged<'a>(all: impl Iterator<Item = &'a Distribution>) -> Distribution {
    all.fold(Distribution::default(), |mut sum, one| {
        sum.merge(one);
        sum
    })
}

pub(crate) fn seconds(span: Option<Duration>) -> f64 {
    span.map_or(f64::NAN, Duration::as_seconds)
}
