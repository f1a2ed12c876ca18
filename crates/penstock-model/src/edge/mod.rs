//! Edges of a PCN domain: state machines at the ingress and at the egress of one aggregate.
//!
//! Both are state machines without I/O. After every input the caller calls `next_signal` until it returns `None`, then reads
//! `deadline`, the instant at which `on_timer` is due. The caller delivers the signals between the two with a delay.

pub mod admission;
pub mod ewma;
pub mod rate_meter;
pub mod report;
pub mod termination;

use crate::packet::PcnMark;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate, Time};
pub use admission::AdmissionPlan;
pub use report::Report;
use report::Reporter;
use std::collections::VecDeque;
pub use termination::{TerminationPlan, Victims};

/// A signal between the edges of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// Ingress to egress: call `call` requests admission while the aggregate has `live` calls.
    Request {
        /// Serial number of the call within its aggregate.
        call: u32,
        /// Admitted calls of the aggregate at the time of the request.
        live: u32,
    },
    /// Egress to ingress: estimate of the egress when the request arrives.
    Answer {
        /// Call of the request.
        call: u32,
        /// Congestion level estimate (CLE).
        level: f64,
    },
    /// Ingress to egress: a call has ended.
    Ended,
    /// Ingress to egress: calls have been terminated, so runs of marked packets and measurements restart.
    Restart,
    /// Egress to ingress: too much arrives. Carries the receiving rate, once it is known.
    Receiving(Option<Rate>),
    /// Egress to ingress: too much arrives. Carries the share of the sent packets that arrived.
    Arriving(f64),
    /// Egress to ingress: enough has been terminated.
    Cancel,
    /// Egress to ingress: more than the sustainable aggregate rate (SAR) arrives. Carries the SAR.
    Sustainable(Rate),
    /// Egress to ingress: the rates of an interval, by mark.
    Report(Report),
    /// Egress to ingress: a packet of this call is excess-traffic-marked.
    Marked(u32),
}

// Signals are stored in queues between processes.
const _: () = assert!(std::mem::size_of::<Signal>() <= 48);

/// Decision on a call that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call may send immediately.
    Admit,
    /// The call is refused.
    Block,
    /// The caller sends a [`Signal::Request`] to the egress; the answer decides.
    Ask,
}

/// Properties of an aggregate from which its edges are built.
#[derive(Clone, Debug)]
pub struct EdgeContext {
    /// Site of the aggregate.
    pub site: Site,
    /// Long-term mean rate of one call.
    pub call_rate: Rate,
    /// Number of calls present from the start, which need no admission.
    pub initial: u32,
}

impl EdgeContext {
    /// A context of no particular aggregate, for queries about a plan.
    pub(crate) fn trial() -> EdgeContext {
        EdgeContext { site: Site::trial(), call_rate: Rate::from_bps(64_000), initial: 0 }
    }
}

/// Refuses a report interval of zero.
fn check_interval(every: Duration) -> Result<(), String> {
    match every {
        Duration::ZERO => Err("an interval of reports must be above zero".to_owned()),
        _ => Ok(()),
    }
}

/// Reason why an admission and a termination scheme cannot be combined; `None` if they can.
pub fn mistake(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>) -> Option<String> {
    let one = admission.as_ref().and_then(AdmissionPlan::reports_every)?;
    let other = termination.as_ref().and_then(TerminationPlan::reports_every)?;
    let differ = one != other;
    differ.then(|| {
        format!("admission and termination share the egress' reports: measuring-interval is {one} for one and {other} for the other")
    })
}

/// Whether the egress sends only answers to requests.
pub fn only_answers(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>) -> bool {
    termination.is_none() && admission.as_ref().is_none_or(|admission| admission.reports_every().is_none())
}

/// Ingress of one aggregate.
#[derive(Clone)]
pub struct Ingress {
    admission: admission::AtIngress,
    termination: termination::AtIngress,
    signals: VecDeque<Signal>,
    cut: u32,
    marked: Option<u32>,
}

impl Ingress {
    /// Builds the ingress of an aggregate.
    pub fn new(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>, context: &EdgeContext) -> Ingress {
        Ingress {
            admission: admission::AtIngress::new(admission, context),
            termination: termination::AtIngress::new(termination, context),
            signals: VecDeque::new(),
            cut: 0,
            marked: None,
        }
    }

    /// Decides on a call that arrives while the aggregate has `live` admitted calls.
    pub fn on_call(&mut self, now: Time, call: u32, live: u32) -> Decision {
        let _ = call;
        self.admission.on_call(now, live)
    }

    /// Whether a call would be admitted while the aggregate has `live` calls; `None` if the egress decides or the scheme does not say.
    pub fn admits_now(&self, live: u32) -> Option<bool> {
        self.admission.admits_now(live)
    }

    /// Records that a call has ended on its own or after [`Ingress::take_marked`]; `live` calls are left. Calls terminated by
    /// [`Ingress::next_cut`] are not reported here.
    pub fn on_end(&mut self, now: Time, live: u32) {
        let _ = (now, live);
        self.signals.extend(self.admission.on_end());
    }

    /// Records that a packet of the aggregate is sent. This neither changes the deadline nor causes a signal.
    #[inline]
    pub fn on_sent(&mut self, now: Time, size: Bytes) {
        self.termination.on_sent(now, size);
    }

    /// Handles a signal from the egress. For an answer, returns the call and whether it is admitted.
    pub fn on_signal(&mut self, now: Time, signal: Signal, live: u32) -> Option<(u32, bool)> {
        if let Signal::Answer { call, level } = signal {
            return Some((call, self.admission.admits(level)));
        }
        if let Signal::Marked(call) = signal {
            self.marked = Some(call);
        }
        self.admission.on_signal(now, signal);
        let cut = self.termination.on_signal(now, signal, live);
        self.terminate(cut);
        None
    }

    /// Instant at which [`Ingress::on_timer`] is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.termination.deadline()
    }

    /// Handles a deadline.
    pub fn on_timer(&mut self, now: Time, live: u32) {
        if self.termination.deadline() <= now {
            let cut = self.termination.on_timer(now, live);
            self.terminate(cut);
        }
    }

    /// Next signal to send to the egress.
    pub fn next_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// Number of calls to terminate now, at most the live ones. Called once after every input, before [`Ingress::next_signal`].
    pub fn next_cut(&mut self) -> u32 {
        let cut = std::mem::take(&mut self.cut);
        for _ in 0..cut {
            self.signals.extend(self.admission.on_end());
        }
        cut
    }

    /// Call to terminate now, if it is live. Called once after every input, before [`Ingress::next_signal`].
    pub fn take_marked(&mut self) -> Option<u32> {
        self.marked.take()
    }

    fn terminate(&mut self, calls: u32) {
        self.cut += calls;
        if calls > 0 && self.termination.restarts() {
            self.signals.push_back(Signal::Restart);
        }
    }
}

/// Egress of one aggregate.
#[derive(Clone)]
pub struct Egress {
    admission: admission::AtEgress,
    /// Boxed, so that an aggregate without these options stays small; there may be very many aggregates.
    more: Option<Box<EgressOptions>>,
    signals: VecDeque<Signal>,
}

/// Optional functions of an egress.
#[derive(Clone)]
struct EgressOptions {
    termination: termination::AtEgress,
    /// Shared by admission and termination schemes that use reports.
    reporter: Option<Reporter>,
}

impl Egress {
    /// Builds the egress of an aggregate.
    pub fn new(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>, context: &EdgeContext) -> Egress {
        let every = admission.as_ref().and_then(AdmissionPlan::reports_every);
        let every = every.or(termination.as_ref().and_then(TerminationPlan::reports_every));
        let more = EgressOptions { termination: termination::AtEgress::new(termination, context), reporter: every.map(Reporter::new) };
        Egress {
            admission: admission::AtEgress::new(admission, context),
            more: (termination.is_some() || every.is_some()).then(|| Box::new(more)),
            signals: VecDeque::new(),
        }
    }

    /// Handles the arrival of a packet of the aggregate; returns whether there is a signal now.
    #[inline(always)]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> bool {
        self.admission.on_packet(now, size, mark);
        let Some(signal) = self.more.as_mut().and_then(|more| more.on_packet(now, size, mark)) else { return false };
        self.signals.push_back(signal);
        true
    }

    /// Whether only the marks of packets matter, not their arrival times or sizes, so that [`Egress::on_marks`] may be used.
    #[inline]
    pub fn only_samples(&self) -> bool {
        self.more.is_none() && self.admission.only_samples()
    }

    /// Handles the arrival of a packet with this mark, at an egress that [only samples](Egress::only_samples) marks.
    #[inline(always)]
    pub fn on_mark(&mut self, mark: PcnMark) {
        self.admission.on_mark(mark);
    }

    /// Handles the arrival of packets with these marks, at an egress that [only samples](Egress::only_samples) marks.
    #[inline(always)]
    pub fn on_marks(&mut self, marks: impl Iterator<Item = PcnMark>) {
        self.admission.on_marks(marks);
    }

    /// Announces the next packet to [arrive](Egress::on_packet), at the same time: it is the `number`th of its aggregate and belongs to
    /// `call`.
    #[inline]
    pub fn on_number(&mut self, now: Time, number: u32, call: u32) {
        if let Some(more) = &mut self.more {
            more.termination.on_number(now, number, call);
        }
    }

    /// Handles a signal from the ingress. `counted` is the number of calls (initial ones included) of all aggregates of the group that end
    /// at this node, for admission by counting.
    pub fn on_signal(&mut self, now: Time, signal: Signal, counted: &mut u32) {
        self.signals.extend(self.admission.on_signal(now, signal, counted));
        if let Some(more) = &mut self.more {
            more.termination.on_signal(signal);
        }
    }

    /// Whether [`Egress::deadline`] is ever due.
    pub fn has_deadlines(&self) -> bool {
        let of_more = |more: &EgressOptions| more.termination.has_deadlines() || more.reporter.is_some();
        self.admission.has_deadlines() || self.more.as_deref().is_some_and(of_more)
    }

    /// Instant at which [`Egress::on_timer`] is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.admission.deadline().min(self.more.as_deref().map_or(Time::NEVER, EgressOptions::deadline))
    }

    /// Whether [`Egress::silent_until`] is ever later than `now`.
    pub fn may_be_silent(&self) -> bool {
        self.silent_until(Time::ZERO) > Time::ZERO
    }

    /// Lower bound on the time of the next signal, whatever arrives from `now` on; `now` if a signal is possible at any time.
    #[inline]
    pub fn silent_until(&self, now: Time) -> Time {
        if self.admission.answers() {
            return now;
        }
        self.more.as_deref().map_or(Time::NEVER, |more| more.silent_until(now))
    }

    /// Total number of packets (mod 2^32) that must have arrived before the next signal; `None` if something else can cause
    /// one.
    pub fn silent_before_packet(&self) -> Option<u32> {
        let more = self.more.as_deref().filter(|more| more.reporter.is_none() && !self.admission.answers())?;
        more.termination.silent_before_packet()
    }

    /// Handles a deadline.
    pub fn on_timer(&mut self, now: Time) {
        if self.admission.deadline() <= now {
            self.admission.on_timer(now);
        }
        let Some(more) = &mut self.more else { return };
        if more.termination.deadline() <= now {
            self.signals.extend(more.termination.on_timer(now));
        }
        if let Some(reporter) = more.reporter.as_mut().filter(|reporter| reporter.deadline() <= now) {
            self.signals.push_back(Signal::Report(reporter.on_timer(now)));
        }
    }

    /// Next signal to send to the ingress.
    #[inline]
    pub fn next_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// Congestion level that an answer would carry now; `None` if the egress has no estimate.
    pub fn level(&self, now: Time) -> Option<f64> {
        self.admission.level(now)
    }
}

impl EgressOptions {
    #[inline]
    fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> Option<Signal> {
        if let Some(reporter) = &mut self.reporter {
            reporter.on_packet(now, size, mark);
        }
        self.termination.on_packet(now, size, mark)
    }

    #[inline]
    fn silent_until(&self, now: Time) -> Time {
        let next_report = self.reporter.as_ref().map_or(Time::NEVER, |reporter| reporter.silent_until(now));
        self.termination.silent_until(now).min(next_report)
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.termination.deadline().min(self.reporter.as_ref().map_or(Time::NEVER, Reporter::deadline))
    }
}

#[cfg(test)]
mod tests;
