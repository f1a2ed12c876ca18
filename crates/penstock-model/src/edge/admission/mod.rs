//! Admission control: the schemes, each with its state machines at ingress and egress.

pub mod cle;
pub mod count;
pub mod rfc_6661;
pub mod rfc_6662;
pub mod scheme;

use super::{Decision, EdgeContext, Signal};
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Time};
use cle::Marks;
pub use scheme::{AdmissionEgress, AdmissionIngress, AdmissionScheme, Admissions};

crate::component_plans! {
    /// An admission scheme with its parameters, as a scenario gives it.
    pub enum AdmissionPlan of "admission" open Admissions {
        "cle" => Cle(cle::Parameters),
        "count" => Count(count::Parameters),
        "rfc-6661" => Rfc6661(rfc_6661::Parameters),
        "rfc-6662" => Rfc6662(rfc_6662::Parameters),
    }
}

impl AdmissionPlan {
    /// The scheme as plug-ins build it; `None` for the built-in schemes, which have variants of [`AtIngress`] and [`AtEgress`].
    fn scheme(&self, context: &EdgeContext) -> Option<AdmissionScheme> {
        match self {
            AdmissionPlan::Cle(_) | AdmissionPlan::Count(_) | AdmissionPlan::Rfc6661(_) | AdmissionPlan::Rfc6662(_) => None,
            AdmissionPlan::Custom(it) => Some(it.build(context)),
        }
    }

    /// The scheme of no particular aggregate, for queries.
    fn trial(&self) -> Option<AdmissionScheme> {
        self.scheme(&EdgeContext::trial())
    }

    /// Interval of the egress' reports; `None` for schemes that do not use reports.
    pub fn reports_every(&self) -> Option<Duration> {
        match self {
            AdmissionPlan::Rfc6661(parameters) => Some(parameters.measuring_interval),
            AdmissionPlan::Rfc6662(parameters) => Some(parameters.measuring_interval),
            _ => self.trial()?.reports_every,
        }
    }

    /// Whether the ingress sends the egress a request for each call.
    pub fn asks(&self) -> bool {
        match self.trial() {
            Some(scheme) => scheme.egress.is_some(),
            None => matches!(self, AdmissionPlan::Cle(_) | AdmissionPlan::Count(_)),
        }
    }

    /// Marks that the scheme [declares](AdmissionScheme::reading) to read, if any.
    pub fn declared_marks(&self) -> Option<Marks> {
        self.trial()?.marks
    }

    /// Whether the scheme has no effect without marks.
    pub fn needs_marks(&self) -> bool {
        self.threshold().is_some() || self.declared_marks().is_some()
    }

    /// Key and value of the threshold of the congestion level estimate (CLE) above which calls are refused; `None` without one.
    pub fn threshold(&self) -> Option<(&'static str, f64)> {
        match self {
            AdmissionPlan::Cle(parameters) => Some(("threshold", parameters.threshold.0)),
            AdmissionPlan::Rfc6661(parameters) => Some(("cle-limit", parameters.cle_limit.0)),
            AdmissionPlan::Rfc6662(parameters) => Some(("cle-limit", parameters.cle_limit.0)),
            _ => None,
        }
    }
}

/// Admission control at the ingress.
#[derive(Clone)]
pub(super) enum AtIngress {
    /// Every call is admitted.
    Open,
    /// The estimate of the egress decides.
    Cle(cle::Rule),
    /// The count of the egress decides.
    Count,
    /// The last report decides.
    Reported(AdmissionState),
    /// A scheme behind the traits of plug-ins.
    Custom(Box<dyn AdmissionIngress + Send>),
}

impl AtIngress {
    pub(super) fn new(plan: &Option<AdmissionPlan>, context: &EdgeContext) -> AtIngress {
        match plan {
            None => AtIngress::Open,
            Some(AdmissionPlan::Cle(parameters)) => AtIngress::Cle(cle::Rule::new(parameters)),
            Some(AdmissionPlan::Count(_)) => AtIngress::Count,
            Some(AdmissionPlan::Rfc6661(parameters)) => AtIngress::Reported(AdmissionState::new(parameters.cle_limit.0)),
            Some(AdmissionPlan::Rfc6662(parameters)) => AtIngress::Reported(AdmissionState::new(parameters.cle_limit.0)),
            Some(plan) => AtIngress::Custom(plan.scheme(context).expect("the others are above").ingress),
        }
    }

    pub(super) fn on_call(&mut self, now: Time, live: u32) -> Decision {
        match self {
            AtIngress::Custom(it) => it.on_call(now, live),
            of_this_crate => match of_this_crate.admits_now(live) {
                Some(true) => Decision::Admit,
                Some(false) => Decision::Block,
                None => Decision::Ask,
            },
        }
    }

    /// Whether a call would be admitted; `None` if the egress decides or the scheme does not say.
    pub(super) fn admits_now(&self, live: u32) -> Option<bool> {
        match self {
            AtIngress::Open => Some(true),
            AtIngress::Cle(_) | AtIngress::Count => None,
            AtIngress::Reported(state) => Some(!state.blocked),
            AtIngress::Custom(it) => it.admits_now(live),
        }
    }

    pub(super) fn admits(&self, level: f64) -> bool {
        match self {
            AtIngress::Cle(rule) => rule.admits(level),
            AtIngress::Count => level < count::FULL,
            AtIngress::Custom(it) => it.admits(level),
            AtIngress::Open | AtIngress::Reported(_) => unreachable!("these need no answer"),
        }
    }

    pub(super) fn on_end(&self) -> Option<Signal> {
        let tells = match self {
            AtIngress::Custom(it) => it.tells_ends(),
            of_this_crate => matches!(of_this_crate, AtIngress::Count),
        };
        tells.then_some(Signal::Ended)
    }

    pub(super) fn on_signal(&mut self, now: Time, signal: Signal) {
        match (self, signal) {
            (AtIngress::Reported(state), Signal::Report(report)) => state.blocked = report.level() >= state.limit,
            (AtIngress::Custom(it), Signal::Report(report)) => it.on_report(now, report),
            _ => {}
        }
    }
}

/// Admission state of RFC 6661 and RFC 6662 [s3.3.1]: blocked while the level of the last report is at least the limit.
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
#[derive(Clone)]
pub(super) enum AtEgress {
    /// The scheme has no state at the egress.
    Silent,
    /// The egress estimates the congestion level.
    Cle(cle::Estimator),
    /// The egress counts calls.
    Count(count::Counter),
    /// A scheme behind the traits of plug-ins.
    Custom(Box<dyn AdmissionEgress + Send>),
}

impl AtEgress {
    pub(super) fn new(plan: &Option<AdmissionPlan>, context: &EdgeContext) -> AtEgress {
        match plan {
            None | Some(AdmissionPlan::Rfc6661(_) | AdmissionPlan::Rfc6662(_)) => AtEgress::Silent,
            Some(AdmissionPlan::Cle(parameters)) => AtEgress::Cle(cle::Estimator::new(parameters)),
            Some(AdmissionPlan::Count(parameters)) => AtEgress::Count(count::Counter::new(parameters, context.initial)),
            Some(plan) => plan.scheme(context).and_then(|it| it.egress).map_or(AtEgress::Silent, AtEgress::Custom),
        }
    }

    #[inline]
    pub(super) fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        match self {
            AtEgress::Cle(estimator) => estimator.on_packet(now, size, mark),
            AtEgress::Custom(it) => it.on_packet(now, size, mark),
            AtEgress::Silent | AtEgress::Count(_) => {}
        }
    }

    /// Whether the egress answers requests.
    #[inline]
    pub(super) fn answers(&self) -> bool {
        !matches!(self, AtEgress::Silent)
    }

    #[inline]
    pub(super) fn only_samples(&self) -> bool {
        match self {
            AtEgress::Cle(estimator) => estimator.only_samples(),
            AtEgress::Custom(_) => false,
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
            AtEgress::Silent | AtEgress::Count(_) | AtEgress::Custom(_) => marks.for_each(drop),
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
            (AtEgress::Custom(it), Signal::Request { call, live }) => {
                Some(Signal::Answer { call, level: it.on_request(now, live, counted) })
            }
            (AtEgress::Custom(it), Signal::Ended) => {
                it.on_end(counted);
                None
            }
            _ => None,
        }
    }

    pub(super) fn has_deadlines(&self) -> bool {
        match self {
            AtEgress::Cle(estimator) => estimator.has_deadlines(),
            AtEgress::Custom(_) => true,
            AtEgress::Silent | AtEgress::Count(_) => false,
        }
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self {
            AtEgress::Cle(estimator) => estimator.deadline(),
            AtEgress::Custom(it) => it.deadline(),
            AtEgress::Silent | AtEgress::Count(_) => Time::NEVER,
        }
    }

    pub(super) fn on_timer(&mut self, now: Time) {
        match self {
            AtEgress::Cle(estimator) => estimator.on_timer(now),
            AtEgress::Custom(it) => it.on_timer(now),
            AtEgress::Silent | AtEgress::Count(_) => {}
        }
    }

    pub(super) fn level(&self, now: Time) -> Option<f64> {
        match self {
            AtEgress::Cle(estimator) => Some(estimator.level(now)),
            AtEgress::Silent | AtEgress::Count(_) | AtEgress::Custom(_) => None,
        }
    }
}
