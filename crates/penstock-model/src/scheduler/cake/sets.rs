//! Set-associative tables: queues of flows, and hosts.

/// Number of queues of a tin, and of hosts on each side.
pub const SLOTS: usize = 1024;
/// Number of slots that a hash may select from.
const WAYS: usize = 8;

/// Slots of the set of a hash, its own slot first.
fn ways(hash: u32) -> impl Iterator<Item = usize> {
    let own = hash as usize % SLOTS;
    let set = own - own % WAYS;
    (0..WAYS).map(move |way| set + (own + way) % WAYS)
}

/// Slots of the flows of a tin.
#[derive(Clone, Debug)]
pub struct Slots {
    tags: Vec<u32>,
}

impl Slots {
    pub fn new() -> Slots {
        Slots { tags: vec![0; SLOTS] }
    }

    /// Slot of a flow, and whether the slot was free or belonged to another flow until this packet. Selects the slot with the flow's tag;
    /// otherwise a free slot of its set; otherwise its own slot, which it then shares with the flow there.
    pub fn find(&mut self, hash: u32, mut is_used: impl FnMut(usize) -> bool) -> (usize, bool) {
        let own = hash as usize % SLOTS;
        if let Some(slot) = ways(hash).find(|slot| self.tags[*slot] == hash) {
            return (slot, !is_used(slot));
        }
        let slot = ways(hash).find(|slot| !is_used(*slot)).unwrap_or(own);
        self.tags[slot] = hash;
        (slot, true)
    }
}

/// Hosts on one side of the flows of a tin.
#[derive(Clone, Debug)]
pub struct Hosts {
    tags: Vec<u32>,
    /// Number of bulk flows of each host.
    pub bulk: Vec<u32>,
}

impl Hosts {
    pub fn new() -> Hosts {
        Hosts { tags: vec![0; SLOTS], bulk: vec![0; SLOTS] }
    }

    /// Slot of a host: the one with its tag; otherwise one of its set without bulk flows; otherwise its own.
    pub fn find(&mut self, hash: u32) -> usize {
        let known = ways(hash).find(|slot| self.tags[*slot] == hash);
        let slot = known.or_else(|| ways(hash).find(|slot| self.bulk[*slot] == 0)).unwrap_or(hash as usize % SLOTS);
        self.tags[slot] = hash;
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_of_a_set_have_eight_slots() {
        let (mut slots, mut used) = (Slots::new(), Vec::new());
        // All hashes have slot 13 in the set of slots 8 to 15.
        let mut find = |number: u32| {
            let (slot, is_new) = slots.find(13 + 1024 * number, |slot| used.contains(&slot));
            used.push(slot);
            (slot, is_new)
        };
        let first: Vec<_> = (1..=8).map(&mut find).collect();
        assert_eq!(first, [13, 14, 15, 8, 9, 10, 11, 12].map(|slot| (slot, true)));
        assert_eq!((1..=8).map(&mut find).collect::<Vec<_>>(), [13, 14, 15, 8, 9, 10, 11, 12].map(|slot| (slot, false)));
        // The ninth flow takes the slot of the first, which then has no slot.
        assert_eq!([find(9), find(9), find(1)], [(13, true), (13, false), (13, true)]);
    }

    #[test]
    fn a_flow_returns_to_its_slot_until_another_takes_it() {
        let mut slots = Slots::new();
        assert_eq!(slots.find(13 + 1024, |_| false), (13, true));
        assert_eq!(slots.find(13 + 1024, |_| false), (13, true));
        assert_eq!(slots.find(13 + 2048, |_| false), (13, true));
        assert_eq!(slots.find(13 + 1024, |slot| slot == 13), (14, true));
    }

    #[test]
    fn hosts_without_bulk_flows_give_way() {
        let mut hosts = Hosts::new();
        assert_eq!([hosts.find(1024), hosts.find(2048)], [0, 0]);
        hosts.bulk[0] = 1;
        assert_eq!([hosts.find(2048), hosts.find(3072), hosts.find(2048)], [0, 1, 0]);
        hosts.bulk[..8].fill(2);
        assert_eq!([hosts.find(3072), hosts.find(4096)], [1, 0]);
    }
}
