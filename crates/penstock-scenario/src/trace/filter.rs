//! Selection of the events that a trace keeps.

use super::keys::{EventKind, TraceKeys};
use crate::metrics::common::evaluation::GroupMembers;
use crate::read::suggest::Suggestions;
use penstock_engine::blueprint::LinkPlan;
use penstock_engine::observations::TraceRow;
use penstock_model::printable::quoted;
use penstock_model::units::{Duration, Time};
use std::ops::Range;

/// The names that a selector may use.
pub(crate) struct TraceNames<'a> {
    pub members: &'a GroupMembers,
    pub links: &'a [LinkPlan],
    pub suggestions: &'a Suggestions,
}

/// Selects events by kind, place, flow and time.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    /// A flag for each node, then for each link; `None` selects all places.
    places: Option<Vec<bool>>,
    flows: Option<Vec<bool>>,
    /// A bit for each [`EventKind`].
    events: u16,
    from: Time,
    until: Time,
}

/// Selects the events of a run that are kept: those that any selector selects, or all without selectors.
#[derive(Clone, Debug)]
pub struct TraceFilter {
    selectors: Vec<Selector>,
    end: Time,
}

impl TraceFilter {
    /// A filter with these selectors, for a run that ends at `end`.
    pub(crate) fn new(selectors: Vec<Selector>, end: Time) -> TraceFilter {
        let last = selectors.iter().map(|selector| selector.until).max().unwrap_or(Time::NEVER);
        TraceFilter { selectors, end: last.min(end) }
    }

    /// Time after which no event is kept.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Whether an event is kept.
    #[inline]
    pub fn keeps(&self, row: &TraceRow) -> bool {
        let event = 1 << EventKind::of(row.event) as u16;
        row.time <= self.end && (self.selectors.is_empty() || self.selectors.iter().any(|it| it.events & event != 0 && it.covers(row)))
    }

    /// Whether an event is kept, or would be if its kind were asked for.
    #[inline]
    pub fn covers(&self, row: &TraceRow) -> bool {
        row.time <= self.end && (self.selectors.is_empty() || self.selectors.iter().any(|selector| selector.covers(row)))
    }
}

impl Selector {
    /// The selector that the keys describe; `None` after a reported mistake.
    pub fn new(keys: &TraceKeys, names: &TraceNames<'_>, duration: Duration, mistake: &mut dyn FnMut(&str, String)) -> Option<Selector> {
        let mut sound = true;
        let mut report = |key: &str, message: String| {
            sound = false;
            mistake(key, message);
        };
        if keys.start.0 > duration {
            report("start", format!("{} is after the end at {duration}, so nothing would be traced", keys.start.0));
        }
        let size = names.nodes() + names.links.len();
        let places = keys.at.as_ref().map(|at| chosen(&at.0, size, |name| names.places(name), |message| report("at", message)));
        let flow = |name: &str| names.flow(name).map(|flows| vec![flows]);
        let flows = keys.flows.as_ref().map(|flows| chosen(&flows.0, names.flows(), flow, |message| report("flows", message)));
        let all = (1 << EventKind::WORDS.len()) - 1;
        let events = keys.events.as_ref().map_or(all, |events| events.iter().fold(0, |mask, kind| mask | 1 << *kind as u16));
        let until = keys.stop.map_or(Time::NEVER, |stop| Time::ZERO + stop.0);
        sound.then_some(Selector { places, flows, events, from: Time::ZERO + keys.start.0, until })
    }

    #[inline]
    fn covers(&self, row: &TraceRow) -> bool {
        let has = |chosen: &Option<Vec<bool>>, i: u32| chosen.as_ref().is_none_or(|chosen| chosen[i as usize]);
        self.from <= row.time && row.time <= self.until && has(&self.places, row.place) && has(&self.flows, row.flow())
    }
}

impl TraceNames<'_> {
    pub(crate) fn nodes(&self) -> usize {
        self.members.nodes.last().map_or(0, |(_, members)| members.end)
    }

    fn flows(&self) -> usize {
        self.members.flows.last().map_or(0, |(_, members)| members.end)
    }

    /// The places that a name stands for: nodes with the ports there, or links.
    pub(crate) fn places(&self, name: &str) -> Result<Vec<Range<usize>>, String> {
        let first = self.nodes();
        let links = |range: Range<usize>| first + range.start..first + range.end;
        if let Some((_, members)) = self.members.links.iter().find(|(link, _)| link == name) {
            return Ok(vec![links(members.clone())]);
        }
        if let Some(link) = self.links.iter().position(|link| link.path == name) {
            return Ok(vec![links(link..link + 1)]);
        }
        let Some(nodes) = member(name, &self.members.nodes)? else {
            let known = self.members.nodes.iter().chain(&self.members.links).map(|(name, _)| name.as_str());
            return Err(self.suggestions.unknown("node or link", name, known));
        };
        let begins_there = |link: &LinkPlan| nodes.contains(&(link.from.0 as usize));
        let ports = self.links.iter().enumerate().filter(|(_, link)| begins_there(link)).map(|(i, _)| links(i..i + 1));
        Ok(std::iter::once(nodes.clone()).chain(ports).collect())
    }

    pub(crate) fn flow(&self, name: &str) -> Result<Range<usize>, String> {
        let known = self.members.flows.iter().map(|(name, _)| name.as_str());
        member(name, &self.members.flows)?.ok_or_else(|| self.suggestions.unknown("group of flows or calls", name, known))
    }
}

/// Resolves names to a bitmap over `size` items.
fn chosen(
    written: &[String],
    size: usize,
    find: impl Fn(&str) -> Result<Vec<Range<usize>>, String>,
    mut report: impl FnMut(String),
) -> Vec<bool> {
    let mut chosen = vec![false; size];
    for name in written {
        match find(name) {
            Ok(ranges) => ranges.into_iter().for_each(|range| chosen[range].fill(true)),
            Err(message) => report(message),
        }
    }
    chosen
}

/// The members called `name`: a whole group, or `group[3]` or `group[2-5]`; `None` if there is no such group.
fn member(name: &str, groups: &[(String, Range<usize>)]) -> Result<Option<Range<usize>>, String> {
    let (base, written) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((base, written)) => (base, Some(written)),
        None => (name, None),
    };
    let Some((_, members)) = groups.iter().find(|(group, _)| group == base) else { return Ok(None) };
    let Some(written) = written else { return Ok(Some(members.clone())) };
    let (first, last) = written.split_once('-').unwrap_or((written, written));
    match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) if first <= last && last < members.len() => Ok(Some(members.start + first..members.start + last + 1)),
        _ => Err(format!(
            "'{base}' has no member {}; its members are {base}[0] to {base}[{}]",
            quoted(written),
            members.len().saturating_sub(1)
        )),
    }
}
