//! Warns of links so fast that the rounding of transmission times to picoseconds shows.

use crate::network::links::{LinkGroup, Links};
use crate::read::mistake::Mistakes;
use crate::traffic::group::GroupDraft;
use penstock_engine::blueprint::{FlowGroup, FlowPlan, RouteSet};
use penstock_model::units::{Bytes, Rate, PS_PER_SECOND};
use std::collections::BTreeSet;

/// Transmissions below this time are rounded by up to half a percent or more.
const SHORT_PS: u64 = 100;

/// Warns once for each link, with the maximum error among the passing packets whose sizes are known.
pub(crate) fn check_rounding(flows: &[GroupDraft], links: &Links, plans: &[FlowPlan], routes: &RouteSet, mistakes: &Mistakes) {
    let fast: Vec<Option<Rate>> = links.groups.iter().map(|link| fastest(links, link)).collect();
    if fast.iter().all(Option::is_none) {
        return;
    }
    let mut passing: Vec<BTreeSet<(usize, bool)>> = vec![BTreeSet::new(); links.groups.len()];
    for plan in plans {
        for (route, is_back) in [(plan.forward, false), (plan.backward, true)] {
            for link in routes[route.index()].iter().map(|link| links.group_of(*link)).filter(|link| fast[*link].is_some()) {
                passing[link].insert((plan.group as usize, is_back));
            }
        }
    }
    for ((link, rate), passing) in links.groups.iter().zip(fast).zip(passing) {
        let Some(rate) = rate else { continue };
        let errors = passing.iter().flat_map(|(group, is_back)| {
            let plan = &flows[*group].plan;
            sizes(plan, *is_back).into_iter().filter_map(move |size| Some((rounding_error(rate, size)?, size, &plan.name)))
        });
        if let Some((error, size, name)) = errors.max_by(|a, b| a.0.total_cmp(&b.0)) {
            let exact = (size * 8) as f64 * PS_PER_SECOND as f64 / rate.as_bps() as f64;
            let rounded = rate.transmission_time(Bytes::new(size));
            let message = format!(
                "at {rate} the {size} bytes of a packet of '{name}' take {exact:.2} ps, which counts as {rounded}: an error of {:.1} %, \
                 since times are whole picoseconds",
                error * 100.0
            );
            mistakes.warn(link.location, &format!("{}.rate", link.path), message);
        }
    }
}

/// The maximum rate of a link, if a packet of one byte may be rounded there. Unlimited rates are ignored: they are not meant to
/// take time.
fn fastest(links: &Links, link: &LinkGroup) -> Option<Rate> {
    let plan = &links.plans[link.members.start as usize];
    let changes = plan.rate_changes.iter().map(|(_, rate)| *rate);
    let rates = (!link.is_unlimited).then_some(plan.rate).into_iter().chain(changes);
    rates.max().filter(|rate| rounds(*rate, 1))
}

/// Whether a packet's transmission is short enough for a warning.
fn rounds(rate: Rate, size: u64) -> bool {
    u128::from(size * 8) * u128::from(PS_PER_SECOND) < u128::from(SHORT_PS) * u128::from(rate.as_bps())
}

/// Rounding error of a short packet's transmission time, as a share of it; `None` if it is not short, or exact.
fn rounding_error(rate: Rate, size: u64) -> Option<f64> {
    if !rounds(rate, size) {
        return None;
    }
    let exact = (size * 8) as f64 * PS_PER_SECOND as f64 / rate.as_bps() as f64;
    let error = (rate.transmission_time(Bytes::new(size)).as_ps() as f64 - exact).abs() / exact;
    // Smaller errors come from the arithmetic of this comparison.
    (error > 1e-9).then_some(error)
}

/// The sizes of the packets that a group sends, there or back, as far as they are known.
fn sizes(group: &FlowGroup, is_back: bool) -> Vec<u64> {
    let request = group.calls.as_ref().and_then(|calls| calls.request_packet).map(u64::from);
    let mut sizes = match group.transport.packet() {
        _ if is_back => group.transport.sizes_back(),
        Some(packet) => vec![packet.get()],
        None => group.source.packet_sizes().into_iter().map(Bytes::get).collect(),
    };
    sizes.extend(request);
    sizes
}
