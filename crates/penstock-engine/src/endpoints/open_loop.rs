//! Endpoints of open-loop flows: no arrival changes what they send.

use crate::api::observations::{Observations, TraceEvent};
use crate::endpoints::counts::{EndpointCounters, Received};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::journal::Window;
use crate::kernel::periodic_packet::PeriodicPacket;
use penstock_model::packet::{Body, Ecn};
use penstock_model::rng::Stream;
use penstock_model::source::{AnySource, Source};
use penstock_model::units::{Duration, Time};

/// The sending end of an open-loop flow; one cache line, because a host may have very many and visits them in turn.
#[repr(align(64))]
#[derive(Clone)]
pub struct OpenLoopSource {
    template: PacketTemplate,
    pattern: Pattern,
    /// The source sends nothing after this.
    stop: Time,
    size: u32,
    /// The next packet's number.
    seq: u32,
}

/// How an open-loop source spaces and sizes its packets.
#[derive(Clone)]
enum Pattern {
    /// One size and one spacing: how many packets it has sent follows from the time.
    Constant { first: Time, period: Duration },
    /// Both drawn for each packet.
    Drawn(Box<Drawn>),
}

#[derive(Clone)]
struct Drawn {
    source: AnySource,
    stream: Stream,
    /// Packets and bytes sent in the window.
    packets: u64,
    bytes: u64,
}

/// The receiving end of an open-loop flow; one cache line too.
#[repr(align(64))]
#[derive(Clone)]
pub struct OpenLoopSink {
    /// What it has received.
    pub received: Received,
}

const _: () = assert!(std::mem::size_of::<OpenLoopSource>() == 64 && std::mem::size_of::<OpenLoopSink>() == 64);

impl OpenLoopSource {
    /// A source that begins at `start` and sends nothing after `stop`, nor after the end of `window`; and when it sends first,
    /// or never.
    pub fn new(
        template: PacketTemplate,
        mut source: AnySource,
        mut stream: Stream,
        start: Time,
        stop: Time,
        window: Window,
    ) -> (OpenLoopSource, Time) {
        let emission = source.first(&mut stream);
        let first = start + emission.after;
        let pattern = match source.period() {
            Some(period) => Pattern::Constant { first, period },
            None => Pattern::Drawn(Box::new(Drawn { source, stream, packets: 0, bytes: 0 })),
        };
        let stop = if stop < window.to { stop } else { Time::NEVER };
        let end = OpenLoopSource { template, pattern, stop, size: emission.size, seq: 0 };
        (end, if first <= stop { first } else { Time::NEVER })
    }

    /// The next packet, if the source repeats it at one spacing until the end of the run.
    pub fn periodic_packet(&self) -> Option<PeriodicPacket> {
        let Pattern::Constant { .. } = self.pattern else { return None };
        let port = u16::try_from(self.template.departure.port).ok().filter(|_| self.stop == Time::NEVER)?;
        let PacketTemplate { departure, class, precedence, ecn, .. } = self.template;
        if ecn != Ecn::NotEct {
            return None; // an entry of the wheel has no room for the codepoint
        }
        Some(PeriodicPacket { hop: departure.hop, size: self.size, seq: self.seq, port, precedence, class })
    }

    /// Sends a packet; returns when it sends the next one, or never.
    #[inline(always)]
    pub fn send(&mut self, now: Time, window: Window, place: u32, host_context: &mut HostContext<'_, '_>) -> Time {
        let packet = self.template.packet(now, self.size, Body::Datagram { seq: self.seq });
        self.seq = self.seq.wrapping_add(1);
        let after = match &mut self.pattern {
            Pattern::Constant { period, .. } => *period,
            Pattern::Drawn(drawn) => {
                if window.is_open(now) {
                    drawn.packets += 1;
                    drawn.bytes += u64::from(packet.size);
                }
                let next = drawn.source.next(&mut drawn.stream);
                self.size = next.size;
                next.after
            }
        };
        host_context.context.record.trace(now, place, &packet, TraceEvent::Send);
        host_context.ports[self.template.departure.port as usize].add_to_batch(now, &packet);
        let next = now + after;
        if next <= self.stop {
            next
        } else {
            Time::NEVER
        }
    }

    /// What it has sent by `now`, in a run without a warm-up.
    pub fn counters_at(&self, now: Time) -> EndpointCounters {
        let (packets, bytes) = match &self.pattern {
            Pattern::Constant { first, period } => {
                let packets = sent_by(*first, *period, self.stop.min(now).after());
                (packets, packets * u64::from(self.size))
            }
            Pattern::Drawn(drawn) => (drawn.packets, drawn.bytes),
        };
        EndpointCounters { packets, bytes, ..EndpointCounters::default() }
    }

    /// Writes what was sent in the window into the flow's row, at the end of the run.
    pub fn report(&self, window: Window, seen: &mut Observations) {
        let counters = &mut seen.flows[self.template.flow.index()];
        (counters.sent_packets, counters.sent_bytes) = match &self.pattern {
            Pattern::Constant { first, period } => {
                let until = self.stop.min(window.to);
                let packets = sent_by(*first, *period, until.after()) - sent_by(*first, *period, window.from.min(until.after()));
                (packets, packets * u64::from(self.size))
            }
            Pattern::Drawn(drawn) => (drawn.packets, drawn.bytes),
        };
    }
}

/// How many packets a source sends before `bound` that begins at `first` and sends one packet per `period`.
fn sent_by(first: Time, period: Duration, bound: Time) -> u64 {
    if bound <= first {
        return 0;
    }
    match period.as_ps() {
        0 => 1,
        period => bound.since(first).as_ps().div_ceil(period),
    }
}
