//! How long a transfer would take in an empty network.

use crate::api::blueprint::{Blueprint, FlowPlan, LinkPlan};
use penstock_model::id::RouteId;
use penstock_model::transport::tcp::Parameters as TcpParameters;
use penstock_model::units::{Bytes, Duration, Rate};

/// From the first packet of a transfer of so many segments to its complete acknowledgement, if it had the network to itself and
/// no window held it back: the links' delays and transmissions alone. With `syn`, one round trip of packets without data
/// precedes. The segments follow one another at the slowest link; the last is acknowledged at once.
///
/// Nothing that a network adds beyond this can make a transfer faster, so that none takes less. A link whose rate changes
/// counts with its highest; what shapers and impairments add does not count.
pub fn transfer_time(blueprint: &Blueprint, flow: &FlowPlan, segments: u32, tcp: &TcpParameters) -> Duration {
    let (data, bare) = (tcp.packet, tcp.header);
    let (forward, backward) = (Way { blueprint, route: flow.forward }, Way { blueprint, route: flow.backward });
    let pipelined = forward.slowest(data).saturating_mul(u64::from(segments.saturating_sub(1)));
    let set_up = if tcp.syn { forward.one(bare).saturating_add(backward.one(bare)) } else { 0 };
    Duration::from_ps([forward.one(data), pipelined, backward.one(bare)].into_iter().fold(set_up, u64::saturating_add))
}

/// The links of a route; times in picoseconds, as a link that never works takes for ever.
struct Way<'b> {
    blueprint: &'b Blueprint,
    route: RouteId,
}

impl Way<'_> {
    fn links(&self) -> impl Iterator<Item = &LinkPlan> + '_ {
        self.blueprint.routes[self.route.index()].iter().map(|link| &self.blueprint.links[link.index()])
    }

    /// One packet alone.
    fn one(&self, size: Bytes) -> u64 {
        self.links().map(|link| link.delay.as_ps().saturating_add(transmission(link, size))).fold(0, u64::saturating_add)
    }

    /// The longest transmission.
    fn slowest(&self, size: Bytes) -> u64 {
        self.links().map(|link| transmission(link, size)).max().unwrap_or_default()
    }
}

fn transmission(link: &LinkPlan, size: Bytes) -> u64 {
    let rate = link.rate_changes.iter().map(|(_, rate)| *rate).fold(link.rate, Rate::max);
    rate.transmission_time(size).as_ps()
}
