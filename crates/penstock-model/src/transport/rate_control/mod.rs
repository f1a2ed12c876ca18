//! What sets the rate of a rate-based transport.
//!
//! A rate control is told what a connection sends and what comes back, and answers with a rate and, if it wants one, a window. Its
//! [`Feedback`] says what it needs from receivers and ports; nobody provides what is not asked for.

pub mod dcqcn;
pub mod fixed;
pub mod hpcc;
pub mod timely;

use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate, Time};
use dyn_clone::DynClone;
use std::any::Any;

/// Makes the plan, the rate control at work and the dispatch between them from the list below.
macro_rules! rate_controls {
    ($( $name:literal => $variant:ident($control:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A rate control with its parameters, as a scenario gives it.
            pub enum RateControlPlan of "rate-control" open RateControls { $( $name => $variant($parameters) shows <$control>::STATE, )* }
        }

        /// A rate control at work. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyRateControl {
            $( $variant($control), )*
            Custom(Box<dyn RateControl + Send>),
        }

        impl AnyRateControl {
            /// Builds the rate control that `plan` describes.
            pub fn new(plan: &RateControlPlan, context: &RateContext) -> AnyRateControl {
                match plan {
                    $( RateControlPlan::$variant(parameters) => AnyRateControl::$variant(<$control>::new(parameters, context)), )*
                    RateControlPlan::Custom(it) => AnyRateControl::Custom(it.build(context)),
                }
            }

            /// The control behind the variant.
            fn get(&self) -> &dyn RateControl {
                match self {
                    $( AnyRateControl::$variant(it) => it, )*
                    AnyRateControl::Custom(it) => &**it,
                }
            }

            fn get_mut(&mut self) -> &mut dyn RateControl {
                match self {
                    $( AnyRateControl::$variant(it) => it, )*
                    AnyRateControl::Custom(it) => &mut **it,
                }
            }
        }

        impl RateControl for AnyRateControl {
            fn rate(&mut self, now: Time) -> Rate {
                match self {
                    $( AnyRateControl::$variant(it) => it.rate(now), )*
                    AnyRateControl::Custom(it) => it.rate(now),
                }
            }

            fn on_sent(&mut self, now: Time, size: u32) {
                match self {
                    $( AnyRateControl::$variant(it) => it.on_sent(now, size), )*
                    AnyRateControl::Custom(it) => it.on_sent(now, size),
                }
            }

            fn window(&self) -> Option<Bytes> {
                match self {
                    $( AnyRateControl::$variant(it) => it.window(), )*
                    AnyRateControl::Custom(it) => it.window(),
                }
            }

            fn feedback(&self) -> Feedback {
                self.get().feedback()
            }

            fn on_ack(&mut self, ack: &RateAck<'_>) {
                self.get_mut().on_ack(ack);
            }

            fn on_notification(&mut self, now: Time) {
                self.get_mut().on_notification(now);
            }

            fn on_message_complete(&mut self, now: Time) {
                self.get_mut().on_message_complete(now);
            }

            fn change(&mut self, now: Time, parameters: &dyn Any) {
                self.get_mut().change(now, parameters);
            }
        }
    };
}

rate_controls! {
    "dcqcn" => Dcqcn(dcqcn::Dcqcn, dcqcn::Parameters),
    "fixed" => Fixed(fixed::Fixed, fixed::Parameters),
    "hpcc" => Hpcc(hpcc::Hpcc, hpcc::Parameters),
    "timely" => Timely(timely::Timely, timely::Parameters),
}

/// The kind of rate controls.
pub struct RateControls;

impl OpenKind for RateControls {
    const OF: &'static str = RateControlPlan::OF;
    const BUILT_IN: &'static [&'static str] = RateControlPlan::NAMES;
    type Context<'a> = RateContext;
    type Component = Box<dyn RateControl + Send>;

    fn on_trial<T>(build: impl FnOnce(&RateContext) -> T) -> T {
        build(&RateContext { site: Site::trial(), packet: 1500 })
    }
}

impl Probe for AnyRateControl {
    fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
        self.get().probe(now, report);
    }
}

impl RateControlPlan {
    /// [`RateControl::feedback`] of the control that it describes, for packets of so many bytes.
    pub fn feedback(&self, packet: u32) -> Feedback {
        RateControls::on_trial(|context| AnyRateControl::new(self, &RateContext { packet, ..context.clone() })).feedback()
    }
}

/// What a rate control learns about its connection when it is built.
#[derive(Clone, Debug)]
pub struct RateContext {
    /// The sending end of the flow.
    pub site: Site,
    /// Bytes of a data packet on the wire.
    pub packet: u32,
}

/// What a rate control needs from receivers and ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// The least time between two notifications of marks (CNP) of a receiver; `None` if it sends none, and data cannot be marked.
    pub notification_interval: Option<Duration>,
    /// Packets per acknowledgement, each of which echoes when the packet that it answers was sent. `None` if the control is told of no
    /// acknowledgements: then they come as the transport has them.
    pub ack_every: Option<u32>,
    /// Ports write [`HopRecord`]s, which acknowledgements echo.
    pub telemetry: bool,
}

/// An acknowledgement, for a control that has asked for them. One that refuses a packet (NAK) is one too.
#[derive(Clone, Copy, Debug)]
pub struct RateAck<'a> {
    /// When it arrived.
    pub now: Time,
    /// From the sending of the packet that it answers until now.
    pub rtt: Duration,
    /// The packet that the receiver expects next.
    pub next: u32,
    /// The packet that the sender sends next.
    pub next_to_send: u32,
    /// Records of the ports that the packet passed, in order; empty without telemetry.
    pub telemetry: &'a [HopRecord],
}

/// The record of a port about itself for a packet that it begins to transmit (in-band telemetry) [Li19]. The port of the sending
/// host writes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopRecord {
    /// Bytes that wait behind the packet.
    pub queue: u64,
    /// Bytes that the port began to transmit before the packet, since the start of the run.
    pub sent: u64,
    /// Start of the transmission.
    pub at: Time,
    /// Line rate.
    pub rate: Rate,
}

/// What a rate control decides. The sender asks for the rate before each packet, and sends it as long after the last as that takes.
pub trait RateControl: Probe + DynClone {
    /// The rate at `now`, above 0.
    fn rate(&mut self, now: Time) -> Rate;

    /// What it needs; never another answer for the same parameters.
    fn feedback(&self) -> Feedback {
        Feedback::default()
    }

    /// Packets leave while fewer bytes than this are outstanding, or none are.
    fn window(&self) -> Option<Bytes> {
        None
    }

    /// A packet of `size` bytes leaves at `now`.
    fn on_sent(&mut self, now: Time, size: u32) {
        let _ = (now, size);
    }

    /// An acknowledgement has come, where [`Feedback::ack_every`] asks for them.
    fn on_ack(&mut self, ack: &RateAck<'_>) {
        let _ = ack;
    }

    /// A notification has come that packets were marked.
    fn on_notification(&mut self, now: Time) {
        let _ = now;
    }

    /// All that the application has offered is acknowledged.
    fn on_message_complete(&mut self, now: Time) {
        let _ = now;
    }

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(RateControl);

#[cfg(test)]
pub(crate) mod testing {
    use super::{Rate, RateContext};
    use crate::site::Site;

    /// A connection of packets of 1000 bytes before a link of so many Gbit/s.
    pub fn context(gbps: u64) -> RateContext {
        RateContext { site: Site { rate: Rate::from_bps(gbps * 1_000_000_000), ..Site::trial() }, packet: 1000 }
    }
}
