//! `wait`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::recording::RecordingPlan;
use crate::measure::words::{SplitBy, Statistic};
use crate::metrics::common::evaluation::{join, mean_seconds, seconds, Evaluation, Labels, LinkSet};
use crate::metrics::common::info::{Key, MetricInfo, Targets, MEAN, MEANS};
use crate::metrics::common::metric::Metric;
use crate::metrics::common::packets::merged;
use penstock_model::stats::distribution::Distribution;
use std::ops::Range;

pub(crate) struct Wait;

impl Wait {
    pub const INFO: MetricInfo = MetricInfo {
        name: "wait",
        unit: "s",
        doc: "Time from a packet's acceptance by a link to the start of its transmission.",
        statistics: "Statistics are over the packets of all links together.",
        targets: Targets::LINKS,
        take: MEANS,
        default_take: MEAN,
        split: &[SplitBy::Class],
        uses: &[Key::Quantiles],
        has_member_statistics: true,
        ..MetricInfo::PLAIN
    };
}

impl Metric for Wait {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn record_links(&self, keys: &MeasureKeys, members: Range<u32>, recording: &mut RecordingPlan) -> Result<(), String> {
        let has_extremes = keys.take.iter().flatten().any(|take| matches!(take, Statistic::Min | Statistic::Max));
        if keys.quantiles.is_some() || has_extremes {
            recording.at_links(members).classes = true;
        }
        Ok(())
    }

    /// Adds the waits of all packets of these links together, or of one class.
    fn link_rows(&self, at: &mut Evaluation<'_>, measure: &Measure, links: &LinkSet<'_>, members: &Range<usize>, labels: &Labels<'_>) {
        let of = |waits: &'_ [Distribution]| match links.class {
            Some(class) => merged(std::iter::once(&waits[class])),
            None => merged(waits.iter()),
        };
        let recorded = |link| at.port_timings(link).map(|timings| &timings.waits[..]).filter(|waits| !waits.is_empty());
        let each: Vec<_> = members.clone().filter_map(recorded).map(of).collect();
        let all = merged(each.iter());
        for take in &measure.take {
            let value = match take {
                Statistic::Min => seconds(all.min()),
                Statistic::Max => seconds(all.max()),
                // Counted at every link, recorded or not.
                _ => mean_seconds(links.counters.iter().map(|it| it.wait_sum_ps).sum(), links.counters.iter().map(|it| it.waits).sum()),
            };
            let has_label = !measure.single || measure.take != [Statistic::Mean];
            let statistic = has_label.then(|| ("statistic", take.word().to_owned()));
            at.push(&Self::INFO, &join(labels, statistic.as_slice()), value);
        }
        for quantile in &measure.quantiles {
            at.push(&Self::INFO, &join(labels, &[("quantile", quantile.to_string())]), seconds(all.quantile(*quantile)));
        }
    }
}
