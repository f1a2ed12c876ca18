//! Flow termination: the schemes, each with its state machines at ingress and egress.

pub mod cl;
pub mod cut;
pub mod marked_flow;
pub mod reported;
pub mod rfc_6661;
pub mod rfc_6662;
pub mod scheme;
pub mod single_threshold;
pub mod sm;
pub mod sustainable;

use super::{EdgeContext, Signal};
use crate::edge::admission::cle::Marks;
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Time};
pub use cut::Victims;
pub use scheme::{TerminationEgress, TerminationIngress, TerminationScheme, Terminations};

crate::component_plans! {
    /// A termination scheme with its parameters, as a scenario gives it.
    pub enum TerminationPlan of "termination" open Terminations {
        "single-threshold" => SingleThreshold(single_threshold::Parameters),
        "cl" => Cl(cl::Parameters),
        "sm" => Sm(sm::Parameters),
        "rfc-6661" => Rfc6661(rfc_6661::Parameters),
        "rfc-6662" => Rfc6662(rfc_6662::Parameters),
        "marked-flow" => MarkedFlow(marked_flow::Parameters),
    }
}

impl TerminationPlan {
    /// The scheme as plug-ins build it; `None` for the built-in schemes, which have variants of [`AtIngress`] and [`AtEgress`].
    fn scheme(&self, context: &EdgeContext) -> Option<TerminationScheme> {
        match self {
            TerminationPlan::SingleThreshold(_) | TerminationPlan::Cl(_) | TerminationPlan::Sm(_) => None,
            TerminationPlan::Rfc6661(_) | TerminationPlan::Rfc6662(_) | TerminationPlan::MarkedFlow(_) => None,
            TerminationPlan::Custom(it) => Some(it.build(context)),
        }
    }

    /// The scheme of no particular aggregate, for queries.
    fn trial(&self) -> Option<TerminationScheme> {
        self.scheme(&EdgeContext::trial())
    }

    /// Rule that selects the calls to terminate.
    pub fn victims(&self) -> Victims {
        match self {
            TerminationPlan::SingleThreshold(parameters) => parameters.victims,
            TerminationPlan::Cl(parameters) => parameters.victims,
            TerminationPlan::Sm(parameters) => parameters.victims,
            TerminationPlan::Rfc6661(parameters) => parameters.victims,
            TerminationPlan::Rfc6662(parameters) => parameters.victims,
            // Marked packets determine the calls.
            TerminationPlan::MarkedFlow(_) => Victims::Random,
            _ => self.trial().expect("the others are above").victims,
        }
    }

    /// Marks that the scheme [declares](TerminationScheme::reading) to read, if any.
    pub fn declared_marks(&self) -> Option<Marks> {
        match self {
            TerminationPlan::MarkedFlow(_) => Some(Marks::Excess),
            _ => self.trial()?.marks,
        }
    }

    /// Whether the scheme has no effect without marks.
    pub fn needs_marks(&self) -> bool {
        self.trial().is_none_or(|it| it.marks.is_some())
    }

    /// Interval of the egress' reports; `None` for schemes that do not use reports.
    pub fn reports_every(&self) -> Option<Duration> {
        match self {
            TerminationPlan::Rfc6661(parameters) => Some(parameters.measuring_interval),
            TerminationPlan::Rfc6662(parameters) => Some(parameters.measuring_interval),
            _ => self.trial()?.reports_every,
        }
    }
}

/// Termination at the ingress, which decides on a number of calls.
#[derive(Clone)]
pub(super) enum AtIngress {
    /// No number of calls to decide on: there is no termination, or marks select the calls.
    Never,
    /// Terminates a share of the calls in every interval.
    SingleThreshold(single_threshold::Ingress),
    /// Terminates calls down to a rate that the egress measures (CL, SM).
    Sustainable(sustainable::Ingress),
    /// Terminates calls down to a rate derived from the reports (RFC 6661, RFC 6662).
    Reported(reported::Ingress),
    /// A scheme behind the traits of plug-ins.
    Custom(Box<dyn TerminationIngress + Send>),
}

impl AtIngress {
    pub(super) fn new(plan: &Option<TerminationPlan>, context: &EdgeContext) -> AtIngress {
        match plan {
            None | Some(TerminationPlan::MarkedFlow(_)) => AtIngress::Never,
            Some(TerminationPlan::SingleThreshold(it)) => AtIngress::SingleThreshold(single_threshold::Ingress::new(it, context)),
            Some(TerminationPlan::Cl(it)) => AtIngress::Sustainable(sustainable::Ingress::new(it.ingress(context))),
            Some(TerminationPlan::Sm(it)) => AtIngress::Sustainable(sustainable::Ingress::new(it.ingress(context))),
            Some(TerminationPlan::Rfc6661(it)) => AtIngress::Reported(reported::Ingress::new(it.ingress(context))),
            Some(TerminationPlan::Rfc6662(it)) => AtIngress::Reported(reported::Ingress::new(it.ingress(context))),
            Some(plan) => AtIngress::Custom(plan.scheme(context).expect("the others are above").ingress),
        }
    }

    #[inline]
    pub(super) fn on_sent(&mut self, now: Time, size: Bytes) {
        match self {
            AtIngress::Never => {}
            AtIngress::SingleThreshold(it) => it.on_sent(size),
            AtIngress::Sustainable(it) => it.on_sent(now, size),
            AtIngress::Reported(it) => it.on_sent(size),
            AtIngress::Custom(it) => it.on_sent(now, size),
        }
    }

    pub(super) fn on_signal(&mut self, now: Time, signal: Signal, live: u32) -> u32 {
        match (self, signal) {
            (AtIngress::SingleThreshold(it), Signal::Receiving(rate)) => it.on_receiving(now, rate),
            (AtIngress::SingleThreshold(it), Signal::Arriving(share)) => it.on_arriving(now, share),
            (AtIngress::SingleThreshold(it), Signal::Cancel) => it.on_cancel(),
            (AtIngress::Sustainable(it), Signal::Sustainable(rate)) => return it.on_sustainable(now, rate, live),
            (AtIngress::Reported(it), Signal::Report(report)) => return it.on_report(now, report, live),
            (AtIngress::Custom(it), Signal::Report(report)) => return it.on_report(now, report, live).min(live),
            (AtIngress::Custom(it), Signal::Sustainable(rate)) => return it.on_sustainable(now, rate, live).min(live),
            _ => {}
        }
        0
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self {
            AtIngress::Never => Time::NEVER,
            AtIngress::SingleThreshold(it) => it.deadline(),
            AtIngress::Sustainable(it) => it.deadline(),
            AtIngress::Reported(it) => it.deadline(),
            AtIngress::Custom(it) => it.deadline(),
        }
    }

    pub(super) fn on_timer(&mut self, now: Time, live: u32) -> u32 {
        match self {
            AtIngress::Never => 0,
            AtIngress::SingleThreshold(it) => it.on_timer(now, live),
            AtIngress::Sustainable(it) => it.on_timer(now, live),
            AtIngress::Reported(it) => it.on_timer(now, live),
            AtIngress::Custom(it) => it.on_timer(now, live).min(live),
        }
    }

    /// Whether the egress restarts after a cut.
    pub(super) fn restarts(&self) -> bool {
        match self {
            AtIngress::Never | AtIngress::Reported(_) => false,
            AtIngress::SingleThreshold(it) => it.restarts(),
            AtIngress::Sustainable(it) => it.restarts(),
            AtIngress::Custom(it) => it.restarts(),
        }
    }
}

/// Termination at the egress.
#[derive(Clone)]
pub(super) enum AtEgress {
    /// Sends nothing besides the reports.
    Silent,
    /// Detects runs of marked packets.
    SingleThreshold(single_threshold::Egress),
    /// Measures the SAR (CL, SM).
    Sustainable(sustainable::Egress),
    /// Names the calls of marked packets.
    MarkedFlow(marked_flow::Egress),
    /// A scheme behind the traits of plug-ins.
    Custom(Box<dyn TerminationEgress + Send>),
}

impl AtEgress {
    pub(super) fn new(plan: &Option<TerminationPlan>, context: &EdgeContext) -> AtEgress {
        match plan {
            None | Some(TerminationPlan::Rfc6661(_) | TerminationPlan::Rfc6662(_)) => AtEgress::Silent,
            Some(TerminationPlan::SingleThreshold(it)) => AtEgress::SingleThreshold(single_threshold::Egress::new(it)),
            Some(TerminationPlan::Cl(it)) => AtEgress::Sustainable(sustainable::Egress::new(it.egress(context))),
            Some(TerminationPlan::Sm(it)) => AtEgress::Sustainable(sustainable::Egress::new(it.egress())),
            Some(TerminationPlan::MarkedFlow(_)) => AtEgress::MarkedFlow(marked_flow::Egress::default()),
            Some(plan) => plan.scheme(context).and_then(|it| it.egress).map_or(AtEgress::Silent, AtEgress::Custom),
        }
    }

    #[inline]
    pub(super) fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> Option<Signal> {
        match self {
            AtEgress::Silent => None,
            AtEgress::SingleThreshold(it) => it.on_packet(now, size, mark),
            AtEgress::Sustainable(it) => {
                it.on_packet(now, size, mark);
                None
            }
            AtEgress::MarkedFlow(it) => it.on_packet(mark),
            AtEgress::Custom(it) => it.on_packet(now, size, mark).map(Signal::Sustainable),
        }
    }

    #[inline]
    pub(super) fn on_number(&mut self, now: Time, number: u32, call: u32) {
        match self {
            AtEgress::SingleThreshold(it) => it.on_number(now, number),
            AtEgress::MarkedFlow(it) => it.on_call_packet(call),
            _ => {}
        }
    }

    pub(super) fn on_signal(&mut self, signal: Signal) {
        match (self, signal) {
            (AtEgress::SingleThreshold(it), Signal::Restart) => it.on_restart(),
            (AtEgress::Sustainable(it), Signal::Restart) => it.on_restart(),
            (AtEgress::Custom(it), Signal::Restart) => it.on_restart(),
            _ => {}
        }
    }

    pub(super) fn has_deadlines(&self) -> bool {
        matches!(self, AtEgress::Sustainable(_) | AtEgress::Custom(_))
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self {
            AtEgress::Silent | AtEgress::SingleThreshold(_) | AtEgress::MarkedFlow(_) => Time::NEVER,
            AtEgress::Sustainable(it) => it.deadline(),
            AtEgress::Custom(it) => it.deadline(),
        }
    }

    /// Lower bound on the time of the next signal, whatever arrives from `now` on.
    #[inline]
    pub(super) fn silent_until(&self, now: Time) -> Time {
        match self {
            AtEgress::Silent => Time::NEVER,
            AtEgress::SingleThreshold(_) | AtEgress::MarkedFlow(_) | AtEgress::Custom(_) => now,
            AtEgress::Sustainable(it) => it.silent_until(now),
        }
    }

    /// Total number of packets (mod 2^32) that must have arrived before the next signal; `None` if something else can cause
    /// one.
    pub(super) fn silent_before_packet(&self) -> Option<u32> {
        match self {
            AtEgress::SingleThreshold(it) => Some(it.silent_before_packet()),
            AtEgress::Silent | AtEgress::Sustainable(_) | AtEgress::MarkedFlow(_) | AtEgress::Custom(_) => None,
        }
    }

    pub(super) fn on_timer(&mut self, now: Time) -> Option<Signal> {
        match self {
            AtEgress::Silent | AtEgress::SingleThreshold(_) | AtEgress::MarkedFlow(_) => None,
            AtEgress::Sustainable(it) => it.on_timer(now),
            AtEgress::Custom(it) => it.on_timer(now).map(Signal::Sustainable),
        }
    }
}

/// Reports intervals of zero length.
fn check_intervals<const N: usize>(mistake: &mut dyn FnMut(&str, String), intervals: [(&str, Duration); N]) {
    for (key, interval) in intervals {
        if interval == Duration::ZERO {
            mistake(key, "must be above zero".to_owned());
        }
    }
}
