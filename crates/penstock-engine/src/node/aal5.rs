//! An end of AAL5: a host or router with cell links, as one process. Packets that it sends over cell links leave as cells. Packets that
//! arrive in cells are reassembled before the host receives them or another port forwards them.
//!
//! The order within an instant is that of hosts. Reassembly belongs to the node, since flows that share a circuit may leave the node
//! through different ports.

use crate::api::observations::TraceEvent;
use crate::endpoints::host_context::HostContext;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Measurement;
use crate::node::host::Host;
use crate::port::flow_losses::FlowLosses;
use crate::port::transmit_batch::TransmitBatch;
use penstock_model::atm::aal5::{Reassembled, Reassembly, Segmentation};
use penstock_model::atm::circuits::Circuits;
use penstock_model::discipline::DropCause;
use penstock_model::packet::Packet;
use penstock_model::units::Time;
use std::ops::Range;
use std::sync::Arc;

/// Approximate number of cells that a port processes together: they fit the first-level cache.
const MAX_CELLS: usize = 64;

/// The state of an end of AAL5.
#[derive(Clone, Default)]
pub struct Aal5 {
    circuits: Arc<Circuits>,
    /// By port, whether it sends cells.
    pub cell_ports: Vec<bool>,
    /// By input, whether cells arrive there.
    cell_inputs: Vec<bool>,
    /// Number of the first circuit in `reassemblies`.
    first_circuit: u32,
    reassemblies: Vec<Reassembly>,
    measured: Measurement,
    /// Losses by flow of data packets sent and lost here in the measurement period: the last cell arrived, but an earlier one was missing.
    pub lost: FlowLosses,
    /// Buffers for the transmit batch of a port and for its cells.
    batch: TransmitBatch,
    cells: Vec<Arrival>,
}

impl Aal5 {
    /// Creates an end. The flags say which ports and inputs carry cells; `ending` has the numbers of the circuits that end here.
    pub fn new(circuits: Arc<Circuits>, cell_ports: Vec<bool>, cell_inputs: Vec<bool>, ending: Range<u32>, measured: Measurement) -> Aal5 {
        Aal5 {
            circuits,
            cell_ports,
            cell_inputs,
            first_circuit: ending.start,
            reassemblies: vec![Reassembly::default(); ending.len()],
            measured,
            ..Aal5::default()
        }
    }

    #[cold]
    fn lose(&mut self, now: Time, cell: &Packet, host: &Host, host_context: &mut HostContext<'_, '_>) {
        host_context.context.record.trace(now, host.place, cell, TraceEvent::Drop(DropCause::Partial));
        if self.measured.contains(now) && self.measured.is_open(cell.created) && cell.body.is_data() {
            self.lost.count(cell.flow, cell.body.is_retransmission());
        }
    }

    /// Sends the packets in the transmit batches of all ports, as cells if a port sends cells. As at a switch, packets stay in the batches
    /// until the host has run.
    #[inline(never)] // keeps visits to other processes short
    pub(super) fn send(&mut self, host_context: &mut HostContext<'_, '_>) {
        let HostContext { ports, context, .. } = host_context;
        for (port, sends_cells) in ports.iter_mut().zip(&self.cell_ports) {
            if !sends_cells {
                port.drain_transmit_batch(context);
                continue;
            }
            port.swap_transmit_batch(&mut self.batch);
            for Arrival { at, packet } in self.batch.packets() {
                self.cells.extend(Segmentation::new(packet).map(|packet| Arrival { at: *at, packet }));
                if self.cells.len() >= MAX_CELLS {
                    port.on_cells(&self.cells, context);
                    self.cells.clear();
                }
            }
            port.on_cells(&self.cells, context);
            self.cells.clear();
            self.batch.clear();
            port.swap_transmit_batch(&mut self.batch);
        }
    }

    /// Receives an arrival at `now`; returns the packet that it completes, if any.
    #[inline]
    pub(super) fn receive(&mut self, now: Time, packet: &Packet, host: &Host, host_context: &mut HostContext<'_, '_>) -> Option<Packet> {
        let input = host_context.context.routes.hop(packet.hop).input;
        if !self.cell_inputs[input as usize] {
            return Some(*packet);
        }
        let circuit = self.circuits.of(packet) - self.first_circuit;
        match self.reassemblies[circuit as usize].on_cell(packet) {
            Reassembled::Incomplete => None,
            Reassembled::Packet(packet) => Some(packet),
            Reassembled::Damaged => {
                self.lose(now, packet, host, host_context);
                None
            }
        }
    }
}
