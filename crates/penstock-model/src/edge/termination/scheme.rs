//! Traits of termination schemes for plug-ins: the behaviour of ingress and egress in one aggregate.

use super::cut::Victims;
use crate::edge::admission::cle::Marks;
use crate::edge::{check_interval, EdgeContext, Report};
use crate::packet::PcnMark;
use crate::registry::OpenKind;
use crate::units::{Bytes, Duration, Rate, Time};
use dyn_clone::DynClone;

/// Termination at the ingress of one aggregate. Its methods return the number of `live` calls to terminate now.
pub trait TerminationIngress: DynClone {
    /// Records that a packet of the aggregate is sent. This does not change the deadline.
    fn on_sent(&mut self, now: Time, size: Bytes) {
        let _ = (now, size);
    }

    /// Handles a report of the egress, in a scheme of [reports](TerminationScheme::reported).
    fn on_report(&mut self, now: Time, report: Report, live: u32) -> u32 {
        let _ = (now, report, live);
        0
    }

    /// Handles the egress' signal of the rate to keep, in a scheme of [its own signals](TerminationScheme::signalled).
    fn on_sustainable(&mut self, now: Time, rate: Rate, live: u32) -> u32 {
        let _ = (now, rate, live);
        0
    }

    /// Instant at which [`TerminationIngress::on_timer`] is due.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the deadline; the next deadline must be later.
    fn on_timer(&mut self, now: Time, live: u32) -> u32 {
        let _ = (now, live);
        0
    }

    /// Whether each cut is reported to the egress, which then restarts its measurement.
    fn restarts(&self) -> bool {
        false
    }
}

dyn_clone::clone_trait_object!(TerminationIngress);

/// Termination at the egress of one aggregate. While more than the rate to keep arrives, it signals this rate to the ingress.
pub trait TerminationEgress: DynClone {
    /// Handles the arrival of a packet of the aggregate. Returns the rate to signal, if any.
    fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> Option<Rate>;

    /// Handles the signal that the ingress has terminated calls, in a scheme that [restarts](TerminationIngress::restarts).
    fn on_restart(&mut self) {}

    /// Instant at which [`TerminationEgress::on_timer`] is due.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the deadline; the next deadline must be later. Returns the rate to signal, if any.
    fn on_timer(&mut self, now: Time) -> Option<Rate> {
        let _ = now;
        None
    }
}

dyn_clone::clone_trait_object!(TerminationEgress);

/// Parts of a termination scheme in one aggregate.
pub struct TerminationScheme {
    pub(super) ingress: Box<dyn TerminationIngress + Send>,
    pub(super) egress: Option<Box<dyn TerminationEgress + Send>>,
    pub(super) reports_every: Option<Duration>,
    pub(super) victims: Victims,
    pub(super) marks: Option<Marks>,
}

impl TerminationScheme {
    /// A scheme whose ingress decides from reports, which the egress sends at intervals of `every`.
    ///
    /// # Errors
    /// If the interval is zero.
    pub fn reported(ingress: impl TerminationIngress + Send + 'static, every: Duration) -> Result<TerminationScheme, String> {
        check_interval(every)?;
        Ok(TerminationScheme {
            ingress: Box::new(ingress),
            egress: None,
            reports_every: Some(every),
            victims: Victims::Random,
            marks: None,
        })
    }

    /// A scheme whose egress measures and signals the rate to keep.
    pub fn signalled(
        ingress: impl TerminationIngress + Send + 'static,
        egress: impl TerminationEgress + Send + 'static,
    ) -> TerminationScheme {
        let (ingress, egress) = (Box::new(ingress), Some(Box::new(egress) as Box<dyn TerminationEgress + Send>));
        TerminationScheme { ingress, egress, reports_every: None, victims: Victims::Random, marks: None }
    }

    /// Selects the calls to terminate; by default all calls have the same probability.
    pub fn choosing(self, victims: Victims) -> TerminationScheme {
        TerminationScheme { victims, ..self }
    }

    /// Declares that the scheme reads these marks: a scenario with a route whose meters set none of them is then refused.
    pub fn reading(self, marks: Marks) -> TerminationScheme {
        TerminationScheme { marks: Some(marks), ..self }
    }
}

/// The kind of termination schemes.
pub struct Terminations;

impl OpenKind for Terminations {
    const OF: &'static str = super::TerminationPlan::OF;
    const BUILT_IN: &'static [&'static str] = super::TerminationPlan::NAMES;
    type Context<'a> = EdgeContext;
    type Component = TerminationScheme;

    fn on_trial<T>(build: impl FnOnce(&EdgeContext) -> T) -> T {
        build(&EdgeContext::trial())
    }
}
