//! Links: the keys of `[[links]]`, and the one-way links that each entry stands for.

use crate::network::aggregation;
use crate::network::node_list::NodeList;
use crate::network::nodes::{Nodes, MAX_ENTITIES};
use crate::network::outages::Outages;
use crate::network::parameter_changes::{self, PortChanges};
use crate::network::pcn_meters::check_meters;
use crate::network::port::{PcnMetered, PortDraft, PortKeys};
use crate::network::rate_changes::RateSchedule;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::Section;
use crate::read::values::{LinkDelay, LinkRate, LinkWeight, Name, NodeNames};
use penstock_engine::blueprint::{AggregationPlan, LinkPlan, PortPlan};
use penstock_model::conditioner::{AnyShaper, Shaper, ShaperPlan};
use penstock_model::id::LinkId;
use penstock_model::parameters::{Check, LineRate, Parameters};
use penstock_model::site::Site;
use penstock_model::transmission::Framing;
use penstock_model::units::{Bytes, Duration, Rate, Time};
use std::ops::Range;
use std::sync::Arc;

penstock_model::parameters! {
    /// A one-way link, and the port that feeds it.
    ///
    /// Between a group and a node there is one link for each member; the links of `hosts-r1` are `hosts[0]-r1` and so on.
    /// Between two groups of equal size there is one for each pair, and where the size of one group is a multiple of the
    /// other's, the members of the smaller are repeated in turn: with 45 hosts and 5 routers, `hosts[i]` is linked to
    /// `routers[i mod 5]`. The order in which links are written decides between routes of equal length and between
    /// simultaneous arrivals.
    pub struct LinkKeys {
        /// The node or group where it begins, a member such as `hosts[3]`, or members in a row such as `hosts[4-7]`; or a list of such names, as if they were one group.
        from: NodeNames;
        /// Where it ends.
        to: NodeNames;
        /// Its rate; `"unlimited"` stands for the largest, for access links that must not be the bottleneck.
        rate: LinkRate;
        /// Its propagation delay; at most one hour. With `uniform`, each link draws its own, once per run.
        delay: LinkDelay;
        /// Its name; `from-to` if left out. It names all links of the entry together, in measurements and settings; single links of an entry with a written name are `name[0]`, `name[1]` and so on. Links between lists of nodes need a name.
        name: Option<Name>;
        /// Its weight (cost) in routing: flows use the route with the minimum sum of weights. If no link has a weight, that is the route with the fewest links.
        weight: LinkWeight = "1";
        /// Adds the reverse link, called `to-from`, with the same rate, weight and delay (a random delay is drawn separately) and a plain
        /// tail-drop queue. Nothing else is copied: no queue, scheduler, marker, PCN meter, impairment or rate change. For those, write `back`.
        both_ways: bool = "false";
        /// Bytes that the link adds to each packet, in both directions; they lengthen transmissions and count nowhere else. Ethernet with FCS, preamble and gap adds 38 to an IP packet (20 to a frame), PPPoE 8 more.
        overhead: Option<Bytes>;
        /// Minimum size of a packet on the wire, `overhead` included: 84 bytes for Ethernet.
        min_frame: Option<Bytes>;
        /// How packets travel. With `atm`, each packet is sent in cells with 5 bytes of header and 48 of payload. An AAL5 trailer of 8 bytes and padding fill the last cell. Queues still count packets.
        framing: FramingKind = "packet";
        /// Whether it carries cells of 53 bytes (ATM), in both directions: `rate` is the rate of whole cells, and queues count cells.
        cells: bool = "false";
        /// Which packets its PCN meters see; `accepted` if left out.
        pcn_at: Option<PcnMetered>;
    }
}
impl Check for LinkKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.delay.1 > Duration::from_secs(3600) {
            mistake("delay", format!("{} is longer than any link; at most one hour", self.delay.1));
        }
        if self.has_list() && self.name.is_none() {
            mistake("name", "is missing: links between lists of nodes need one, as in name = \"core\"".to_owned());
        }
        let framing = [
            ("overhead", self.overhead.is_some()),
            ("min-frame", self.min_frame.is_some()),
            ("framing", self.framing != FramingKind::Packet),
        ];
        for (key, _) in framing.into_iter().filter(|(_, is_given)| *is_given && self.cells) {
            mistake(key, "has no effect with cells = true, whose cells have 53 bytes; leave one of them out".to_owned());
        }
        for (key, size) in [("overhead", self.overhead), ("min-frame", self.min_frame)] {
            if let Some(size) = size.filter(|size| size.get() > LARGEST_OVERHEAD) {
                mistake(key, format!("{size} are more than any link adds; at most {LARGEST_OVERHEAD}"));
            }
        }
        if self.framing == FramingKind::Atm && self.min_frame.is_some() {
            mistake("min-frame", "has no effect with framing = \"atm\", which pads to whole cells; leave it out".to_owned());
        }
    }
}

/// Upper bound of `overhead` and `min-frame`, in bytes.
const LARGEST_OVERHEAD: u64 = 65_536;

penstock_model::choice! {
    /// How packets travel on a link of packets.
    pub enum FramingKind {
        /// As they are.
        "packet" => Packet,
        /// In ATM cells, as on many DSL lines.
        "atm" => Atm,
    }
}

penstock_model::parameters! {
    /// The reverse link of an entry with `both-ways`, if it is not a plain one.
    ///
    /// It has the delay, weight and framing of the forward link. Settings name it like any link: `r2-r1.queue.red` is
    /// `r1-r2.back.queue.red`.
    pub struct BackKeys {
        /// Its name; `to-from` if left out.
        name: Option<Name>;
        /// Its rate; the forward link's rate if left out.
        rate: Option<LinkRate>;
        /// Which packets its PCN meters see; `accepted` if left out.
        pcn_at: Option<PcnMetered>;
    }
}
impl Check for BackKeys {}

/// The one-way links of an entry of `[[links]]`.
pub(crate) struct LinkGroup {
    pub name: String,
    pub path: String,
    pub location: SourceLocation,
    pub port: PortDraft,
    /// The port from each of these times on.
    changes: PortChanges,
    /// Outages of the links.
    pub outages: Option<Outages>,
    /// Its one-way links.
    pub members: Range<u32>,
    /// Bounds of the delays; the plans have the lower bound.
    pub delay: (Duration, Duration),
    /// Whether it is the reverse of another entry, added by `both-ways`.
    pub is_reverse: bool,
    /// Whether its rate is written as `unlimited`.
    pub is_unlimited: bool,
    /// Weight that each link adds to a route.
    weight: LinkWeight,
}

/// All links.
#[derive(Default)]
pub(crate) struct Links {
    pub groups: Vec<LinkGroup>,
    pub plans: Vec<LinkPlan>,
    /// Whether every entry could be read.
    pub complete: bool,
    /// Number of rate changes of all links together.
    rate_changes: usize,
}

impl Links {
    /// Reads all `[[links]]`.
    pub fn read(top: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Links {
        let mut links = Links { complete: true, ..Links::default() };
        if !top.has("links") {
            top.report("", "there are no [[links]]; write [[links]] with from, to, rate and delay for each");
        }
        for mut section in top.tables("links") {
            if links.read_one(&mut section, nodes, duration).is_none() {
                links.complete = false;
            }
            section.finish();
        }
        links.check_names(top.mistakes);
        links
    }

    fn read_one(&mut self, section: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Option<()> {
        let keys = LinkKeys::read(section);
        section.line = Some(line_of(section, keys.as_ref()));
        let there = PortSpec::read(section, keys.as_ref().and_then(|keys| keys.pcn_at), duration);
        let back = read_back(section, keys.as_ref(), duration);
        let (from, to) = (NodeList::read(nodes, section, "from"), NodeList::read(nodes, section, "to"));
        let keys = keys?;
        let (from, to, there, back) = (from?, to?, there?, back?);
        there.check(section, keys.rate.0);
        if keys.cells && (there.aggregation.is_some() || back.as_ref().is_some_and(|(_, back)| back.aggregation.is_some())) {
            section.report("cells", "does not go with aggregation, which sends packets; leave one of them out");
        }
        let count = match (from.len(), to.len()) {
            (n, m) if n.max(m) % n.min(m) == 0 => n.max(m),
            (n, m) => {
                let message =
                    format!("'{}' has {n} nodes and '{}' has {m}; one must be the other's size or a multiple of it", keys.from, keys.to);
                section.report("to", message);
                return None;
            }
        };
        if self.plans.len() + 2 * count > MAX_ENTITIES {
            section.report("", format!("more than {MAX_ENTITIES} links are too many"));
            return None;
        }
        if let Some(i) = (0..count).find(|i| from.node(*i) == to.node(*i)) {
            section.report("to", format!("links '{}' to itself", nodes.name(from.node(i))));
            return None;
        }
        let changes = count * (there.changes(duration) + back.as_ref().map_or(0, |(_, back)| back.changes(duration)));
        self.rate_changes += changes;
        if self.rate_changes > MAX_ENTITIES {
            section.report("rate-changes", format!("more than {MAX_ENTITIES} changes of all links together are too many"));
            self.rate_changes -= changes;
            return None;
        }
        let spec = LinkSpec {
            nodes,
            ends: (&from, &to),
            count,
            rate: keys.rate.0,
            delay: (keys.delay.0, keys.delay.1),
            cells: keys.cells,
            framing: keys.framing(),
            weight: keys.weight,
        };
        let is_unlimited = |section: &Section<'_>| section.text("rate") == Some("unlimited");
        let way_back = keys.name.as_ref().filter(|_| keys.has_list()).map(|name| format!("{}-back", name.0));
        let draft = LinkDraft {
            name: keys.name.as_ref().map(|name| name.0.clone()),
            default_name: format!("{}-{}", keys.from, keys.to),
            path: section.path.clone(),
            location: section.location,
            is_reverse: false,
            is_unlimited: is_unlimited(section),
        };
        self.add(spec, there, draft);
        if keys.both_ways {
            let draft = LinkDraft {
                name: back.as_ref().and_then(|(back, _)| back.name.clone()).or(way_back),
                default_name: format!("{}-{}", keys.to, keys.from),
                path: back.as_ref().map_or(&section.path, |(back, _)| &back.path).clone(),
                location: back.as_ref().map_or(section.location, |(back, _)| back.location),
                is_reverse: true,
                is_unlimited: back.as_ref().and_then(|(back, _)| back.is_unlimited).unwrap_or(is_unlimited(section)),
            };
            let rate = back.as_ref().and_then(|(back, _)| back.rate).unwrap_or(spec.rate);
            let port = back.map_or_else(PortSpec::plain, |(_, port)| port);
            self.add(LinkSpec { ends: (&to, &from), rate, ..spec }, port, draft);
        }
        Some(())
    }

    fn add(&mut self, spec: LinkSpec<'_>, port: PortSpec, draft: LinkDraft) {
        let first = self.plans.len() as u32;
        let unfinished = Arc::new(port.port.clone().finish(&[]));
        let (starts, ends) = spec.ends;
        for i in 0..spec.count {
            let (from, to) = (starts.node(i), ends.node(i));
            let path = match &draft.name {
                Some(name) if starts.is_group() || ends.is_group() => format!("{name}[{i}]"),
                Some(name) => name.clone(),
                None => format!("{}-{}", spec.nodes.name(from), spec.nodes.name(to)),
            };
            self.plans.push(LinkPlan {
                path,
                from,
                to,
                rate: spec.rate,
                rate_changes: port.rates.changes.clone(),
                deliveries: port.rates.deliveries.clone(),
                aggregation: port.aggregation.clone(),
                framing: spec.framing,
                delay: spec.delay.0 + spec.nodes.latency(to),
                cells: spec.cells,
                port: Arc::clone(&unfinished),
                port_changes: Vec::new(),
            });
        }
        self.groups.push(LinkGroup {
            name: draft.name.unwrap_or(draft.default_name),
            path: draft.path,
            location: draft.location,
            port: port.port,
            changes: port.changes,
            outages: port.outages,
            members: first..self.plans.len() as u32,
            delay: spec.delay,
            is_reverse: draft.is_reverse,
            is_unlimited: draft.is_unlimited,
            weight: spec.weight,
        });
    }

    /// Gives each link its port, given the names of all classes.
    pub fn finish_ports(&mut self, classes: &[String]) {
        for group in &self.groups {
            let port: Arc<PortPlan> = Arc::new(group.port.clone().finish(classes));
            let changes = group.changes.iter().map(|(at, port)| (*at, Arc::new(port.clone().finish(classes))));
            let changes: Vec<(Time, Arc<PortPlan>)> = changes.collect();
            for link in &mut self.plans[group.members.start as usize..group.members.end as usize] {
                link.port = Arc::clone(&port);
                link.port_changes.clone_from(&changes);
            }
        }
    }

    /// The weight of each link; empty if all weigh the same.
    pub fn weights(&self) -> Vec<u64> {
        if self.groups.windows(2).all(|pair| pair[0].weight == pair[1].weight) {
            return Vec::new();
        }
        self.groups.iter().flat_map(|group| group.members.clone().map(|_| group.weight.0)).collect()
    }

    fn check_names(&self, mistakes: &Mistakes) {
        let mut paths: Vec<(&str, usize)> = Vec::with_capacity(self.plans.len());
        for (i, group) in self.groups.iter().enumerate() {
            let members = &self.plans[group.members.start as usize..group.members.end as usize];
            paths.extend(members.iter().map(|link| (link.path.as_str(), i)));
            // Measurements and settings find all links of the entry by its name.
            if members.iter().all(|link| link.path != group.name) {
                paths.push((&group.name, i));
            }
        }
        paths.sort_unstable();
        let mut noted = vec![false; self.groups.len()];
        for pair in paths.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (first, second) = (&self.groups[pair[0].1], &self.groups[pair[1].1]);
            if !std::mem::replace(&mut noted[pair[1].1], true) {
                let way_back = if first.is_reverse || second.is_reverse { " (both-ways adds the way back)" } else { "" };
                let message = format!("a second link called '{}'{way_back}; give it a name of its own with name = \"...\"", pair[1].0);
                mistakes.add(second.location, &second.path, message);
            }
        }
    }

    /// Position of the entry to which `member` belongs.
    pub fn group_of(&self, member: LinkId) -> usize {
        self.groups.partition_point(|group| group.members.start <= member.0) - 1
    }
}

/// Properties shared by the links of an entry.
#[derive(Clone, Copy)]
struct LinkSpec<'a> {
    nodes: &'a Nodes,
    ends: (&'a NodeList, &'a NodeList),
    count: usize,
    rate: Rate,
    delay: (Duration, Duration),
    cells: bool,
    framing: Framing,
    weight: LinkWeight,
}

/// Names and location of the links of one direction of an entry.
struct LinkDraft {
    name: Option<String>,
    default_name: String,
    path: String,
    location: SourceLocation,
    is_reverse: bool,
    is_unlimited: bool,
}

/// The port of one direction, with its rates, parameter changes, outages and aggregation.
struct PortSpec {
    port: PortDraft,
    rates: RateSchedule,
    changes: PortChanges,
    outages: Option<Outages>,
    aggregation: Option<AggregationPlan>,
}

impl PortSpec {
    /// The port of a plain reverse link.
    fn plain() -> PortSpec {
        let (rates, changes) = (RateSchedule::default(), PortChanges::new());
        PortSpec { port: PortDraft::plain(), rates, changes, outages: None, aggregation: None }
    }

    /// Reads the port from the keys of a link or of its `back`; `None` after a mistake.
    fn read(section: &mut Section<'_>, pcn_at: Option<PcnMetered>, duration: Option<Duration>) -> Option<PortSpec> {
        let rates = RateSchedule::read(section, duration);
        let outages = Outages::read(section, duration);
        let aggregation = aggregation::read(section);
        let by_deliveries = rates.as_ref().is_some_and(|rates| rates.deliveries.is_some());
        for key in ["outages", "aggregation"].into_iter().filter(|key| by_deliveries && section.has(key)) {
            section.report(key, "does not go with a file of delivery times, which says when the link delivers; leave it out");
        }
        let port = PortKeys::read(section, pcn_at);
        let changes = parameter_changes::of_port(section, port.as_ref(), pcn_at, duration);
        Some(PortSpec { rates: rates?, port: port?, changes: changes?, outages: outages?, aggregation: aggregation? })
    }

    /// Number of changes at each of its links; random outages count with their expected number.
    fn changes(&self, duration: Option<Duration>) -> usize {
        let outages = self.outages.as_ref().map_or(0.0, |outages| outages.expected(duration.unwrap_or_default()));
        self.rates.len() + self.changes.len() + 2 * outages as usize
    }

    /// Reports parameters that do not fit a link of this initial rate.
    fn check(&self, section: &Section<'_>, rate: Rate) {
        let fastest = self.rates.fastest(rate);
        check_meters(section, &self.port.pcn, fastest);
        let ports = || std::iter::once(&self.port).chain(self.changes.iter().map(|(_, port)| port));
        ports().for_each(|port| port.level.check_rates(section.mistakes, fastest));
        self.port.level.check_queues(section, rate);
        let rate_of = |shaper: &ShaperPlan| AnyShaper::new(shaper, &Site::trial()).rate().filter(|rate| *rate > fastest);
        let shapers = ports().filter_map(|port| port.shaper.as_ref());
        for (shaper, rate) in shapers.filter_map(|shaper| Some((shaper, rate_of(shaper)?))) {
            let message = format!("{rate} is above the rate of the link, {fastest}, so it would delay nothing; leave it out");
            let path = section.join(&format!("shaper.{}.rate", shaper.name()));
            section.mistakes.add(section.location_below(&["shaper", shaper.name(), "rate"]), &path, message);
        }
    }
}

/// The keys of `back` other than its port.
struct BackDraft {
    name: Option<String>,
    rate: Option<Rate>,
    /// Whether its rate is written as `unlimited`, if it is written.
    is_unlimited: Option<bool>,
    path: String,
    location: SourceLocation,
}

/// Reads the port of an entry of `[[links]]`, or of its reverse link; `None` after a mistake.
pub(crate) fn read_port(section: &mut Section<'_>, is_reverse: bool) -> Option<PortDraft> {
    let keys = LinkKeys::read(section)?;
    section.line = Some(line_of(section, Some(&keys)));
    if !is_reverse {
        return PortKeys::read(section, keys.pcn_at);
    }
    let mut back = section.table("back")?;
    let own = BackKeys::read(&mut back)?;
    back.line = section.line.map(|line| LineRate { rate: own.rate.map_or(line.rate, |rate| rate.0), ..line });
    PortKeys::read(&mut back, own.pcn_at)
}

/// The reverse link, if `back` describes it; the outer `None` after a mistake.
fn read_back(section: &mut Section<'_>, keys: Option<&LinkKeys>, duration: Option<Duration>) -> Option<Option<(BackDraft, PortSpec)>> {
    if !section.has("back") {
        return Some(None);
    }
    let mut back = section.table("back")?;
    if keys.is_some_and(|keys| !keys.both_ways) {
        section.report("back", "has no effect without a way back; write both-ways = true, or leave it out");
        back.entries();
        return None;
    }
    let own = BackKeys::read(&mut back);
    let rate = own.as_ref().and_then(|own| own.rate).map(|rate| rate.0);
    back.line = section.line.map(|line| LineRate { rate: rate.unwrap_or(line.rate), ..line });
    let port = PortSpec::read(&mut back, own.as_ref().and_then(|own| own.pcn_at), duration);
    let draft = BackDraft {
        name: own.as_ref().and_then(|own| own.name.as_ref()).map(|name| name.0.clone()),
        rate,
        is_unlimited: back.text("rate").map(|rate| rate == "unlimited"),
        path: back.path.clone(),
        location: back.location,
    };
    if let (Some(port), Some(keys)) = (&port, keys) {
        port.check(&back, rate.unwrap_or(keys.rate.0));
    }
    back.finish();
    own?;
    Some(Some((draft, port?)))
}

impl LinkKeys {
    fn has_list(&self) -> bool {
        self.from.0.len() > 1 || self.to.0.len() > 1
    }

    /// Overhead and padding of packets on the wire.
    fn framing(&self) -> Framing {
        let bytes = |size: Option<Bytes>| size.map_or(0, |size| size.get() as u32);
        Framing { overhead: bytes(self.overhead), minimum: bytes(self.min_frame), in_cells: self.framing == FramingKind::Atm }
    }
}

/// The line rate that converts times to queue lengths. If other keys have mistakes, it is a rate that causes no further mistake.
fn line_of(section: &Section<'_>, keys: Option<&LinkKeys>) -> LineRate {
    match keys {
        Some(keys) => LineRate { rate: keys.rate.0, cells: keys.cells },
        None => {
            let rate = section.text("rate").and_then(|rate| rate.parse().ok()).unwrap_or(Rate::from_bps(1_000_000_000));
            LineRate { rate, cells: false }
        }
    }
}
