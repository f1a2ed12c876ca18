//! ECN support of the receiver, if it differs from what the congestion control defines.

use super::Parameters;
use crate::packet::Ecn;
use crate::site::Site;
use crate::transport::congestion_control::{CongestionControlPlan, EcnEcho, EcnUse};

crate::choice! {
    /// Echo of marks by a receiver.
    pub enum MarkEcho {
        /// Every acknowledgement, from a mark until the sender answers with CWR [RFC3168 s6.1.3]. DCTCP then sees more marks than there are.
        "rfc-3168" => UntilCwr,
        /// Acknowledgements of marked segments; no acknowledgement covers both marked and unmarked segments [RFC8257 s3.2].
        "rfc-8257" => Exact,
        /// The number of marked segments, in the flags and in an option (AccECN) [RFC9768 s3.2.2, s3.2.3].
        "accecn" => Count,
        /// None: the receiver has no ECN. Its answer to the SYN says so, and no packet is ECN-capable [RFC3168 s6.1.1].
        "none" => Refused,
    }
}

/// Announcement of ECN by each end in a SYN exchange [RFC9768 s3.1.1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnSupport {
    /// No ECN.
    None,
    /// ECN with one echo per round trip [RFC3168 s6.1.1].
    Classic,
    /// AccECN, with the codepoint of the SYN.
    Accurate(Ecn),
}

impl Parameters {
    pub(super) fn check_ecn(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.ecn_use().required && !self.ecn {
            let name = self.congestion_control_plan().name();
            mistake("ecn", format!("is false, but congestion-control.{name} needs the marks; write ecn = true"));
        }
        if self.ecn_echo.is_some() && !self.ecn {
            mistake("ecn-echo", "has no effect without marks; write ecn = true or leave it out".to_owned());
        }
    }

    /// How both ends use ECN.
    pub(super) fn ecn_use(&self) -> EcnUse {
        self.with_own_echo(self.own_ecn_use(&self.congestion_control_plan()))
    }

    /// Adds the echo that is given here, if any, to the use of ECN that a congestion control defines.
    pub(super) fn with_own_echo(&self, ecn_use: EcnUse) -> EcnUse {
        let echo = match self.ecn_echo {
            None | Some(MarkEcho::Refused) => ecn_use.echo,
            Some(MarkEcho::UntilCwr) => EcnEcho::UntilCwr,
            Some(MarkEcho::Exact) => EcnEcho::Exact,
            Some(MarkEcho::Count) => EcnEcho::CountWithOption,
        };
        EcnUse { echo, ..ecn_use }
    }

    /// Whether both ends support ECN, so that the SYN exchange negotiates it.
    pub fn both_have_ecn(&self) -> bool {
        self.ecn && self.ecn_echo != Some(MarkEcho::Refused)
    }

    /// The given congestion control, if it counts marks and the receiver does not. Reno replaces it, since ECT(1) requires feedback of the
    /// extent of marking [RFC9331 s4.2].
    pub(super) fn control_without_counts(&self) -> Option<&CongestionControlPlan> {
        let given = self.congestion_control.as_ref()?;
        let lacks_counts = self.ecn && self.ecn_echo.is_some_and(|echo| echo != MarkEcho::Count);
        (lacks_counts && self.own_ecn_use(given).echo.counts()).then_some(given)
    }

    fn own_ecn_use(&self, control: &CongestionControlPlan) -> EcnUse {
        control.ecn_use(&self.connection_context(Site::trial()))
    }

    /// Announcements of ECN by sender and receiver in the SYN exchange.
    pub fn ecn_support(&self) -> [EcnSupport; 2] {
        let ecn_use = self.ecn_use();
        let counts = |counts| if counts { EcnSupport::Accurate(ecn_use.of_syn()) } else { EcnSupport::Classic };
        match (self.ecn, self.both_have_ecn()) {
            (false, _) => [EcnSupport::None; 2],
            (true, false) => [counts(self.control_without_counts().is_some()), EcnSupport::None],
            (true, true) => [counts(ecn_use.echo.counts() || self.control_without_counts().is_some()), counts(ecn_use.echo.counts())],
        }
    }

    /// Feedback that the given congestion control lacks because of `ecn-echo`; `None` if it lacks nothing.
    pub fn missing_feedback(&self) -> Option<String> {
        let has_ecn = self.both_have_ecn();
        if let Some(control) = self.control_without_counts() {
            let (lacks, with) = if has_ecn { ("AccECN", "with ECT(0)") } else { ("ECN", "without ECN") };
            let name = control.name();
            return Some(format!("the receiver has no {lacks}, so congestion-control.{name} falls back to congestion-control.reno {with}"));
        }
        let control = self.congestion_control_plan();
        let is_blind = self.ecn && !has_ecn && self.own_ecn_use(&control).required;
        is_blind.then(|| format!("the receiver has no ECN, so congestion-control.{} gets no marks", control.name()))
    }
}
