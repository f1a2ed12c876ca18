//! Routes as tables of hops.

use crate::build::places::Places;
use crate::kernel::route::{Departure, Hop};
use penstock_model::id::{HopId, ProcessId, RouteId};

/// The hops of all routes, and where each route begins.
pub struct RouteTable<'a> {
    places: &'a Places<'a>,
    /// All hops, route by route.
    pub hops: Vec<Hop>,
    starts: Vec<u32>,
}

impl<'a> RouteTable<'a> {
    /// The table of a blueprint's routes.
    pub fn new(places: &'a Places<'a>) -> RouteTable<'a> {
        let Places { blueprint, sites, .. } = places;
        let mut hops = Vec::with_capacity(blueprint.routes.links().len());
        let mut starts = Vec::with_capacity(blueprint.routes.len());
        for route in blueprint.cancel.until_set(blueprint.routes.iter()) {
            starts.push(hops.len() as u32);
            for (i, link) in route.iter().enumerate() {
                let process = places.process(sites.receiver(route, i));
                let port = route.get(i + 1).and_then(|next| places.port(*next)).unwrap_or(Hop::DELIVER);
                hops.push(Hop { process: ProcessId(process), input: places.input(process, *link), port });
            }
        }
        RouteTable { places, hops, starts }
    }

    /// Where packets on a route begin.
    pub fn departure(&self, route: RouteId) -> Departure {
        let first = self.places.blueprint.routes[route.index()][0];
        let port = self.places.port(first).expect("links of routes are in use");
        Departure { port, hop: HopId(self.starts[route.index()]) }
    }
}
