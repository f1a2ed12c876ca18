//! State of options that few senders have: reductions that may prove unnecessary, windows that the application does not use.

use super::super::repeats::Repeats;
use super::super::{EcnReduction, Parameters, WindowValidation};
use super::deferral::Deferral;
use super::spurious_timeout::TimeoutCheck;
use super::Sender;
use crate::transport::congestion_control::Window;
use crate::transport::recovery::{Phase, Reduction};
use crate::units::Time;

/// State of options that few senders have.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionState {
    /// Counter of segments retransmitted more than once, if requested.
    pub repeats: Option<Repeats>,
    /// The proportional reduction that a mark has begun.
    pub mark_reduction: Option<Reduction>,
    /// A timeout that F-RTO examines.
    pub timeout: Option<TimeoutCheck>,
    /// The last reduction after a loss, with `dsack`.
    pub reduction: Option<ReductionCheck>,
    /// New segments that wait for an acknowledgement, with `tso-defer`.
    pub deferral: Option<Deferral>,
    /// Use of the window by the application, with `window-validation`.
    usage: WindowUse,
}

/// State of a reduction that reported duplicates may prove unnecessary.
#[derive(Clone, Debug)]
pub(super) struct ReductionCheck {
    before: Window,
    /// First outstanding segment at the reduction (`undo_marker`).
    marker: u32,
    /// Retransmissions since the reduction that have not been reported as duplicates (`undo_retrans`).
    repeated: u32,
}

/// Use of a window by the application.
#[derive(Clone, Copy, Debug, Default)]
struct WindowUse {
    /// Last time at which the window was used, or lowered (`snd_cwnd_stamp`).
    since: Time,
    /// Maximum number of segments outstanding since then (`snd_cwnd_used`).
    used: u32,
}

impl OptionState {
    /// State that these parameters need; `None` if they need none.
    pub fn new(parameters: &Parameters) -> Option<Box<OptionState>> {
        let validates = parameters.window_validation == WindowValidation::Linux;
        let is_proportional = parameters.ecn_reduction == EcnReduction::Proportional;
        let deferral = parameters.tso_defer.then(Deferral::default);
        let is_needed = validates || is_proportional || parameters.f_rto || parameters.dsack || parameters.tso_defer;
        is_needed.then(|| Box::new(OptionState { deferral, ..OptionState::default() }))
    }

    /// Records a segment that leaves.
    pub fn on_sent(&mut self, retransmission: bool) {
        if let Some(reduction) = &mut self.mark_reduction {
            reduction.out += 1;
        }
        if let Some(check) = self.reduction.as_mut().filter(|_| retransmission) {
            check.repeated += 1;
        }
    }
}

impl Sender {
    /// Records the window before a loss or a timeout reduces it (`tcp_init_undo`).
    pub(super) fn begin_reduction_check(&mut self) {
        let is_first = self.flight.phase == Phase::Normal;
        if let Some(options) = self.options.as_mut().filter(|_| is_first && self.parameters.dsack) {
            options.reduction = Some(ReductionCheck { before: self.window.clone(), marker: self.flight.unacknowledged, repeated: 0 });
        }
    }

    /// Handles the report of a duplicate [RFC2883 s4]. Once every retransmission since the reduction has been reported as a duplicate,
    /// nothing was lost, and the earlier window is restored (`tcp_try_undo_dsack`).
    #[inline(never)]
    pub(super) fn on_reported_duplicate(&mut self, seq: u32) {
        let next = self.flight.high;
        if let Some(detection) = self.flight.sent.as_mut().and_then(|sent| sent.detection.as_mut()) {
            detection.on_duplicate(self.flight.unacknowledged, next);
        }
        let Some(check) = self.options.as_mut().and_then(|options| options.reduction.as_mut()) else { return };
        if seq < check.marker || check.repeated == 0 {
            return;
        }
        check.repeated -= 1;
        if check.repeated == 0 {
            let before = check.before.clone();
            if self.flight.phase == Phase::Recovery {
                self.window.size = before.size; // without the segments by which duplicates have inflated it
            }
            self.undo_timeout(&before);
        }
    }

    /// Whether the application leaves the window unused, so that it does not grow. A window that has been unused for a timeout shrinks by
    /// half of the unused part (`tcp_cwnd_validate`, `tcp_cwnd_application_limited`). `in_flight` segments were outstanding.
    #[inline(never)]
    pub(super) fn is_window_unused(&mut self, now: Time, in_flight: u32) -> bool {
        let Some(options) = self.options.as_mut().filter(|_| self.parameters.window_validation == WindowValidation::Linux) else {
            return false;
        };
        let has_sent_all = self.flight.next >= self.flight.offered;
        let fills = match self.window.is_in_slow_start() {
            true => self.window.usable() < in_flight.saturating_mul(2),
            false => in_flight >= self.window.usable(),
        };
        let usage = &mut options.usage;
        if !has_sent_all || fills {
            *usage = WindowUse { since: now, used: 0 };
            return false;
        }
        usage.used = usage.used.max(in_flight);
        if self.parameters.restart_after_idle && now.since(usage.since) >= self.estimator.timeout() && self.flight.phase == Phase::Normal {
            let used = f64::from(usage.used).max(self.parameters.first_window().size);
            if used < self.window.size {
                self.window.threshold = self.window.threshold.max(self.window.size * 0.75); // tcp_current_ssthresh
                self.window.size = ((self.window.size + used) / 2.0).floor();
            }
            *usage = WindowUse { since: now, used: 0 };
        }
        true
    }
}
