//! The time that a transfer would take in an empty network.

use penstock_engine::blueprint::{Blueprint, FlowPlan, LinkPlan};
use penstock_model::id::RouteId;
use penstock_model::transport::TransferPackets;
use penstock_model::units::{Bytes, Duration};

/// Time from the first packet of a transfer to its complete acknowledgement, if it had the network to itself and no window limited
/// it: the delays and transmissions of the links alone. Data packets follow one another at the slowest link; the last is
/// acknowledged at once.
///
/// It is a lower bound, since nothing else in a network makes a transfer faster. A link whose rate changes counts with its highest
/// rate, and a link with delivery opportunities with its delay alone. The delays of shapers and impairments do not count.
pub(crate) fn transfer_time(blueprint: &Blueprint, flow: &FlowPlan, packets: TransferPackets) -> Duration {
    let TransferPackets { count, data, bare, syn } = packets;
    let (forward, backward) = (Way { blueprint, route: flow.forward }, Way { blueprint, route: flow.backward });
    let pipelined = forward.slowest(data).saturating_mul(u64::from(count.saturating_sub(1)));
    let set_up = if syn { forward.one(bare).saturating_add(backward.one(bare)) } else { 0 };
    Duration::from_ps([forward.one(data), pipelined, backward.one(bare)].into_iter().fold(set_up, u64::saturating_add))
}

/// The links of a route. Times are saturating picoseconds, since a link that never works takes for ever.
struct Way<'b> {
    blueprint: &'b Blueprint,
    route: RouteId,
}

impl Way<'_> {
    fn links(&self) -> impl Iterator<Item = &LinkPlan> + '_ {
        self.blueprint.routes[self.route.index()].iter().map(|link| &self.blueprint.links[link.index()])
    }

    /// Time of one packet alone. Cell switches forward its cells one by one, so only the longest of its transmissions over cell links
    /// counts in full. With ends of AAL5 between these links, all of them would.
    fn one(&self, size: Bytes) -> u64 {
        let time = |link: &LinkPlan| link.delay.as_ps().saturating_add(transmission(link, link.smallest_unit(size)));
        let rest = |link: &LinkPlan| transmission(link, link.wire_size(size)) - transmission(link, link.smallest_unit(size));
        let longest = self.links().filter(|link| link.cells).map(rest).max().unwrap_or_default();
        self.links().map(time).fold(longest, u64::saturating_add)
    }

    /// Time of the longest transmission.
    fn slowest(&self, size: Bytes) -> u64 {
        self.links().map(|link| transmission(link, link.wire_size(size))).max().unwrap_or_default()
    }
}

fn transmission(link: &LinkPlan, size: Bytes) -> u64 {
    link.shortest_transmission(size).as_ps()
}
