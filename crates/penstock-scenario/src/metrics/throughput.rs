//! `throughput`.

use crate::measure::keys::{Durations, Measure, Request, MAX_INTERVALS};
use crate::measure::target::Target;
use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::{Evaluation, LabelledValues};
use crate::metrics::common::info::{Key, MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::observations::{LinkCounters, Observations};
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, PS_PER_SECOND};

pub(crate) struct Throughput;

impl Throughput {
    pub const INFO: MetricInfo = MetricInfo {
        name: "throughput",
        unit: "bit/s",
        doc: "Bits per second, headers included. Of a flow or an aggregate of calls: those that arrived at its end. Of a link: those that it sent. A packet counts when its last bit has passed. With `interval` (calls only), there is one number per interval from the beginning of the run, warm-up included. The label `until` is the end of the interval in seconds, such as `0.5 s`; a last interval that the end of the run cuts short is left out.",
        targets: Targets::ALL,
        split: &[SplitBy::Class],
        uses: &[Key::Interval],
        ..MetricInfo::PLAIN
    };
}

impl Metric for Throughput {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn prepare(&self, request: &mut Request<'_, '_>) {
        request_intervals(request);
    }

    fn flow_values(&self, at: &Evaluation<'_>, measure: &Measure, _group: usize, flow: usize) -> LabelledValues {
        match measure.interval {
            Some(every) => per_interval(at.seen, flow, every),
            None => vec![(Vec::new(), self.flow_value(at, flow))],
        }
    }

    fn flow_value(&self, at: &Evaluation<'_>, flow: usize) -> f64 {
        at.rate(at.seen.flows[flow].received.bytes)
    }

    fn link_value(&self, at: &Evaluation<'_>, link: &LinkCounters) -> f64 {
        at.rate(link.sent_bytes)
    }
}

/// Requests that groups of calls are counted in intervals.
fn request_intervals(request: &mut Request<'_, '_>) {
    let Request { section, keys, of, measurable, durations, recording } = request;
    let Some(every) = keys.interval else { return };
    if let Some(Durations { run, .. }) = durations {
        let intervals = run.as_ps() / every.as_ps();
        if intervals == 0 {
            section.report("interval", format!("{every} is longer than the run, so no interval would be complete"));
        } else if intervals > MAX_INTERVALS {
            section.report("interval", format!("{every} makes {intervals} intervals; at most {MAX_INTERVALS}"));
        }
    }
    for (name, target) in keys.of.0.iter().zip(*of) {
        let group = match target {
            Target::Flows(group) if measurable.flows[*group].calls.is_some() => *group,
            _ => {
                section.report("interval", format!("only calls are measured per interval, and '{name}' is something else; leave it out"));
                continue;
            }
        };
        match recording.intervals.get(&group) {
            Some(other) if *other != every => {
                section.report("interval", format!("another measurement counts '{name}' per {other}; a group has one interval"));
            }
            Some(_) => {}
            None => {
                recording.intervals.insert(group, every);
            }
        }
    }
}

/// Bits per second in each complete interval since the beginning of the run.
fn per_interval(seen: &Observations, flow: usize, every: Duration) -> LabelledValues {
    let found = seen.intervals.binary_search_by_key(&FlowId(flow as u32), |(flow, ..)| *flow);
    let bytes = &seen.intervals[found.expect("the metric asks for intervals")].2;
    let complete = seen.to.as_ps() / every.as_ps();
    let row = |i: u64| {
        let until = in_seconds(every.times(i + 1));
        // Intervals after the last packet are not recorded.
        let bytes = bytes.get(i as usize).copied().unwrap_or_default();
        (vec![("until", until)], bytes as f64 * 8.0 / every.as_seconds())
    };
    (0..complete).map(row).collect()
}

/// A time in seconds, exact to the last digit, so that all labels of a series have the same unit.
fn in_seconds(time: Duration) -> String {
    let (whole, rest) = (time.as_ps() / PS_PER_SECOND, time.as_ps() % PS_PER_SECOND);
    let decimals = format!("{rest:012}");
    match decimals.trim_end_matches('0') {
        "" => format!("{whole} s"),
        digits => format!("{whole}.{digits} s"),
    }
}
