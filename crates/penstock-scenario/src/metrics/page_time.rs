//! `page-time`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::target::MeasurableGroup;
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::{mean_seconds, seconds, Evaluation, FlowSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, EXTREMES};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::{merged, quantiles_of, PacketStatistics};
use penstock_engine::blueprint::FlowWatch;
use penstock_engine::observations::PageTimes;
use penstock_model::id::FlowId;

pub(crate) struct PageTime;

impl PageTime {
    pub const INFO: MetricInfo = MetricInfo {
        name: "page-time",
        unit: "s",
        doc:
            "Time from the request of a page to the acknowledgement of its last byte, of `http` flows. Only pages that were complete count.",
        statistics: "Statistics are over the pages of all flows together.",
        targets: Targets::FLOWS,
        take: EXTREMES,
        default_take: EXTREMES,
        uses: &[Key::Quantiles],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for PageTime {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn check_group(&self, group: &MeasurableGroup<'_>) -> Result<(), String> {
        match group.is_http {
            true => Ok(()),
            false => Err(format!("'page-time' applies to source http, but '{}' has another source", group.name)),
        }
    }

    fn record_flows(&self, keys: &MeasureKeys, watch: &mut FlowWatch) {
        watch.pages |= keys.quantiles.is_some();
    }

    fn of_flows(&self, at: &mut Evaluation<'_>, measure: &Measure, flow_set: &FlowSet) {
        PacketStatistics { info: self.info(), statistic, quantiles }.add(at, measure, flow_set);
    }
}

fn statistic(at: &Evaluation<'_>, take: Statistic, flows: &[usize]) -> f64 {
    let each = flows.iter().map(|flow| pages(at, *flow));
    match take {
        Statistic::Max => seconds(each.filter(|pages| pages.count > 0).map(|pages| pages.max).max()),
        _ => mean_seconds(each.clone().map(|pages| pages.sum_ps).sum(), each.map(|pages| pages.count).sum()),
    }
}

fn quantiles(at: &Evaluation<'_>, shares: &[f64], flows: &[usize]) -> Vec<f64> {
    let recorded = "the metric asks for the record";
    quantiles_of(&merged(flows.iter().map(|flow| pages(at, *flow).distribution.as_ref().expect(recorded))), shares)
}

fn pages<'a>(at: &Evaluation<'a>, flow: usize) -> &'a PageTimes {
    let found = at.seen.pages.binary_search_by_key(&FlowId(flow as u32), |(flow, _)| *flow);
    &at.seen.pages[found.expect("the engine counts the pages of every http flow")].1
}
