//! Why a blueprint cannot run.

use std::fmt;

/// A blueprint that cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlueprintError {
    /// Packets could go round this circle of links in no time.
    CycleWithoutDelay(Vec<String>),
    /// A route's links do not meet, or it is empty.
    BrokenRoute(usize),
    /// A flow's route does not lead from its source to its sink or back.
    MisroutedFlow(usize),
    /// The edges of these calls have no delay between them.
    SignalWithoutDelay(String),
    /// The source cannot be carried by the transport.
    Mismatch(String),
    /// A link ends where it begins.
    LinkToItself(String),
    /// Samples without any time between them.
    NoInterval(usize),
}

impl fmt::Display for BlueprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlueprintError::CycleWithoutDelay(links) => {
                write!(f, "the links {} form a circle without any delay; give at least one of them a delay above 0 s", links.join(", "))
            }
            BlueprintError::BrokenRoute(route) => write!(f, "route {route} is empty or has links that do not meet"),
            BlueprintError::MisroutedFlow(flow) => write!(f, "the route of flow {flow} does not lead between its ends"),
            BlueprintError::SignalWithoutDelay(group) => {
                write!(f, "calls '{group}': signals between their ends would take no time; give a link of the route a delay above 0 s")
            }
            BlueprintError::Mismatch(group) => write!(f, "flows '{group}': this source cannot be carried by this transport"),
            BlueprintError::LinkToItself(link) => write!(f, "the link {link} ends where it begins"),
            BlueprintError::NoInterval(plan) => write!(f, "sample plan {plan} has an interval of 0 s; give it one above 0 s"),
        }
    }
}

impl std::error::Error for BlueprintError {}
