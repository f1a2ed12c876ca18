//! Congestion control: how much a sender may have in the network, and how fast it sends.
//!
//! A congestion control is told what happens to a connection (acknowledgements, round trips, losses, marks, timeouts, idle
//! times) and answers with a [`Window`] and, if it wants one, a pacing rate. Which segments are lost, and how they are
//! repaired, is the business of a [`recovery`](super::recovery).

pub mod bbr;
pub mod cubic;
pub mod dctcp;
mod ecn_use;
mod hystart;
pub mod prague;
pub mod reno;
mod report;
pub mod vegas;
mod window;

use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Duration, Rate, Time};
use dyn_clone::DynClone;
pub use ecn_use::{EcnCapable, EcnCodepoint, EcnEcho, EcnFeedback, EcnUse};
pub use report::{AckReport, Needs, RateSample, SentSegment};
use std::fmt;
pub use window::Window;

/// Makes the plan, the congestion control at work and the dispatch between them from the list below. The first of the list
/// may be another one at work (`or`) where its parameters ask for what would cost its fast path a decision.
macro_rules! congestion_controls {
    ($first_name:literal => $first:ident($first_control:ty, $first_parameters:ty) $( or $other:ident($other_control:ty) )+,
     $( $name:literal => $variant:ident($control:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A congestion control with its parameters, as a scenario gives it.
            pub enum CongestionControlPlan of "congestion-control" open CongestionControls {
                $first_name => $first($first_parameters) shows <$first_control>::STATE,
                $( $name => $variant($parameters) shows <$control>::STATE, )*
            }
        }

        impl CongestionControlPlan {
            /// [`CongestionControl::ecn_use`] of the control that it describes.
            pub fn ecn_use(&self, context: &ConnectionContext) -> EcnUse {
                match self {
                    CongestionControlPlan::$first(parameters) => <$first_control>::new(parameters, context).ecn_use(),
                    $( CongestionControlPlan::$variant(parameters) => <$control>::new(parameters, context).ecn_use(), )*
                    CongestionControlPlan::Custom(it) => it.build(context).ecn_use(),
                }
            }

            /// [`CongestionControl::needs`] of the control that it describes.
            pub fn needs(&self, context: &ConnectionContext) -> Needs {
                match self {
                    CongestionControlPlan::$first(parameters) => <$first_control>::new(parameters, context).needs(),
                    $( CongestionControlPlan::$variant(parameters) => <$control>::new(parameters, context).needs(), )*
                    CongestionControlPlan::Custom(it) => it.build(context).needs(),
                }
            }
        }

        /// A congestion control at work. Boxed, so that a connection has the size that most need; what has no state takes
        /// no memory. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone, Debug)]
        pub enum AnyCongestionControl {
            $first(Box<$first_control>),
            $( $other(Box<$other_control>), )+
            $( $variant(Box<$control>), )*
            Custom(Box<Box<dyn CongestionControl + Send>>),
        }

        impl Probe for AnyCongestionControl {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    AnyCongestionControl::$first(it) => it.probe(now, report),
                    $( AnyCongestionControl::$other(it) => it.probe(now, report), )+
                    $( AnyCongestionControl::$variant(it) => it.probe(now, report), )*
                    AnyCongestionControl::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl AnyCongestionControl {
            /// The congestion control that `plan` describes.
            pub fn new(plan: &CongestionControlPlan, context: &ConnectionContext) -> AnyCongestionControl {
                match plan {
                    CongestionControlPlan::$first(parameters) => {
                        $( if let Some(other) = <$other_control>::new(parameters, context) {
                            return AnyCongestionControl::$other(Box::new(other));
                        } )+
                        AnyCongestionControl::$first(Box::new(<$first_control>::new(parameters, context)))
                    }
                    $( CongestionControlPlan::$variant(parameters) => {
                        AnyCongestionControl::$variant(Box::new(<$control>::new(parameters, context)))
                    } )*
                    CongestionControlPlan::Custom(it) => AnyCongestionControl::Custom(Box::new(it.build(context))),
                }
            }

            /// [`CongestionControl::on_ack`]. That of the first of the list is inlined, and gathers only the facts that it
            /// reads; however many follow, it stays as fast.
            #[inline(always)]
            pub fn on_ack_with(&mut self, facts: impl Fn(&Window) -> Acknowledgement, window: &mut Window) {
                if let AnyCongestionControl::$first(it) = self {
                    it.on_ack(&facts(window), window);
                } else {
                    self.get().on_ack(&facts(window), window);
                }
            }

            /// The control behind the variant.
            pub fn get(&mut self) -> &mut dyn CongestionControl {
                match self {
                    AnyCongestionControl::$first(it) => &mut **it,
                    $( AnyCongestionControl::$other(it) => &mut **it, )+
                    $( AnyCongestionControl::$variant(it) => &mut **it, )*
                    AnyCongestionControl::Custom(it) => &mut ***it,
                }
            }
        }
    };
}

congestion_controls! {
    "reno" => Reno(reno::Reno, reno::Parameters)
        or ByteCounting(reno::ByteCounting)
        or IntegerBytes(reno::IntegerBytes)
        or ScaledIncrease(reno::ScaledIncrease),
    "cubic" => Cubic(cubic::Cubic, cubic::Parameters),
    "vegas" => Vegas(vegas::Vegas, vegas::Parameters),
    "dctcp" => Dctcp(dctcp::Dctcp, dctcp::Parameters),
    "bbr" => Bbr(bbr::Bbr, bbr::Parameters),
    "prague" => Prague(prague::Prague, prague::Parameters),
}

/// The kind of congestion controls.
pub struct CongestionControls;

impl OpenKind for CongestionControls {
    const OF: &'static str = CongestionControlPlan::OF;
    const BUILT_IN: &'static [&'static str] = CongestionControlPlan::NAMES;
    type Context<'a> = ConnectionContext;
    type Component = Box<dyn CongestionControl + Send>;

    fn on_trial<T>(build: impl FnOnce(&ConnectionContext) -> T) -> T {
        build(&ConnectionContext { site: Site::trial(), packet_size: 1500, payload: 1460, max_window: 1000, paced: false })
    }
}

/// What a congestion control learns about its connection when it is built.
#[derive(Clone, Debug)]
pub struct ConnectionContext {
    /// The sending end of the flow.
    pub site: Site,
    /// Bytes of a full-sized segment on the wire.
    pub packet_size: u32,
    /// Bytes of it that are payload (MSS).
    pub payload: u32,
    /// The most segments that may be outstanding.
    pub max_window: u32,
    /// Whether the sender spaces its segments.
    pub paced: bool,
}

/// An acknowledgement of new data.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// When it arrived.
    pub now: Time,
    /// Segments that it acknowledges for the first time (cumulatively).
    pub newly: u32,
    /// Segments known to have arrived since the connection began, selectively acknowledged ones included.
    pub delivered: u32,
    /// The segment after the last that it acknowledges (SND.UNA from now on).
    pub acknowledged: u32,
    /// The segment that is sent next (SND.NXT).
    pub next: u32,
    /// Segments that were outstanding before it arrived.
    pub in_flight: u32,
    /// The application had nothing more to send although the window had room [RFC7661 s4.5.3; RFC9438 s5.8].
    pub app_limited: bool,
    /// The receiver echoes that a segment met congestion (ECE) [RFC3168 s6.1].
    pub ece: bool,
    /// The sender repairs losses in a fast recovery, which rules the window meanwhile.
    pub in_recovery: bool,
}

impl Acknowledgement {
    /// Whether it may let the window grow.
    #[inline(always)]
    pub fn may_grow(&self) -> bool {
        !self.in_recovery && !self.ece
    }
}

/// Why a congestion control is to reduce its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A segment is held to be lost; a recovery follows.
    Loss,
    /// The receiver echoes a CE mark; nothing is lost.
    Ecn,
}

/// Congestion, reported once per window of data [RFC5681 s3.2; RFC3168 s6.1.2].
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was seen.
    pub now: Time,
    /// By what.
    pub cause: Cause,
    /// Segments to reduce from. After a loss this is FlightSize less what limited transmit sent [RFC5681 s3.1 (4), s3.2 (2)]; after
    /// an echoed mark it is at most cwnd, which [RFC3168 s6.1.2] halves.
    pub in_flight: u32,
}

/// The retransmission timer has expired.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    /// When.
    pub now: Time,
    /// FlightSize less what limited transmit sent.
    pub in_flight: u32,
    /// Nothing new has been acknowledged since the last timeout.
    pub repeated: bool,
}

/// A measured round trip.
#[derive(Clone, Copy, Debug)]
pub struct RttSample {
    /// When its acknowledgement arrived.
    pub now: Time,
    /// How long it took.
    pub rtt: Duration,
    /// SRTT, this sample included [RFC6298 s2].
    pub smoothed: Duration,
}

/// Which segments' round trips a congestion control wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttSampling {
    /// One at a time, as the retransmission timer measures them [RFC6298 s3].
    OncePerRound,
    /// One with each acknowledgement of new data, as if every segment carried a timestamp: that of the last segment that it
    /// acknowledges, unless that was sent again. Takes memory for every segment outstanding.
    EveryAck,
}

/// A congestion control. What it decides is in the [`Window`], which a recovery may inflate meanwhile.
pub trait CongestionControl: Probe + DynClone {
    /// An acknowledgement of new data arrived. One that echoes a mark grows no window [RFC3168 s6.1.2], nor does one in a
    /// fast recovery.
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window);

    /// Congestion was seen: sets the threshold and, where nothing is lost, the window.
    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window);

    /// The timer expired: sets the threshold; the window becomes one segment.
    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window);

    /// A round trip was measured; called before [`CongestionControl::on_ack`] of the same acknowledgement. The SYN exchange
    /// gives one too, which no `on_ack` follows.
    fn on_rtt_sample(&mut self, sample: &RttSample, window: &mut Window) {
        let _ = (sample, window);
    }

    /// `segments` of those sent are held to be lost, and are sent again.
    fn on_lost(&mut self, now: Time, segments: u32) {
        let _ = (now, segments);
    }

    /// What it needs beyond what every control is told; never another answer for the same parameters.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// An acknowledgement arrived, of new data or not; called after everything else is done about it, where [`Needs::reports`] asks
    /// for it.
    fn on_report(&mut self, report: &AckReport, window: &mut Window) {
        let _ = (report, window);
    }

    /// A segment leaves, where [`Needs::reports`] asks for it; called before the pacing rate is asked for.
    fn on_sent(&mut self, sent: &SentSegment, window: &mut Window) {
        let _ = (sent, window);
    }

    /// Whether it keeps the rate low on purpose, so that what is in the network is held to be limited by the application; asked after
    /// [`CongestionControl::on_report`].
    fn limits_rate(&self) -> bool {
        false
    }

    /// A fast recovery begins, which has set the window.
    fn on_recovery_start(&mut self, now: Time, window: &mut Window) {
        let _ = (now, window);
    }

    /// A fast recovery ends: sets the window.
    fn on_recovery_end(&mut self, now: Time, window: &mut Window) {
        let _ = now;
        window.size = window.threshold; // [RFC5681 s3.2 (6); RFC6582 s3.2 (3); RFC6675 s5]
    }

    /// Something is sent after nothing was outstanding.
    fn on_resume(&mut self, now: Time, window: &mut Window) {
        let _ = (now, window);
    }

    /// How it uses ECN, which both ends keep to; never another answer for the same parameters.
    fn ecn_use(&self) -> EcnUse {
        EcnUse::default()
    }

    /// What an acknowledgement says of marks, where both ends have agreed on ECN; called before anything else is done about
    /// the acknowledgement, whether it acknowledges something new or not.
    fn on_ecn_feedback(&mut self, feedback: &EcnFeedback) {
        let _ = feedback;
    }

    /// Which round trips it wants to know from now on.
    fn rtt_sampling(&self) -> RttSampling {
        RttSampling::OncePerRound
    }

    /// Whether segments leave spaced at [`CongestionControl::pacing_rate`] even where the scenario does not ask for pacing.
    fn paces(&self) -> bool {
        false
    }

    /// The rate at which segments leave when they are paced; by default the sender's, from the window and the smoothed
    /// round trip.
    fn pacing_rate(&self, now: Time, window: &Window) -> Option<Rate> {
        let _ = (now, window);
        None
    }

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(CongestionControl);

impl fmt::Debug for dyn CongestionControl + Send {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CongestionControl")
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::ConnectionContext;
    use crate::site::Site;

    /// A connection whose packets of so many bytes of payload have 40 more, and a window of 1000 of them at most.
    pub fn context(payload: u32) -> ConnectionContext {
        ConnectionContext { site: Site::trial(), packet_size: payload + 40, payload, max_window: 1000, paced: false }
    }
}
