//! The edges of a PCN domain: what an ingress and an egress do about one aggregate between them.
//!
//! Both are state machines without I/O. After every input the caller asks `next_signal` until it answers `None`, then looks
//! at `deadline`, the instant at which `on_timer` is due. Signals travel between the two with a delay.

use crate::packet::PcnMark;
use crate::rng::Key;
use crate::units::{Bytes, Rate, Time};

/// What the edges of an aggregate tell each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// Ingress to egress: call `call` asks to be admitted while the aggregate has `live` calls.
    Request {
        /// The call's serial number within its aggregate.
        call: u32,
        /// Admitted calls of the aggregate when it asked.
        live: u32,
    },
    /// Egress to ingress: what it knows when the request arrives.
    Answer {
        /// The call that asked.
        call: u32,
        /// The congestion level estimate (CLE).
        level: f64,
    },
    /// Ingress to egress: a call has ended.
    Ended,
}

/// What becomes of a call that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may send at once.
    Admit,
    /// It is refused.
    Block,
    /// The egress is asked; the answer decides.
    Ask,
}

/// What the edges know of their aggregate when they are built.
#[derive(Clone, Copy, Debug)]
pub struct EdgeContext {
    /// The random streams under this aggregate.
    pub key: Key,
    /// The long-term mean rate of one call.
    pub call_rate: Rate,
}

/// The ingress of one aggregate.
#[derive(Debug)]
pub struct Ingress {}

/// The egress of one aggregate.
#[derive(Debug)]
pub struct Egress {}

impl Ingress {
    /// Builds the ingress of an aggregate.
    pub fn new(context: &EdgeContext) -> Ingress {
        let _ = context;
        Ingress {}
    }

    /// A call arrives while the aggregate has `live` admitted calls.
    pub fn on_call(&mut self, now: Time, call: u32, live: u32) -> Decision {
        let _ = (now, call, live);
        Decision::Admit
    }

    /// A call has ended; `live` calls are left.
    pub fn on_end(&mut self, now: Time, live: u32) {
        let _ = (now, live);
    }

    /// A packet of the aggregate goes out.
    #[inline]
    pub fn on_sent(&mut self, now: Time, size: Bytes) {
        let _ = (now, size);
    }

    /// A signal from the egress; for an answer, the call and whether it is admitted.
    pub fn on_signal(&mut self, now: Time, signal: Signal, live: u32) -> Option<(u32, bool)> {
        let _ = (now, signal, live);
        None
    }

    /// The instant at which [`Ingress::on_timer`] is due.
    pub fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// A deadline has come.
    pub fn on_timer(&mut self, now: Time, live: u32) {
        let _ = (now, live);
    }

    /// The next signal to send to the egress.
    pub fn next_signal(&mut self) -> Option<Signal> {
        None
    }

    /// How many calls to terminate now; asked once after every input.
    pub fn next_cut(&mut self) -> u32 {
        0
    }
}

impl Egress {
    /// Builds the egress of an aggregate.
    pub fn new(context: &EdgeContext) -> Egress {
        let _ = context;
        Egress {}
    }

    /// A packet of the aggregate arrives.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        let _ = (now, size, mark);
    }

    /// A signal from the ingress. `counted` counts the calls of all aggregates of the group that end at this node, for
    /// admission by counting.
    pub fn on_signal(&mut self, now: Time, signal: Signal, counted: &mut u32) {
        let _ = (now, signal, counted);
    }

    /// The instant at which [`Egress::on_timer`] is due.
    pub fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// A deadline has come.
    pub fn on_timer(&mut self, now: Time) {
        let _ = now;
    }

    /// The next signal to send to the ingress.
    pub fn next_signal(&mut self) -> Option<Signal> {
        None
    }
}
