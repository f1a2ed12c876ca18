//! Where everything is in a network whose processes are numbered: processes, their inputs and their ports.

use crate::api::blueprint::Blueprint;
use crate::build::numbering::{Channels, ProcessSite, ProcessSites};
use penstock_model::id::{LinkId, NodeId};
use std::ops::Range;

/// The numbers of processes, inputs and ports.
pub struct Places<'a> {
    /// The blueprint.
    pub blueprint: &'a Blueprint,
    /// The sites of its processes.
    pub sites: &'a ProcessSites<'a>,
    /// The sites, by the numbers of the processes.
    pub order: &'a [ProcessSite],
    /// Which links feed which sites.
    pub channels: &'a Channels,
    /// The positions of the channels into each process.
    pub inputs: Vec<Range<usize>>,
    of_node: Vec<u32>,
    of_link: Vec<u32>,
    port_index: Vec<u32>,
}

impl<'a> Places<'a> {
    /// Numbers the processes at these sites in this order, and the ports of the links in use.
    pub fn new(
        blueprint: &'a Blueprint,
        sites: &'a ProcessSites<'a>,
        order: &'a [ProcessSite],
        used: &[LinkId],
        channels: &'a Channels,
    ) -> Places<'a> {
        let mut places = Places {
            blueprint,
            sites,
            order,
            channels,
            inputs: order.iter().map(|site| channels.range(*site)).collect(),
            of_node: vec![u32::MAX; blueprint.nodes.len()],
            of_link: vec![u32::MAX; blueprint.links.len()],
            port_index: vec![u32::MAX; blueprint.links.len()],
        };
        for (number, site) in (0..).zip(order) {
            match site {
                ProcessSite::Host(node) => places.of_node[node.index()] = number,
                ProcessSite::RouterPort(link) => places.of_link[link.index()] = number,
            }
        }
        let mut ports = vec![0; blueprint.nodes.len()];
        for link in used {
            let from = blueprint.links[link.index()].from.index();
            places.port_index[link.index()] = if sites.hosts()[from] { ports[from] } else { 0 };
            ports[from] += 1;
        }
        places
    }

    /// The number of the process at `site`.
    pub fn process(&self, site: ProcessSite) -> u32 {
        match site {
            ProcessSite::Host(node) => self.of_node[node.index()],
            ProcessSite::RouterPort(link) => self.of_link[link.index()],
        }
    }

    /// The number of the process that sends over a link.
    pub fn sender(&self, link: LinkId) -> u32 {
        self.process(self.sites.sender(link))
    }

    /// The number of the host at `node`, if it is one.
    pub fn host(&self, node: NodeId) -> Option<u32> {
        Some(self.of_node[node.index()]).filter(|number| *number != u32::MAX)
    }

    /// The position among all channels of the one into a process that a link feeds.
    pub fn channel(&self, process: u32, link: LinkId) -> usize {
        let range = self.inputs[process as usize].clone();
        let position = range.start + self.channels.all()[range].partition_point(|(_, fed)| *fed < link);
        assert_eq!(self.channels.all()[position].1, link, "every link of a route feeds the next process");
        position
    }

    /// The number of the input of a process that a link feeds.
    pub fn input(&self, process: u32, link: LinkId) -> u32 {
        (self.channel(process, link) - self.inputs[process as usize].start) as u32
    }

    /// The number of a link's port at its process; none where nothing uses the link.
    pub fn port(&self, link: LinkId) -> Option<u32> {
        Some(self.port_index[link.index()]).filter(|port| *port != u32::MAX)
    }
}
