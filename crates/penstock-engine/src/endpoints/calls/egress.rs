//! The receiving end of an aggregate of calls, at its egress.

use crate::endpoints::counts::{Received, Tally};
use crate::kernel::digest::Digest;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Window;
use crate::kernel::message::{CallSignal, Message, MessageBody, MessageOrder, Peer};
use crate::node::host::HostContext;
use penstock_model::edge::{Egress, Signal};
use penstock_model::id::FlowId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::{Bytes, Duration, Time};

/// The receiving end of an aggregate.
pub struct CallsEgress {
    /// The aggregate.
    pub flow: FlowId,
    /// What has arrived in the window.
    pub received: Received,
    /// Which count of calls, shared by the aggregates of a group that end at this node, is this one's.
    pub shared_count: u32,
    /// The time of its earliest timer entry.
    pub armed: Time,
    /// Bytes received per interval, if asked for.
    pub intervals: Option<Box<Intervals>>,
    egress: Egress,
    has_deadlines: bool,
    ingress: Peer,
    messages: u32,
    window: Window,
}

/// Bytes received in each of a row of equal intervals from the beginning of the run.
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
    /// An aggregate of which nothing has arrived.
    pub fn new(received: Received, egress: Egress, ingress: Peer, window: Window, every: Option<Duration>) -> CallsEgress {
        CallsEgress {
            flow: received.flow,
            received,
            shared_count: 0,
            armed: Time::NEVER,
            intervals: every.map(|every| Box::new(Intervals { every, bytes: Vec::new() })),
            has_deadlines: egress.has_deadlines(),
            egress,
            ingress,
            messages: 0,
            window,
        }
    }

    /// A packet of the aggregate arrives, with its number if it is one of a call; tells whether the deadline may be another
    /// now.
    #[inline(always)]
    pub fn on_packet(&mut self, now: Time, packet: &Packet, number: Option<u32>, host_context: &mut HostContext<'_, '_>) -> bool {
        if self.window.is_open(now) {
            self.received.count(now, packet);
        }
        if let Some(intervals) = &mut self.intervals {
            intervals.count(now, packet.size);
        }
        if let Some(number) = number {
            self.egress.on_number(number);
        }
        if self.egress.on_packet(now, Bytes::new(u64::from(packet.size)), packet.pcn) {
            self.follow_up(now, host_context);
        }
        self.has_deadlines
    }

    /// Whether nothing more is to be known of what arrives than counts and marks, and no deadline comes of it.
    #[inline]
    pub fn only_samples(&self) -> bool {
        self.intervals.is_none() && !self.received.is_watched() && self.egress.only_samples()
    }

    /// Takes packets of calls that arrive at an end that [only samples](CallsEgress::only_samples), as long as they are of its
    /// aggregate and arrive before `bound`, and adds them to `digest`: one loop with all in registers. Returns how many; the
    /// first is one.
    #[inline(never)]
    pub fn on_run(&mut self, arrivals: &[Arrival], bound: Time, digest: &mut Digest) -> usize {
        let Some(first) = arrivals.first() else { return 0 };
        let (flow, counts) = (first.packet.flow, self.window.is_open(first.at));
        let bound = if counts { bound } else { bound.min(self.window.from) };
        let (mut hash, mut tally, mut taken) = (*digest, Tally::default(), 0);
        let is_next = |Arrival { at, packet }: &&Arrival| *at < bound && packet.flow == flow && matches!(packet.body, Body::Media { .. });
        self.egress.on_marks(arrivals.iter().take_while(is_next).map(|Arrival { at, packet }| {
            hash.packet(*at, packet, 0);
            tally.count(*at, packet);
            taken += 1;
            packet.pcn
        }));
        if counts {
            self.received.count_all(&tally);
        }
        *digest = hash;
        taken
    }

    /// A signal from the ingress.
    pub fn on_signal(&mut self, now: Time, signal: Signal, counted: &mut u32, host_context: &mut HostContext<'_, '_>) {
        self.egress.on_signal(now, signal, counted);
        self.follow_up(now, host_context);
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

    /// A deadline has come.
    pub fn on_timer(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        self.egress.on_timer(now);
        self.follow_up(now, host_context);
    }

    #[inline(never)]
    fn follow_up(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        while let Some(signal) = self.egress.next_signal() {
            let message = Message {
                at: now + self.ingress.delay,
                order: MessageOrder::of_call(self.flow, false, self.messages),
                body: MessageBody::Call(CallSignal { flow: self.flow, to_egress: false, signal }),
            };
            self.messages += 1;
            host_context.context.outputs.send_message(self.ingress.process, message);
        }
    }
}
