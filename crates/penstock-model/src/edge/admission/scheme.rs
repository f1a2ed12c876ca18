//! Traits of admission schemes for plug-ins: the behaviour of ingress and egress in one aggregate.

use super::cle::Marks;
use crate::edge::{check_interval, Decision, EdgeContext, Report};
use crate::packet::PcnMark;
use crate::registry::OpenKind;
use crate::units::{Bytes, Duration, Time};
use dyn_clone::DynClone;

/// Admission control at the ingress of one aggregate.
pub trait AdmissionIngress: DynClone {
    /// Decides on a call that arrives at `now` while the aggregate has `live` admitted calls. Only a scheme that
    /// [asks](AdmissionScheme::asking) may return [`Decision::Ask`].
    fn on_call(&mut self, now: Time, live: u32) -> Decision;

    /// Whether a call is admitted after the egress has answered its request with `level`.
    fn admits(&self, level: f64) -> bool {
        let _ = level;
        true
    }

    /// Handles a report of the egress.
    fn on_report(&mut self, now: Time, report: Report) {
        let _ = (now, report);
    }

    /// Whether the end of a call is reported to the egress.
    fn tells_ends(&self) -> bool {
        false
    }

    /// Whether a call would be admitted while there are `live` calls, for the series `admitting`; `None` if unknown.
    fn admits_now(&self, live: u32) -> Option<bool> {
        let _ = live;
        None
    }
}

dyn_clone::clone_trait_object!(AdmissionIngress);

/// Admission control at the egress of one aggregate, which answers requests.
pub trait AdmissionEgress: DynClone {
    /// Handles the arrival of a packet of the aggregate.
    fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) {
        let _ = (now, size, mark);
    }

    /// Level in the answer to a request that was sent while the aggregate had `live` calls. `counted` is the number of calls of all
    /// aggregates of the group that end at this node, as counted by the schemes.
    fn on_request(&mut self, now: Time, live: u32, counted: &mut u32) -> f64;

    /// Records the end of a call, in a scheme that [reports ends](AdmissionIngress::tells_ends).
    fn on_end(&mut self, counted: &mut u32) {
        let _ = counted;
    }

    /// Instant at which [`AdmissionEgress::on_timer`] is due.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the deadline; the next deadline must be later.
    fn on_timer(&mut self, now: Time) {
        let _ = now;
    }
}

dyn_clone::clone_trait_object!(AdmissionEgress);

/// Parts of an admission scheme in one aggregate.
pub struct AdmissionScheme {
    pub(super) ingress: Box<dyn AdmissionIngress + Send>,
    pub(super) egress: Option<Box<dyn AdmissionEgress + Send>>,
    pub(super) reports_every: Option<Duration>,
    pub(super) marks: Option<Marks>,
}

impl AdmissionScheme {
    /// A scheme whose ingress decides on its own.
    pub fn alone(ingress: impl AdmissionIngress + Send + 'static) -> AdmissionScheme {
        AdmissionScheme { ingress: Box::new(ingress), egress: None, reports_every: None, marks: None }
    }

    /// A scheme whose ingress sends requests to the egress.
    pub fn asking(ingress: impl AdmissionIngress + Send + 'static, egress: impl AdmissionEgress + Send + 'static) -> AdmissionScheme {
        AdmissionScheme { egress: Some(Box::new(egress)), ..AdmissionScheme::alone(ingress) }
    }

    /// A scheme whose ingress decides from reports, which the egress sends at intervals of `every`.
    ///
    /// # Errors
    /// If the interval is zero.
    pub fn reported(ingress: impl AdmissionIngress + Send + 'static, every: Duration) -> Result<AdmissionScheme, String> {
        check_interval(every)?;
        Ok(AdmissionScheme { reports_every: Some(every), ..AdmissionScheme::alone(ingress) })
    }

    /// Declares that the scheme reads these marks: a scenario with a route whose meters set none of them is then refused.
    pub fn reading(self, marks: Marks) -> AdmissionScheme {
        AdmissionScheme { marks: Some(marks), ..self }
    }
}

/// The kind of admission schemes.
pub struct Admissions;

impl OpenKind for Admissions {
    const OF: &'static str = super::AdmissionPlan::OF;
    const BUILT_IN: &'static [&'static str] = super::AdmissionPlan::NAMES;
    type Context<'a> = EdgeContext;
    type Component = AdmissionScheme;

    fn on_trial<T>(build: impl FnOnce(&EdgeContext) -> T) -> T {
        build(&EdgeContext::trial())
    }
}
