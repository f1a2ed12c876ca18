//! The bytes of packets that are in the simulated network.

use crate::headers;
use penstock_model::packet::{Ecn, Packet};
use penstock_model::units::Duration;
use std::collections::VecDeque;

/// A packet of one flow, by its number.
#[derive(Debug)]
struct Entry {
    frame: Vec<u8>,
    /// Copies of it in the network.
    copies: u32,
    dscp: u8,
    came_with: Ecn,
    ecn: Ecn,
    precedence: u8,
    delayed: Duration,
}

/// The packets of one flow that are in the network, numbered in the order in which they entered.
#[derive(Debug, Default)]
pub struct InFlight {
    /// The number of the first entry.
    first: u32,
    /// The packets from `first` on; `None` for those that have left.
    entries: VecDeque<Option<Entry>>,
}

/// A packet that leaves the network, with the fields that the network has written.
pub struct Leaving<'a> {
    /// Its bytes.
    pub frame: &'a mut Vec<u8>,
    /// The codepoint with which it came.
    pub dscp: u8,
    /// The ECN codepoint with which it came.
    pub came_with: Ecn,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The drop precedence.
    pub precedence: u8,
    /// Time from the kernel's stamp until it entered.
    pub delayed: Duration,
}

impl InFlight {
    /// Adds the next packet, which enters `delayed` after the kernel's stamp.
    pub fn enter(&mut self, frame: Vec<u8>, &headers::Fields { dscp, ecn, .. }: &headers::Fields, precedence: u8, delayed: Duration) {
        self.entries.push_back(Some(Entry { frame, copies: 1, dscp, came_with: ecn, ecn, precedence, delayed }));
    }

    fn entry(&mut self, packet: u32) -> Option<&mut Entry> {
        self.entries.get_mut(packet.wrapping_sub(self.first) as usize)?.as_mut()
    }

    /// Records the fields of a packet after an event.
    pub fn update(&mut self, packet: &Packet) {
        if let Some(entry) = self.entry(packet.sequence()) {
            (entry.ecn, entry.precedence) = (packet.ecn, packet.precedence);
        }
    }

    /// Counts another copy of a packet.
    pub fn duplicate(&mut self, packet: u32) {
        if let Some(entry) = self.entry(packet) {
            entry.copies += 1;
        }
    }

    /// Returns a packet that leaves the network.
    pub fn leaving(&mut self, packet: u32) -> Option<Leaving<'_>> {
        self.entry(packet).map(|Entry { frame, dscp, came_with, ecn, precedence, delayed, .. }| Leaving {
            frame,
            dscp: *dscp,
            came_with: *came_with,
            ecn: *ecn,
            precedence: *precedence,
            delayed: *delayed,
        })
    }

    /// Removes a copy of a packet, which has left or was dropped; returns the memory of the last copy for another packet.
    pub fn remove(&mut self, packet: u32) -> Option<Vec<u8>> {
        let entry = self.entry(packet)?;
        entry.copies -= 1;
        if entry.copies > 0 {
            return None;
        }
        let place = packet.wrapping_sub(self.first) as usize;
        let frame = self.entries[place].take().map(|entry| entry.frame);
        while let Some(None) = self.entries.front() {
            self.entries.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        frame
    }

    /// Number of copies of packets in the network.
    pub fn count(&self) -> u64 {
        self.entries.iter().flatten().map(|entry| u64::from(entry.copies)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> headers::Fields {
        headers::Fields { to: 1, size: 40, dscp: 46, ecn: Ecn::Ect0, conversation: 0 }
    }

    #[test]
    fn packets_leave_in_any_order_and_their_numbers_stay() {
        let mut flow = InFlight::default();
        (0..4).for_each(|i| flow.enter(vec![i], &fields(), 0, Duration::ZERO));
        assert_eq!(flow.remove(2), Some(vec![2]));
        assert_eq!(flow.remove(0), Some(vec![0]));
        assert_eq!((flow.remove(2), flow.count()), (None, 2));
        assert_eq!(flow.remove(1), Some(vec![1]));
        flow.enter(vec![4], &fields(), 0, Duration::ZERO);
        assert_eq!(flow.leaving(4).map(|leaving| (leaving.frame.clone(), leaving.dscp)), Some((vec![4], 46)));
        assert_eq!((flow.remove(3), flow.remove(4), flow.count()), (Some(vec![3]), Some(vec![4]), 0));
    }

    #[test]
    fn a_copy_leaves_twice() {
        let mut flow = InFlight::default();
        flow.enter(vec![7], &fields(), 0, Duration::ZERO);
        flow.duplicate(0);
        assert_eq!((flow.count(), flow.remove(0), flow.count(), flow.remove(0), flow.count()), (2, None, 1, Some(vec![7]), 0));
    }
}
