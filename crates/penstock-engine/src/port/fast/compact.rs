//! Fast path: a tail-drop FIFO port lends what every packet changes to a table of [compact ports](crate::kernel::compact_ports).

use crate::kernel::compact_ports::{CompactPort, CompactPortKind, Forwarded};
use crate::kernel::event::Arrival;
use crate::kernel::journal::{Journal, Window};
use crate::port::verdict::{self, Decision, DecisionPoint};
use crate::port::{Port, Queueing};
use penstock_model::discipline::DropCause;
use penstock_model::units::{Rate, Time};

impl Port {
    /// Lends what every packet changes, if the port only queues, with a limit in packets; `journal` is that of its process. Nobody
    /// may use the port until it has got that back.
    pub fn lend(&mut self, journal: &Journal) -> Option<(CompactPort, CompactPortKind, Window)> {
        let Port { queueing: Queueing::TailDropFifo(queue), arrival_marker: None, pcn: None, wire, delay, counters, .. } = self else {
            return None;
        };
        let limit = queue.packet_limit().filter(|limit| *limit > 0)?;
        if wire.rate().rate == Rate::ZERO || !journal.is_untraced() {
            return None;
        }
        let (last_end, waiting) = queue.schedule_of_waiting();
        let (digest, last_accepted, complete) = (journal.digest, counters.last_accepted, counters.complete);
        let port = CompactPort { last_end, digest, accepted: 0, last_accepted, waiting, complete };
        Some((port, CompactPortKind { rate: wire.rate(), delay: *delay, limit }, counters.window))
    }

    /// Takes back what it has [lent](Port::lend); returns how many packets have arrived and were accepted since.
    pub fn take_back(&mut self, port: &CompactPort, journal: &mut Journal) -> u64 {
        let Port { queueing: Queueing::TailDropFifo(queue), counters, .. } = self else { unreachable!("only such ports lend") };
        let before = queue.len();
        queue.set_schedule(port.last_end, &port.waiting);
        counters.complete = port.complete;
        counters.last_accepted = port.last_accepted;
        journal.digest = port.digest;
        if cfg!(debug_assertions) {
            counters.offered += port.accepted;
            counters.sent += before + port.accepted - queue.len();
        }
        self.check_conservation();
        port.accepted
    }

    /// Counts what the table of compact ports does not, while the port is lent; returns when the packet arrives at the far end, if
    /// it does.
    pub fn count_lent(&mut self, Arrival { at: now, packet }: &Arrival, outcome: Forwarded, journal: &mut Journal) -> Option<Time> {
        match outcome {
            Forwarded::Sent(at) => Some(at),
            Forwarded::Uncounted { start, end, at } => {
                self.counters.departure(*now, start, end, (packet.size, packet.precedence)).then_some(at)
            }
            Forwarded::Dropped { last_accepted } => {
                self.counters.last_accepted = last_accepted;
                let drop = Decision::Drop(DropCause::Overflow);
                verdict::apply::<false>(drop, DecisionPoint::OnArrival, *now, packet, &mut self.counters, journal);
                None
            }
        }
    }
}
