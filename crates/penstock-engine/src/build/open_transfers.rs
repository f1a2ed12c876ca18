//! How many of the transfers of a group are open at the same time, for the estimate of memory.

use crate::api::blueprint::{Blueprint, FlowGroup, FlowPlan};
use crate::build::link_loads::{fastest, flows_of_groups};
use penstock_model::id::RouteId;
use penstock_model::units::{Bytes, Time};

/// The highest load of a link that is taken for the time that transfers share it; near one they would take for ever.
const HIGHEST_LOAD: f64 = 0.9;

/// A transfer with an end.
pub struct Transfer {
    /// Its earliest and its latest start, in seconds.
    start: (f64, f64),
    /// What it has to send.
    pub bytes: f64,
}

/// For each group, the share of its connections that are open at the same time: all, where they have no end.
///
/// A transfer takes as long as it would alone, over what others leave of its busiest link (processor sharing); where more is to be sent
/// than that link carries while transfers arrive, what is more is open still. What arrives after the end is not opened.
pub fn open_shares(blueprint: &Blueprint) -> Vec<f64> {
    let end = seconds(blueprint.end);
    // When the first and the last of each group start, in seconds.
    let mut spans: Vec<(f64, f64)> = vec![(f64::INFINITY, 0.0); blueprint.groups.len()];
    let mut bits = vec![0.0; blueprint.links.len()];
    let transfers = || blueprint.flows.iter().filter_map(|flow| Some((flow, transfer(&blueprint.groups[flow.group as usize], flow)?)));
    for (flow, transfer) in transfers().filter(|(_, transfer)| transfer.start.0 <= end) {
        let span = &mut spans[flow.group as usize];
        *span = (span.0.min(transfer.start.0), span.1.max(transfer.start.1.min(end)));
        blueprint.routes[flow.forward.index()].iter().for_each(|link| bits[link.index()] += 8.0 * transfer.bytes);
    }
    let flows = flows_of_groups(blueprint);
    let mut closed = vec![0.0; flows.len()];
    for (flow, transfer) in transfers() {
        let (first, last) = spans[flow.group as usize];
        let alone = alone(blueprint, flow, &transfer);
        let links = blueprint.routes[flow.forward.index()].iter();
        let while_arriving = (last - first).max(alone);
        let load = links.map(|link| bits[link.index()] / (fastest(&blueprint.links[link.index()]) * while_arriving)).fold(0.0, f64::max);
        let time = alone / (1.0 - load.min(HIGHEST_LOAD));
        let share = if transfer.start.0 > end { 0.0 } else { (time / while_arriving).min(1.0).max(1.0 - 1.0 / load) };
        closed[flow.group as usize] += 1.0 - share;
    }
    closed.iter().zip(flows).map(|(closed, flows)| 1.0 - closed / flows.max(1) as f64).collect()
}

/// What a flow has to send, if that has an end.
pub fn transfer(group: &FlowGroup, flow: &FlowPlan) -> Option<Transfer> {
    if let Some(transfers) = &group.transfers {
        let one = &transfers[flow.member as usize];
        return Some(Transfer { start: (seconds(one.start), seconds(one.start)), bytes: one.bytes as f64 });
    }
    let start = (seconds(group.start.0), seconds(group.start.1));
    group.source.file_size().map(|size| Transfer { start, bytes: size.get() as f64 })
}

/// How long a transfer takes alone, in seconds: its bytes at the slowest link, and a round trip for each doubling of its window and for
/// what begins and ends it.
fn alone(blueprint: &Blueprint, flow: &FlowPlan, transfer: &Transfer) -> f64 {
    let packet = blueprint.groups[flow.group as usize].transport.packet().unwrap_or(Bytes::new(1));
    let links = |route: RouteId| blueprint.routes[route.index()].iter().map(|link| &blueprint.links[link.index()]);
    let slowest = links(flow.forward).map(fastest).fold(f64::INFINITY, f64::min);
    let trip = |route| links(route).map(|link| link.delay.as_seconds() + 8.0 * packet.get() as f64 / fastest(link)).sum::<f64>();
    let rounds = 2.0 + (1.0 + transfer.bytes / packet.get() as f64).log2();
    8.0 * transfer.bytes / slowest + rounds * (trip(flow.forward) + trip(flow.backward))
}

fn seconds(time: Time) -> f64 {
    time.since(Time::ZERO).as_seconds()
}
