//! Backpressure at a host's own port: connections register as waiting, and the port serves them in turn while its queue has room.

use crate::api::trace::TimerKind;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::parameters::Limit;
use penstock_model::units::Bytes;
use std::collections::VecDeque;

/// A sender or packet that waits for room in a queue.
#[derive(Clone, Copy, Debug)]
pub enum Waiting {
    /// A sender, identified by the kind of its timer and its slot.
    Sender(TimerKind, u32),
    /// A packet that a receiver sends in reply: an acknowledgement or a notification.
    Answer(Packet),
}

/// An entry of a waiting list.
#[derive(Clone, Copy, Debug)]
pub struct WaitingEntry {
    /// The flow of the packet.
    pub flow: FlowId,
    /// Maximum size of the packet in bytes.
    pub size: u32,
    /// The sender or packet itself.
    pub what: Waiting,
}

/// The connections that wait for a port: a FIFO list for each of its queues. A connection has one entry at a time and returns to the
/// end of its list, so the order is round robin.
#[derive(Clone, Debug)]
pub struct WaitingLists {
    /// One list per queue; a single list if queues are by flow.
    lists: Vec<WaitingList>,
    /// Index of the list to check first. It rotates, so that no list starves when they share memory.
    first: usize,
}

#[derive(Clone, Debug)]
struct WaitingList {
    entries: VecDeque<WaitingEntry>,
    /// Occupancy up to which connections fill the queue; empty if nothing holds them back.
    limits: Vec<Limit>,
}

/// Inverse of the share of a queue's limit that is left to packets that cannot wait: datagrams, and packets that the host forwards.
const LEFT_FREE: u64 = 8;

/// Occupancy up to which waiting connections fill a queue of this limit. An eighth, and room for at least one packet, is left to other
/// packets. An empty queue accepts a packet in any case.
fn fill_limit(limit: Limit) -> Limit {
    match limit {
        Limit::Packets(packets) => Limit::Packets(packets - packets.div_ceil(LEFT_FREE as u32)),
        Limit::Bytes(bytes) => Limit::Bytes(Bytes::new(bytes.get() - bytes.get().div_ceil(LEFT_FREE))),
    }
}

impl WaitingLists {
    /// Creates empty lists for queues of these limits.
    pub fn new(limits: &[Vec<Limit>]) -> WaitingLists {
        let list = |limits: &Vec<Limit>| WaitingList { entries: VecDeque::new(), limits: limits.iter().copied().map(fill_limit).collect() };
        WaitingLists { lists: limits.iter().map(list).collect(), first: 0 }
    }

    /// Whether all lists are empty.
    pub fn is_empty(&self) -> bool {
        self.lists.iter().all(|list| list.entries.is_empty())
    }

    /// Registers a connection, or a reply, at the end of a list.
    pub fn wait(&mut self, list: usize, entry: WaitingEntry) {
        self.lists[list].entries.push_back(entry);
    }

    /// Removes and returns the first entry that fits its queue, given the queue's packets and bytes (`occupancy`), and the memory behind it
    /// (`has_memory`). Lists take turns. Entries of a list whose head does not fit wait; entries for which `is_open` is false are passed.
    pub fn take(
        &mut self,
        mut occupancy: impl FnMut(usize) -> (u32, u64),
        has_memory: impl Fn(u32) -> bool,
        mut is_open: impl FnMut(&WaitingEntry) -> bool,
    ) -> Option<WaitingEntry> {
        let WaitingLists { lists, first } = self;
        let count = lists.len();
        for index in (*first..count).chain(0..*first) {
            let WaitingList { entries, limits } = &mut lists[index];
            let Some(head) = entries.front() else { continue };
            let (packets, bytes) = occupancy(index);
            let fits = |size| packets == 0 || limits.iter().all(|limit| limit.has_room(packets, bytes, size));
            // A smaller entry does not overtake a head that does not fit.
            if !(fits(head.size) && has_memory(head.size)) {
                continue;
            }
            let position = entries.iter().position(|entry| is_open(entry) && fits(entry.size) && has_memory(entry.size));
            if let Some(entry) = position.and_then(|position| entries.remove(position)) {
                *first = (index + 1) % count;
                return Some(entry);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory has room for small packets only: the large head of the first list blocks its list.
    #[test]
    fn what_fits_the_queue_alone_waits_for_memory() {
        let mut lists = WaitingLists::new(&[vec![Limit::Packets(8)], vec![Limit::Packets(8)]]);
        for (list, size, flow) in [(0, 1500, 0), (0, 100, 1), (1, 100, 2)] {
            lists.wait(list, WaitingEntry { flow: FlowId(flow), size, what: Waiting::Sender(TimerKind::Sender, flow) });
        }
        let mut take = |memory| lists.take(|_| (1, 1500), |size| size <= memory, |_| true).map(|entry| entry.flow);
        assert_eq!(take(99), None);
        assert_eq!([take(100), take(100)], [Some(FlowId(2)), None]);
        assert_eq!([take(1500), take(1500)], [Some(FlowId(0)), Some(FlowId(1))]);
    }

    #[test]
    fn lists_take_turns() {
        let mut lists = WaitingLists::new(&[const { Vec::new() }; 3]);
        for flow in 0..6 {
            lists.wait(flow as usize % 3, WaitingEntry { flow: FlowId(flow), size: 100, what: Waiting::Sender(TimerKind::Sender, flow) });
        }
        let taken = std::iter::from_fn(|| lists.take(|_| (0, 0), |_| true, |_| true).map(|entry| entry.flow.0));
        assert_eq!(taken.collect::<Vec<u32>>(), [0, 1, 2, 3, 4, 5]);
    }
}
