//! Routes as tables of hops.

use crate::api::blueprint::Blueprint;
use crate::build::numbering::{Channels, ProcessNumbers, ProcessSite, ProcessSites};
use crate::kernel::route::{Departure, Hop};
use penstock_model::id::{HopId, LinkId, ProcessId, RouteId};
use std::ops::Range;

/// The inputs of processes, by the links that feed them.
pub struct InputNumbers {
    /// Processes with their inputs, link by link; those of a link in the order of the processes.
    fed: Vec<(ProcessId, u32)>,
    /// For each link, where those that it feeds begin; one more at the end.
    first: Vec<u32>,
}

impl InputNumbers {
    /// Numbers the inputs of the processes at these sites, in a network of so many links.
    pub fn new(links: usize, order: &[ProcessSite], channels: &Channels) -> InputNumbers {
        let mut first = vec![0u32; links + 1];
        channels.all().iter().for_each(|(_, link)| first[link.index() + 1] += 1);
        for link in 0..links {
            first[link + 1] += first[link];
        }
        let mut next = first.clone();
        let mut fed = vec![(ProcessId(0), 0); channels.all().len()];
        for (process, site) in (0..).map(ProcessId).zip(order) {
            for (link, input) in channels.into(*site).zip(0..) {
                let position = &mut next[link.index()];
                fed[*position as usize] = (process, input);
                *position += 1;
            }
        }
        InputNumbers { fed, first }
    }

    /// How many inputs there are.
    pub fn count(&self) -> usize {
        self.fed.len()
    }

    /// The processes that `link` feeds, with their inputs.
    pub fn fed_by(&self, link: LinkId) -> &[(ProcessId, u32)] {
        &self.fed[self.range(link)]
    }

    /// The input of `process` that `link` feeds.
    pub fn of(&self, link: LinkId, process: ProcessId) -> u32 {
        self.fed[self.position(link, process)].1
    }

    /// The position of an input among all, link by link.
    pub fn position(&self, link: LinkId, process: ProcessId) -> usize {
        // A link into a router may feed as many processes as the router has ports.
        let range = self.range(link);
        let position = range.start + self.fed[range].partition_point(|(fed, _)| *fed < process);
        assert_eq!(self.fed[position].0, process, "every link of a route feeds the next process");
        position
    }

    fn range(&self, link: LinkId) -> Range<usize> {
        self.first[link.index()] as usize..self.first[link.index() + 1] as usize
    }
}

/// The hops of all routes, and where each route begins.
pub struct RouteTable<'a> {
    blueprint: &'a Blueprint,
    /// Each link's port at its process.
    port_index: &'a [u32],
    /// All hops, route by route.
    pub hops: Vec<Hop>,
    starts: Vec<u32>,
}

impl<'a> RouteTable<'a> {
    /// The table of a blueprint's routes.
    pub fn new(
        blueprint: &'a Blueprint,
        sites: &ProcessSites<'_>,
        numbers: &ProcessNumbers,
        inputs: &InputNumbers,
        port_index: &'a [u32],
    ) -> RouteTable<'a> {
        let mut hops = Vec::with_capacity(blueprint.routes.links().len());
        let mut starts = Vec::with_capacity(blueprint.routes.len());
        for route in blueprint.cancel.until_set(blueprint.routes.iter()) {
            starts.push(hops.len() as u32);
            for (i, link) in route.iter().enumerate() {
                let process = ProcessId(numbers.of(sites.receiver(route, i)));
                let port = route.get(i + 1).map_or(Hop::DELIVER, |next| port_index[next.index()]);
                hops.push(Hop { process, input: inputs.of(*link, process), port });
            }
        }
        RouteTable { blueprint, port_index, hops, starts }
    }

    /// Where packets on a route begin.
    pub fn departure(&self, route: RouteId) -> Departure {
        let first = self.blueprint.routes[route.index()][0];
        Departure { port: self.port_index[first.index()], hop: HopId(self.starts[route.index()]) }
    }
}
