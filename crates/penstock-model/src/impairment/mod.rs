//! Impairments change the fate of packets on the wire, after they have left a port.

mod correlated;
pub mod delay;
pub mod drop_list;
pub mod duplication;
pub mod gilbert_elliott;
pub mod loss;
pub mod reordering;

use crate::packet::Packet;
use crate::parameters::Entry;
use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Duration, Time};
use dyn_clone::DynClone;

/// Fate of a packet on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Arrives after this time in addition to the delay of the link.
    Delayed(Duration),
    /// Arrives without added delay, and a copy arrives this much later.
    Duplicated(Duration),
    /// Never arrives.
    Lost,
}

/// An impairment. The port calls it once per packet, in order of departure. Copies made by an earlier impairment follow their packet.
pub trait Impairment: Probe + DynClone {
    /// Fate of `packet`, which leaves the port at `now`.
    fn on_departure(&mut self, now: Time, packet: &Packet) -> Fate;

    /// Whether a later packet may overtake an earlier one.
    fn reorders(&self) -> bool;
}

dyn_clone::clone_trait_object!(Impairment);

/// Generates the plan, the running impairment and the dispatch between them from the list below.
macro_rules! impairments {
    ($( $name:literal => $variant:ident($impairment:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// An impairment with its parameters, as a scenario gives it.
            pub enum ImpairmentPlan of "impairment" open Impairments { $( $name => $variant($parameters) shows <$impairment>::STATE, )* }
        }

        /// A running impairment. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyImpairment {
            $( $variant($impairment), )*
            Custom(Box<dyn Impairment + Send>),
        }

        impl AnyImpairment {
            /// Creates the impairment that `plan` describes, at a link.
            pub fn new(plan: &ImpairmentPlan, site: &Site) -> AnyImpairment {
                match plan {
                    $( ImpairmentPlan::$variant(parameters) => AnyImpairment::$variant(<$impairment>::new(parameters, site)), )*
                    ImpairmentPlan::Custom(it) => AnyImpairment::Custom(it.build(site)),
                }
            }
        }

        impl Probe for AnyImpairment {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyImpairment::$variant(it) => it.probe(now, report), )*
                    AnyImpairment::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl Impairment for AnyImpairment {
            #[inline]
            fn on_departure(&mut self, now: Time, packet: &Packet) -> Fate {
                match self {
                    $( AnyImpairment::$variant(it) => it.on_departure(now, packet), )*
                    AnyImpairment::Custom(it) => it.on_departure(now, packet),
                }
            }

            fn reorders(&self) -> bool {
                match self {
                    $( AnyImpairment::$variant(it) => it.reorders(), )*
                    AnyImpairment::Custom(it) => it.reorders(),
                }
            }
        }
    };
}

impairments! {
    "loss" => Loss(loss::Loss, loss::Parameters),
    "gilbert-elliott" => GilbertElliott(gilbert_elliott::GilbertElliott, gilbert_elliott::Parameters),
    "drop-list" => DropList(drop_list::DropList, drop_list::Parameters),
    "delay" => Delay(delay::Delay, delay::Parameters),
    "reordering" => Reordering(reordering::Reordering, reordering::Parameters),
    "duplication" => Duplication(duplication::Duplication, duplication::Parameters),
}

/// The kind of impairments.
pub struct Impairments;

impl OpenKind for Impairments {
    const OF: &'static str = ImpairmentPlan::OF;
    const BUILT_IN: &'static [&'static str] = ImpairmentPlan::NAMES;
    type Context<'a> = Site;
    type Component = Box<dyn Impairment + Send>;

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}

impl ImpairmentPlan {
    /// Whether more packets may arrive than were sent.
    pub fn makes_copies(&self) -> bool {
        matches!(self, ImpairmentPlan::Duplication(_))
    }

    /// Whether the impairment has state variables.
    pub fn shows_state(&self) -> bool {
        let shows = |entry: &Entry| entry.name == self.name() && !entry.state.is_empty();
        ImpairmentPlan::ENTRIES.iter().any(shows)
    }
}

#[cfg(test)]
mod testing {
    use super::{Fate, Impairment};
    use crate::id::{FlowId, HopId};
    use crate::packet::{Body, Ecn, Packet, PcnMark};
    use crate::rng::Key;
    use crate::site::Site;
    use crate::units::{Duration, Time};

    pub(super) fn site() -> Site {
        Site::trial().with_key(Key::root(1, 0).child("link"))
    }

    /// Fates of `n` packets that leave every millisecond, from 0 on.
    pub(super) fn fates(impairment: &mut impl Impairment, n: u64) -> Vec<Fate> {
        let packet = packet();
        (0..n).map(|i| impairment.on_departure(Time::ZERO + Duration::from_ms(i), &packet)).collect()
    }

    /// A datagram of 500 bytes.
    pub(super) fn packet() -> Packet {
        let body = Body::datagram(0);
        Packet {
            created: Time::ZERO,
            flow: FlowId(0),
            hop: HopId(0),
            size: 500,
            precedence: 0,
            class: 0,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body,
        }
    }
}
