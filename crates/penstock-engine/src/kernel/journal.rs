//! The journal of a process: its digest always, a trace on request.

use crate::api::trace::{TimerKind, TraceEvent, TraceRow, TraceSubject};
use crate::kernel::digest::Digest;
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

/// A process's records.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Journal {
    /// Hash of the recorded events of the process.
    pub digest: Digest,
    /// The trace, if requested.
    trace: Option<Box<Trace>>,
}

/// The rows of a trace.
#[derive(Clone, Debug, Default)]
struct Trace(Vec<TraceRow>);

impl Journal {
    /// Creates an empty journal, with a trace if `is_traced`.
    pub fn new(is_traced: bool) -> Journal {
        Journal { digest: Digest::default(), trace: is_traced.then(Box::default) }
    }

    /// Returns whether the process is not traced: the invariant of the paths that record only hashes and counts.
    #[inline(always)]
    pub fn is_untraced(&self) -> bool {
        self.trace.is_none()
    }

    /// Traces `event` without adding it to the digest: the digest holds every arrival, mark and loss, which imply the rest.
    ///
    /// Only the row leaves this function, so that packets need not be kept in memory in case they are traced.
    #[inline(always)]
    pub fn trace(&mut self, now: Time, place: u32, packet: &Packet, event: TraceEvent) {
        if self.trace.is_some() {
            // Ports write the next hop into a packet at different moments, so a trace omits it.
            let packet = Packet { hop: HopId(0), ..*packet };
            self.push(TraceRow { time: now, place, event, subject: TraceSubject::Packet(packet) });
        }
    }

    /// Traces an event of a flow, at one of its ends.
    pub fn trace_flow(&mut self, time: Time, place: u32, event: TraceEvent, subject: TraceSubject) {
        if self.trace.is_some() {
            self.push(TraceRow { time, place, event, subject });
        }
    }

    /// Traces that a timer of an end of `flow` has expired.
    pub fn trace_timer(&mut self, now: Time, place: u32, flow: u32, kind: TimerKind) {
        self.trace_flow(now, place, TraceEvent::Timer(kind), TraceSubject::Flow(flow));
    }

    /// Takes the rows up to and including `until`. No rows of that time may be added later.
    pub fn take_trace(&mut self, until: Time) -> impl Iterator<Item = TraceRow> + '_ {
        // Later rows stay: transmissions are traced before they begin.
        self.trace.iter_mut().flat_map(move |trace| trace.0.extract_if(.., move |row| row.time <= until))
    }

    #[cold]
    fn push(&mut self, row: TraceRow) {
        if let Some(Trace(trace)) = self.trace.as_deref_mut() {
            trace.push(row);
        }
    }
}

/// The measurement period of a run. Events outside it are not counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measurement {
    /// Start of counting, inclusive.
    pub from: Time,
    /// End of counting, inclusive.
    pub to: Time,
}

impl Measurement {
    /// Returns whether an event at `at` counts.
    #[inline]
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at <= self.to
    }

    /// Returns whether an event at `now` counts, given that no event is later than the end.
    #[inline]
    pub fn is_open(&self, now: Time) -> bool {
        self.from <= now
    }

    /// Returns the number of picoseconds of `[from, to)` in the measurement period.
    #[inline]
    pub fn overlap(&self, from: Time, to: Time) -> u64 {
        to.min(self.to).since(from.max(self.from)).as_ps()
    }
}
