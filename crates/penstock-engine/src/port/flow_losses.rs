//! How many packets of each flow a port has lost.

use penstock_model::id::FlowId;

/// Flows whose counts stand together.
const PAGE: usize = 64;

/// A count for each flow, in pages that exist once one of their flows has lost something: an index table, since ports under
/// overload lose every other packet, and in pages, since each of many ports may see few of many flows.
#[derive(Debug, Default)]
pub struct FlowLosses {
    /// Page `n` has the flows from `64 n` on.
    pages: Vec<Option<Box<[u64; PAGE]>>>,
}

impl FlowLosses {
    /// Counts a packet of `flow`.
    #[inline]
    pub fn count(&mut self, flow: FlowId) {
        let (page, place) = (flow.index() / PAGE, flow.index() % PAGE);
        match self.pages.get_mut(page) {
            Some(Some(counts)) => counts[place] += 1,
            _ => self.count_on_new_page(page, place),
        }
    }

    /// Counts the first packet of a page.
    #[cold]
    fn count_on_new_page(&mut self, page: usize, place: usize) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]))[place] += 1;
    }

    /// Flows with what they lost, by number; those that lost nothing are left out.
    pub fn iter(&self) -> impl Iterator<Item = (FlowId, u64)> + '_ {
        let pages = (0..).step_by(PAGE).zip(&self.pages).filter_map(|(first, counts)| counts.as_deref().map(|counts| (first, counts)));
        let flows = pages.flat_map(|(first, counts)| (first..).zip(counts.iter().copied()));
        flows.filter(|(_, lost)| *lost > 0).map(|(flow, lost)| (FlowId(flow), lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_counted_apart_and_in_order() {
        let mut losses = FlowLosses::default();
        assert_eq!(losses.iter().count(), 0);
        for flow in [200, 63, 64, 200, 0, 200] {
            losses.count(FlowId(flow));
        }
        let found: Vec<_> = losses.iter().map(|(flow, lost)| (flow.index(), lost)).collect();
        assert_eq!(found, [(0, 1), (63, 1), (64, 1), (200, 3)]);
    }
}
