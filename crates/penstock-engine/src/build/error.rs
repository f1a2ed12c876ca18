//! Errors of blueprints.

use crate::api::blueprint::Blueprint;
use crate::api::changes::PlanChangeError;
use crate::api::injection::InjectionError;
use std::fmt;

/// A blueprint that cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlueprintError {
    /// The blueprint's flag was set.
    Cancelled,
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
    /// The port of this link cannot change so.
    PortChange(String, PlanChangeError),
    /// The flows of this group cannot change so.
    FlowChange(String, PlanChangeError),
    /// Samples without any time between them.
    NoInterval(usize),
    /// A node is to be a switch, and no link leaves it.
    SwitchWithoutPorts(String),
    /// The static shares of this node's ports are more than its buffer, or of ports of other nodes.
    SharesBeyondBuffer(String),
    /// This node would resume ports before it pauses them.
    XonAboveXoff(String),
    /// Flow queues at a class of this link, or with classes below them.
    FlowQueuesInTree(String),
    /// These messages have no route.
    MessageWithoutRoute(String),
    /// These messages would take no time.
    MessageWithoutDelay(String),
    /// Flows begin or end at this cell switch.
    FlowAtCellSwitch(String),
    /// This link of packets begins or ends at a cell switch.
    PacketsAtCellSwitch(String),
    /// The ports of this end of AAL5 share something.
    SharedEndOfAal5(String),
    /// This packet from outside is refused.
    Arrival(usize, InjectionError),
}

impl fmt::Display for BlueprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlueprintError::Cancelled => f.write_str("cancelled"),
            BlueprintError::Arrival(number, error) => write!(f, "arrival {number}: {error}"),
            BlueprintError::CycleWithoutDelay(links) => {
                write!(f, "the links {} form a circle without any delay; give at least one of them a delay above 0 s", links.join(", "))
            }
            BlueprintError::BrokenRoute(route) => write!(f, "route {route} is empty or has links that do not meet"),
            BlueprintError::MisroutedFlow(flow) => write!(f, "the route of flow {flow} does not lead between its ends"),
            BlueprintError::SignalWithoutDelay(group) => {
                write!(f, "calls '{group}': signals between their ends would take no time; give a link of the route a delay above 0 s")
            }
            BlueprintError::Mismatch(group) => write!(f, "flows '{group}': this source cannot be carried by this transport"),
            BlueprintError::PortChange(link, error) => write!(f, "the port of the link {link} cannot change: {error}"),
            BlueprintError::FlowChange(group, error) => write!(f, "flows '{group}' cannot change: {error}"),
            BlueprintError::LinkToItself(link) => write!(f, "the link {link} ends where it begins"),
            BlueprintError::NoInterval(plan) => write!(f, "sample plan {plan} has an interval of 0 s; give it one above 0 s"),
            BlueprintError::SwitchWithoutPorts(node) => write!(f, "node '{node}' is to be a switch, but no link begins there"),
            BlueprintError::SharesBeyondBuffer(node) => {
                write!(f, "node '{node}': the shares are more than the shared buffer, or of ports of other nodes")
            }
            BlueprintError::XonAboveXoff(node) => write!(f, "node '{node}': pause has an xon above its xoff; give it at most xoff"),
            BlueprintError::FlowQueuesInTree(link) => {
                write!(
                    f,
                    "the link {link} has a scheduler that makes its own queues in a tree; give it to the link itself, without classes"
                )
            }
            BlueprintError::FlowAtCellSwitch(node) => write!(f, "flows begin or end at the cell switch '{node}', which has only cells"),
            BlueprintError::PacketsAtCellSwitch(link) => write!(f, "the link {link} of a cell switch carries packets; make it a cell link"),
            BlueprintError::SharedEndOfAal5(node) => {
                write!(f, "node '{node}' at a cell link shares something between its ports, which only cell switches may")
            }
            BlueprintError::MessageWithoutRoute(path) => write!(f, "the {path} have no route; add a link back"),
            BlueprintError::MessageWithoutDelay(path) => {
                write!(f, "the {path} would take no time; give the link back a delay, or the messages a processing time, above 0 s")
            }
        }
    }
}

impl std::error::Error for BlueprintError {}

/// Looks at the blueprint's flag.
///
/// # Errors
/// If it is set.
pub fn check_cancelled(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    if blueprint.cancel.is_set() {
        Err(BlueprintError::Cancelled)
    } else {
        Ok(())
    }
}
