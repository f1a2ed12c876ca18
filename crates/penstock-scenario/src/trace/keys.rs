//! The keys of `[[trace]]`.

use crate::read::values::{Names, RunTime};
use penstock_engine::observations::TraceEvent;
use penstock_model::parameters::{Check, ListItem};
use penstock_model::units::Duration;

penstock_model::choice! {
    /// What happened.
    pub enum EventKind {
        /// A source, a transport or a switch sent a packet.
        "send" => Send,
        /// A port accepted a packet that arrived.
        "accept" => Accept,
        /// A packet was marked: by a queue discipline (CE), or by a PCN meter.
        "mark" => Mark,
        /// A packet was dropped, or lost on the wire.
        "drop" => Drop,
        /// The transmission of a packet began.
        "transmit" => Transmit,
        /// A packet was received by the end host that it was for.
        "receive" => Receive,
        /// A timer of an end host expired.
        "timer" => Timer,
        /// The congestion window or the slow-start threshold of a TCP sender changed.
        "window" => Window,
        /// A link made a copy of a packet, as `duplication` has it do.
        "duplicate" => Duplicate,
    }
}
impl ListItem for EventKind {}

impl EventKind {
    /// All kinds, in the order of their numbers.
    pub const WORDS: [&'static str; 9] = ["send", "accept", "mark", "drop", "transmit", "receive", "timer", "window", "duplicate"];

    /// The kind of an event.
    #[inline]
    pub fn of(event: TraceEvent) -> EventKind {
        match event {
            TraceEvent::Send => EventKind::Send,
            TraceEvent::Accept => EventKind::Accept,
            TraceEvent::Mark | TraceEvent::PcnMark => EventKind::Mark,
            TraceEvent::Drop(_) => EventKind::Drop,
            TraceEvent::Transmit => EventKind::Transmit,
            TraceEvent::Receive => EventKind::Receive,
            TraceEvent::Timer(_) => EventKind::Timer,
            TraceEvent::Window => EventKind::Window,
            TraceEvent::Duplicate => EventKind::Duplicate,
        }
    }
}

penstock_model::parameters! {
    /// Events that `penstock trace` keeps. With several tables, an event is kept if any of them selects it; without
    /// any, all events are kept. No number or digest depends on this, and `penstock run` records no trace.
    pub struct TraceKeys {
        /// Places of the events: links such as `r1-r2` or `hosts[3]-r1`, nodes, groups of links or nodes, or members of groups. A node includes the ports of the links that begin there. Everywhere if left out.
        at: Option<Names>;
        /// The flows to trace: groups of flows or calls, or members such as `tcp[3]`; all if left out.
        flows: Option<Names>;
        /// Kinds of events; all if left out.
        events: Option<Vec<EventKind>>;
        /// Start of the trace, inclusive.
        start: RunTime = "0 s";
        /// End of the trace, inclusive; the end of the run if left out.
        stop: Option<RunTime>;
    }
}
impl Check for TraceKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let (RunTime(start), stop) = (self.start, self.stop.map_or(Duration::FOREVER, |stop| stop.0));
        if stop < start {
            mistake("stop", format!("{stop} is before the start at {start}, so nothing would be traced"));
        }
    }
}
