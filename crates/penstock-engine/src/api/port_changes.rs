//! Changes of the parameters of a port's components while a run goes on.

use crate::api::blueprint::PortPlan;
use penstock_model::conditioner::PolicerPlan;
use penstock_model::id::LinkId;
use penstock_model::parameters::ChangeError;
use penstock_model::units::Time;
use std::fmt;

/// Why a port cannot have other parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortChangeError {
    /// There is no such link, or no flow uses it.
    NoLink(LinkId),
    /// A component cannot take them.
    Component {
        /// Which one: `queue`, `class.NAME.queue` or `policer`.
        path: String,
        /// Why.
        error: ChangeError,
    },
    /// Something else of the port differs.
    Other,
    /// The instant is not open: it is over already, or after the end.
    Time {
        /// The instant.
        at: Time,
        /// The first that has not been simulated yet.
        earliest: Time,
        /// The end of the run.
        latest: Time,
    },
}

impl fmt::Display for PortChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortChangeError::NoLink(link) => write!(f, "link {} does not exist or is not used by any flow", link.0),
            PortChangeError::Component { path, error } => write!(f, "{path}: {error}"),
            PortChangeError::Other => f.write_str("only parameters of queue disciplines and policers can be changed during a run"),
            PortChangeError::Time { at, earliest, latest } => write!(f, "a change at {at}: it must be from {earliest} to {latest}"),
        }
    }
}

impl std::error::Error for PortChangeError {}

impl PortPlan {
    /// Whether a component has parameters that can be set while a run goes on.
    pub fn is_changeable(&self) -> bool {
        self.queues.iter().any(|queue| queue.discipline.is_changeable()) || self.policers.iter().any(PolicerPlan::is_changeable)
    }

    /// Whether a port at work can go from this plan to `other` without being built again.
    ///
    /// # Errors
    /// If anything differs but changeable parameters of queue disciplines and policers.
    pub fn check_change(&self, other: &PortPlan) -> Result<(), PortChangeError> {
        let rest = PortPlan {
            queues: self.queues.clone(),
            policers: self.policers.clone(),
            force_event_driven: self.force_event_driven,
            ..other.clone()
        };
        let names = |plan: &PortPlan| plan.queues.iter().map(|queue| queue.name.clone()).collect::<Vec<_>>();
        if rest != *self || names(self) != names(other) || self.policers.len() != other.policers.len() {
            return Err(PortChangeError::Other);
        }
        for (one, other) in self.queues.iter().zip(&other.queues) {
            let path = || if one.name.is_empty() { "queue".to_owned() } else { format!("class.{}.queue", one.name) };
            one.discipline.check_change(&other.discipline).map_err(|error| PortChangeError::Component { path: path(), error })?;
        }
        for (one, other) in self.policers.iter().zip(&other.policers) {
            one.check_change(other).map_err(|error| PortChangeError::Component { path: "policer".to_owned(), error })?;
        }
        Ok(())
    }
}
