//! The edges of a PCN domain: state machines of ingress and egress for one aggregate between them.
//!
//! Both are state machines without I/O. After every input the caller asks `next_signal` until it answers `None`, then looks
//! at `deadline`, the instant at which `on_timer` is due. Signals travel between the two with a delay.

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
    /// Ingress to egress: calls have been terminated, so runs of marked packets and measurements restart.
    Restart,
    /// Egress to ingress: too much arrives; how much, if that is known yet.
    Receiving(Option<Rate>),
    /// Egress to ingress: too much arrives; which share it is of what was sent.
    Arriving(f64),
    /// Egress to ingress: enough has been terminated.
    Cancel,
    /// Egress to ingress: the rate that may stay (SAR), while more arrives.
    Sustainable(Rate),
    /// Egress to ingress: the rates of an interval by mark.
    Report(Report),
}

// Messages are kept in queues between processes.
const _: () = assert!(std::mem::size_of::<Signal>() <= 48);

/// The decision about a call that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may send at once.
    Admit,
    /// It is refused.
    Block,
    /// The egress is asked, by a [`Signal::Request`] that the caller sends; the answer decides.
    Ask,
}

/// What the edges know of their aggregate when they are built.
#[derive(Clone, Debug)]
pub struct EdgeContext {
    /// The aggregate.
    pub site: Site,
    /// The long-term mean rate of one call.
    pub call_rate: Rate,
    /// Calls that are there from the start, without asking.
    pub initial: u32,
}

impl EdgeContext {
    /// One of no aggregate in particular, for questions about a plan.
    pub(crate) fn trial() -> EdgeContext {
        EdgeContext { site: Site::trial(), call_rate: Rate::from_bps(64_000), initial: 0 }
    }
}

/// Refuses an interval of reports that has no length.
fn check_interval(every: Duration) -> Result<(), String> {
    match every {
        Duration::ZERO => Err("an interval of reports must be above zero".to_owned()),
        _ => Ok(()),
    }
}

/// Why an admission and a termination do not go together; `None` if they do.
pub fn mistake(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>) -> Option<String> {
    let one = admission.as_ref().and_then(AdmissionPlan::reports_every)?;
    let other = termination.as_ref().and_then(TerminationPlan::reports_every)?;
    let differ = one != other;
    differ.then(|| {
        format!("admission and termination share the egress' reports: measuring-interval is {one} for one and {other} for the other")
    })
}

/// Whether the egress sends nothing but answers to requests.
pub fn only_answers(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>) -> bool {
    termination.is_none() && admission.as_ref().is_none_or(|admission| admission.reports_every().is_none())
}

/// The ingress of one aggregate.
#[derive(Clone)]
pub struct Ingress {
    admission: admission::AtIngress,
    termination: termination::AtIngress,
    signals: VecDeque<Signal>,
    cut: u32,
}

impl Ingress {
    /// Builds the ingress of an aggregate.
    pub fn new(admission: &Option<AdmissionPlan>, termination: &Option<TerminationPlan>, context: &EdgeContext) -> Ingress {
        Ingress {
            admission: admission::AtIngress::new(admission, context),
            termination: termination::AtIngress::new(termination, context),
            signals: VecDeque::new(),
            cut: 0,
        }
    }

    /// A call arrives while the aggregate has `live` admitted calls.
    pub fn on_call(&mut self, now: Time, call: u32, live: u32) -> Decision {
        let _ = call;
        self.admission.on_call(now, live)
    }

    /// Whether a call would be admitted while the aggregate has `live`; `None` where the egress has to be asked, or that is not known.
    pub fn admits_now(&self, live: u32) -> Option<bool> {
        self.admission.admits_now(live)
    }

    /// A call has ended on its own; `live` calls are left. Terminated calls are known from [`Ingress::next_cut`].
    pub fn on_end(&mut self, now: Time, live: u32) {
        let _ = (now, live);
        self.signals.extend(self.admission.on_end());
    }

    /// A packet of the aggregate goes out. That leaves the deadline as it is, and there is no signal.
    #[inline]
    pub fn on_sent(&mut self, now: Time, size: Bytes) {
        self.termination.on_sent(now, size);
    }

    /// A signal from the egress; for an answer, the call and whether it is admitted.
    pub fn on_signal(&mut self, now: Time, signal: Signal, live: u32) -> Option<(u32, bool)> {
        if let Signal::Answer { call, level } = signal {
            return Some((call, self.admission.admits(level)));
        }
        self.admission.on_signal(now, signal);
        let cut = self.termination.on_signal(now, signal, live);
        self.terminate(cut);
        None
    }

    /// The instant at which [`Ingress::on_timer`] is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.termination.deadline()
    }

    /// A deadline has come.
    pub fn on_timer(&mut self, now: Time, live: u32) {
        if self.termination.deadline() <= now {
            let cut = self.termination.on_timer(now, live);
            self.terminate(cut);
        }
    }

    /// The next signal to send to the egress.
    pub fn next_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// How many calls to terminate now, at most those that live; asked once after every input, before the signals.
    pub fn next_cut(&mut self) -> u32 {
        let cut = std::mem::take(&mut self.cut);
        for _ in 0..cut {
            self.signals.extend(self.admission.on_end());
        }
        cut
    }

    fn terminate(&mut self, calls: u32) {
        self.cut += calls;
        if calls > 0 && self.termination.restarts() {
            self.signals.push_back(Signal::Restart);
        }
    }
}

/// The egress of one aggregate.
#[derive(Clone)]
pub struct Egress {
    admission: admission::AtEgress,
    /// Elsewhere, so that an aggregate that has none of it is small: there may be very many.
    more: Option<Box<EgressOptions>>,
    signals: VecDeque<Signal>,
}

/// Functions that not every egress has.
#[derive(Clone)]
struct EgressOptions {
    termination: termination::AtEgress,
    /// Shared by the admission and the termination that live on reports.
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

    /// A packet of the aggregate arrives; returns whether there is a signal now.
    #[inline(always)]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> bool {
        self.admission.on_packet(now, size, mark);
        let Some(signal) = self.more.as_mut().and_then(|more| more.on_packet(now, size, mark)) else { return false };
        self.signals.push_back(signal);
        true
    }

    /// Whether [`Egress::on_marks`] is for it: only marks matter, not when their packets arrive, nor how large they are.
    #[inline]
    pub fn only_samples(&self) -> bool {
        self.more.is_none() && self.admission.only_samples()
    }

    /// A packet with this mark arrives, at an egress that [only samples](Egress::only_samples) them.
    #[inline(always)]
    pub fn on_mark(&mut self, mark: PcnMark) {
        self.admission.on_mark(mark);
    }

    /// Packets with these marks arrive, at an egress that [only samples](Egress::only_samples) them.
    #[inline(always)]
    pub fn on_marks(&mut self, marks: impl Iterator<Item = PcnMark>) {
        self.admission.on_marks(marks);
    }

    /// The next packet to [arrive](Egress::on_packet), at the same time, is the `number`th of its aggregate.
    #[inline]
    pub fn on_number(&mut self, now: Time, number: u32) {
        if let Some(more) = &mut self.more {
            more.termination.on_number(now, number);
        }
    }

    /// A signal from the ingress. `counted` counts the calls of all aggregates of the group that end at this node, initial
    /// ones included, for admission by counting.
    pub fn on_signal(&mut self, now: Time, signal: Signal, counted: &mut u32) {
        self.signals.extend(self.admission.on_signal(now, signal, counted));
        if let Some(more) = &mut self.more {
            more.termination.on_signal(signal);
        }
    }

    /// Whether there is ever a [`Egress::deadline`].
    pub fn has_deadlines(&self) -> bool {
        let of_more = |more: &EgressOptions| more.termination.has_deadlines() || more.reporter.is_some();
        self.admission.has_deadlines() || self.more.as_deref().is_some_and(of_more)
    }

    /// The instant at which [`Egress::on_timer`] is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.admission.deadline().min(self.more.as_deref().map_or(Time::NEVER, EgressOptions::deadline))
    }

    /// Whether [`Egress::silent_until`] is ever later than `now`.
    pub fn may_be_silent(&self) -> bool {
        self.silent_until(Time::ZERO) > Time::ZERO
    }

    /// Whatever arrives from `now` on, there is no signal before this; `now` where one may be caused at any time.
    #[inline]
    pub fn silent_until(&self, now: Time) -> Time {
        if self.admission.answers() {
            return now;
        }
        self.more.as_deref().map_or(Time::NEVER, |more| more.silent_until(now))
    }

    /// There is no signal before so many packets have arrived in all, modulo 2^32; `None` where something else may cause one.
    pub fn silent_before_packet(&self) -> Option<u32> {
        let more = self.more.as_deref().filter(|more| more.reporter.is_none() && !self.admission.answers())?;
        more.termination.silent_before_packet()
    }

    /// A deadline has come.
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

    /// The next signal to send to the ingress.
    #[inline]
    pub fn next_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// The congestion level that an answer would carry now; `None` where the egress keeps none.
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
