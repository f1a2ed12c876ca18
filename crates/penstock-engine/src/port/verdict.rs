//! The only place where a decision about a packet is applied, counted, hashed and traced.
//!
//! Every path through a port ends here: disciplines on arrival and at departure, evictions, policers, and the loops in
//! [`fast`](crate::port::fast).

use crate::api::observations::TraceEvent;
use crate::kernel::digest::Digest;
use crate::kernel::journal::Journal;
use crate::port::counters::{PortCounters, Release};
use penstock_model::discipline::{DropCause, Verdict};
use penstock_model::packet::{Ecn, Packet};
use penstock_model::units::Time;

/// Point at which a decision about a packet is taken.
#[derive(Clone, Copy, Debug)]
pub enum DecisionPoint {
    /// On arrival of the packet.
    OnArrival,
    /// In the queue; the packet has waited since this time.
    Queued(Time),
}

/// The records of a port that a decision updates.
pub(super) struct Records<'a> {
    /// Counters of the port.
    pub counters: &'a mut PortCounters,
    /// Journal of the port's process.
    pub journal: &'a mut Journal,
}

impl Records<'_> {
    /// Applies a decision; returns the ECN codepoint of the packet, or `None` if it is dropped. Without `TRACED`, acceptance leaves no
    /// record, and release builds do not check whether the journal traces.
    #[inline(always)]
    pub fn apply<const TRACED: bool>(&mut self, decision: Verdict, point: DecisionPoint, now: Time, packet: &Packet) -> Option<Ecn> {
        let Records { counters, journal } = self;
        debug_assert!(TRACED || journal.is_untraced());
        if matches!((decision, point), (Verdict::Accept | Verdict::Mark, DecisionPoint::OnArrival)) {
            counters.last_accepted = (now, packet.flow);
        }
        match decision {
            Verdict::Accept if TRACED => journal.trace(now, counters.place, packet, TraceEvent::Accept),
            Verdict::Accept => {}
            Verdict::Evict { .. } => unreachable!("an eviction is carried out where the queue is, and declared by its hook"),
            Verdict::Mark => return Some(record_mark(now, packet, counters, journal)),
            Verdict::Drop(cause) => {
                record_drop(now, point, packet, cause, counters, journal);
                return None;
            }
        }
        Some(packet.ecn)
    }
}

/// Traces the start of a packet's transmission at `start`, which may be in the future. The transmission need not end.
#[inline(always)]
pub fn trace_transmission(start: Time, packet: &Packet, counters: &PortCounters, journal: &mut Journal) {
    if start != Time::NEVER {
        journal.trace(start, counters.place, packet, TraceEvent::Transmit);
    }
}

/// Hashes and traces `event`.
#[inline(always)]
fn record_event(now: Time, packet: &Packet, event: TraceEvent, counters: &mut PortCounters, journal: &mut Journal) {
    counters.digest.packet(now, packet, event.code());
    journal.trace(now, counters.place, packet, event);
}

#[inline(never)]
fn record_mark(now: Time, packet: &Packet, counters: &mut PortCounters, journal: &mut Journal) -> Ecn {
    let packet = Packet { ecn: packet.ecn.marked(), ..*packet };
    record_event(now, &packet, TraceEvent::Mark, counters, journal);
    counters.mark(now, &packet);
    packet.ecn
}

#[inline(never)]
fn record_drop(now: Time, point: DecisionPoint, packet: &Packet, cause: DropCause, counters: &mut PortCounters, journal: &mut Journal) {
    let arrival = match point {
        DecisionPoint::OnArrival => now,
        DecisionPoint::Queued(arrival) => arrival,
    };
    counters.arrival(arrival, packet.size, packet.precedence);
    record_event(now, packet, TraceEvent::Drop(cause), counters, journal);
    counters.dropped.add(1);
    let has_held_memory = !matches!(cause, DropCause::Buffer | DropCause::Headroom | DropCause::Limiter);
    if let Some(releases) = counters.releases.as_mut().filter(|_| has_held_memory) {
        releases.push(Release { at: now, packet: *packet, is_dropped: true });
    }
    let PortCounters { link, measured, recorder, last_accepted, offered, .. } = counters;
    if let DecisionPoint::OnArrival = point {
        offered.add(1);
        recorder.iter_mut().for_each(|recorder| recorder.offered(now, packet));
        let is_tied = cause == DropCause::Overflow && last_accepted.0 == now && last_accepted.1 != packet.flow;
        link.tied_drops += u64::from(is_tied && measured.contains(now));
    } else {
        link.wait_without_service(measured, arrival, now, packet.size);
        recorder.iter_mut().for_each(|recorder| recorder.queue_drop(now, arrival, packet));
    }
    counters.loss(now, packet, cause);
}

/// Records the loss of a packet on the wire at `end`, the end of its transmission. A port knows of such losses in advance; how early
/// depends on whether it computes departures on arrival. They therefore have a digest of their own.
#[cold]
pub fn record_wire_loss(end: Time, packet: &Packet, losses: &mut Digest, counters: &mut PortCounters, journal: &mut Journal) {
    let event = TraceEvent::Drop(DropCause::Loss);
    losses.packet(end, packet, event.code());
    journal.trace(end, counters.place, packet, event);
    counters.loss(end, packet, DropCause::Loss);
}
