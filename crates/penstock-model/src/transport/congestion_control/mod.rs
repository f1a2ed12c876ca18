//! Congestion control: limits the amount of data in the network and the sending rate of a connection.
//!
//! A congestion control receives the events of a connection (acknowledgements, round trips, losses, marks, timeouts, idle times) and
//! returns a [`Window`] and optionally a pacing rate. A [`recovery`](super::recovery) decides which segments are lost and how they are
//! repaired.

pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod cubic;
pub mod dctcp;
mod ecn_use;
pub mod h_tcp;
pub mod high_speed;
mod hystart;
pub mod illinois;
pub mod ledbat;
pub mod ledbat_plus_plus;
mod linux_hystart;
pub mod prague;
pub mod reno;
mod report;
mod round;
pub mod scalable;
pub mod vegas;
pub mod westwood;
mod window;

use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Duration, Rate, Time};
use dyn_clone::DynClone;
pub use ecn_use::{EcnCapable, EcnCodepoint, EcnEcho, EcnFeedback, EcnUse};
pub use report::{AckReport, LostSegment, Needs, RateSample, SentSegment};
use std::fmt;
pub use window::Window;

/// Generates the plan, the running congestion control and the dispatch between them from the list below. The first control of the list can
/// be replaced by another one (`or`) if its parameters request something that would cost its fast path a branch.
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
            /// Value of [`CongestionControl::ecn_use`] for the control that the plan describes.
            pub fn ecn_use(&self, context: &ConnectionContext) -> EcnUse {
                match self {
                    CongestionControlPlan::$first(parameters) => <$first_control>::new(parameters, context).ecn_use(),
                    $( CongestionControlPlan::$variant(parameters) => <$control>::new(parameters, context).ecn_use(), )*
                    CongestionControlPlan::Custom(it) => it.build(context).ecn_use(),
                }
            }

            /// Value of [`CongestionControl::needs`] for the control that the plan describes.
            pub fn needs(&self, context: &ConnectionContext) -> Needs {
                match self {
                    CongestionControlPlan::$first(parameters) => <$first_control>::new(parameters, context).needs(),
                    $( CongestionControlPlan::$variant(parameters) => <$control>::new(parameters, context).needs(), )*
                    CongestionControlPlan::Custom(it) => it.build(context).needs(),
                }
            }
        }

        /// A running congestion control. Boxed, so that a connection has the size that most controls need; a control without state uses no
        /// memory. `Custom` is for users of the crate.
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
            /// Creates the congestion control that `plan` describes.
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

            /// Calls [`CongestionControl::on_ack`]. The first control of the list is inlined and gathers only the facts that it reads, so
            /// its speed does not depend on the length of the list.
            #[inline(always)]
            pub fn on_ack_with(&mut self, facts: impl Fn(&Window) -> Acknowledgement, window: &mut Window) {
                if let AnyCongestionControl::$first(it) = self {
                    it.on_ack(&facts(window), window);
                } else {
                    self.get().on_ack(&facts(window), window);
                }
            }

            /// Control of the variant.
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
    "high-speed" => HighSpeed(high_speed::HighSpeed, high_speed::Parameters),
    "scalable" => Scalable(scalable::Scalable, scalable::Parameters),
    "h-tcp" => HTcp(h_tcp::HTcp, h_tcp::Parameters),
    "westwood" => Westwood(westwood::Westwood, westwood::Parameters),
    "illinois" => Illinois(illinois::Illinois, illinois::Parameters),
    "bic" => Bic(bic::Bic, bic::Parameters),
    "ledbat" => Ledbat(ledbat::Ledbat, ledbat::Parameters),
    "ledbat-plus-plus" => LedbatPlusPlus(ledbat_plus_plus::LedbatPlusPlus, ledbat_plus_plus::Parameters),
    "bbr3" => Bbr3(bbr3::Bbr3, bbr3::Parameters),
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

/// Context from which the congestion control of a connection is built.
#[derive(Clone, Debug)]
pub struct ConnectionContext {
    /// Site of the sending end of the flow.
    pub site: Site,
    /// Bytes of a full-sized segment on the wire.
    pub packet_size: u32,
    /// Payload bytes of a full-sized segment (MSS).
    pub payload: u32,
    /// Maximum number of outstanding segments.
    pub max_window: u32,
    /// Whether the sender spaces its segments.
    pub paced: bool,
}

/// An acknowledgement of new data.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// Arrival time.
    pub now: Time,
    /// Number of newly acknowledged segments: cumulatively, or, with RACK, the segments that no earlier acknowledgement has reported,
    /// cumulatively or by SACK, as in Linux (`acked` of `tcp_cong_avoid`).
    pub newly: u32,
    /// Number of segments known to have arrived since the connection began, including selectively acknowledged ones. It falls after a
    /// timeout that discards SACK information.
    pub delivered: u32,
    /// Segment after the last acknowledged one (the new SND.UNA).
    pub acknowledged: u32,
    /// Segment to send next (SND.NXT).
    pub next: u32,
    /// Number of segments that were outstanding before the arrival.
    pub in_flight: u32,
    /// Whether the application had nothing more to send although the window had room [RFC7661 s4.5.3; RFC9438 s5.8].
    pub app_limited: bool,
    /// Whether the receiver reports a congestion mark (ECE) [RFC3168 s6.1].
    pub ece: bool,
    /// Whether the sender is in fast recovery, which controls the window in the meantime.
    pub in_recovery: bool,
}

impl Acknowledgement {
    /// Whether the window may grow.
    #[inline(always)]
    pub fn may_grow(&self) -> bool {
        !self.in_recovery && !self.ece
    }
}

/// Reason for a reduction of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A segment is considered lost; a recovery follows.
    Loss,
    /// The receiver echoes a CE mark; nothing is lost.
    Ecn,
}

/// Congestion event, reported once per window of data [RFC5681 s3.2; RFC3168 s6.1.2].
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Time of detection.
    pub now: Time,
    /// Reason of the reduction.
    pub cause: Cause,
    /// Number of segments to reduce from. After a loss, FlightSize minus the segments of limited transmit [RFC5681 s3.1 (4), s3.2 (2)];
    /// after an echoed mark, at most cwnd, which [RFC3168 s6.1.2] halves.
    pub in_flight: u32,
}

/// Expiry of the retransmission timer.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    /// Time of expiry.
    pub now: Time,
    /// FlightSize minus the segments of limited transmit.
    pub in_flight: u32,
    /// Whether no new data has been acknowledged since the last timeout.
    pub repeated: bool,
}

/// A measured round trip.
#[derive(Clone, Copy, Debug)]
pub struct RttSample {
    /// Arrival time of the acknowledgement.
    pub now: Time,
    /// Length of the round trip.
    pub rtt: Duration,
    /// SRTT, this sample included [RFC6298 s2].
    pub smoothed: Duration,
}

/// Round-trip samples that a congestion control needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttSampling {
    /// One sample at a time, as the retransmission timer measures them [RFC6298 s3].
    OncePerRound,
    /// One sample with each acknowledgement of new data, as if every segment carried a timestamp: that of the last acknowledged segment,
    /// unless it was sent again. Uses memory for every outstanding segment.
    EveryAck,
}

/// A congestion control. Its decisions are in the [`Window`], which a recovery may inflate in the meantime.
pub trait CongestionControl: Probe + DynClone {
    /// Handles an acknowledgement of new data. If it echoes a mark or arrives in a fast recovery, the window does not grow [RFC3168
    /// s6.1.2].
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window);

    /// Handles congestion: sets the threshold and, if no segment is lost, the window.
    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window);

    /// Handles a timeout: sets the threshold. The window becomes one segment.
    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window);

    /// Handles a measured round trip. Called before [`CongestionControl::on_ack`] of the same acknowledgement. The SYN exchange gives one
    /// too, without a following `on_ack`.
    fn on_rtt_sample(&mut self, sample: &RttSample, window: &mut Window) {
        let _ = (sample, window);
    }

    /// Handles `segments` segments that are considered lost and are sent again.
    fn on_lost(&mut self, now: Time, segments: u32) {
        let _ = (now, segments);
    }

    /// Needs beyond the events that every control gets; always the same for the same parameters.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Handles the report of an acknowledgement, whether of new data or not, if [`Needs::reports`] requests it. Called after all other
    /// processing of the acknowledgement.
    fn on_report(&mut self, report: &AckReport, window: &mut Window) {
        let _ = (report, window);
    }

    /// Handles a segment that is considered lost, if [`Needs::reports`] requests it. Called before the report of the acknowledgement that
    /// shows the loss; after a timeout, before the next report.
    fn on_lost_segment(&mut self, now: Time, lost: &LostSegment) {
        let _ = (now, lost);
    }

    /// Handles a segment that leaves, if [`Needs::reports`] requests it. Called before the pacing rate is read.
    fn on_sent(&mut self, sent: &SentSegment, window: &mut Window) {
        let _ = (sent, window);
    }

    /// Whether the control deliberately keeps the rate low, so that the segments in the network count as limited by the application. Read
    /// after [`CongestionControl::on_report`].
    fn limits_rate(&self) -> bool {
        false
    }

    /// Handles the start of a fast recovery, which has set the window.
    fn on_recovery_start(&mut self, now: Time, window: &mut Window) {
        let _ = (now, window);
    }

    /// Handles the end of a fast recovery: sets the window.
    fn on_recovery_end(&mut self, now: Time, window: &mut Window) {
        let _ = now;
        window.size = window.threshold; // [RFC5681 s3.2 (6); RFC6582 s3.2 (3); RFC6675 s5]
    }

    /// Handles the first transmission after nothing was outstanding.
    fn on_resume(&mut self, now: Time, window: &mut Window) {
        let _ = (now, window);
    }

    /// Use of ECN, which both ends follow; always the same for the same parameters.
    fn ecn_use(&self) -> EcnUse {
        EcnUse::default()
    }

    /// Handles the marks that an acknowledgement reports, if both ends have agreed on ECN. Called before all other processing of the
    /// acknowledgement, whether it acknowledges new data or not.
    fn on_ecn_feedback(&mut self, feedback: &EcnFeedback) {
        let _ = feedback;
    }

    /// Round-trip samples that the control currently needs.
    fn rtt_sampling(&self) -> RttSampling {
        RttSampling::OncePerRound
    }

    /// Whether segments are paced by [`CongestionControl::pacing_rate`] even if the scenario does not request pacing.
    fn paces(&self) -> bool {
        false
    }

    /// Pacing rate; `None` for the default of the sender, from the window and the smoothed round trip.
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
    use super::{Acknowledgement, Cause, Congestion, ConnectionContext};
    use crate::site::Site;
    use crate::units::{Duration, Time};

    /// A connection with packets of `payload` bytes plus 40 bytes of headers, and a maximum window of 1000 packets.
    pub fn context(payload: u32) -> ConnectionContext {
        ConnectionContext { site: Site::trial(), packet_size: payload + 40, payload, max_window: 1000, paced: false }
    }

    /// Time `ms` milliseconds after the start.
    pub fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// An acknowledgement of one segment while the window is in use, outside of a recovery, at `ms` milliseconds.
    pub fn ack(ms: u64) -> Acknowledgement {
        Acknowledgement {
            now: at_ms(ms),
            newly: 1,
            delivered: 0,
            acknowledged: 0,
            next: 0,
            in_flight: 1000,
            app_limited: false,
            ece: false,
            in_recovery: false,
        }
    }

    /// A loss at `ms` milliseconds with `in_flight` segments in flight.
    pub fn loss(ms: u64, in_flight: u32) -> Congestion {
        Congestion { now: at_ms(ms), cause: Cause::Loss, in_flight }
    }

    /// Asserts that `a` equals `b` except for rounding.
    #[track_caller]
    pub fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} is not {b}");
    }
}
