//! What each link of a blueprint is to carry, for the estimate of memory.

use crate::api::blueprint::{Blueprint, CallsPlan, FlowGroup, FlowPlan, LinkPlan, Ties};
use penstock_model::units::{Duration, Time};
use std::sync::Arc;

/// The load of a link.
#[derive(Clone, Copy, Default)]
pub struct LinkLoad {
    /// Some route uses it.
    pub is_used: bool,
    /// What open loops and calls send over it together.
    pub open: OpenLoad,
    /// Connections that send data over it at the same time.
    pub connections: f64,
}

/// What open loops and calls send.
#[derive(Clone, Copy, Default)]
pub struct OpenLoad {
    /// The mean rate, in bit/s.
    pub rate: f64,
    /// Packets in a second.
    pub packets_per_second: f64,
    /// How many flows or live calls.
    pub flows: f64,
}

impl OpenLoad {
    fn add(&mut self, other: OpenLoad) {
        self.rate += other.rate;
        self.packets_per_second += other.packets_per_second;
        self.flows += other.flows;
    }

    /// What one flow of a group sends, or its live calls together.
    fn of_flow(group: &FlowGroup, live_calls: f64) -> OpenLoad {
        let flows = if group.calls.is_some() { live_calls } else { 1.0 };
        // A greedy source has no rate of its own.
        let rate = flows * group.source.mean_rate().map_or(0.0, |rate| rate.as_bps() as f64);
        OpenLoad::at_rate(group, rate, flows)
    }

    fn at_rate(group: &FlowGroup, rate: f64, flows: f64) -> OpenLoad {
        let smallest = group.source.smallest_packet().get().max(1) as f64;
        OpenLoad { rate, packets_per_second: rate / (8.0 * smallest), flows }
    }
}

/// The load of each link, given the share of each group's connections that are open at the same time.
pub fn link_loads(blueprint: &Blueprint, open: &[f64]) -> Vec<LinkLoad> {
    let mut routes = vec![LinkLoad::default(); blueprint.routes.len()];
    let groups: Vec<OpenLoad> =
        blueprint.groups.iter().zip(live_calls(blueprint)).map(|(group, calls)| OpenLoad::of_flow(group, calls)).collect();
    let rated = |flow: &FlowPlan| {
        let group = &blueprint.groups[flow.group as usize];
        group.rates.as_ref().map(|rates| OpenLoad::at_rate(group, rates[flow.member as usize].as_bps() as f64, 1.0))
    };
    for flow in &blueprint.flows {
        let forward = &mut routes[flow.forward.index()];
        if blueprint.groups[flow.group as usize].transport.is_reliable() {
            forward.connections += open[flow.group as usize];
        } else {
            forward.open.add(rated(flow).unwrap_or(groups[flow.group as usize]));
        }
    }
    let mut links = vec![LinkLoad::default(); blueprint.links.len()];
    for (route, each) in blueprint.routes.iter().zip(routes) {
        for link in route {
            let link = &mut links[link.index()];
            link.is_used = true;
            link.open.add(each.open);
            link.connections += each.connections;
        }
    }
    links
}

/// How many calls of an aggregate are live at the same time, on the average of a long time, or at the end where they never end.
/// In the aggregates of each group, on the average of them; none where there are no calls.
pub fn live_calls(blueprint: &Blueprint) -> Vec<f64> {
    let mut unconditional = vec![0.0; blueprint.groups.len()];
    for flow in &blueprint.flows {
        let calls = blueprint.groups[flow.group as usize].calls.as_ref();
        unconditional[flow.group as usize] += calls.map_or(0.0, |calls| calls.unconditional_calls(flow.member) as f64);
    }
    let arriving = |calls: &Arc<CallsPlan>| {
        let length = calls.holding.mean().min(blueprint.end.since(Time::ZERO));
        calls.arrivals.as_ref().map_or(0.0, |arrivals| arrivals.mean_rate() * length.as_seconds())
    };
    let groups = blueprint.groups.iter().zip(flows_of_groups(blueprint)).zip(unconditional);
    groups.map(|((group, flows), all)| all / flows.max(1) as f64 + group.calls.as_ref().map_or(0.0, arriving)).collect()
}

/// Whether windows may be used: there is feedback, without which sweeps are as good, and every link takes time.
pub fn may_use_windows(blueprint: &Blueprint, loads: &[LinkLoad]) -> bool {
    let mut used = blueprint.links.iter().zip(loads).filter(|(_, load)| load.is_used);
    let has_feedback = loads.iter().any(|load| load.connections > 0.0);
    has_feedback && blueprint.ties != Ties::Random && used.all(|(link, _)| link.delay > Duration::ZERO)
}

/// The highest rate that a link ever has, in bit/s.
pub fn fastest(link: &LinkPlan) -> f64 {
    link.rate_changes.iter().map(|(_, rate)| *rate).fold(link.rate, Ord::max).as_bps() as f64
}

/// How many flows each group has.
pub fn flows_of_groups(blueprint: &Blueprint) -> Vec<usize> {
    let mut counts = vec![0; blueprint.groups.len()];
    blueprint.flows.iter().for_each(|flow| counts[flow.group as usize] += 1);
    counts
}
