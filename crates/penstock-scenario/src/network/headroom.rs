//! The headroom with which PAUSE or priority flow control loses nothing.

use penstock_engine::blueprint::{Blueprint, FlowGroup, SwitchPlan};
use penstock_engine::pauses::{pause_paths, PausePath, LEAST_PROLONGING};
use penstock_model::id::{LinkId, NodeId};
use penstock_model::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};
use std::collections::BTreeMap;

/// The headroom and quanta that a link into a switch that pauses needs, for each paused class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NeededHeadroom {
    /// The switch.
    pub switch: NodeId,
    /// The link.
    pub link: LinkId,
    /// The headroom, in bytes.
    pub bytes: u64,
    /// The minimum quanta with which a pause is prolonged before it ends.
    pub quanta: u64,
}

/// The needs of all links into switches that pause; empty if pause frames have no route.
///
/// The arrival that triggers a pause frame takes headroom itself. The frame waits for a largest packet on the wire back, for the
/// frames of all classes, its own included, and for access to the channel if the link back sends aggregates. Then it travels, the
/// port completes a packet that it has just begun, and the packets on the wire arrive. Meanwhile at most C x (wait + way back +
/// way there) and the packet that was begun arrive. (The link counts at its highest rate, the link back at its lowest.)
pub(crate) fn needed_headrooms(blueprint: &Blueprint) -> Vec<NeededHeadroom> {
    let largest = largest_packet(blueprint);
    let Ok(paths) = pause_paths(blueprint) else { return Vec::new() };
    let plans: BTreeMap<NodeId, _> = blueprint.switches.iter().map(|switch| (switch.node, switch)).collect();
    // Parallel links between two nodes may share one link back.
    let mut sharing: BTreeMap<LinkId, u64> = BTreeMap::new();
    paths.iter().for_each(|path| *sharing.entry(path.back).or_default() += 1);
    let of_path = |path: &PausePath| {
        let pause = plans.get(&path.switch)?.pause.as_ref()?;
        let (link, back) = (&blueprint.links[path.link.index()], &blueprint.links[path.back.index()]);
        let rates = |rate: Rate, changes: &[(Time, Rate)]| {
            let all = || changes.iter().map(|(_, rate)| *rate).chain([rate]).filter(|rate| *rate > Rate::ZERO);
            (all().min().unwrap_or(rate), all().max().unwrap_or(rate))
        };
        let (slowest, fastest) = (rates(back.rate, &back.rate_changes).0, rates(link.rate, &link.rate_changes).1);
        let frames = pause.classes.as_ref().map_or(1, Vec::len) as u64 * sharing[&path.back];
        let on_wire = |size: u64| if size == 0 { 0 } else { back.framing.on_wire(size as u32).get() };
        let on_wire_back = on_wire(largest.get().max(pause.frame.get())) + frames * on_wire(pause.frame.get());
        let access = back.aggregation.as_ref().map_or(Duration::ZERO, |plan| plan.overhead + plan.backoff);
        let wait = slowest.transmission_time(Bytes::new(on_wire_back)) + access;
        let time = wait + path.after + link.delay;
        let bits = u128::from(time.as_ps()) * u128::from(fastest.as_bps());
        let carried = bits.div_ceil(8 * u128::from(PS_PER_SECOND));
        let bytes = u64::try_from(carried).unwrap_or(u64::MAX).saturating_add(2 * largest.get());
        // A pause is renewed after half of its time, by a frame that may wait as long.
        let hold = wait.max(LEAST_PROLONGING).times(2);
        let quantum = link.rate.transmission_time(Bytes::new(512 / 8)).max(Duration::from_ps(1));
        let quanta = hold.as_ps().div_ceil(quantum.as_ps());
        Some(NeededHeadroom { switch: path.switch, link: path.link, bytes, quanta })
    };
    paths.iter().filter_map(of_path).collect()
}

/// The largest packet of all flows, and of what switches send.
fn largest_packet(blueprint: &Blueprint) -> Bytes {
    let of_group = |group: &FlowGroup| {
        let request = group.calls.as_ref().and_then(|calls| calls.request_packet).map_or(0, u64::from);
        let data = group.transport.largest_packet(&group.source).unwrap_or(MAX_FRAME);
        data.get().max(request)
    };
    let sends = |switch: &SwitchPlan| switch.source_quench.is_some() || switch.congestion_points.is_some();
    let of_switches = if blueprint.switches.iter().any(sends) { MAX_MESSAGE } else { 0 };
    Bytes::new(blueprint.groups.iter().map(of_group).fold(of_switches, Ord::max))
}

/// Maximum size of a message of a switch [RFC1812 s4.3.2.3].
const MAX_MESSAGE: u64 = 576;

/// Size assumed for packets without a bound: a jumbo frame.
const MAX_FRAME: Bytes = Bytes::new(9216);
