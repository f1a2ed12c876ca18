//! `queue`.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::{join, Evaluation, Labels};
use crate::metrics::common::info::{Key, MetricInfo};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::LinkCounters;
use penstock_model::units::PS_PER_SECOND;

pub(crate) struct Queue;

impl Queue {
    pub const INFO: MetricInfo = MetricInfo {
        name: "queue",
        unit: "packets",
        doc: "Time average of the packets that wait at a link, without the one in service. `sample` adds the mean, the standard deviation and the maximum of the samples; the maximum, `sampled-max`, is the longest queue that any of them found.",
        split: &[SplitBy::Class, SplitBy::Circuit],
        uses: &[Key::Sample],
        is_time_average: true,
        ..MetricInfo::TIME_AVERAGE
    };
}

impl Metric for Queue {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        link.waiting_packet_ps as f64 / (at.window * PS_PER_SECOND as f64)
    }

    fn of_samples(&self, at: &mut Evaluation<'_>, samples: &[Vec<u32>], labels: &Labels<'_>) {
        if samples.is_empty() {
            return;
        }
        let count: usize = samples.iter().map(Vec::len).sum();
        let total: u64 = samples.iter().flatten().map(|length| u64::from(*length)).sum();
        let greatest = samples.iter().flatten().max().map_or(f64::NAN, |length| f64::from(*length));
        let mean = total as f64 / count as f64;
        let from_mean = |length: &u32| f64::from(*length) - mean;
        let squares: f64 = samples.iter().flatten().map(|length| from_mean(length) * from_mean(length)).sum();
        let deviation = (squares / count as f64).sqrt();
        for (statistic, value) in [("sampled-mean", mean), ("sampled-deviation", deviation), ("sampled-max", greatest)] {
            at.push(&Self::INFO, &join(labels, &[("statistic", statistic.to_owned())]), value);
        }
    }
}
