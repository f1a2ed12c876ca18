//! Routes as tables of hops.

use crate::api::blueprint::Blueprint;
use crate::build::numbering::{Channels, ProcessNumbers, ProcessSite, ProcessSites};
use crate::kernel::route::{Departure, Hop};
use penstock_model::id::{HopId, LinkId, ProcessId, RouteId};

/// The inputs of processes, by the links that feed them.
pub struct InputNumbers(Vec<(LinkId, ProcessId, u32)>);

impl InputNumbers {
    /// Numbers the inputs of the processes at these sites.
    pub fn new(order: &[ProcessSite], channels: &Channels) -> InputNumbers {
        let mut inputs = Vec::with_capacity(channels.all().len());
        for (process, site) in (0..).map(ProcessId).zip(order) {
            inputs.extend(channels.into(*site).zip(0..).map(|(link, input)| (link, process, input)));
        }
        inputs.sort_unstable();
        InputNumbers(inputs)
    }

    /// The processes that `link` feeds, with their inputs.
    pub fn fed_by(&self, link: LinkId) -> impl Iterator<Item = (ProcessId, u32)> + '_ {
        let begin = self.0.partition_point(|(other, ..)| *other < link);
        self.0[begin..].iter().take_while(move |(other, ..)| *other == link).map(|(_, process, input)| (*process, *input))
    }

    pub fn of(&self, link: LinkId, process: ProcessId) -> u32 {
        // A link into a router may feed as many processes as the router has ports.
        let found = self.0.partition_point(|(other, fed, _)| (*other, *fed) < (link, process));
        let (fed_by, fed, input) = self.0[found];
        assert_eq!((fed_by, fed), (link, process), "every link of a route feeds the next process");
        input
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
        let mut hops = Vec::with_capacity(blueprint.routes.iter().map(Vec::len).sum());
        let mut starts = Vec::with_capacity(blueprint.routes.len());
        for route in blueprint.cancel.until_set(&blueprint.routes) {
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
