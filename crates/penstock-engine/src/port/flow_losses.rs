//! Number of packets of each flow that a port has lost, and of retransmissions among them.

use penstock_model::id::FlowId;

/// Number of flows in a page.
const PAGE: usize = 64;

/// Losses by flow, in pages that are allocated at the first loss of one of their flows. They are indexed, since ports under overload
/// lose every other packet, and paged, since each of many ports may see only a few of many flows.
#[derive(Clone, Debug, Default)]
pub struct FlowLosses {
    /// Page `n` has the flows from `64 n` on; `None` if they have lost nothing.
    pages: Vec<Option<Box<[Lost; PAGE]>>>,
}

/// Losses of a flow at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Number of packets lost.
    pub packets: u64,
    /// Number of retransmissions among them.
    pub retransmissions: u64,
}

impl Lost {
    fn count(&mut self, is_retransmission: bool) {
        self.packets += 1;
        self.retransmissions += u64::from(is_retransmission);
    }
}

impl FlowLosses {
    /// Size of a page.
    pub const BYTES_OF_A_PAGE: usize = PAGE * size_of::<Lost>();

    /// Maximum number of pages if `flows` of `all` flows have lost packets.
    pub fn most_pages(flows: usize, all: usize) -> usize {
        flows.min(all.div_ceil(PAGE))
    }

    /// Counts a lost packet of `flow`.
    #[inline]
    pub fn count(&mut self, flow: FlowId, is_retransmission: bool) {
        let (page, position) = (flow.index() / PAGE, flow.index() % PAGE);
        match self.pages.get_mut(page) {
            Some(Some(counts)) => counts[position].count(is_retransmission),
            _ => self.count_on_new_page(page, position, is_retransmission),
        }
    }

    /// Counts a lost packet whose page does not exist yet.
    #[cold]
    fn count_on_new_page(&mut self, page: usize, position: usize, is_retransmission: bool) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([Lost::default(); PAGE]))[position].count(is_retransmission);
    }

    /// Iterates by number over the flows that have lost packets, with their losses.
    pub fn iter(&self) -> impl Iterator<Item = (FlowId, Lost)> + '_ {
        let pages = (0..).step_by(PAGE).zip(&self.pages).filter_map(|(first, counts)| counts.as_deref().map(|counts| (first, counts)));
        let flows = pages.flat_map(|(first, counts)| (first..).zip(counts.iter().copied()));
        flows.filter(|(_, lost)| lost.packets > 0).map(|(flow, lost)| (FlowId(flow), lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_counted_apart_and_in_order() {
        let mut losses = FlowLosses::default();
        assert_eq!(losses.iter().count(), 0);
        for (flow, again) in [(200, false), (63, true), (64, false), (200, true), (0, false), (200, true)] {
            losses.count(FlowId(flow), again);
        }
        let found: Vec<_> = losses.iter().map(|(flow, lost)| (flow.index(), lost.packets, lost.retransmissions)).collect();
        assert_eq!(found, [(0, 1, 0), (63, 1, 1), (64, 1, 0), (200, 3, 2)]);
    }
}
