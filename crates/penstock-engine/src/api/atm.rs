//! ATM: the nodes that switch cells, and the circuits.

use penstock_model::id::NodeId;
use penstock_model::units::Rate;
use std::collections::BTreeSet;

/// The ATM part of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtmPlan {
    /// The nodes that forward cells as they are. All others at the end of a cell link are ends of AAL5.
    pub cell_switches: BTreeSet<NodeId>,
    /// The circuits that several flows share, or that are promised something; every other flow has one of its own in each direction.
    pub circuits: Vec<CircuitPlan>,
}

/// A circuit between two ends of AAL5, and the one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitPlan {
    /// Its name.
    pub name: String,
    /// The groups whose flows it carries, by their positions in the blueprint.
    pub groups: Vec<u32>,
    /// Its minimum cell rate (MCR).
    pub mcr: Option<Rate>,
}
