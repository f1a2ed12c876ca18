//! What is asked for: of which subjects, which variables, and when.

use super::keys::SeriesKeys;
use super::variables::{label, of_subject, Shown};
use crate::read::suggest::Suggestions;
use crate::trace::TraceNames;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::series::{ComponentName, Sampling, SeriesPlan, SeriesSubject};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::units::{Duration, Time};
use std::collections::BTreeSet;
use std::ops::Range;

/// A `[[series]]` whose subjects are known.
#[derive(Clone, Debug)]
pub(crate) struct SeriesRequest {
    /// Each once, in their order.
    links: BTreeSet<usize>,
    flows: BTreeSet<usize>,
    what: Option<Vec<String>>,
    sampling: Sampling,
    from: Time,
    until: Time,
}

impl SeriesRequest {
    /// What the keys ask for; `None` after a reported mistake.
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
        let (mut links, mut flows) = (BTreeSet::new(), BTreeSet::new());
        for name in &keys.of.0 {
            match subjects(name, names) {
                Ok((of_links, of_flows)) => {
                    links.extend(of_links.into_iter().flatten());
                    flows.extend(of_flows);
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
        sound.then_some(SeriesRequest { links, flows, what, sampling, from, until })
    }

    /// The plans of each subject that has any of the variables; the messages about variables that none has.
    pub fn plans(&self, blueprint: &Blueprint, suggestions: &Suggestions) -> Result<Vec<SeriesPlan>, Vec<String>> {
        let links = self.links.iter().map(|link| SeriesSubject::Link(LinkId(*link as u32)));
        let flows = self.flows.iter().map(|flow| FlowId(*flow as u32));
        let ends = flows.flat_map(|flow| [SeriesSubject::Sender(flow), SeriesSubject::Receiver(flow)]);
        let words = self.what.as_deref().unwrap_or_default();
        let mut found = vec![false; words.len()];
        let mut known = BTreeSet::new();
        let mut plans = Vec::new();
        for of in links.chain(ends) {
            let shown = of_subject(of, blueprint);
            let mut what = Vec::new();
            for (word, found) in words.iter().zip(&mut found) {
                let before = what.len();
                what.extend(matching(word, &shown));
                *found |= what.len() > before;
            }
            if self.what.is_none() {
                what.extend(shown.iter().map(|(component, variable)| (Some(*component), variable.name)));
            }
            known.extend(shown.iter().map(|(_, variable)| variable.name));
            if !what.is_empty() {
                plans.push(SeriesPlan { of, what, sampling: self.sampling, from: self.from, until: self.until });
            }
        }
        let unknown = words.iter().zip(&found).filter(|(_, found)| !**found).map(|(word, _)| word);
        let messages: Vec<String> = unknown.map(|word| suggestions.unknown("variable", word, known.iter().copied())).collect();
        if messages.is_empty() {
            Ok(plans)
        } else {
            Err(messages)
        }
    }
}

/// The variables that a word names: `average`, `red.average` or `queue.red.average`.
fn matching<'a>(word: &'a str, shown: &'a [Shown]) -> impl Iterator<Item = (Option<ComponentName>, &'static str)> + 'a {
    let (component, variable) = word.rsplit_once('.').map_or((None, word), |(component, variable)| (Some(component), variable));
    let is_named = move |(of, shown): &&Shown| {
        shown.name == variable && component.is_none_or(|component| component == of.name || component == label(*of))
    };
    shown.iter().filter(is_named).map(|(of, shown)| (Some(*of), shown.name))
}

/// The links and the flows that a name stands for.
type Members = (Vec<Range<usize>>, Range<usize>);

fn subjects(name: &str, names: &TraceNames<'_>) -> Result<Members, String> {
    let base = name.split('[').next().unwrap_or(name);
    if names.members.flows.iter().any(|(group, _)| group == base) {
        return Ok((Vec::new(), names.flow(name)?));
    }
    let first = names.nodes();
    let base_is_known = names.members.nodes.iter().any(|(node, _)| node == base);
    let is_link = names.members.links.iter().any(|(link, _)| link == name) || names.links.iter().any(|link| link.path == name);
    if !base_is_known && !is_link {
        let groups = names.members.flows.iter().chain(&names.members.links).chain(&names.members.nodes);
        return Err(names.suggestions.unknown("link, node or group of flows", name, groups.map(|(name, _)| name.as_str())));
    }
    let places = names.places(name)?;
    let links: Vec<Range<usize>> =
        places.into_iter().filter(|range| range.start >= first).map(|range| range.start - first..range.end - first).collect();
    if links.is_empty() {
        return Err(format!("no link begins at '{name}', so it has no port"));
    }
    Ok((links, 0..0))
}
