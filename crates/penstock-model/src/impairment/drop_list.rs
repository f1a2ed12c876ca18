//! Losses by number.

use super::{Fate, Impairment};
use crate::id::FlowId;
use crate::packet::Packet;
use crate::parameters::{Check, Count};
use crate::site::Site;
use crate::units::{Duration, Time};
use std::collections::BTreeMap;

crate::parameters! {
    /// Drop list: the packets with the given numbers are lost, and no others.
    ///
    /// ## Decides
    /// Packets are counted from 1 in order of departure, over the whole link or per flow (`of`). Packets whose numbers are in `drop`
    /// are lost. All packets count: also retransmissions, acknowledgements, and packets that set up a connection.
    ///
    /// ## State
    /// The number of packets so far, of the link or of each flow. One search in the list per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// impairment.drop-list = { drop = [3, 17], of = "flow" }
    /// ```
    ///
    /// ## References
    /// ns-2's ErrorModel/List. [Fall96] shows the effect of one to four losses from a window.
    pub struct Parameters {
        /// Numbers of the lost packets, from 1.
        drop: Vec<Count>;
        /// Scope of the count.
        of: Counted = "link";
    }
}

crate::choice! {
    /// Scope of the count of a drop list.
    pub enum Counted {
        /// All packets that the link sends.
        "link" => Link,
        /// The packets of each flow separately, so that every flow has its own losses.
        "flow" => Flow,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let Some(twice) = sorted(self).windows(2).find(|pair| pair[0] == pair[1]) {
            mistake("drop", format!("{} is in the list twice", twice[0]));
        }
    }
}

fn sorted(parameters: &Parameters) -> Vec<u32> {
    let mut numbers: Vec<u32> = parameters.drop.iter().map(|number| number.0).collect();
    numbers.sort_unstable();
    numbers
}

/// State of a drop list.
#[derive(Clone, Debug)]
pub struct DropList {
    /// Numbers of lost packets, in ascending order.
    numbers: Vec<u32>,
    of: Counted,
    of_link: u64,
    of_flows: BTreeMap<FlowId, u64>,
}

impl DropList {
    /// A list with these parameters. It draws no random numbers.
    pub fn new(parameters: &Parameters, _: &Site) -> DropList {
        DropList { numbers: sorted(parameters), of: parameters.of, of_link: 0, of_flows: BTreeMap::new() }
    }
}

crate::state! {
    impl DropList, |_it, _now| {}
}

impl Impairment for DropList {
    #[inline]
    fn on_departure(&mut self, _now: Time, packet: &Packet) -> Fate {
        let passed = match self.of {
            Counted::Link => &mut self.of_link,
            Counted::Flow => self.of_flows.entry(packet.flow).or_default(),
        };
        *passed += 1;
        match self.numbers.binary_search_by_key(passed, |number| u64::from(*number)) {
            Ok(_) => Fate::Lost,
            Err(_) => Fate::Delayed(Duration::ZERO),
        }
    }

    fn reorders(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fates, site};
    use super::*;
    use crate::packet::testing::packet;
    use crate::parameters::testing::read;

    fn list(lines: &[&str]) -> DropList {
        DropList::new(&read(lines).expect("sound"), &site())
    }

    /// Numbers of the lost packets among these, from 1.
    fn lost(fates: &[Fate]) -> Vec<usize> {
        (1..=fates.len()).filter(|n| fates[n - 1] == Fate::Lost).collect()
    }

    #[test]
    fn exactly_the_listed_packets_are_lost() {
        assert_eq!(lost(&fates(&mut list(&["drop = [17, 3, 4]"]), 100)), [3, 4, 17]);
    }

    #[test]
    fn flows_may_be_counted_for_themselves() {
        // Flows 0, 1, 0, 2, 0, 1, ...: the second packet of each flow is at 3, 6 and 8.
        let flows = [0, 1, 0, 2, 0, 1, 0, 2];
        let lost_of = |lines: &[&str]| {
            let mut it = list(lines);
            let fates = flows.map(|flow| it.on_departure(Time::ZERO, &Packet { flow: FlowId(flow), ..packet(500, 0) }));
            lost(&fates)
        };
        assert_eq!(lost_of(&["drop = [2]", "of = flow"]), [3, 6, 8]);
        assert_eq!(lost_of(&["drop = [2]"]), [2]);
    }

    #[test]
    fn lists_that_are_mistaken_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(mistakes(&["drop = [3, 17, 3]"]), ["drop: 3 is in the list twice"]);
        assert_eq!(mistakes(&["drop = [0]"]), ["drop: item 0: 0 is out of range; a whole number, at least 1"]);
    }
}
