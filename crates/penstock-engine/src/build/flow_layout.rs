//! The layout of flows: the order of their endpoints in the memory of hosts.

use crate::api::blueprint::{Blueprint, FlowPlan};
use penstock_model::rng::Key;
use penstock_model::site::Site;
use penstock_model::source::{AnySource, Source};
use penstock_model::units::{Duration, Time};

/// The flows in the order in which their endpoints are added to their hosts.
///
/// Periodic sources send in turn, again and again, so they and their sinks are laid out in the order of their first packets: a host
/// with more of them than a cache holds then reads its memory from front to back. In the order of the flows, whose phases
/// are random, a packet-hop took five times as long among ten thousand. All others keep the order of the flows.
pub fn flows_in_layout_order(blueprint: &Blueprint, key: Key) -> Vec<u32> {
    let first = |(i, flow): (usize, &FlowPlan)| (first_packet(blueprint, flow, key).unwrap_or(Time::ZERO), i as u32);
    let mut first: Vec<(Time, u32)> = blueprint.cancel.until_set(&blueprint.flows).enumerate().map(first).collect();
    first.sort_unstable();
    first.into_iter().map(|(_, flow)| flow).collect()
}

/// The key of everything random of a flow.
pub fn flow_key(blueprint: &Blueprint, flow: &FlowPlan, key: Key) -> Key {
    key.child("flows").child(&blueprint.groups[flow.group as usize].name).nth(u64::from(flow.member))
}

/// The place of an end of a flow.
pub fn flow_site(blueprint: &Blueprint, flow: &FlowPlan, key: Key) -> Site {
    let first = blueprint.routes[flow.forward.index()][0];
    let name = format!("{}[{}]", blueprint.groups[flow.group as usize].name, flow.member);
    Site { key: flow_key(blueprint, flow, key), rate: blueprint.links[first.index()].rate, name: name.into() }
}

/// When a flow starts.
pub fn start(blueprint: &Blueprint, flow: &FlowPlan, key: Key) -> Time {
    let group = &blueprint.groups[flow.group as usize];
    if let Some(transfers) = &group.transfers {
        return transfers[flow.member as usize].start;
    }
    let (low, high) = group.start;
    let span = high.since(low).as_ps();
    if span == 0 {
        low
    } else {
        low + Duration::from_ps(key.child("start").stream().below(span))
    }
}

/// When a periodic flow sends first.
fn first_packet(blueprint: &Blueprint, flow: &FlowPlan, key: Key) -> Option<Time> {
    let group = &blueprint.groups[flow.group as usize];
    if group.calls.is_some() || group.transfers.is_some() {
        return None;
    }
    let site = flow_site(blueprint, flow, key);
    let source = AnySource::new(&group.source_of(flow.member), &site.child("source"));
    let mut source = source.filter(|source| source.period().is_some())?;
    Some(start(blueprint, flow, site.key) + source.first(&mut site.key.child("source").stream()).after)
}
