//! Metrics of calls.

use crate::metrics::evaluation::LabelledValues;
use penstock_engine::blueprint::FlowGroup;
use penstock_engine::observations::{CallCounters, Observations};
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Rate, Time, PS_PER_SECOND};
use std::ops::Range;

/// What was counted of the calls of the aggregate with this serial number.
pub(crate) fn counters_of(seen: &Observations, flow: usize) -> &CallCounters {
    let found = seen.calls.binary_search_by_key(&FlowId(flow as u32), |(flow, _)| *flow);
    &seen.calls[found.expect("the engine counts the calls of every aggregate")].1
}

/// Calls by outcome.
pub(crate) fn outcomes(seen: &Observations, flow: usize, window: f64) -> LabelledValues {
    let calls = counters_of(seen, flow);
    let counted = calls.terminations.iter().filter(|(at, ..)| seen.from <= *at);
    let terminated: u64 = counted.map(|(_, count, _)| u64::from(*count)).sum();
    let rows = [
        ("offered", calls.offered as f64),
        ("admitted", calls.admitted as f64),
        ("blocked", calls.blocked as f64),
        ("terminated", terminated as f64),
        ("live", calls.live_ps as f64 / (window * PS_PER_SECOND as f64)),
    ];
    rows.into_iter().map(|(metric, value)| (vec![("what", metric.to_owned())], value)).collect()
}

/// The blocking ratio over all of these aggregates.
pub(crate) fn blocking(seen: &Observations, flows: impl Iterator<Item = usize>) -> f64 {
    let (mut admitted, mut blocked) = (0, 0);
    for flow in flows {
        let calls = counters_of(seen, flow);
        admitted += calls.admitted;
        blocked += calls.blocked;
    }
    blocked as f64 / (admitted + blocked) as f64
}

/// Bits per second in each complete interval since the beginning of the run.
pub(crate) fn per_interval(seen: &Observations, flow: usize, every: Duration) -> LabelledValues {
    let found = seen.intervals.binary_search_by_key(&FlowId(flow as u32), |(flow, ..)| *flow);
    let bytes = &seen.intervals[found.expect("the engine was told to count in intervals")].2;
    let complete = seen.to.as_ps() / every.as_ps();
    let row = |i: u64| {
        let until = in_seconds(every.times(i + 1));
        // Intervals after the last packet are not recorded.
        let bytes = bytes.get(i as usize).copied().unwrap_or_default();
        (vec![("until", until)], bytes as f64 * 8.0 / every.as_seconds())
    };
    (0..complete).map(row).collect()
}

/// A time in seconds, whatever its size and to its last digit, so that the labels of a series have one unit.
fn in_seconds(time: Duration) -> String {
    let (whole, rest) = (time.as_ps() / PS_PER_SECOND, time.as_ps() % PS_PER_SECOND);
    let decimals = format!("{rest:012}");
    match decimals.trim_end_matches('0') {
        "" => format!("{whole} s"),
        digits => format!("{whole}.{digits} s"),
    }
}

/// When all calls of a group have begun.
pub(crate) fn all_begun(group: &FlowGroup) -> Time {
    let surge = group.calls.as_ref().and_then(|calls| calls.surge.as_ref());
    surge.map_or(group.start.1, |surge| surge.at)
}

/// When the first call was terminated, and when the calls left of all groups needed less than `below`; `None` if they
/// never did. All calls are there from the start or come with a surge.
pub(crate) fn falls_below(groups: &[(&FlowGroup, Range<usize>)], seen: &Observations, below: Rate) -> Option<(Time, Time)> {
    let mut load: u128 = 0;
    let mut cuts: Vec<(Time, u128)> = Vec::new();
    for (group, members) in groups {
        let calls = group.calls.as_ref().expect("only calls are terminated");
        let rate = u128::from(calls.call_rate.as_bps());
        for (aggregate, flow) in members.clone().enumerate() {
            load += u128::from(calls.unconditional_calls(aggregate as u32)) * rate;
            cuts.extend(counters_of(seen, flow).terminations.iter().map(|(at, count, _)| (*at, u128::from(*count) * rate)));
        }
    }
    cuts.sort_unstable();
    let first = cuts.first()?.0;
    let reached = cuts.iter().find(|(_, rate)| {
        load -= rate;
        load < u128::from(below.as_bps())
    });
    reached.map(|(at, _)| (first, *at))
}
