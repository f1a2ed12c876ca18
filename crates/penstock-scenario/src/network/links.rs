//! Links: the keys of `[[links]]`, and the one-way links that each entry stands for.

use crate::network::nodes::{NodeSet, Nodes, MAX_ENTITIES};
use crate::network::pcn_meters::check_meters;
use crate::network::port::{PcnMetered, PortDraft, PortKeys};
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::Section;
use crate::read::values::{LinkDelay, LinkRate, LinkWeight, Name, NodeName, RunTime};
use penstock_engine::blueprint::{LinkPlan, PortPlan};
use penstock_model::conditioner::ShaperPlan;
use penstock_model::id::LinkId;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::units::{Duration, Rate, Time};
use std::ops::Range;
use std::sync::Arc;

penstock_model::parameters! {
    /// A one-way link, and the port that feeds it.
    ///
    /// Between a group and a node there is one link for each member; the links of `hosts-r1` are `hosts[0]-r1` and so on.
    /// Between two groups of equal size there is one for each pair, and where one group is a multiple of the other, the
    /// smaller is counted round: with 45 hosts and 5 routers, `hosts[i]` is linked to `routers[i mod 5]`. The order in
    /// which links are written decides between routes of equal length and between simultaneous arrivals.
    pub struct LinkKeys {
        /// The node or group where it begins, a member such as `hosts[3]`, or members in a row such as `hosts[4-7]`.
        from: NodeName;
        /// Where it ends.
        to: NodeName;
        /// Its rate; `"unlimited"` stands for the largest, for access links that shall not matter.
        rate: LinkRate;
        /// Its propagation delay; at most one hour. With `uniform`, each link draws its own, once per run.
        delay: LinkDelay;
        /// Its name; `from-to` if left out.
        name: Option<Name>;
        /// What it adds to the weight of the routes over it: those of least weight are taken. Without weights, these have the fewest links.
        weight: LinkWeight = "1";
        /// Adds the way back, called `to-from`, with the same rate, weight and delay (drawn apart, where it is drawn) and a plain tail-drop queue.
        /// Nothing else is copied: no queue, scheduler, marker, PCN meter, impairment or rate change. For those, write the way back as a link.
        both_ways: bool = "false";
        /// It carries cells of 53 bytes (ATM), also the way back: `rate` is that of cells, and queues count cells.
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
    }
}

penstock_model::parameters! {
    /// A change of a link's rate at a known instant.
    pub struct RateChangeKeys {
        /// When; after the beginning, and later than the change before it. One that is not before the end has no effect.
        at: RunTime;
        /// The rate from then on.
        rate: Option<Rate>;
        /// `true`: the link fails, and packets wait until the next change.
        down: bool = "false";
    }
}
impl Check for RateChangeKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.rate.is_some() == self.down {
            let what = if self.down { "has both rate and down" } else { "has neither rate nor down" };
            mistake("", format!("{what}; write rate = \"5 Mbit/s\" or down = true"));
        }
    }
}

/// The one-way links of an entry of `[[links]]`.
pub(crate) struct LinkGroup {
    pub name: String,
    pub path: String,
    pub location: SourceLocation,
    pub port: PortDraft,
    /// Its one-way links.
    pub members: Range<u32>,
    /// The bounds of their delays; the plans have the lower.
    pub delay: (Duration, Duration),
    /// The reverse of another, which `both-ways` adds.
    pub is_reverse: bool,
    /// Its rate is written as `unlimited`.
    pub is_unlimited: bool,
    /// What each adds to the weight of a route.
    weight: LinkWeight,
}

/// All links.
#[derive(Default)]
pub(crate) struct Links {
    pub groups: Vec<LinkGroup>,
    pub plans: Vec<LinkPlan>,
    /// Whether every entry could be read.
    pub complete: bool,
    /// How many changes of rates all links have together.
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
        let rate_changes = read_rate_changes(section, duration);
        let port = PortKeys::read(section, keys.as_ref().and_then(|keys| keys.pcn_at));
        let (from, to) = (nodes.node_set(section, "from"), nodes.node_set(section, "to"));
        let keys = keys?;
        let (from, to, rate_changes, port) = (from?, to?, rate_changes?, port?);
        let fastest = rate_changes.iter().map(|(_, rate)| *rate).fold(keys.rate.0, Rate::max);
        check_meters(section, &port.pcn, fastest);
        port.level.check_rates(section.mistakes, fastest);
        if let Some(ShaperPlan::TokenBucket(shaper)) = port.shaper.as_ref().filter(|ShaperPlan::TokenBucket(it)| it.rate > fastest) {
            let message = format!("{} is above the rate of the link, {fastest}, so it would delay nothing; leave it out", shaper.rate);
            let path = section.join("shaper.token-bucket.rate");
            section.mistakes.add(section.location_below(&["shaper", "token-bucket", "rate"]), &path, message);
        }
        let count = match (from.len(), to.len()) {
            (n, m) if n.max(m) % n.min(m) == 0 => n.max(m),
            (n, m) => {
                let message = format!(
                    "'{}' has {n} nodes and '{}' has {m}; one must be the other's size or a multiple of it",
                    keys.from.0, keys.to.0
                );
                section.report("to", message);
                return None;
            }
        };
        if self.plans.len() + 2 * count > MAX_ENTITIES {
            section.report("", format!("more than {MAX_ENTITIES} links are more than fit"));
            return None;
        }
        if let Some(i) = from.first_in_common(to).filter(|i| *i < count) {
            section.report("to", format!("links '{}' to itself", nodes.name(from.node(i))));
            return None;
        }
        let changes = count * rate_changes.len();
        self.rate_changes += changes;
        if self.rate_changes > MAX_ENTITIES {
            section.report("rate-changes", format!("more than {MAX_ENTITIES} rate changes of all links together are more than fit"));
            self.rate_changes -= changes;
            return None;
        }
        let name = keys.name.as_ref().map(|name| name.0.clone());
        let spec = LinkSpec {
            nodes,
            from,
            to,
            count,
            rate: keys.rate.0,
            delay: (keys.delay.0, keys.delay.1),
            cells: keys.cells,
            weight: keys.weight,
        };
        let default_name = format!("{}-{}", keys.from.0, keys.to.0);
        self.add(spec, name, default_name, rate_changes, LinkDraft { section, port, is_reverse: false });
        if keys.both_ways {
            let spec = LinkSpec { from: to, to: from, ..spec };
            let default_name = format!("{}-{}", keys.to.0, keys.from.0);
            self.add(spec, None, default_name, Vec::new(), LinkDraft { section, port: PortDraft::plain(), is_reverse: true });
        }
        Some(())
    }

    fn add(
        &mut self,
        spec: LinkSpec<'_>,
        name: Option<String>,
        default_name: String,
        rate_changes: Vec<(Time, Rate)>,
        draft: LinkDraft<'_, '_>,
    ) {
        let first = self.plans.len() as u32;
        let unfinished = Arc::new(draft.port.clone().finish(&[]));
        for i in 0..spec.count {
            let (from, to) = (spec.from.node(i), spec.to.node(i));
            let path = match &name {
                Some(name) if spec.from.group || spec.to.group => format!("{name}[{i}]"),
                Some(name) => name.clone(),
                None => format!("{}-{}", spec.nodes.name(from), spec.nodes.name(to)),
            };
            let (rate, delay, port) = (spec.rate, spec.delay.0 + spec.nodes.latency(to), Arc::clone(&unfinished));
            self.plans.push(LinkPlan { path, from, to, rate, rate_changes: rate_changes.clone(), delay, cells: spec.cells, port });
        }
        self.groups.push(LinkGroup {
            name: name.unwrap_or(default_name),
            path: draft.section.path.clone(),
            location: draft.section.location,
            port: draft.port,
            members: first..self.plans.len() as u32,
            delay: spec.delay,
            is_reverse: draft.is_reverse,
            is_unlimited: draft.section.text("rate") == Some("unlimited"),
            weight: spec.weight,
        });
    }

    /// Gives each link its port, now that the classes are known.
    pub fn finish_ports(&mut self, classes: &[String]) {
        for group in &self.groups {
            let port: Arc<PortPlan> = Arc::new(group.port.clone().finish(classes));
            for link in &mut self.plans[group.members.start as usize..group.members.end as usize] {
                link.port = Arc::clone(&port);
            }
        }
    }

    /// The weight of each link, or none if all weigh the same.
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

    /// The link that `member` belongs to.
    pub fn group_of(&self, member: LinkId) -> usize {
        self.groups.partition_point(|group| group.members.start <= member.0) - 1
    }
}

/// What the links of an entry have in common.
#[derive(Clone, Copy)]
struct LinkSpec<'a> {
    nodes: &'a Nodes,
    from: NodeSet,
    to: NodeSet,
    count: usize,
    rate: Rate,
    delay: (Duration, Duration),
    cells: bool,
    weight: LinkWeight,
}

struct LinkDraft<'a, 'b> {
    section: &'a Section<'b>,
    port: PortDraft,
    is_reverse: bool,
}

fn read_rate_changes(section: &mut Section<'_>, duration: Option<Duration>) -> Option<Vec<(Time, Rate)>> {
    let mut changes: Vec<(Time, Rate)> = Vec::new();
    let mut sound = !section.has("rate-changes")
        || matches!(section.entry("rate-changes"), Some(branch) if matches!(branch.tree.item, crate::read::tree::Item::List(_)));
    for mut change in section.tables("rate-changes") {
        let keys = RateChangeKeys::read(&mut change);
        if let Some(keys) = &keys {
            let at = Time::ZERO + keys.at.0;
            let before = changes.last().map_or(Time::ZERO, |(before, _)| *before);
            if at <= before {
                change.report("at", format!("{at} is not after {before}; write changes in the order of time, from after 0 s"));
                sound = false;
            } else if let Some(end) = duration.filter(|end| *end <= keys.at.0) {
                // No mistake: a shorter run of a scenario, as with --set duration, leaves out what comes later.
                let message = format!("{at} is not before the end at {end}, so it has no effect");
                change.mistakes.warn(change.location_of("at"), &change.join("at"), message);
            }
            changes.push((at, keys.rate.unwrap_or(Rate::ZERO)));
        }
        sound &= keys.is_some();
        change.finish();
    }
    sound.then_some(changes)
}
