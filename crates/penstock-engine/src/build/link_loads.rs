//! What each link of a blueprint is to carry, for the estimate of memory.

use crate::api::blueprint::{Blueprint, FlowGroup, LinkPlan, Ties};
use penstock_model::units::{Duration, Time};

/// The load of a route or a link.
#[derive(Clone, Copy, Default)]
pub struct Load {
    /// Some route uses it.
    pub is_used: bool,
    /// The mean rate of what open loops and calls send over it together, in bit/s.
    pub rate: f64,
    /// Packets of these in a second.
    pub packets_per_second: f64,
    /// How many open loops and live calls.
    pub flows: f64,
    /// Connections that send data over it at the same time.
    pub connections: f64,
}

impl Load {
    fn add(&mut self, other: &Load) {
        self.is_used = true;
        self.rate += other.rate;
        self.packets_per_second += other.packets_per_second;
        self.flows += other.flows;
        self.connections += other.connections;
    }
}

/// The load of each link, given the share of each group's connections that are open at the same time.
pub fn link_loads(blueprint: &Blueprint, open: &[f64]) -> Vec<Load> {
    // By group: a mix of sizes may be a long list. A greedy source has no rate of its own.
    let of_source = |group: &FlowGroup| {
        let rate = group.source.mean_rate().map_or(0.0, |rate| rate.as_bps() as f64);
        (rate, 8.0 * group.source.smallest_packet().get().max(1) as f64)
    };
    let sources: Vec<(f64, f64)> = blueprint.groups.iter().map(of_source).collect();
    let calls = live_calls(blueprint);
    let mut routes = vec![Load::default(); blueprint.routes.len()];
    for flow in &blueprint.flows {
        let (i, group) = (flow.group as usize, &blueprint.groups[flow.group as usize]);
        routes[flow.forward.index()].add(&if group.transport.is_reliable() {
            Load { connections: open[i], ..Load::default() }
        } else {
            let flows = if group.calls.is_some() { calls[i] } else { 1.0 };
            let rate = flows * group.rates.as_ref().map_or(sources[i].0, |rates| rates[flow.member as usize].as_bps() as f64);
            Load { rate, packets_per_second: rate / sources[i].1, flows, ..Load::default() }
        });
    }
    let mut links = vec![Load::default(); blueprint.links.len()];
    for (route, load) in blueprint.routes.iter().zip(&routes) {
        route.iter().for_each(|link| links[link.index()].add(load));
    }
    links
}

/// How many calls of an aggregate are live at the same time, on the average of a long time, or at the end where they never end.
/// In the aggregates of each group, on the average of them; none where there are no calls.
pub fn live_calls(blueprint: &Blueprint) -> Vec<f64> {
    let of_group = |(group, flows): (&FlowGroup, usize)| {
        let Some(calls) = &group.calls else { return 0.0 };
        let unconditional: u64 = (0..flows as u32).map(|member| calls.unconditional_calls(member)).sum();
        let length = calls.holding.mean().min(blueprint.end.since(Time::ZERO));
        let arriving = calls.arrivals.as_ref().map_or(0.0, |arrivals| arrivals.mean_rate() * length.as_seconds());
        unconditional as f64 / flows.max(1) as f64 + arriving
    };
    blueprint.groups.iter().zip(flows_of_groups(blueprint)).map(of_group).collect()
}

/// Whether windows may be used: there is feedback, without which sweeps are as good, and every link takes time.
pub fn may_use_windows(blueprint: &Blueprint, loads: &[Load]) -> bool {
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
