//! What sets the rate of a rate-based transport.

pub mod dcqcn;
pub mod fixed;

use crate::probe::{Probe, ReportVariable};
use crate::units::{Duration, Rate, Time};

crate::component_plans! {
    /// A rate control with its parameters, as a scenario gives it.
    pub enum RateControlPlan of "rate-control" {
        "dcqcn" => Dcqcn(dcqcn::Parameters) shows dcqcn::Dcqcn::STATE,
        "fixed" => Fixed(fixed::Parameters) shows fixed::Fixed::STATE,
    }
}

impl RateControlPlan {
    /// The least time between two notifications of marks (CNP) of a receiver; `None` if it sends none, and data cannot be marked.
    pub fn notification_interval(&self) -> Option<Duration> {
        match self {
            RateControlPlan::Dcqcn(parameters) => Some(parameters.notification_interval),
            RateControlPlan::Fixed(_) => None,
        }
    }
}

/// The rate control of a sender.
#[derive(Clone, Debug)]
pub enum RateControl {
    /// Of DCQCN.
    Dcqcn(dcqcn::Dcqcn),
    /// None.
    Fixed(fixed::Fixed),
}

impl RateControl {
    /// A control that begins at the rate of the port.
    pub fn new(plan: &RateControlPlan, line: Rate) -> RateControl {
        match plan {
            RateControlPlan::Dcqcn(parameters) => RateControl::Dcqcn(dcqcn::Dcqcn::new(parameters, line)),
            RateControlPlan::Fixed(parameters) => RateControl::Fixed(fixed::Fixed::new(parameters, line)),
        }
    }

    /// The rate at `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        match self {
            RateControl::Dcqcn(control) => control.rate(now),
            RateControl::Fixed(control) => control.rate(),
        }
    }

    /// A packet of `size` bytes leaves at `now`.
    pub fn on_sent(&mut self, now: Time, size: u32) {
        if let RateControl::Dcqcn(control) = self {
            control.on_sent(now, size);
        }
    }

    /// A notification has come that packets were marked.
    pub fn on_notification(&mut self, now: Time) {
        if let RateControl::Dcqcn(control) = self {
            control.on_notification(now);
        }
    }
}

impl Probe for RateControl {
    fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
        match self {
            RateControl::Dcqcn(control) => control.probe(now, report),
            RateControl::Fixed(control) => control.probe(now, report),
        }
    }
}
