//! Admission control: the schemes, each with its state machines at ingress and egress.

pub mod cle;
pub mod count;
pub mod rfc_6661;
pub mod rfc_6662;

use super::{Decision, Signal};
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Time};

crate::component_plans! {
    /// An admission scheme with its parameters, as a scenario gives it.
    pub enum AdmissionPlan of "admission" {
        "cle" => Cle(cle::Parameters),
        "count" => Count(count::Parameters),
        "rfc-6661" => Rfc6661(rfc_6661::Parameters),
        "rfc-6662" => Rfc6662(rfc_6662::Parameters),
    }
}

impl AdmissionPlan {
    /// How often the egress reports, for the schemes that decide from its reports.
    pub fn reports_every(&self) -> Option<Duration> {
        match self {
            AdmissionPlan::Cle(_) | AdmissionPlan::Count(_) => None,
            AdmissionPlan::Rfc6661(parameters) => Some(parameters.measuring_interval),
            AdmissionPlan::Rfc6662(parameters) => Some(parameters.measuring_interval),
        }
    }

    /// Whether the ingress asks the egress about each call.
    pub fn asks(&self) -> bool {
        matches!(self, AdmissionPlan::Cle(_) | AdmissionPlan::Count(_))
    }

    /// The key of the threshold of the congestion level estimate (CLE) above which calls are refused, and its value, if there is one.
    pub fn threshold(&self) -> Option<(&'static str, f64)> {
        match self {
            AdmissionPlan::Cle(parameters) => Some(("threshold", parameters.threshold.0)),
            AdmissionPlan::Rfc6661(parameters) => Some(("cle-limit", parameters.cle_limit.0)),
            AdmissionPlan::Rfc6662(parameters) => Some(("cle-limit", parameters.cle_limit.0)),
            AdmissionPlan::Count(_) => None,
        }
    }
}

/// Admission control at the ingress.
#[derive(Clone, Debug)]
pub(super) enum AtIngress {
    /// Every call is admitted.
    Open,
    /// The egress' estimate decides.
    Cle(cle::Rule),
    /// The egress' count decides.
    Count,
    /// The last report decides.
    Reported(AdmissionState),
}

impl AtIngress {
    pub(super) fn new(plan: &Option<AdmissionPlan>) -> AtIngress {
        match plan {
            None => AtIngress::Open,
            Some(AdmissionPlan::Cle(parameters)) => AtIngress::Cle(cle::Rule::new(parameters)),
            Some(AdmissionPlan::Count(_)) => AtIngress::Count,
            Some(AdmissionPlan::Rfc6661(parameters)) => AtIngress::Reported(AdmissionState::new(parameters.cle_limit.0)),
            Some(AdmissionPlan::Rfc6662(parameters)) => AtIngress::Reported(AdmissionState::new(parameters.cle_limit.0)),
        }
    }

    pub(super) fn on_call(&self) -> Decision {
        match self {
            AtIngress::Open => Decision::Admit,
            AtIngress::Cle(_) | AtIngress::Count => Decision::Ask,
            AtIngress::Reported(state) if state.blocked => Decision::Block,
            AtIngress::Reported(_) => Decision::Admit,
        }
    }

    pub(super) fn admits(&self, level: f64) -> bool {
        match self {
            AtIngress::Cle(rule) => rule.admits(level),
            AtIngress::Count => level < count::FULL,
            AtIngress::Open | AtIngress::Reported(_) => unreachable!("these need no answer"),
        }
    }

    pub(super) fn on_end(&self) -> Option<Signal> {
        matches!(self, AtIngress::Count).then_some(Signal::Ended)
    }

    pub(super) fn on_signal(&mut self, signal: Signal) {
        if let (AtIngress::Reported(state), Signal::Report(report)) = (self, signal) {
            state.blocked = report.level() >= state.limit;
        }
    }
}

/// The admission state of RFC 6661 and RFC 6662 [s3.3.1]: blocked while the last report's level is at its limit or above.
#[derive(Clone, Debug)]
pub(super) struct AdmissionState {
    limit: f64,
    blocked: bool,
}

impl AdmissionState {
    fn new(limit: f64) -> AdmissionState {
        AdmissionState { limit, blocked: false }
    }
}

/// Admission control at the egress.
#[derive(Clone, Debug)]
pub(super) enum AtEgress {
    /// It has no state of its own.
    Silent,
    /// It estimates the congestion level.
    Cle(cle::Estimator),
    /// It counts calls.
    Count(count::Counter),
}

impl AtEgress {
    pub(super) fn new(plan: &Option<AdmissionPlan>, initial: u32) -> AtEgress {
        match plan {
            None | Some(AdmissionPlan::Rfc6661(_) | AdmissionPlan::Rfc6662(_)) => AtEgress::Silent,
            Some(AdmissionPlan::Cle(parameters)) => AtEgress::Cle(cle::Estimator::new(parameters)),
            Some(AdmissionPlan::Count(parameters)) => AtEgress::Count(count::Counter::new(parameters, initial)),
        }
    }

    #[inline]
    pub(super) fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        if let AtEgress::Cle(estimator) = self {
            estimator.on_packet(now, size, mark);
        }
    }

    /// Whether it answers requests.
    #[inline]
    pub(super) fn answers(&self) -> bool {
        !matches!(self, AtEgress::Silent)
    }

    #[inline]
    pub(super) fn only_samples(&self) -> bool {
        match self {
            AtEgress::Cle(estimator) => estimator.only_samples(),
            AtEgress::Silent | AtEgress::Count(_) => true,
        }
    }

    #[inline(always)]
    pub(super) fn on_mark(&mut self, mark: PcnMark) {
        if let AtEgress::Cle(estimator) = self {
            estimator.on_mark(mark);
        }
    }

    #[inline(always)]
    pub(super) fn on_marks(&mut self, marks: impl Iterator<Item = PcnMark>) {
        match self {
            AtEgress::Cle(estimator) => estimator.on_marks(marks),
            AtEgress::Silent | AtEgress::Count(_) => marks.for_each(drop),
        }
    }

    pub(super) fn on_signal(&mut self, now: Time, signal: Signal, counted: &mut u32) -> Option<Signal> {
        match (self, signal) {
            (AtEgress::Cle(estimator), Signal::Request { call, live }) => {
                Some(Signal::Answer { call, level: estimator.on_request(now, live) })
            }
            (AtEgress::Count(counter), Signal::Request { call, .. }) => Some(Signal::Answer { call, level: counter.on_request(counted) }),
            (AtEgress::Count(counter), Signal::Ended) => {
                counter.on_end(counted);
                None
            }
            _ => None,
        }
    }

    pub(super) fn has_deadlines(&self) -> bool {
        matches!(self, AtEgress::Cle(estimator) if estimator.has_deadlines())
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self {
            AtEgress::Cle(estimator) => estimator.deadline(),
            AtEgress::Silent | AtEgress::Count(_) => Time::NEVER,
        }
    }

    pub(super) fn on_timer(&mut self, now: Time) {
        if let AtEgress::Cle(estimator) = self {
            estimator.on_timer(now);
        }
    }

    pub(super) fn level(&self, now: Time) -> Option<f64> {
        match self {
            AtEgress::Cle(estimator) => Some(estimator.level(now)),
            AtEgress::Silent | AtEgress::Count(_) => None,
        }
    }
}
