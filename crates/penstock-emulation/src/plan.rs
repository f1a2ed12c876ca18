//! The real part of a blueprint, and checks that it can be emulated.

use penstock_engine::blueprint::LinkPlan;
use penstock_engine::Blueprint;
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::codepoint::of_behaviour;
use penstock_model::units::{Duration, Rate};
use std::collections::BTreeMap;

/// The longest time between two slices of a run. A packet's delivery is known when its last transmission begins, so the wires into
/// real nodes must be longer than this.
pub const PERIOD: Duration = Duration::from_us(100);
/// Highest rate that a path's slowest link may have: 400,000 packets of 1500 bytes a second.
pub const FASTEST: Rate = Rate::from_bps(4_800_000_000);
/// Bytes of the smallest IP packet that is carried: a header without data [RFC791 s3.1].
pub const SMALLEST: u64 = 20;

/// The flows between two real nodes that carry the packets of one service.
#[derive(Clone, Debug)]
pub struct Service {
    /// The codepoint of its packets; the first service carries packets of other codepoints, too.
    pub codepoint: Codepoint,
    /// Its flows. Each conversation gets the next one, and the first again after the last.
    pub members: Vec<FlowId>,
    /// The precedence that the scenario gives its packets.
    pub precedence: u8,
    /// The member that each conversation uses.
    conversations: BTreeMap<u64, usize>,
}

impl Service {
    /// The flow of a conversation.
    pub fn flow_of(&mut self, conversation: u64) -> FlowId {
        let next = self.conversations.len() % self.members.len();
        self.members[*self.conversations.entry(conversation).or_insert(next)]
    }
}

/// The differentiated services codepoints of a class, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codepoint {
    /// One codepoint.
    Single(u8),
    /// Assured forwarding: this class, in which the codepoint has the drop precedence too [RFC2597 s6].
    Assured(u8),
    /// None, since the name is not that of a per-hop behaviour.
    None,
}

impl Codepoint {
    /// The codepoint of the per-hop behaviour with this name.
    pub fn of_class(name: &str) -> Codepoint {
        match of_behaviour(name) {
            None => Codepoint::None,
            Some([first, second, ..]) if first == second => Codepoint::Single(first),
            Some([first, ..]) => Codepoint::Assured(first >> 3),
        }
    }

    /// The precedence that a packet with this codepoint has, from 0; `None` if it is not of this class.
    pub fn precedence_of(self, dscp: u8) -> Option<u8> {
        match self {
            Codepoint::Single(codepoint) => (codepoint == dscp).then_some(0),
            Codepoint::Assured(class) => (1..=3).find(|precedence| (class << 3 | precedence << 1) == dscp).map(|precedence| precedence - 1),
            Codepoint::None => None,
        }
    }

    /// The codepoint of a packet that had `dscp` and now has this precedence.
    pub fn after(self, dscp: u8, precedence: u8) -> u8 {
        match self {
            Codepoint::Assured(class) => class << 3 | (precedence.min(2) + 1) << 1,
            _ => dscp,
        }
    }
}

/// The last link of a flow's route.
#[derive(Clone, Debug)]
pub struct LastLink {
    /// Its identifier.
    pub link: LinkId,
    /// Its plan, if a packet's arrival follows from the start of its transmission.
    pub plan: Option<LinkPlan>,
}

/// The real part of a blueprint.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The run, whose flows between real nodes send nothing but packets from outside.
    pub blueprint: Blueprint,
    /// The services between each pair of real nodes; the first one also carries all packets without a service of their own.
    pub services: BTreeMap<(usize, usize), Vec<Service>>,
    /// For each flow that carries real packets, its end.
    pub flows: Vec<Option<RealFlow>>,
}

/// A flow that carries real packets.
#[derive(Clone, Debug)]
pub struct RealFlow {
    /// The real node at its end.
    pub to: usize,
    /// The codepoints of its packets.
    pub codepoint: Codepoint,
    /// The end of its route.
    pub last: LastLink,
}

impl Plan {
    /// Makes the flows of `groups`, which send only packets from outside, carry the packets between the nodes named in `real`.
    ///
    /// # Errors
    /// Names everything that cannot be emulated.
    pub fn new(mut blueprint: Blueprint, real: &[String], groups: &[String]) -> Result<Plan, Vec<String>> {
        let real_of = |name: &str| real.iter().position(|real| real == name);
        let mut mistakes = Vec::new();
        let mut services: BTreeMap<(usize, usize), Vec<Service>> = BTreeMap::new();
        let mut flows = vec![None; blueprint.flows.len()];
        for (number, group) in (0..).zip(&blueprint.groups) {
            let is_outside = groups.contains(&group.name);
            let members = (0..).map(FlowId).zip(&blueprint.flows).filter(|(_, flow)| flow.group == number);
            if !is_outside {
                continue;
            }
            let codepoint = Codepoint::of_class(&blueprint.classes[usize::from(group.class)]);
            for (id, flow) in members {
                let names = [flow.from, flow.to].map(|node| &blueprint.nodes[node.index()]);
                let [Some(from), Some(to)] = names.map(|name| real_of(name)) else {
                    mistakes.push(format!("flows '{}': from '{}' to '{}', which are not both real", group.name, names[0], names[1]));
                    break;
                };
                let route = &blueprint.routes[flow.forward.index()];
                let last = &blueprint.links[route[route.len() - 1].index()];
                check_path(route.iter().map(|link| &blueprint.links[link.index()]), last, &mut mistakes);
                let of_pair = services.entry((from, to)).or_default();
                match of_pair.iter_mut().find(|service| blueprint.flows[service.members[0].index()].group == number) {
                    Some(service) => service.members.push(id),
                    None => {
                        of_pair.push(Service { codepoint, members: vec![id], precedence: group.precedence, conversations: BTreeMap::new() })
                    }
                }
                let plan = follows_from_start(last).then(|| last.clone());
                flows[id.index()] = Some(RealFlow { to, codepoint, last: LastLink { link: route[route.len() - 1], plan } });
            }
        }
        mistakes.dedup();
        blueprint.trace = true;
        if mistakes.is_empty() {
            Ok(Plan { blueprint, services, flows })
        } else {
            Err(mistakes)
        }
    }
}

/// Whether a packet's arrival follows from the start of its transmission.
fn follows_from_start(link: &LinkPlan) -> bool {
    link.port.impairments.is_empty() && !link.cells && link.rate_changes.is_empty() && link.deliveries.is_none()
}

fn check_path<'a>(route: impl Iterator<Item = &'a LinkPlan>, last: &LinkPlan, mistakes: &mut Vec<String>) {
    let mut tell = |message: String| {
        if !mistakes.contains(&message) {
            mistakes.push(message);
        }
    };
    if last.delay < PERIOD {
        tell(format!(
            "link '{}': a delay of {} into a real node is shorter than the period of the emulation; at least {PERIOD}",
            last.path, last.delay
        ));
    }
    let fastest = |link: &LinkPlan| link.rate_changes.iter().map(|(_, rate)| *rate).fold(link.rate, Rate::max);
    if let Some(slowest) = route.min_by_key(|link| fastest(link)).filter(|link| link.deliveries.is_none() && fastest(link) > FASTEST) {
        tell(format!(
            "link '{}': {} is faster than can be emulated; some link of each path must have at most {FASTEST}",
            slowest.path,
            fastest(slowest)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codepoints_of_classes() {
        use Codepoint::{Assured, None, Single};
        let names = ["be", "default", "ef", "EF", "cs5", "AF2", "af43", "va", "voice-admit", "le"];
        let expected =
            [Single(0), Single(0), Single(46), Single(46), Single(40), Assured(2), Assured(4), Single(44), Single(44), Single(1)];
        assert_eq!(names.map(Codepoint::of_class), expected);
        assert_eq!(["gold", "af5", "cs8"].map(Codepoint::of_class), [None; 3]);
    }

    #[test]
    fn the_drop_precedences_of_assured_forwarding() {
        // RFC 2597, s6: AF11 = 001010, AF12 = 001100, AF13 = 001110; AF43 = 100110.
        let (af1, af4) = (Codepoint::Assured(1), Codepoint::Assured(4));
        assert_eq!([0b00_1010, 0b00_1100, 0b00_1110].map(|dscp| af1.precedence_of(dscp)), [Some(0), Some(1), Some(2)]);
        assert_eq!((af1.precedence_of(0b10_0110), af4.precedence_of(0b10_0110), af1.precedence_of(8)), (None, Some(2), None));
        assert_eq!((af1.after(0b00_1010, 1), af4.after(0, 3), Codepoint::Single(46).after(46, 2)), (0b00_1100, 0b10_0110, 46));
    }

    #[test]
    fn conversations_take_members_in_turn_and_keep_them() {
        let members = [5, 6, 7].map(FlowId).to_vec();
        let mut service = Service { codepoint: Codepoint::None, members, precedence: 0, conversations: BTreeMap::new() };
        let flows = [90, 10, 90, 50, 70, 10].map(|conversation| service.flow_of(conversation).0);
        assert_eq!(flows, [5, 6, 5, 7, 5, 6]);
    }
}
