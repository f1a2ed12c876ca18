//! Changes of parameters while a run goes on: of the components of a port, and of the sender of a flow.

use crate::api::blueprint::{MarkAt, MarkerPlan, PortPlan};
use penstock_model::id::LinkId;
use penstock_model::parameters::Parameter;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::units::Time;
use std::fmt;

/// Why a port or a flow cannot have other parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanChangeError {
    /// There is no such link, or no flow uses it.
    NoLink(LinkId),
    /// The change is not possible, or not at that time.
    Refused(String),
}

impl fmt::Display for PlanChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanChangeError::NoLink(link) => write!(f, "link {} does not exist or is not used by any flow", link.0),
            PlanChangeError::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for PlanChangeError {}

pub(crate) fn refused<T>(why: impl Into<String>) -> Result<T, PlanChangeError> {
    Err(PlanChangeError::Refused(why.into()))
}

/// Refuses a change at `at` outside these bounds.
pub(crate) fn check_time(at: Time, earliest: Time, latest: Time) -> Result<(), PlanChangeError> {
    if (earliest..=latest).contains(&at) {
        Ok(())
    } else {
        refused(format!("a change at {at}: it must be from {earliest} to {latest}"))
    }
}

/// Whether the component at `path` can go from `one` to `other`.
pub(crate) fn check_component<P: Parameter>(path: &str, one: &P, other: &P) -> Result<(), PlanChangeError> {
    one.check_change(other).or_else(|error| refused(format!("{path}: {error}")))
}

/// Refuses changes that are not in the order of time.
pub(crate) fn check_order<T>(changes: &[(Time, T)], latest: Time) -> Result<(), PlanChangeError> {
    match changes.windows(2).map(|pair| (pair[0].0, pair[1].0)).find(|(before, at)| before >= at) {
        Some((before, at)) => check_time(at, before.after(), latest),
        None => Ok(()),
    }
}

/// Refuses a difference that is not one of parameters.
fn other_than_parameters<T>() -> Result<T, PlanChangeError> {
    refused("only parameters of components can be changed during a run")
}

impl PortPlan {
    /// Whether a component has parameters that can be set while a run goes on.
    pub fn is_changeable(&self) -> bool {
        self.queues.iter().any(|queue| queue.discipline.changeable().is_some())
            || self.policers.iter().any(|policer| policer.changeable().is_some())
            || self.marker.as_ref().is_some_and(|marker| marker.meter.changeable().is_some())
            || self.shaper.as_ref().is_some_and(|shaper| shaper.changeable().is_some())
            || self.scheduler.is_changeable(&self.classes)
    }

    /// Whether a change to `other` affects packets that wait already, other than by a scheduler.
    pub(crate) fn changes_departures(&self, other: &PortPlan) -> bool {
        let at_departure = |plan: &PortPlan| plan.marker.clone().filter(|marker| marker.at == MarkAt::Departure);
        self.shaper != other.shaper || at_departure(self) != at_departure(other)
    }

    /// Whether a port at work can go from this plan to `other` without being built again.
    ///
    /// # Errors
    /// If anything differs but changeable parameters of its components.
    pub fn check_change(&self, other: &PortPlan) -> Result<(), PlanChangeError> {
        let rest = PortPlan {
            queues: self.queues.clone(),
            policers: self.policers.clone(),
            marker: self.marker.clone(),
            scheduler: self.scheduler.clone(),
            classes: self.classes.clone(),
            shaper: self.shaper.clone(),
            force_event_driven: self.force_event_driven,
            ..other.clone()
        };
        let shape = |plan: &PortPlan| {
            let names: Vec<String> = plan.queues.iter().map(|queue| queue.name.clone()).collect();
            (names, plan.policers.len(), plan.marker.as_ref().map(|marker| marker.at))
        };
        if rest != *self || shape(self) != shape(other) {
            return other_than_parameters();
        }
        for (one, other) in self.queues.iter().zip(&other.queues) {
            let path = if one.name.is_empty() { "queue".to_owned() } else { format!("class.{}.queue", one.name) };
            check_component(&path, &one.discipline, &other.discipline)?;
        }
        for (one, other) in self.policers.iter().zip(&other.policers) {
            check_component("policer", one, other)?;
        }
        let meter = |marker: &Option<MarkerPlan>| marker.as_ref().map(|marker| marker.meter.clone());
        check_component("marker", &meter(&self.marker), &meter(&other.marker))?;
        check_component("shaper", &self.shaper, &other.shaper)?;
        check_component("scheduler", &self.scheduler, &other.scheduler)?;
        check_classes("", &self.classes, &other.classes)
    }
}

/// The same of the classes below `path`.
fn check_classes(path: &str, ones: &[ClassPlan], others: &[ClassPlan]) -> Result<(), PlanChangeError> {
    if ones.len() != others.len() {
        return other_than_parameters();
    }
    for (one, other) in ones.iter().zip(others) {
        let path = format!("{path}class.{}", one.name);
        match (&one.parameters, &other.parameters) {
            (Some(one), Some(other)) if one.values().type_id() == other.values().type_id() => {
                one.check_change(other).or_else(|error| refused(format!("{path}: {error}")))?;
            }
            (None, None) => {}
            _ => return other_than_parameters(),
        }
        match (&one.below, &other.below) {
            (Some(one), Some(other)) => {
                check_component(&format!("{path}.scheduler"), &one.scheduler, &other.scheduler)?;
                check_classes(&format!("{path}."), &one.classes, &other.classes)?;
            }
            (None, None) if one.name == other.name => {}
            _ => return other_than_parameters(),
        }
    }
    Ok(())
}
