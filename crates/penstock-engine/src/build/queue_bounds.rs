//! How much may wait at each port of a blueprint, for the estimate of memory.

use crate::api::blueprint::{Blueprint, LinkPlan, SharedBufferPlan};
use penstock_model::id::NodeId;
use penstock_model::parameters::Limit;
use std::collections::BTreeMap;

/// Upper bounds on what waits at the port of each link.
pub struct QueueBounds {
    /// Limits whose sum is the bound; `None` where nothing limits what waits.
    of_links: Vec<Option<Vec<Limit>>>,
}

impl QueueBounds {
    /// Of all links of a blueprint: the limit of all queues of the port, if its scheduler has one, otherwise the limits of the queues or,
    /// where one has none, the size of the buffer that the port shares.
    pub fn new(blueprint: &Blueprint) -> QueueBounds {
        let switches = blueprint.switches.iter();
        let buffers: BTreeMap<NodeId, &SharedBufferPlan> = switches.filter_map(|it| Some((it.node, it.buffer.as_ref()?))).collect();
        let bound = |link: &LinkPlan| {
            let of_queues: Option<Vec<Limit>> = link.port.queues.iter().map(|queue| queue.discipline.limit()).collect();
            let of_port = link.port.scheduler.facts().shared_limit.map(|limit| vec![limit]);
            let of_switch = || buffers.get(&link.from).map(|buffer| vec![buffer.policy.size()]);
            of_port.or(of_queues).or_else(of_switch)
        };
        QueueBounds { of_links: blueprint.links.iter().map(bound).collect() }
    }

    /// How many packets of this size wait at the port of a link at most; infinite where nothing limits them.
    pub fn packets(&self, link: usize, size: f64) -> f64 {
        let amount = |limit: &Limit| match limit {
            Limit::Packets(packets) => f64::from(*packets),
            Limit::Bytes(bytes) => bytes.get() as f64 / size,
        };
        self.of_links[link].as_ref().map_or(f64::INFINITY, |limits| limits.iter().map(amount).sum())
    }
}
