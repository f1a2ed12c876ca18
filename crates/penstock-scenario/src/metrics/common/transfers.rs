//! Transfers that were complete or not, and their classes of size.

use crate::measure::keys::Measure;
use crate::measure::target::MeasurableGroup;
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{join, Evaluation, FlowSet, Labels};
use crate::metrics::common::info::MetricInfo;
use crate::metrics::common::unloaded::transfer_time;
use penstock_engine::observations::{Completion, UnfinishedTransfer};
use penstock_model::id::FlowId;
use penstock_model::units::{Bytes, Duration};

/// A transfer that was complete in the measurement period.
pub(crate) struct FinishedTransfer {
    /// Time from its start to its complete acknowledgement.
    pub time: Duration,
    /// Its size, without headers.
    pub bytes: u64,
    /// The time that it would take in an empty network.
    pub unloaded: Duration,
}

/// Functions that compute statistics over the transfers of a set.
pub(crate) struct TransferStatistics {
    pub info: &'static MetricInfo,
    pub statistic: fn(Statistic, &[FinishedTransfer]) -> f64,
    /// The quantiles for the given shares, at least one.
    pub quantiles: fn(&[f64], &[FinishedTransfer]) -> Vec<f64>,
}

impl TransferStatistics {
    /// Adds the numbers that `measure` requests, over the complete transfers of `flow_set`, all together or by size.
    pub fn add(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        let labels = flow_set.labels();
        let mut all = at.completions(&flow_set.flows);
        if measure.sizes.is_empty() {
            return self.add_rows(at, measure, &labels, &all);
        }
        // The sort is stable: transfers of equal size stay in the order of the flows, whatever the class.
        all.sort_by_key(|completion| completion.bytes);
        for (size, class) in size_classes(&measure.sizes, &all, |transfer| transfer.bytes) {
            self.add_rows(at, measure, &join(&labels, &[("size", size)]), class);
        }
    }

    fn add_rows(&self, at: &mut Evaluation<'_>, measure: &Measure, labels: &Labels<'_>, transfers: &[FinishedTransfer]) {
        for take in &measure.take {
            let value = (self.statistic)(*take, transfers);
            at.push(self.info, &join(labels, &[("statistic", take.word().to_owned())]), value);
        }
        let shares = &measure.quantiles;
        let quantiles = if shares.is_empty() { Vec::new() } else { (self.quantiles)(shares, transfers) };
        for (quantile, value) in shares.iter().zip(quantiles) {
            at.push(self.info, &join(labels, &[("quantile", quantile.to_string())]), value);
        }
    }
}

/// Refuses groups without transfers of a size.
pub(crate) fn check_has_size(info: &MetricInfo, group: &MeasurableGroup<'_>) -> Result<(), String> {
    match group.has_size {
        true => Ok(()),
        false => Err(format!("'{}' applies to source ftp with a size, but '{}' has another source", info.name, group.name)),
    }
}

impl Evaluation<'_> {
    /// The sizes of the transfers of `flows` that were opened and not complete at the end.
    pub fn unfinished(&self, flows: &[usize]) -> Vec<u64> {
        let of = |flow: &usize| {
            let found = self.seen.unfinished.binary_search_by_key(&FlowId(*flow as u32), |(flow, _)| *flow).ok()?;
            let UnfinishedTransfer { start, bytes } = self.seen.unfinished[found].1;
            let stop = self.blueprint.groups[self.blueprint.flows[*flow].group as usize].stop;
            (start <= self.seen.to && start < stop).then_some(bytes)
        };
        flows.iter().filter_map(of).collect()
    }

    /// The transfers of `flows` that were complete.
    pub(crate) fn completions(&self, flows: &[usize]) -> Vec<FinishedTransfer> {
        let of = |flow: &usize| {
            let found = self.seen.completions.binary_search_by_key(&FlowId(*flow as u32), |(flow, _)| *flow).ok()?;
            let Completion { time, bytes } = self.seen.completions[found].1;
            let plan = &self.blueprint.flows[*flow];
            let packets = self.blueprint.groups[plan.group as usize].transport.transfer_packets(Bytes::new(bytes))?;
            Some(FinishedTransfer { time, bytes, unloaded: transfer_time(self.blueprint, plan, packets) })
        };
        flows.iter().filter_map(of).collect()
    }
}

/// The classes that end at `sizes`, and an unbounded last class, with their names; the transfers are sorted by their `bytes`.
pub(crate) fn size_classes<'t, T>(sizes: &[Bytes], transfers: &'t [T], bytes: fn(&T) -> u64) -> Vec<(String, &'t [T])> {
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
