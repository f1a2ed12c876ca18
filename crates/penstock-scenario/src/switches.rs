//! Nodes whose ports share a buffer, or that pause the ports which feed them.

use crate::links::Links;
use crate::mistake::{Mistakes, Place};
use crate::nodes::Nodes;
use crate::section::Section;
use crate::suggest::unknown;
use penstock_engine::blueprint::{LinkPlan, PausePlan, SharedBufferPlan, SourceQuenchPlan, SwitchPlan};
use penstock_model::buffer::static_shares::Shares;
use penstock_model::buffer::{amount, BufferPlan};
use penstock_model::id::{LinkId, NodeId};
use penstock_model::parameters::{Check, Limit, Parameters, Reading};
use penstock_model::units::{Bytes, Duration};

penstock_model::parameters! {
    /// PAUSE: a switch tells the ports that feed it to stop, and to go on.
    ///
    /// For each link into the node, the bytes held of what came over it are counted, from the arrival of a packet to the end of
    /// its transmission. The port at the link's other end completes the packet that it is sending. Messages take the
    /// propagation delay of the link back, and `processing`; they wait in no queue and take no bandwidth. Nothing is lost if
    /// the buffer has room, beyond `xoff` for each link, for a packet, what the link sends in the time of the message and of
    /// its own propagation, and another packet [IEEE8023 s31B].
    pub struct PauseKeys {
        /// A port is told to stop when more than this is held of what it sent.
        xoff: Bytes;
        /// It is told to go on when no more than this is; at most `xoff`.
        xon: Bytes;
        /// What a message takes beside the propagation of the link back.
        processing: Duration = "0 s";
    }
}
impl Check for PauseKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.xon > self.xoff {
            mistake("xon", format!("{} is above xoff, {}; ports would be told to go on before they are told to stop", self.xon, self.xoff));
        }
    }
}

penstock_model::parameters! {
    /// ICMP Source Quench: a switch tells the sources of packets that it drops to send less.
    ///
    /// Whatever drops the packet, at most one quench per `interval` goes back from the node, over the way with the fewest links.
    /// It takes bandwidth, waits in queues, and may be lost. A TCP sender begins a slow start with one segment, and keeps its
    /// threshold [RFC1122 s4.2.3.9]; open loops and calls ignore it. Dropped acknowledgements bring about none. Deprecated
    /// [RFC6633]; here as a historic baseline [RFC792] [RFC1016].
    pub struct SourceQuenchKeys {
        /// At most one is sent in this time.
        interval: Duration;
        /// Its size; the default is that of IP and ICMP headers and of what they quote.
        packet: Bytes = "56 bytes";
    }
}
impl Check for SourceQuenchKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.packet.get() > MOST_QUENCH {
            mistake("packet", format!("{} is larger than any quench; at most {MOST_QUENCH} bytes", self.packet));
        }
    }
}

/// [RFC1812 s4.3.2.3]
const MOST_QUENCH: u64 = 576;

/// What the ports of a node, or of each member of a group, share.
#[derive(Clone, Debug)]
pub(crate) struct SwitchDraft {
    pub buffer: Option<BufferPlan>,
    pub pause: Option<PausePlan>,
    /// Without its routes.
    pub source_quench: Option<SourceQuenchPlan>,
    pub path: String,
    buffer_place: Place,
    pause_place: Place,
    pub quench_place: Place,
}

impl SwitchDraft {
    /// Reads what a node says of it; `None` after a mistake or if it says nothing.
    pub fn read(section: &mut Section<'_>) -> Reading<SwitchDraft> {
        let buffer = section.one_of("buffer", "buffer policy", BufferPlan::NAMES, &[], BufferPlan::read);
        let pause = read_table(section, "pause", |PauseKeys { xoff, xon, processing }| PausePlan { xoff, xon, processing });
        let source_quench = read_table(section, "source-quench", |SourceQuenchKeys { interval, packet }| SourceQuenchPlan {
            interval,
            packet,
            routes: Vec::new(),
        });
        let (buffer, pause, source_quench) = match (buffer, pause, source_quench) {
            (Reading::Absent, Reading::Absent, Reading::Absent) => return Reading::Absent,
            (Reading::Broken, ..) | (_, Reading::Broken, _) | (.., Reading::Broken) => return Reading::Broken,
            (buffer, pause, source_quench) => (given(buffer), given(pause), given(source_quench)),
        };
        let [buffer_place, pause_place, quench_place] = ["buffer", "pause", "source-quench"].map(|key| section.place_of(key));
        Reading::Given(SwitchDraft { buffer, pause, source_quench, path: section.path.clone(), buffer_place, pause_place, quench_place })
    }
}

fn given<T>(part: Reading<T>) -> Option<T> {
    match part {
        Reading::Given(part) => Some(part),
        Reading::Absent | Reading::Broken => None,
    }
}

fn read_table<K: Parameters, T>(section: &mut Section<'_>, key: &str, plan: impl FnOnce(K) -> T) -> Reading<T> {
    let table = section.table(key);
    if !section.has(key) {
        return Reading::Absent;
    }
    let keys = table.and_then(|mut table| {
        let keys = K::read(&mut table);
        table.finish();
        keys
    });
    keys.map_or(Reading::Broken, |keys| Reading::Given(plan(keys)))
}

/// The switches of a network whose links are known.
pub(crate) fn switches(nodes: &Nodes, links: &Links, mistakes: &Mistakes) -> Vec<SwitchPlan> {
    let mut plans = Vec::new();
    for (members, draft) in nodes.switches() {
        let mut reported = false;
        for node in members {
            // Members of a group are alike, and so are their mistakes.
            let mut sound = true;
            let mut report = |place, path: String, message| {
                sound = false;
                if !reported {
                    mistakes.add(place, &path, message);
                }
            };
            let member = Member { nodes, links, node: NodeId(node), draft };
            member.check_ports(&mut report);
            member.check_pause(&mut report);
            let shares = member.shares(&mut report);
            reported |= !sound;
            let buffer = draft.buffer.clone().map(|policy| SharedBufferPlan { policy, shares });
            plans.push(SwitchPlan { node: NodeId(node), buffer, pause: draft.pause, source_quench: draft.source_quench.clone() });
        }
    }
    plans
}

/// A node that is to be a switch.
struct Member<'a> {
    nodes: &'a Nodes,
    links: &'a Links,
    node: NodeId,
    draft: &'a SwitchDraft,
}

type Report<'r> = &'r mut dyn FnMut(Place, String, String);

impl Member<'_> {
    fn links_out(&self) -> impl Iterator<Item = (LinkId, &LinkPlan)> {
        let all = self.links.plans.iter().enumerate();
        all.filter(|(_, link)| link.from == self.node).map(|(i, link)| (LinkId(i as u32), link))
    }

    fn check_ports(&self, report: Report<'_>) {
        if self.links_out().next().is_none() {
            let name = self.nodes.name(self.node);
            let (place, key) = match (&self.draft.buffer, &self.draft.pause) {
                (Some(_), _) => (self.draft.buffer_place, "buffer"),
                (None, Some(_)) => (self.draft.pause_place, "pause"),
                (None, None) => (self.draft.quench_place, "source-quench"),
            };
            let message = format!("no link begins at '{name}', so it has no ports for it; leave it out, or add a link from '{name}'");
            report(place, format!("{}.{key}", self.draft.path), message);
        }
    }

    /// Messages need a link back, and some time.
    fn check_pause(&self, report: Report<'_>) {
        let Some(pause) = self.draft.pause else { return };
        let path = || format!("{}.pause", self.draft.path);
        for link in self.links.plans.iter().filter(|link| link.to == self.node) {
            let back = self.links_out().filter(|(_, back)| back.to == link.from).map(|(_, back)| back.delay + pause.processing).min();
            let (name, feeder) = (self.nodes.name(self.node), self.nodes.name(link.from));
            match back {
                None => {
                    let message = format!(
                        "its messages to '{feeder}' have no route, since no link leads from '{name}' back; write both-ways = true for the \
                         link '{}', or add one from '{name}' to '{feeder}'",
                        link.path
                    );
                    report(self.draft.pause_place, path(), message);
                }
                Some(Duration::ZERO) => {
                    let message = format!(
                        "its messages to '{feeder}' would take no time; give the link from '{name}' to '{feeder}' a delay, or write \
                         processing, above 0 s"
                    );
                    report(self.draft.pause_place, path(), message);
                }
                Some(_) => {}
            }
        }
    }

    /// The shares that are given to its links by name: that of the link, or of the group of links that it belongs to.
    fn shares(&self, report: Report<'_>) -> Vec<(LinkId, Limit)> {
        let Some(BufferPlan::StaticShares(parameters)) = &self.draft.buffer else { return Vec::new() };
        let Some(Shares(named)) = &parameters.shares else { return Vec::new() };
        let path = || format!("{}.buffer.static-shares.shares", self.draft.path);
        let group_name = |link: LinkId| &self.links.groups[self.links.group_of(link)].name;
        let mut shares = Vec::new();
        for (name, share) in named {
            let before = shares.len();
            shares.extend(self.links_out().filter(|(id, link)| link.path == *name || group_name(*id) == name).map(|(id, _)| (id, *share)));
            if shares.len() == before {
                let mut known: Vec<&str> = self.links_out().map(|(id, _)| group_name(id).as_str()).collect();
                known.dedup();
                report(self.draft.buffer_place, path(), unknown("link from this node", name, &known));
            }
        }
        let ports = self.links_out().count();
        let (sum, size) = (shares.iter().map(|(_, share)| amount(*share)).sum::<u64>(), amount(parameters.size));
        if sum > size {
            report(
                self.draft.buffer_place,
                path(),
                format!("the shares of all links add up to {sum}, more than the shared buffer of {size}"),
            );
        } else if shares.len() < ports && (size - sum) < (ports - shares.len()) as u64 {
            report(self.draft.buffer_place, path(), "leave nothing for the ports that are not named; name all or leave some".to_owned());
        }
        shares
    }
}
