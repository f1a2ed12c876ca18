//! Rate control of rate-based transports.
//!
//! A rate control receives the events of a connection (packets sent, acknowledgements, marks) and returns a rate and optionally a window.
//! Its [`Feedback`] lists the information that it needs from receivers and ports; nothing else is provided.

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

/// Generates the plan, the running rate control and the dispatch between them from the list below.
macro_rules! rate_controls {
    ($( $name:literal => $variant:ident($control:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A rate control with its parameters, as a scenario gives it.
            pub enum RateControlPlan of "rate-control" open RateControls { $( $name => $variant($parameters) shows <$control>::STATE, )* }
        }

        /// A running rate control. `Custom` is for users of the crate.
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

            /// Control of the variant.
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
    /// Value of [`RateControl::feedback`] for the control that the plan describes, with packets of `packet` bytes.
    pub fn feedback(&self, packet: u32) -> Feedback {
        RateControls::on_trial(|context| AnyRateControl::new(self, &RateContext { packet, ..context.clone() })).feedback()
    }
}

/// Context from which the rate control of a connection is built.
#[derive(Clone, Debug)]
pub struct RateContext {
    /// Site of the sending end of the flow.
    pub site: Site,
    /// Bytes of a data packet on the wire.
    pub packet: u32,
}

/// Feedback that a rate control needs from receivers and ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// Minimum time between two notifications of marks (CNP) by a receiver; `None` if it sends none and data cannot be marked.
    pub notification_interval: Option<Duration>,
    /// Packets per acknowledgement; each acknowledgement echoes the sending time of the packet that it answers. `None` if the control gets
    /// no acknowledgements; the transport then sends them by its own rule.
    pub ack_every: Option<u32>,
    /// Whether ports write [`HopRecord`]s, which acknowledgements echo.
    pub telemetry: bool,
}

/// An acknowledgement, for a control that requests them. A refusal (NAK) counts as one.
#[derive(Clone, Copy, Debug)]
pub struct RateAck<'a> {
    /// Arrival time.
    pub now: Time,
    /// Time since the answered packet was sent.
    pub rtt: Duration,
    /// Packet that the receiver expects next.
    pub next: u32,
    /// Packet that the sender sends next.
    pub next_to_send: u32,
    /// Records of the ports that the packet has passed, in order; empty without telemetry.
    pub telemetry: &'a [HopRecord],
}

/// Record that a port writes about itself when it begins to transmit a packet (in-band telemetry) [Li19]. The port of the sending host
/// writes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopRecord {
    /// Position of the port on the route.
    pub hop: u32,
    /// Bytes waiting behind the packet.
    pub queue: u64,
    /// Number of bytes whose transmission the port began before this packet, since the start of the run.
    pub sent: u64,
    /// Start of the transmission.
    pub at: Time,
    /// Line rate.
    pub rate: Rate,
}

/// A rate control. The sender asks for the rate before each packet, which gives the spacing after the previous packet.
pub trait RateControl: Probe + DynClone {
    /// Rate at `now`; above 0.
    fn rate(&mut self, now: Time) -> Rate;

    /// Feedback that the control needs; always the same for the same parameters.
    fn feedback(&self) -> Feedback {
        Feedback::default()
    }

    /// Window in bytes: packets leave while fewer bytes are outstanding, or while none are. `None` without a window.
    fn window(&self) -> Option<Bytes> {
        None
    }

    /// Handles a packet of `size` bytes that leaves at `now`.
    fn on_sent(&mut self, now: Time, size: u32) {
        let _ = (now, size);
    }

    /// Handles an acknowledgement, if [`Feedback::ack_every`] requests them.
    fn on_ack(&mut self, ack: &RateAck<'_>) {
        let _ = ack;
    }

    /// Handles a notification that packets were marked.
    fn on_notification(&mut self, now: Time) {
        let _ = now;
    }

    /// Handles the event that everything offered by the application has been acknowledged.
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

    /// A connection with packets of 1000 bytes and a first link of `gbps` Gbit/s.
    pub fn context(gbps: u64) -> RateContext {
        RateContext { site: Site { rate: Rate::from_bps(gbps * 1_000_000_000), ..Site::trial() }, packet: 1000 }
    }
}
