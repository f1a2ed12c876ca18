//! Endpoints of open-loop flows: no arrival changes what they send.

use crate::api::injection::Marking;
use crate::api::observations::{SentCounts, TraceEvent};
use crate::endpoints::counts::Received;
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::journal::Measurement;
use crate::kernel::periodic_packet::PeriodicPacket;
use penstock_model::packet::{Body, Ecn, Packet};
use penstock_model::rng::Stream;
use penstock_model::source::{AnySource, Emission, Source};
use penstock_model::units::{Duration, Rate, Time};
use std::collections::VecDeque;
use std::sync::Arc;

/// The sending end of an open-loop flow; one cache line, because a host may have very many and visits them in turn.
#[repr(align(64))]
#[derive(Clone)]
pub struct OpenLoopSource {
    /// What its packets have in common.
    pub template: PacketTemplate,
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
    /// What it has sent in the measurement period.
    counts: SentCounts,
    /// Of packets from a list: those that come from outside.
    injected: Option<Injected>,
    /// Of a source that has frames or adapts its rate.
    requests: Option<Requests>,
}

impl Drawn {
    /// Completes a packet that goes out at `now`, counts it if it is `counted`, and draws the next one, whose marking `template` gets.
    #[inline(always)]
    fn next(&mut self, now: Time, packet: &mut Packet, template: &mut PacketTemplate, counted: bool) -> Emission {
        if let Some(requests) = &mut self.requests {
            requests.complete(now, packet, &mut self.source);
        }
        if counted {
            self.counts.count_many(1, packet.size, 0);
        }
        let next = self.source.next(&mut self.stream);
        match &mut self.injected {
            Some(injected) if next.after == Duration::FOREVER => injected.next(now, template),
            _ => next,
        }
    }
}

/// Rates that a source is asked to send at.
#[derive(Clone)]
struct Requests {
    /// By time.
    all: Arc<[(Time, Rate)]>,
    /// How many of them the source has been told.
    told: usize,
}

impl Requests {
    /// Completes the packet that goes out at `now`. Requests since the last packet are passed on here: until a source is asked for a packet,
    /// its answer to a request affects nothing.
    fn complete(&mut self, now: Time, packet: &mut Packet, source: &mut AnySource) {
        while let Some((at, rate)) = self.all.get(self.told).filter(|(at, _)| *at <= now) {
            packet.size = source.on_rate_request(*at, *rate).unwrap_or(packet.size);
            self.told += 1;
        }
        let (frame, place) = source.frame();
        packet.body = Body::Datagram { place, frame, seq: packet.sequence() };
    }
}

/// Packets that are added to a list during the run.
#[derive(Clone)]
struct Injected {
    /// Times, sizes and markings of the packets to come.
    waiting: VecDeque<(Time, u32, Marking)>,
    /// The marking of the flow's own packets.
    own: Marking,
    /// When the last one of all goes out.
    last: Time,
    /// No packet is scheduled.
    is_idle: bool,
}

impl Injected {
    /// What follows the packet that went out at `now`.
    fn next(&mut self, now: Time, template: &mut PacketTemplate) -> Emission {
        match self.waiting.pop_front() {
            Some((at, size, marking)) => {
                (template.ecn, template.precedence) = (marking.ecn, marking.precedence);
                Emission { after: at.since(now), size }
            }
            None => {
                self.is_idle = true;
                Emission { after: Duration::FOREVER, size: 0 }
            }
        }
    }
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
    /// A source that begins at `start` and sends nothing after `stop`, nor after the `end` of the run; and when it sends first,
    /// or never. One that has frames or adapts its rate has `requests` for rates, by time, or none of them.
    pub fn new(
        template: PacketTemplate,
        (mut source, mut stream): (AnySource, Stream),
        requests: Option<Arc<[(Time, Rate)]>>,
        (start, stop): (Time, Time),
        end: Time,
    ) -> (OpenLoopSource, Time) {
        let emission = source.first(&mut stream);
        let first = start + emission.after;
        let pattern = match source.period() {
            Some(period) => Pattern::Constant { first, period },
            None => {
                let injected = match &source {
                    AnySource::Packets(list) => {
                        let own = Marking { ecn: template.ecn, precedence: template.precedence };
                        let is_idle = emission.after == Duration::FOREVER;
                        Some(Injected { waiting: VecDeque::new(), own, last: start + list.span(), is_idle })
                    }
                    _ => None,
                };
                let requests = requests.map(|all| Requests { all, told: 0 });
                Pattern::Drawn(Box::new(Drawn { source, stream, counts: SentCounts::default(), injected, requests }))
            }
        };
        let stop = if stop < end { stop } else { Time::NEVER };
        let source = OpenLoopSource { template, pattern, stop, size: emission.size, seq: 0 };
        (source, if first <= stop { first } else { Time::NEVER })
    }

    /// Adds a packet to a list; returns the time for which to schedule it, or never if another one comes before it.
    ///
    /// # Errors
    /// The earliest and the latest time of a further packet, if `at` is not between them.
    pub fn inject(&mut self, (at, size, marking): (Time, u32, Option<Marking>)) -> Result<Time, (Time, Time)> {
        let Pattern::Drawn(drawn) = &mut self.pattern else { unreachable!("only packets of a list are added to") };
        let injected = drawn.injected.as_mut().expect("only packets of a list are added to");
        if at < injected.last || at > self.stop {
            return Err((injected.last, self.stop));
        }
        injected.last = at;
        let marking = marking.unwrap_or(injected.own);
        if !std::mem::take(&mut injected.is_idle) {
            injected.waiting.push_back((at, size, marking));
            return Ok(Time::NEVER);
        }
        (self.template.ecn, self.template.precedence) = (marking.ecn, marking.precedence);
        self.size = size;
        Ok(at)
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
    pub fn send(&mut self, now: Time, measured: Measurement, place: u32, host_context: &mut HostContext<'_, '_>) -> Time {
        let mut packet = self.template.packet(now, self.size, Body::datagram(self.seq));
        self.seq = self.seq.wrapping_add(1);
        let after = match &mut self.pattern {
            Pattern::Constant { period, .. } => *period,
            Pattern::Drawn(drawn) => {
                let next = drawn.next(now, &mut packet, &mut self.template, measured.is_open(now));
                self.size = next.size;
                next.after
            }
        };
        host_context.context.record.trace(now, place, &packet, TraceEvent::Send);
        host_context.ports[self.template.departure.port as usize].add_to_batch(now, &packet, packet.hop);
        let next = now + after;
        if next <= self.stop {
            next
        } else {
            Time::NEVER
        }
    }

    /// What was sent while it was `measured`.
    pub fn sent(&self, measured: Measurement) -> SentCounts {
        match &self.pattern {
            Pattern::Constant { first, period } => {
                let until = self.stop.min(measured.to);
                let packets = sent_by(*first, *period, until.after()) - sent_by(*first, *period, measured.from.min(until.after()));
                SentCounts { packets, bytes: packets * u64::from(self.size), ..SentCounts::default() }
            }
            Pattern::Drawn(drawn) => drawn.counts,
        }
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
