//! The routes of a network, one behind another.

use penstock_model::id::{LinkId, RouteId};
use std::ops::Index;
use std::sync::Arc;

/// Routes as lists of links, in one list together: a route takes no more than its links and four bytes. Copies share it until
/// one of them changes.
#[derive(Clone, Debug, Default)]
pub struct RouteSet(Arc<Lists>);

#[derive(Clone, Debug, Default)]
struct Lists {
    /// The links of all routes, route by route.
    links: Vec<LinkId>,
    /// For each route, where it ends there.
    ends: Vec<u32>,
}

impl RouteSet {
    /// Adds a route behind all others.
    ///
    /// # Panics
    /// If all routes have more links together than a `u32` counts.
    pub fn push(&mut self, route: &[LinkId]) -> RouteId {
        let lists = Arc::make_mut(&mut self.0);
        lists.links.extend_from_slice(route);
        lists.ends.push(u32::try_from(lists.links.len()).expect("a scenario's routes have far fewer links"));
        RouteId(lists.ends.len() as u32 - 1)
    }

    /// Gives back what has been reserved for routes to come.
    pub fn shrink_to_fit(&mut self) {
        let lists = Arc::make_mut(&mut self.0);
        lists.links.shrink_to_fit();
        lists.ends.shrink_to_fit();
    }

    /// How many routes there are.
    pub fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.ends.is_empty()
    }

    /// The links of all routes, route by route.
    pub fn links(&self) -> &[LinkId] {
        &self.0.links
    }

    /// Returns the index of the first link of a route in [`Self::links`].
    pub fn begin(&self, route: RouteId) -> u32 {
        route.index().checked_sub(1).map_or(0, |before| self.0.ends[before])
    }

    /// All routes, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[LinkId]> + Clone {
        let mut begin = 0;
        self.0.ends.iter().map(move |end| &self.0.links[std::mem::replace(&mut begin, *end as usize)..*end as usize])
    }
}

/// The route at a position, which is its [`RouteId`].
impl Index<usize> for RouteSet {
    type Output = [LinkId];

    fn index(&self, i: usize) -> &[LinkId] {
        let Lists { links, ends } = &*self.0;
        &links[self.begin(RouteId(i as u32)) as usize..ends[i] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_come_back_as_they_were_added() {
        let routes: [&[LinkId]; 4] = [&[LinkId(3), LinkId(1)], &[], &[LinkId(7)], &[LinkId(3), LinkId(1)]];
        let mut set = RouteSet::default();
        assert!(set.is_empty());
        let ids: Vec<RouteId> = routes.iter().map(|route| set.push(route)).collect();
        assert_eq!((ids, set.len()), ((0..4).map(RouteId).collect(), 4));
        assert!(set.iter().eq(routes));
        assert!((0..4).all(|i| set[i] == *routes[i]));
        assert_eq!(set.links().len(), 5);
    }

    #[test]
    fn a_copy_does_not_see_what_is_added_later() {
        let mut set = RouteSet::default();
        set.push(&[LinkId(0)]);
        let copy = set.clone();
        set.push(&[LinkId(1)]);
        assert_eq!((copy.len(), set.len()), (1, 2));
    }
}
