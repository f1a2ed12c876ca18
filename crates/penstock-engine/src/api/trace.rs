//! The rows of a trace: what happened to packets, timers and windows, when and where.

use penstock_model::discipline::DropCause;
use penstock_model::packet::Packet;
use penstock_model::units::Time;

/// The event of a trace row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceEvent {
    /// A source or a transport sent a packet.
    Send,
    /// A port accepted it.
    Accept,
    /// A port accepted it and marked it (CE), or marked it when its transmission began.
    Mark,
    /// A PCN meter marked it.
    PcnMark,
    /// It was lost; the cause.
    Drop(DropCause),
    /// Its transmission began.
    Transmit,
    /// It reached its end host.
    Receive,
    /// A timer of an end host expired.
    Timer(TimerKind),
    /// The congestion window or the slow-start threshold of a sender has changed.
    Window,
    /// A link made a copy of it.
    Duplicate,
}

/// What a timer is for; the order of simultaneous timers of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerKind {
    /// A connection opens.
    Start,
    /// A sender's retransmission timer, or the next instant at which it may send a paced segment.
    Sender,
    /// A sender's application falls silent.
    Stop,
    /// A web user requests a page.
    Page,
    /// A receiver's delayed acknowledgement.
    Receiver,
    /// The egress of an aggregate of calls.
    Egress,
    /// Of the timers of a sender: a paced segment may leave. Only in traces.
    Pacing,
    /// Whatever is due at a RoCE sender; never in traces, which tell what it was.
    Roce,
    /// Of the timers of a sender: a retransmission has waited for long enough. Only in traces.
    DelayedRetransmission,
    /// Whatever is due at a sender of a plug-in's transport; never in traces, which tell what it was.
    CustomSender,
    /// Likewise at a receiver.
    CustomReceiver,
}

impl TraceEvent {
    /// Its number in digests, where 0 is an arrival.
    pub(crate) fn code(self) -> u8 {
        match self {
            TraceEvent::Mark => 3,
            TraceEvent::Drop(cause) => 5 + cause as u8,
            _ => unreachable!("the others follow from arrivals, marks and losses"),
        }
    }
}

/// What a traced event happened to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TraceSubject {
    /// A packet, as it is after the event, without its next hop.
    Packet(Packet),
    /// An end of a flow.
    Flow(u32),
    /// A sender, with its congestion window and slow-start threshold after the event, in segments.
    Window {
        /// The flow.
        flow: u32,
        /// cwnd.
        window: f64,
        /// ssthresh; infinite before the first loss.
        threshold: f64,
    },
}

/// One traced event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRow {
    /// When.
    pub time: Time,
    /// At which node or link: a position in the blueprint's names, links after nodes.
    pub place: u32,
    /// What.
    pub event: TraceEvent,
    /// To what.
    pub subject: TraceSubject,
}

impl TraceRow {
    /// What rows are sorted by: time, then place; those that share both stay in their order.
    pub(crate) fn order(&self) -> (Time, u32) {
        (self.time, self.place)
    }

    /// The flow's serial number.
    #[inline]
    pub fn flow(&self) -> u32 {
        match &self.subject {
            TraceSubject::Packet(packet) => packet.flow.0,
            TraceSubject::Flow(flow) | TraceSubject::Window { flow, .. } => *flow,
        }
    }

    /// The packet, if it happened to one.
    #[inline]
    pub fn packet(&self) -> Option<&Packet> {
        match &self.subject {
            TraceSubject::Packet(packet) => Some(packet),
            _ => None,
        }
    }

    /// The packet's number within its flow; `u32::MAX` for what has none.
    pub fn sequence(&self) -> u32 {
        self.packet().map_or(u32::MAX, Packet::sequence)
    }

    /// Bytes of the packet on the wire; none without a packet.
    pub fn size(&self) -> u32 {
        self.packet().map_or(0, |packet| packet.size)
    }

    /// The packet's drop precedence after the event.
    pub fn precedence(&self) -> u8 {
        self.packet().map_or(0, |packet| packet.precedence)
    }
}
