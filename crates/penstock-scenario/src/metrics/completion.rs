//! Metrics of transfers: completion times and slowdowns, of all of them or by size.

use crate::measure::metric::{MetricKind, Statistic};
use crate::measure::Measure;
use crate::metrics::evaluation::{combine, join, mean_seconds, Evaluation, FlowSet};
use crate::metrics::timing::seconds;
use penstock_engine::observations::{Completion, UnfinishedTransfer};
use penstock_model::id::FlowId;
use penstock_model::stats::distribution::Distribution;
use penstock_model::units::Bytes;

impl Evaluation<'_> {
    /// The statistics that `measure` asks of the transfers of `flow_set` that were complete, all together or by size.
    pub fn over_transfers(&mut self, measure: &Measure, flow_set: &FlowSet) {
        let labels = flow_set.labels();
        let mut all = self.completions(&flow_set.flows);
        if measure.sizes.is_empty() {
            return self.transfer_rows(measure, &labels, &all);
        }
        // Equal sizes stay in the order of the flows, whatever the class.
        all.sort_by_key(|completion| completion.bytes);
        for (size, class) in size_classes(&measure.sizes, &all, |transfer| transfer.bytes) {
            self.transfer_rows(measure, &join(&labels, &[("size", size)]), class);
        }
    }

    /// The numbers of transfers of `flow_set` that arrived, finished and did not finish, all together or by size.
    pub fn transfer_counts(&mut self, measure: &Measure, flow_set: &FlowSet) {
        let labels = flow_set.labels();
        let mut finished: Vec<u64> = self.completions(&flow_set.flows).iter().map(|transfer| transfer.bytes).collect();
        let mut unfinished = self.unfinished(&flow_set.flows);
        if measure.sizes.is_empty() {
            return self.count_rows(flow_set, &labels, finished.len(), unfinished.len());
        }
        finished.sort_unstable();
        unfinished.sort_unstable();
        let finished = size_classes(&measure.sizes, &finished, |bytes| *bytes);
        for ((size, finished), (_, unfinished)) in finished.into_iter().zip(size_classes(&measure.sizes, &unfinished, |bytes| *bytes)) {
            self.count_rows(flow_set, &join(&labels, &[("size", size)]), finished.len(), unfinished.len());
        }
    }

    fn count_rows(&mut self, flow_set: &FlowSet, labels: &[(&str, &str)], finished: usize, unfinished: usize) {
        // A single flow has no statistic, as with other counts.
        let statistic = (!flow_set.single).then(|| ("statistic", Statistic::Sum.word().to_owned()));
        let labels = join(labels, statistic.as_slice());
        for (what, count) in [("arrived", finished + unfinished), ("finished", finished), ("unfinished", unfinished)] {
            self.push(MetricKind::Transfers, &join(&labels, &[("what", what.to_owned())]), count as f64);
        }
    }

    /// The sizes of the transfers of `flows` that were opened and not complete at the end.
    fn unfinished(&self, flows: &[usize]) -> Vec<u64> {
        let of = |flow: &usize| {
            let found = self.seen.unfinished.binary_search_by_key(&FlowId(*flow as u32), |(flow, _)| *flow).ok()?;
            let UnfinishedTransfer { start, bytes } = self.seen.unfinished[found].1;
            let stop = self.blueprint.groups[self.blueprint.flows[*flow].group as usize].stop;
            (start <= self.seen.to && start < stop).then_some(bytes)
        };
        flows.iter().filter_map(of).collect()
    }

    fn transfer_rows(&mut self, measure: &Measure, labels: &[(&str, &str)], transfers: &[Completion]) {
        for take in &measure.take {
            let value = statistic(measure.metric, *take, transfers);
            self.push(measure.metric, &join(labels, &[("statistic", take.word().to_owned())]), value);
        }
        for (quantile, value) in measure.quantiles.iter().zip(quantiles(measure, transfers)) {
            self.push(measure.metric, &join(labels, &[("quantile", quantile.to_string())]), value);
        }
    }

    /// The transfers of `flows` that were complete.
    fn completions(&self, flows: &[usize]) -> Vec<Completion> {
        let of = |flow: &usize| self.seen.completions.binary_search_by_key(&FlowId(*flow as u32), |(flow, _)| *flow).ok();
        flows.iter().filter_map(of).map(|i| self.seen.completions[i].1).collect()
    }
}

/// The classes that end at `sizes`, the last nowhere, with their names; the transfers are sorted by their `bytes`.
fn size_classes<'t, T>(sizes: &[Bytes], transfers: &'t [T], bytes: fn(&T) -> u64) -> Vec<(String, &'t [T])> {
    let up_to = |size: &Bytes| transfers.partition_point(|transfer| bytes(transfer) <= size.get());
    let mut classes = Vec::with_capacity(sizes.len() + 1);
    let mut first = 0;
    for (i, size) in sizes.iter().enumerate() {
        let name = if i == 0 { format!("up to {size}") } else { format!("{} to {size}", sizes[i - 1]) };
        let end = up_to(size);
        classes.push((name, &transfers[first..end]));
        first = end;
    }
    classes.extend(sizes.last().map(|size| (format!("above {size}"), &transfers[first..])));
    classes
}

fn slowdown(transfer: &Completion) -> f64 {
    transfer.time.as_ps() as f64 / transfer.unloaded.as_ps() as f64
}

fn statistic(metric: MetricKind, take: Statistic, transfers: &[Completion]) -> f64 {
    let times = transfers.iter().map(|transfer| transfer.time);
    match (metric, take) {
        (MetricKind::Slowdown, _) => combine(take, transfers.iter().map(slowdown)),
        (_, Statistic::Min) => seconds(times.min()),
        (_, Statistic::Max) => seconds(times.max()),
        _ => {
            let all = distribution(transfers);
            mean_seconds(all.sum_ps(), all.count())
        }
    }
}

fn quantiles(measure: &Measure, transfers: &[Completion]) -> Vec<f64> {
    if measure.quantiles.is_empty() {
        return Vec::new();
    }
    if measure.metric == MetricKind::CompletionTime {
        let all = distribution(transfers);
        return measure.quantiles.iter().map(|quantile| seconds(all.quantile(*quantile))).collect();
    }
    let mut all: Vec<f64> = transfers.iter().map(slowdown).collect();
    all.sort_by(f64::total_cmp);
    let rank = |quantile: f64| ((quantile * all.len() as f64).ceil() as usize).clamp(1, all.len()) - 1;
    measure.quantiles.iter().map(|quantile| if all.is_empty() { f64::NAN } else { all[rank(*quantile)] }).collect()
}

fn distribution(transfers: &[Completion]) -> Distribution {
    transfers.iter().fold(Distribution::default(), |mut all, transfer| {
        all.add(transfer.time);
        all
    })
}
