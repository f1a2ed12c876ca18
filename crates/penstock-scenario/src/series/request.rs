//! A request for series: subjects, variables and times.

use super::keys::SeriesKeys;
use super::variables::{is_of_interval, label, of_subject, Shown};
use crate::read::suggest::Suggestions;
use crate::trace::TraceNames;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::series::{Sampling, SeriesPlan, SeriesSubject};
use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::probe::Variable;
use penstock_model::registry::Registry;
use penstock_model::units::{Duration, Time};
use std::collections::BTreeSet;
use std::ops::Range;

/// A `[[series]]` whose subjects are known.
#[derive(Clone, Debug)]
pub(crate) struct SeriesRequest {
    /// Each node once, by identifier; links and flows likewise.
    nodes: BTreeSet<usize>,
    links: BTreeSet<usize>,
    flows: BTreeSet<usize>,
    what: Option<Vec<String>>,
    /// Each name with its members, if they are summed.
    sums: Option<Vec<(String, Members)>>,
    sampling: Sampling,
    from: Time,
    until: Time,
}

impl SeriesRequest {
    /// The request that the keys describe; `None` after a reported mistake.
    pub fn new(
        keys: &SeriesKeys,
        names: &TraceNames<'_>,
        duration: Duration,
        mistake: &mut dyn FnMut(&str, String),
    ) -> Option<SeriesRequest> {
        let mut sound = true;
        if keys.start.0 > duration {
            mistake("start", format!("{} is after the end at {duration}, so nothing would be read", keys.start.0));
            sound = false;
        }
        let mut named = Vec::new();
        let (mut nodes, mut links, mut flows) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for name in &keys.of.0 {
            match Members::of(name, names) {
                Ok(members) => {
                    nodes.extend(members.nodes.iter().cloned().flatten());
                    links.extend(members.links.iter().cloned().flatten());
                    flows.extend(members.flows.clone());
                    if named.iter().all(|(known, _)| known != name) {
                        named.push((name.clone(), members));
                    }
                }
                Err(message) => {
                    mistake("of", message);
                    sound = false;
                }
            }
        }
        let sampling = keys.every.map_or(Sampling::OnChange, |every| Sampling::Every(every.0));
        let until = keys.stop.map_or(duration, |stop| stop.0.min(duration));
        let (from, until) = (Time::ZERO + keys.start.0, Time::ZERO + until);
        let what = keys.what.as_ref().map(|what| what.0.clone());
        let sums = keys.sum.then_some(named);
        sound.then_some(SeriesRequest { nodes, links, flows, sums, what, sampling, from, until })
    }

    /// The same request, read on demand instead of at times of its own.
    pub fn on_request(self) -> SeriesRequest {
        SeriesRequest { sampling: Sampling::OnRequest, ..self }
    }

    /// The plans of each subject that has any of the variables, each with the name of its sum, if it is summed. The error has messages
    /// about variables that no subject has, or that cannot be summed or read on change.
    pub fn plans(
        &self,
        blueprint: &Blueprint,
        registry: &Registry,
        suggestions: &Suggestions,
    ) -> Result<Vec<(SeriesPlan, Option<String>)>, Vec<String>> {
        let words = self.what.as_deref().unwrap_or_default();
        let mut found = vec![false; words.len()];
        let mut known = BTreeSet::new();
        let mut messages = BTreeSet::new();
        let mut plans = Vec::new();
        for (of, name) in self.subjects() {
            let is_summed = name.is_some();
            let shown = of_subject(of, blueprint, registry);
            let mut what = Vec::new();
            for (word, found) in words.iter().zip(&mut found) {
                for (component, variable) in matching(word, &shown) {
                    *found = true;
                    if self.sampling == Sampling::OnChange && is_of_interval((component, variable)) {
                        messages.insert(format!(
                            "'{word}' describes the time between two samples, so it has no value on change; write every = \"100 ms\" instead of on = \"change\", or leave '{word}' out"
                        ));
                    }
                    if is_summed && !is_amount(variable) {
                        messages.insert(format!("'{word}' cannot be summed; leave out either it or sum"));
                    }
                    what.push((Some(component), variable.name));
                }
            }
            if self.what.is_none() {
                let wanted = shown.iter().filter(|(_, variable)| !is_summed || is_amount(variable));
                what.extend(wanted.map(|(component, variable)| (Some(*component), variable.name)));
            }
            known.extend(shown.iter().map(|(_, variable)| variable.name));
            if !what.is_empty() {
                plans.push((SeriesPlan { of, what, sampling: self.sampling, from: self.from, until: self.until }, name));
            }
        }
        let unknown = words.iter().zip(&found).filter(|(_, found)| !**found).map(|(word, _)| word);
        let known: Vec<&str> = known.into_iter().collect();
        messages.extend(unknown.map(|word| suggestions.unknown_of_all("variable", word, &known)));
        if messages.is_empty() {
            Ok(plans)
        } else {
            Err(messages.into_iter().collect())
        }
    }

    /// The observed subjects, each with the name of its sum, if it is summed.
    fn subjects(&self) -> Vec<(SeriesSubject, Option<String>)> {
        let node = |node: usize| SeriesSubject::Node(NodeId(node as u32));
        let link = |link: usize| SeriesSubject::Link(LinkId(link as u32));
        let ends = |flow: usize| [SeriesSubject::Sender(FlowId(flow as u32)), SeriesSubject::Receiver(FlowId(flow as u32))];
        match &self.sums {
            None => {
                let nodes = self.nodes.iter().copied().map(node);
                let links = self.links.iter().copied().map(link);
                nodes.chain(links).chain(self.flows.iter().copied().flat_map(ends)).map(|of| (of, None)).collect()
            }
            Some(sums) => {
                let members = |(name, members): &(String, Members)| {
                    let nodes = members.nodes.iter().cloned().flatten().map(node);
                    let links = members.links.iter().cloned().flatten().map(link);
                    let all = nodes.chain(links).chain(members.flows.clone().flat_map(ends));
                    all.map(|of| (of, Some(name.clone()))).collect::<Vec<_>>()
                };
                sums.iter().flat_map(members).collect()
            }
        }
    }
}

/// Whether the sum of several values is meaningful.
pub(crate) fn is_amount(variable: &Variable) -> bool {
    !matches!(variable.unit, "1" | "s")
}

/// The variables that a word names: `average`, `red.average` or `queue.red.average`.
fn matching<'a>(word: &'a str, shown: &'a [Shown]) -> impl Iterator<Item = Shown> + 'a {
    let (component, variable) = word.rsplit_once('.').map_or((None, word), |(component, variable)| (Some(component), variable));
    let is_named = move |(of, shown): &&Shown| {
        shown.name == variable && component.is_none_or(|component| component == of.name || component == label(*of))
    };
    shown.iter().filter(is_named).copied()
}

/// The nodes, links and flows that a name stands for.
#[derive(Clone, Debug, Default)]
struct Members {
    nodes: Vec<Range<usize>>,
    links: Vec<Range<usize>>,
    flows: Range<usize>,
}

impl Members {
    fn of(name: &str, names: &TraceNames<'_>) -> Result<Members, String> {
        let base = name.split('[').next().unwrap_or(name);
        if names.members.flows.iter().any(|(group, _)| group == base) {
            return Ok(Members { flows: names.flow(name)?, ..Members::default() });
        }
        let first = names.nodes();
        let base_is_known = names.members.nodes.iter().any(|(node, _)| node == base);
        let is_link = names.members.links.iter().any(|(link, _)| link == name) || names.links.iter().any(|link| link.path == name);
        if !base_is_known && !is_link {
            let groups = names.members.flows.iter().chain(&names.members.links).chain(&names.members.nodes);
            return Err(names.suggestions.unknown("link, node or group of flows", name, groups.map(|(name, _)| name.as_str())));
        }
        let (links, nodes): (Vec<Range<usize>>, Vec<Range<usize>>) =
            names.places(name)?.into_iter().partition(|range| range.start >= first);
        if links.is_empty() {
            return Err(format!("no link begins at '{name}', so it has no port"));
        }
        let links = links.into_iter().map(|range| range.start - first..range.end - first).collect();
        Ok(Members { nodes, links, flows: 0..0 })
    }
}
