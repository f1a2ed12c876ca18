//! The receiving end of an aggregate of calls, at its egress.

use crate::api::observations::ReceivedCounts;
use crate::endpoints::counts::Received;
use crate::endpoints::host_context::HostContext;
use crate::kernel::digest::Digest;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Measurement;
use crate::kernel::message::{CallSignal, MessageBody, Peer};
use penstock_model::edge::{Egress, Signal};
use penstock_model::packet::{Body, Packet};
use penstock_model::units::{Bytes, Duration, Time};

/// The receiving end of an aggregate.
#[derive(Clone)]
pub struct CallsEgress {
    /// What has arrived in the measurement period.
    pub received: Received,
    /// Index of the count of calls that the aggregates of a group share at this node.
    pub shared_count: u32,
    /// The time of its earliest timer entry.
    pub armed: Time,
    /// Bytes received per interval, if requested.
    pub intervals: Option<Box<Intervals>>,
    /// The state machine.
    pub egress: Egress,
    has_deadlines: bool,
    ingress: Peer,
    measured: Measurement,
}

/// Bytes received in consecutive intervals of equal length from the beginning of the run.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// Their length.
    pub every: Duration,
    /// Bytes of each interval so far.
    pub bytes: Vec<u64>,
}

impl Intervals {
    #[inline]
    fn count(&mut self, now: Time, size: u32) {
        let index = (now.as_ps() / self.every.as_ps()) as usize;
        if index >= self.bytes.len() {
            self.bytes.resize(index + 1, 0);
        }
        self.bytes[index] += u64::from(size);
    }
}

impl CallsEgress {
    /// An egress at which nothing has arrived yet.
    pub fn new(received: Received, egress: Egress, ingress: Peer, measured: Measurement, every: Option<Duration>) -> CallsEgress {
        CallsEgress {
            received,
            shared_count: 0,
            armed: Time::NEVER,
            intervals: every.map(|every| Box::new(Intervals { every, bytes: Vec::new() })),
            has_deadlines: egress.has_deadlines(),
            egress,
            ingress,
            measured,
        }
    }

    /// Handles a packet of the aggregate, with its number and call if it is a media packet; returns whether the deadline may have changed.
    #[inline(always)]
    pub fn on_packet(&mut self, now: Time, packet: &Packet, of_call: Option<(u32, u32)>, host_context: &mut HostContext<'_, '_>) -> bool {
        if self.measured.is_open(now) {
            self.received.count(now, packet);
        }
        if let Some(intervals) = &mut self.intervals {
            intervals.count(now, packet.size);
        }
        if let Some((number, call)) = of_call {
            self.egress.on_number(now, number, call);
        }
        if self.egress.on_packet(now, Bytes::new(u64::from(packet.size)), packet.pcn) {
            self.send_signals(now, host_context);
        }
        self.has_deadlines
    }

    /// Whether arrivals are only counted and sampled for marks, and set no deadline.
    #[inline]
    pub fn only_samples(&self) -> bool {
        self.intervals.is_none() && !self.received.is_recorded() && self.egress.only_samples()
    }

    /// Takes a media packet where the egress [only samples](CallsEgress::only_samples).
    #[inline(always)]
    pub fn on_sample(&mut self, now: Time, packet: &Packet, is_counted: bool) {
        if is_counted {
            self.received.count_unrecorded(now, packet);
        }
        self.egress.on_mark(packet.pcn);
    }

    /// Fast path where the egress [only samples](CallsEgress::only_samples): takes leading media packets of one aggregate that
    /// arrive before `bound` and adds them to `digest`, with all state in registers. Returns how many; the first is one.
    #[inline(never)]
    pub fn on_media_batch(&mut self, arrivals: &[Arrival], mut bound: Time, digest: &mut Digest) -> usize {
        let Some((flow, from)) = arrivals.first().map(|first| (first.packet.flow, first.at)) else { return 0 };
        let is_counted = self.measured.is_open(from);
        if !is_counted {
            bound = bound.min(self.measured.from);
        }
        let (mut hash, mut received, mut taken) = (*digest, ReceivedCounts::default(), 0);
        let is_next = |Arrival { at, packet }: &&Arrival| *at < bound && packet.flow == flow && matches!(packet.body, Body::Media { .. });
        self.egress.on_marks(arrivals.iter().take_while(is_next).map(|Arrival { at, packet }| {
            hash.packet(*at, packet, 0);
            if is_counted {
                received.count(*at, packet);
            }
            taken += 1;
            packet.pcn
        }));
        self.received.add(&received);
        *digest = hash;
        taken
    }

    /// Handles a signal from the ingress.
    pub fn on_signal(&mut self, now: Time, signal: Signal, counted: &mut u32, host_context: &mut HostContext<'_, '_>) {
        self.egress.on_signal(now, signal, counted);
        self.send_signals(now, host_context);
    }

    /// When [`CallsEgress::on_timer`] is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        if self.has_deadlines {
            self.egress.deadline()
        } else {
            Time::NEVER
        }
    }

    /// Handles the deadline.
    pub fn on_timer(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        self.egress.on_timer(now);
        self.send_signals(now, host_context);
    }

    #[inline(never)]
    fn send_signals(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        while let Some(signal) = self.egress.next_signal() {
            let body = MessageBody::Call(CallSignal { flow: self.received.flow, to_egress: false, signal });
            host_context.context.outputs.send_message(now, &mut self.ingress, body);
        }
    }
}
