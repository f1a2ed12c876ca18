//! Links: what a user writes for one, and the one-way links that come of it.

use crate::network::nodes::{End, Nodes, MOST};
use crate::network::pcn_meters::check_meters;
use crate::network::port::{PcnMetered, PortDraft, PortKeys};
use crate::read::mistake::{Mistakes, Place};
use crate::read::section::Section;
use crate::read::values::{LinkDelay, LinkRate, Name, NodeName, RunTime};
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
        /// The node or group where it begins, or a member such as `hosts[3]`.
        from: NodeName;
        /// Where it ends.
        to: NodeName;
        /// Its rate; `"unlimited"` stands for the largest, for access links that shall not matter.
        rate: LinkRate;
        /// Its propagation delay; at most one hour. With `uniform`, each link draws its own, once per run.
        delay: LinkDelay;
        /// Its name; `from-to` if left out.
        name: Option<Name>;
        /// Adds the way back, called `to-from`, with the same rate and delay (drawn apart, where it is drawn) and a plain tail-drop queue.
        /// Nothing else is copied: no queue, scheduler, marker, PCN meter, impairment or rate change. For those, write the way back as a link.
        both_ways: bool = "false";
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
        /// When; after the beginning and before the end, and later than the change before it.
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

/// What one `[[links]]` became.
pub(crate) struct Link {
    pub name: String,
    pub path: String,
    pub place: Place,
    pub port: PortDraft,
    /// Its one-way links.
    pub members: Range<u32>,
    /// The bounds of their delays; the plans have the lower.
    pub delay: (Duration, Duration),
    /// The way back of another.
    pub is_back: bool,
}

/// All links.
#[derive(Default)]
pub(crate) struct Links {
    pub groups: Vec<Link>,
    pub plans: Vec<LinkPlan>,
    /// Whether every entry could be read.
    pub complete: bool,
}

impl Links {
    /// Reads all `[[links]]`.
    pub fn read(top: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Links {
        let mut links = Links { complete: true, ..Links::default() };
        if !top.has("links") {
            top.wrong("", "there are no [[links]]; write [[links]] with from, to, rate and delay for each");
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
        let (from, to) = (nodes.end(section, "from"), nodes.end(section, "to"));
        let keys = keys?;
        let (from, to, rate_changes, port) = (from?, to?, rate_changes?, port?);
        let fastest = rate_changes.iter().map(|(_, rate)| *rate).fold(keys.rate.0, Rate::max);
        check_meters(section, &port.pcn, fastest);
        port.level.check_rates(section.mistakes, fastest);
        if let Some(ShaperPlan::TokenBucket(shaper)) = port.shaper.as_ref().filter(|ShaperPlan::TokenBucket(it)| it.rate > fastest) {
            let message = format!("{} is above the rate of the link, {fastest}, so it would delay nothing; leave it out", shaper.rate);
            let path = section.join("shaper.token-bucket.rate");
            section.mistakes.add(section.place_below(&["shaper", "token-bucket", "rate"]), &path, message);
        }
        let count = match (from.len(), to.len()) {
            (n, m) if n.max(m) % n.min(m) == 0 => n.max(m),
            (n, m) => {
                let message = format!(
                    "'{}' has {n} nodes and '{}' has {m}; one must be the other's size or a multiple of it",
                    keys.from.0, keys.to.0
                );
                section.wrong("to", message);
                return None;
            }
        };
        if self.plans.len() + 2 * count > MOST {
            section.wrong("", format!("more than {MOST} links are more than fit"));
            return None;
        }
        if let Some(i) = (0..count).find(|i| from.node(*i) == to.node(*i)) {
            section.wrong("to", format!("links '{}' to itself", nodes.name(from.node(i))));
            return None;
        }
        let name = keys.name.as_ref().map(|name| name.0.clone());
        let shape = Shape { nodes, from, to, count, rate: keys.rate.0, delay: (keys.delay.0, keys.delay.1) };
        let default_name = format!("{}-{}", keys.from.0, keys.to.0);
        self.add(shape, name, default_name, rate_changes, Draft { section, port, is_back: false });
        if keys.both_ways {
            let shape = Shape { from: to, to: from, ..shape };
            let default_name = format!("{}-{}", keys.to.0, keys.from.0);
            self.add(shape, None, default_name, Vec::new(), Draft { section, port: PortDraft::plain(), is_back: true });
        }
        Some(())
    }

    fn add(&mut self, shape: Shape<'_>, name: Option<String>, default_name: String, rate_changes: Vec<(Time, Rate)>, draft: Draft<'_, '_>) {
        let first = self.plans.len() as u32;
        let unfinished = Arc::new(draft.port.clone().finish(&[]));
        for i in 0..shape.count {
            let (from, to) = (shape.from.node(i), shape.to.node(i));
            let path = match &name {
                Some(name) if shape.from.group || shape.to.group => format!("{name}[{i}]"),
                Some(name) => name.clone(),
                None => format!("{}-{}", shape.nodes.name(from), shape.nodes.name(to)),
            };
            let (rate, delay, port) = (shape.rate, shape.delay.0, Arc::clone(&unfinished));
            self.plans.push(LinkPlan { path, from, to, rate, rate_changes: rate_changes.clone(), delay, port });
        }
        self.groups.push(Link {
            name: name.unwrap_or(default_name),
            path: draft.section.path.clone(),
            place: draft.section.place,
            port: draft.port,
            members: first..self.plans.len() as u32,
            delay: shape.delay,
            is_back: draft.is_back,
        });
    }

    /// The classes are known: gives each link its port.
    pub fn finish_ports(&mut self, classes: &[String]) {
        for group in &self.groups {
            let port: Arc<PortPlan> = Arc::new(group.port.clone().finish(classes));
            for link in &mut self.plans[group.members.start as usize..group.members.end as usize] {
                link.port = Arc::clone(&port);
            }
        }
    }

    fn check_names(&self, mistakes: &Mistakes) {
        let mut paths: Vec<(&str, usize)> = Vec::with_capacity(self.plans.len());
        for (i, group) in self.groups.iter().enumerate() {
            let members = &self.plans[group.members.start as usize..group.members.end as usize];
            paths.extend(members.iter().map(|link| (link.path.as_str(), i)));
        }
        paths.sort_unstable();
        let mut noted = Vec::new();
        for pair in paths.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (first, second) = (&self.groups[pair[0].1], &self.groups[pair[1].1]);
            if !noted.contains(&pair[1].1) {
                noted.push(pair[1].1);
                let way_back = if first.is_back || second.is_back { " (both-ways adds the way back)" } else { "" };
                let message = format!("a second link called '{}'{way_back}; give it a name of its own with name = \"...\"", pair[1].0);
                mistakes.add(second.place, &second.path, message);
            }
        }
    }

    /// The link that `member` belongs to.
    pub fn group_of(&self, member: LinkId) -> usize {
        self.groups.partition_point(|group| group.members.start <= member.0) - 1
    }
}

/// Where links run, and how fast.
#[derive(Clone, Copy)]
struct Shape<'a> {
    nodes: &'a Nodes,
    from: End,
    to: End,
    count: usize,
    rate: Rate,
    delay: (Duration, Duration),
}

struct Draft<'a, 'b> {
    section: &'a Section<'b>,
    port: PortDraft,
    is_back: bool,
}

fn read_rate_changes(section: &mut Section<'_>, duration: Option<Duration>) -> Option<Vec<(Time, Rate)>> {
    let mut changes: Vec<(Time, Rate)> = Vec::new();
    let mut sound = !section.has("rate-changes")
        || matches!(section.branch("rate-changes"), Some(branch) if matches!(branch.tree.item, crate::read::tree::Item::List(_)));
    for mut change in section.tables("rate-changes") {
        let keys = RateChangeKeys::read(&mut change);
        if let Some(keys) = &keys {
            let at = Time::ZERO + keys.at.0;
            let before = changes.last().map_or(Time::ZERO, |(before, _)| *before);
            if at <= before {
                change.wrong("at", format!("{at} is not after {before}; write changes in the order of time, from after 0 s"));
                sound = false;
            } else if duration.is_some_and(|duration| keys.at.0 >= duration) {
                change.wrong("at", format!("{at} is not before the end, so it has no effect; leave it out"));
                sound = false;
            }
            changes.push((at, keys.rate.unwrap_or(Rate::ZERO)));
        }
        sound &= keys.is_some();
        change.finish();
    }
    sound.then_some(changes)
}
