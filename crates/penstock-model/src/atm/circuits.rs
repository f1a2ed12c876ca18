//! Virtual circuits: the flows that each carries, and its guaranteed rate.

use crate::packet::{Body, Packet};
use crate::units::Rate;
use std::sync::Arc;

/// A virtual circuit in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// Name: its own, or that of the group whose flows it carries.
    pub name: String,
    /// Minimum cell rate (MCR), in bit/s of whole cells.
    pub mcr: Option<Rate>,
}

/// The circuits of a network, by number; each flow has one in each direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuits {
    /// All circuits, by number.
    pub all: Vec<Circuit>,
    /// For each flow, the circuit of its data and the circuit of its receiver's packets.
    of_flow: Vec<[u32; 2]>,
}

impl Circuits {
    /// Creates the circuits; `of_flow` has, for each flow, the number of the circuit of its data and that of its receiver's packets.
    pub fn new(all: Vec<Circuit>, of_flow: Vec<[u32; 2]>) -> Circuits {
        Circuits { all, of_flow }
    }

    /// Circuit of a cell.
    #[inline]
    pub fn of(&self, cell: &Packet) -> u32 {
        let backward = match cell.body {
            Body::Cell { backward, .. } => backward,
            body => body.is_from_receiver(),
        };
        self.of_flow[cell.flow.index()][usize::from(backward)]
    }

    /// Circuits of a flow: of its data and of its receiver's packets.
    pub fn of_flow(&self, flow: usize) -> [u32; 2] {
        self.of_flow[flow]
    }

    /// Number of circuits.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no circuits.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The circuits as a port sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortCircuits {
    /// All circuits of the network.
    pub circuits: Arc<Circuits>,
    /// Numbers of the circuits that pass the port.
    pub here: Vec<u32>,
}

impl PortCircuits {
    /// Circuits of a port without cells.
    pub fn none() -> Arc<PortCircuits> {
        Arc::default()
    }

    /// For each circuit of the network, its value in `table` by name; `None` if the table does not name it.
    pub fn named<T: Copy>(&self, table: &[(String, T)]) -> Vec<Option<T>> {
        let value = |circuit: &Circuit| table.iter().find(|(name, _)| *name == circuit.name).map(|(_, value)| *value);
        self.circuits.all.iter().map(value).collect()
    }

    /// For each circuit of the network, its fraction of the minimum cell rates of all circuits that pass the port; zero without a
    /// minimum cell rate.
    pub fn mcr_shares(&self) -> Vec<f64> {
        let mcr = |circuit: &Circuit| circuit.mcr.map_or(0, Rate::as_bps);
        let sum: u64 = self.here.iter().map(|i| mcr(&self.circuits.all[*i as usize])).sum();
        self.circuits.all.iter().map(|circuit| if sum == 0 { 0.0 } else { mcr(circuit) as f64 / sum as f64 }).collect()
    }
}
