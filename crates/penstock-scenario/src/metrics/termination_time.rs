//! `termination-time`.

use crate::measure::keys::{Measure, Request};
use crate::measure::target::{MeasurableGroup, Target};
use crate::metrics::common::calls::counters_of;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{Key, MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_engine::blueprint::FlowGroup;
use penstock_engine::observations::Observations;
use penstock_model::units::{Rate, Time};
use std::ops::Range;

pub(crate) struct TerminationTime;

impl TerminationTime {
    pub const INFO: MetricInfo = MetricInfo {
        name: "termination-time",
        unit: "s",
        doc: "Time until the load falls below the rate `below`; not a number if it never does. The load is live calls x mean rate of a call, summed over all groups that `of` names. The label `from` names the start of the time: the `first-termination`, or `start`, when the calls of all groups have begun. Calls must be initial and last to the end of the run, so that only terminations change their number.",
        statistics: "",
        targets: Targets::CALLS,
        take: &[],
        default_take: &[],
        requires: &[Key::Below],
        ..MetricInfo::PLAIN
    };
}

impl Metric for TerminationTime {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn prepare(&self, request: &mut Request<'_, '_>) {
        check_load(request);
    }

    fn evaluate(&self, at: &mut Evaluation<'_>, measure: &Measure) {
        let (names, groups) = at.joint_groups(&measure.of);
        let plans: Vec<_> = groups.iter().map(|group| (&at.blueprint.groups[*group], at.group_members.flows[*group].1.clone())).collect();
        let reached = falls_below(&plans, at.seen, measure.below);
        let start = plans.iter().map(|(group, _)| all_begun(group)).max().unwrap_or_default();
        for (word, from) in [("first-termination", reached.map(|(first, _)| first)), ("start", Some(start))] {
            let span = reached.zip(from).map_or(f64::NAN, |((_, at), from)| at.since(from).as_seconds());
            at.push(&Self::INFO, &[("of", &names), ("from", word)], span);
        }
    }
}

/// Checks that the calls end by termination alone, and that their load begins above the rate that it shall fall below.
fn check_load(request: &Request<'_, '_>) {
    let Request { section, keys, of, measurable, .. } = request;
    let Some(below) = keys.below else { return };
    let mut load = 0u64;
    for target in *of {
        let Target::Flows(group) = target else { continue };
        let MeasurableGroup { name, count, calls: Some(calls), .. } = &measurable.flows[*group] else { continue };
        if calls.arrivals.is_some() || calls.holding.ends_calls() {
            section.report(
                "of",
                format!("'{name}' has calls that arrive or end without termination, so terminations do not determine how many are live"),
            );
            return;
        }
        let initial = calls.initial.total(*count) + calls.surge.as_ref().map_or(0, |surge| surge.calls.total(*count));
        load = load.saturating_add(initial.saturating_mul(calls.call_rate.as_bps()));
    }
    if load < below.as_bps() {
        section.report("below", format!("the initial calls make {}, which is below {below} from the start", Rate::from_bps(load)));
    }
}

/// Latest start of a group's calls, without their spread: the surge, or the latest initial start.
fn all_begun(group: &FlowGroup) -> Time {
    let surge = group.calls.as_ref().and_then(|calls| calls.surge.as_ref());
    surge.map_or(group.start.1, |surge| surge.at)
}

/// Times at which the first call was terminated, and at which the remaining calls of all groups needed less than `below`; `None` if
/// no call was terminated or the load stayed above. All calls begin at the start or with a surge.
fn falls_below(groups: &[(&FlowGroup, Range<usize>)], seen: &Observations, below: Rate) -> Option<(Time, Time)> {
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
