//! Backpressure at a host's own port: connections register as waiting, and the port asks them in turn while its queue has room.

use crate::api::trace::TimerKind;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::parameters::Limit;
use penstock_model::units::Bytes;
use std::collections::VecDeque;

/// What waits for room in a queue.
#[derive(Clone, Copy, Debug)]
pub enum Waiting {
    /// A sender, by the kind of its timer and its slot.
    Sender(TimerKind, u32),
    /// A packet that a receiver answers with: an acknowledgement or a notification.
    Answer(Packet),
}

/// An entry of a waiting list.
#[derive(Clone, Copy, Debug)]
pub struct WaitingEntry {
    /// The flow of the packet.
    pub flow: FlowId,
    /// The most bytes that the packet has.
    pub size: u32,
    /// Who is asked for it.
    pub what: Waiting,
}

/// The connections that wait for a port: a list for each of its queues, first come, first served. As a connection has one entry at
/// a time and returns to the end, this is a round robin.
#[derive(Clone, Debug)]
pub struct WaitingLists {
    /// By queue; one list for queues of flows.
    lists: Vec<WaitingList>,
    /// The list to look at first, so that none is starved where lists share memory.
    first: usize,
}

#[derive(Clone, Debug)]
struct WaitingList {
    entries: VecDeque<WaitingEntry>,
    /// How far connections fill the queue; nothing holds them back where there is no limit.
    limits: Vec<Limit>,
}

/// The part of a queue's limit that is left to packets that cannot wait: of datagrams, and of what the host forwards.
const LEFT_FREE: u64 = 8;

/// How far connections that wait fill a queue of this limit: an eighth and at least room for one is left to other packets. An empty
/// queue takes a packet in any case.
fn fill_limit(limit: Limit) -> Limit {
    match limit {
        Limit::Packets(packets) => Limit::Packets(packets - packets.div_ceil(LEFT_FREE as u32)),
        Limit::Bytes(bytes) => Limit::Bytes(Bytes::new(bytes.get() - bytes.get().div_ceil(LEFT_FREE))),
    }
}

impl WaitingLists {
    /// Empty lists for queues of these limits.
    pub fn new(limits: &[Vec<Limit>]) -> WaitingLists {
        let list = |limits: &Vec<Limit>| WaitingList { entries: VecDeque::new(), limits: limits.iter().copied().map(fill_limit).collect() };
        WaitingLists { lists: limits.iter().map(list).collect(), first: 0 }
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.lists.iter().all(|list| list.entries.is_empty())
    }

    /// Registers a connection, or an answer, at the end of a list.
    pub fn wait(&mut self, list: usize, entry: WaitingEntry) {
        self.lists[list].entries.push_back(entry);
    }

    /// Takes the first entry, list by list in turn, for which its queue, given what each holds (`occupancy`), and the memory behind it
    /// have room. Entries that may not pass what stands before the port (`is_open`) let others of their list go first.
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
            // Nobody overtakes for being smaller.
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

    /// The memory has room for small packets alone: the large one at the head of the first list lets nobody of its list pass.
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
