//! Causes that affect the results of a run although no metric shows them.

use crate::metrics::common::evaluation::GroupMembers;
use penstock_engine::blueprint::{Blueprint, Ties};
use penstock_engine::{Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// A cause that is easily overlooked.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// `max-window`, `ties`, or `idle-discipline`.
    pub kind: &'static str,
    /// The group of flows, the link, or the discipline.
    pub of: String,
    /// The window, the number of drops, or the names of the links.
    pub what: String,
    /// For `max-window`, the share of looks at a connection after the warm-up that found it held, on average over the group. For
    /// `ties`, the share of tied drops among the drops for lack of room.
    pub share: f64,
}

/// Samples the senders at instants of simulated time, at no cost per packet, to find out whether `max-window` holds them.
#[derive(Clone, Debug)]
pub struct WindowWatch {
    from: Time,
    every: Duration,
    looks: u64,
    /// For each flow, the number of looks that found it held.
    held: Vec<u32>,
}

/// Number of looks at the senders in a run.
const LOOKS: u64 = 20;

impl WindowWatch {
    /// The looks at a run, evenly spaced from the warm-up to the end; none where no flow has a window.
    pub(crate) fn new(blueprint: &Blueprint) -> WindowWatch {
        let has_windows = blueprint.groups.iter().any(|group| group.transport.max_window().is_some());
        let every = Duration::from_ps(blueprint.end.since(blueprint.warm_up).as_ps() / LOOKS);
        let from = if has_windows && every > Duration::ZERO { blueprint.warm_up } else { Time::NEVER };
        WindowWatch { from, every, looks: 0, held: vec![0; if has_windows { blueprint.flows.len() } else { 0 }] }
    }

    /// The time of the next look; [`Time::NEVER`] after the last one.
    pub fn next(&self) -> Time {
        if self.looks < LOOKS {
            self.from + self.every.times(self.looks + 1)
        } else {
            Time::NEVER
        }
    }

    /// Looks at the senders of a run that has reached [`WindowWatch::next`].
    pub fn look(&mut self, sim: &Sim) {
        self.looks += 1;
        sim.flows_held_by_max_window(|flow| self.held[flow.index()] += 1);
    }
}

/// Finds the causes that affected the results of a run.
pub(crate) fn decided(blueprint: &Blueprint, members: &GroupMembers, seen: &Observations, windows: &WindowWatch) -> Vec<Decided> {
    let mut found = held_groups(blueprint, members, windows);
    found.extend(idle_disciplines(blueprint, members, seen));
    found.extend(tied_drops(blueprint, members, seen));
    found
}

/// Links at which the order of simultaneous arrivals decided which packets were dropped; none if that order is random.
fn tied_drops(blueprint: &Blueprint, members: &GroupMembers, seen: &Observations) -> Vec<Decided> {
    if blueprint.ties != Ties::Scenario {
        return Vec::new();
    }
    let of_group = |(name, links): &(String, std::ops::Range<usize>)| {
        let links = &seen.links[links.clone()];
        let full: u64 = links.iter().flat_map(|link| link.dropped_packets[DropCause::Overflow as usize]).sum();
        let tied: u64 = links.iter().map(|link| link.tied_drops).sum();
        (tied > 0).then(|| Decided { kind: "ties", of: name.clone(), what: tied.to_string(), share: tied as f64 / full as f64 })
    };
    members.links.iter().filter_map(of_group).collect()
}

fn held_groups(blueprint: &Blueprint, members: &GroupMembers, windows: &WindowWatch) -> Vec<Decided> {
    let share = |flows: &std::ops::Range<usize>| {
        let held: u64 = windows.held.get(flows.clone()).unwrap_or_default().iter().map(|held| u64::from(*held)).sum();
        held as f64 / (flows.len() as u64 * windows.looks) as f64
    };
    let group = |(plan, (name, flows)): (&penstock_engine::blueprint::FlowGroup, &(String, std::ops::Range<usize>))| {
        let window = plan.transport.max_window().filter(|_| share(flows) > 0.0)?;
        Some(Decided { kind: "max-window", of: name.clone(), what: format!("{window} packets"), share: share(flows) })
    };
    blueprint.groups.iter().zip(&members.flows).filter_map(group).collect()
}

/// Disciplines that do more than refuse packets that do not fit, but neither dropped nor marked a packet at any link.
fn idle_disciplines(blueprint: &Blueprint, members: &GroupMembers, seen: &Observations) -> Vec<Decided> {
    let mut links_of: BTreeMap<&str, (Vec<&str>, u64)> = BTreeMap::new();
    for (name, links) in &members.links {
        for (plan, counters) in blueprint.links[links.clone()].iter().zip(&seen.links[links.clone()]) {
            let dropped: u64 = counters.dropped_packets.iter().flatten().sum();
            let offered: u64 = counters.offered_packets.iter().sum();
            let names = plan.port.queues.iter().filter(|queue| !queue.discipline.is_passive());
            for discipline in names.map(|queue| queue.discipline.name()) {
                let (names, acted) = links_of.entry(discipline).or_default();
                *acted += dropped + counters.marked_packets;
                if offered > 0 && names.last() != Some(&name.as_str()) {
                    names.push(name);
                }
            }
        }
    }
    let is_idle = |(names, acted): &(Vec<&str>, u64)| *acted == 0 && !names.is_empty();
    let decided = |(discipline, (names, _)): (&str, (Vec<&str>, u64))| Decided {
        kind: "idle-discipline",
        of: discipline.to_owned(),
        what: names.join(", "),
        share: 1.0,
    };
    links_of.into_iter().filter(|(_, found)| is_idle(found)).map(decided).collect()
}
