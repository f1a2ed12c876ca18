//! Statistics over the packets or pages of flows, all together.

use crate::measure::keys::Measure;
use crate::measure::words::{Statistic, TimeUnit};
use crate::metrics::common::evaluation::{join, seconds, Evaluation, FlowSet};
use crate::metrics::common::info::MetricInfo;
use penstock_model::stats::distribution::Distribution;
use penstock_model::stats::variation::Variation;

/// Functions that compute statistics over the packets of a set of flows, in seconds.
pub(crate) struct PacketStatistics {
    pub info: &'static MetricInfo,
    pub statistic: fn(&Evaluation<'_>, Statistic, &[usize]) -> f64,
    /// The quantiles for the given shares, at least one; empty if the metric has no quantiles.
    pub quantiles: fn(&Evaluation<'_>, &[f64], &[usize]) -> Vec<f64>,
}

impl PacketStatistics {
    /// Adds the numbers that `measure` requests, over the packets of all flows of `flow_set` together.
    pub fn add(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        let labels = flow_set.labels();
        let (scale, unit) = match measure.unit {
            TimeUnit::Second => (1.0, self.info.unit),
            TimeUnit::PacketTime => (at.packet_time(flow_set.group), "packet times"),
        };
        for take in &measure.take {
            let value = (self.statistic)(at, *take, &flow_set.flows);
            at.push_in(unit, self.info, &join(&labels, &[("statistic", take.word().to_owned())]), value / scale);
        }
        let shares = &measure.quantiles;
        let quantiles = if shares.is_empty() { Vec::new() } else { (self.quantiles)(at, shares, &flow_set.flows) };
        for (quantile, value) in shares.iter().zip(quantiles) {
            at.push_in(unit, self.info, &join(&labels, &[("quantile", quantile.to_string())]), value / scale);
        }
    }
}

impl Evaluation<'_> {
    /// The mean spacing of the packets of a group of cbr flows, in seconds.
    fn packet_time(&self, group: usize) -> f64 {
        self.blueprint.groups[group].source.spacing().expect("checked when it was read").as_seconds()
    }

    /// The differences of the delays of packets that follow each other.
    pub fn variation(&self, flows: &[usize]) -> Variation {
        let mut all = Variation::default();
        flows.iter().for_each(|flow| all.merge(self.timings(*flow).variation.as_ref().expect("the metric asks for the record")));
        all
    }
}

/// The union of these distributions.
pub(crate) fn merged<'a>(all: impl Iterator<Item = &'a Distribution>) -> Distribution {
    all.fold(Distribution::default(), |mut sum, one| {
        sum.merge(one);
        sum
    })
}

/// The spans, in seconds, that these shares do not exceed.
pub(crate) fn quantiles_of(all: &Distribution, shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|share| seconds(all.quantile(*share))).collect()
}
