//! Routes, each once.

use penstock_engine::blueprint::RouteSet;
use penstock_model::id::{LinkId, RouteId};

/// Routes without repetition, numbered in the order in which they were first added.
#[derive(Default)]
pub struct DistinctRoutes {
    routes: RouteSet,
    /// A hash table with open addressing: identifiers of routes, or [`EMPTY`]. Its length is a power of two.
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl DistinctRoutes {
    /// The identifier of a route, which is added if it is new.
    pub fn add(&mut self, route: &[LinkId]) -> RouteId {
        if self.routes.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot_of(route);
        match self.slots[slot] {
            EMPTY => {
                let id = self.routes.push(route);
                self.slots[slot] = id.0;
                id
            }
            known => RouteId(known),
        }
    }

    /// The routes by identifier.
    pub fn routes(&self) -> &RouteSet {
        &self.routes
    }

    /// The routes by identifier, without the hash table.
    pub fn into_routes(mut self) -> RouteSet {
        self.routes.shrink_to_fit();
        self.routes
    }

    /// The slot that has this route, or the empty slot where it belongs.
    fn slot_of(&self, route: &[LinkId]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(route) as usize & mask;
        while self.slots[slot] != EMPTY && self.routes[self.slots[slot] as usize] != *route {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 2).max(16)];
        for (id, route) in (0..).zip(self.routes.iter()) {
            let slot = self.slot_of(route);
            self.slots[slot] = id;
        }
    }
}

/// A hash of a route's links: their numbers, multiplied and rotated in, with the upper half folded into the lower.
fn hash(route: &[LinkId]) -> u64 {
    // An odd number without a pattern, that of SplitMix64.
    let mix = |hash: u64, link: &LinkId| (hash.rotate_left(23) ^ u64::from(link.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = route.iter().fold(route.len() as u64, mix);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_routes_have_one_identifier() {
        let mut distinct = DistinctRoutes::default();
        let route = |i: u32| [LinkId(i % 7), LinkId(i / 7), LinkId(0)];
        let added: Vec<RouteId> = (0..500).map(|i| distinct.add(&route(i)[..2 + i as usize % 2])).collect();
        assert_eq!(added, (0..500).map(RouteId).collect::<Vec<RouteId>>());
        let again: Vec<RouteId> = (0..500).map(|i| distinct.add(&route(i)[..2 + i as usize % 2])).collect();
        assert_eq!(again, added);
        assert_eq!(distinct.into_routes().len(), 500);
    }
}
