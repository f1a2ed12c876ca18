//! Conditioners enforce a traffic profile: a shaper delays packets that exceed it, a policer drops them [RFC2475 s2.3.3].

pub mod dual_shaper;
pub mod policer;
pub mod shaper;

use crate::packet::Packet;
use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use dyn_clone::DynClone;
use std::any::Any;

/// A policer. The port calls it once per packet of its class, in order of time.
pub trait Policer: Probe + DynClone {
    /// Whether a packet that arrives at `now` passes. Otherwise it is dropped.
    fn passes(&mut self, now: Time, packet: &Packet) -> bool;

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(Policer);

/// Generates the plan, the running policer and the dispatch between them from the list below.
macro_rules! policers {
    ($( $name:literal => $variant:ident($policer:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A policer with its parameters, as a scenario gives it.
            pub enum PolicerPlan of "policer" open Policers { $( $name => $variant($parameters) shows <$policer>::STATE, )* }
        }

        /// A running policer. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyPolicer {
            $( $variant($policer), )*
            Custom(Box<dyn Policer + Send>),
        }

        impl AnyPolicer {
            /// Builds the policer that `plan` describes.
            pub fn new(plan: &PolicerPlan, site: &Site) -> AnyPolicer {
                match plan {
                    $( PolicerPlan::$variant(parameters) => AnyPolicer::$variant(<$policer>::new(parameters, site)), )*
                    PolicerPlan::Custom(it) => AnyPolicer::Custom(it.build(site)),
                }
            }
        }

        impl Probe for AnyPolicer {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyPolicer::$variant(it) => it.probe(now, report), )*
                    AnyPolicer::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl Policer for AnyPolicer {
            #[inline]
            fn passes(&mut self, now: Time, packet: &Packet) -> bool {
                match self {
                    $( AnyPolicer::$variant(it) => it.passes(now, packet), )*
                    AnyPolicer::Custom(it) => it.passes(now, packet),
                }
            }

            fn change(&mut self, now: Time, parameters: &dyn Any) {
                match self {
                    $( AnyPolicer::$variant(it) => it.change(now, parameters), )*
                    AnyPolicer::Custom(it) => it.change(now, parameters),
                }
            }
        }
    };
}

/// A shaper in front of a wire: the port asks when a packet may begin its transmission, and reports when it begins.
pub trait Shaper: Probe + DynClone {
    /// Earliest instant, `now` or later, at which a packet of `size` may begin if no other packet begins before; it is within the run. The
    /// call changes nothing, and returns the same instant if repeated at that instant.
    fn ready(&self, now: Time, size: Bytes) -> Time;

    /// Records that a packet of `size` begins its transmission at `now`, not before the instant of [`Shaper::ready`]. Ports that know their
    /// departures on arrival report it at that time, in advance and in order.
    fn on_start(&mut self, now: Time, size: Bytes);

    /// Long-run rate of the output; `None` if there is none. A rate above that of the link is a mistake of the scenario.
    fn rate(&self) -> Option<Rate> {
        None
    }

    /// Maximum size of a packet that conforms to the profile; `None` if there is none. A larger packet is a mistake of the scenario.
    fn burst(&self) -> Option<Bytes> {
        None
    }

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(Shaper);

/// Generates the plan, the running shaper and the dispatch between them from the list below.
macro_rules! shapers {
    ($( $name:literal => $variant:ident($shaper:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A shaper with its parameters, as a scenario gives it.
            pub enum ShaperPlan of "shaper" open Shapers { $( $name => $variant($parameters) shows <$shaper>::STATE, )* }
        }

        /// A running shaper. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyShaper {
            $( $variant($shaper), )*
            Custom(Box<dyn Shaper + Send>),
        }

        impl AnyShaper {
            /// Builds the shaper that `plan` describes.
            pub fn new(plan: &ShaperPlan, site: &Site) -> AnyShaper {
                match plan {
                    $( ShaperPlan::$variant(parameters) => AnyShaper::$variant(<$shaper>::new(parameters, site)), )*
                    ShaperPlan::Custom(it) => AnyShaper::Custom(it.build(site)),
                }
            }
        }

        impl Probe for AnyShaper {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyShaper::$variant(it) => it.probe(now, report), )*
                    AnyShaper::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl Shaper for AnyShaper {
            #[inline]
            fn ready(&self, now: Time, size: Bytes) -> Time {
                match self {
                    $( AnyShaper::$variant(it) => it.ready(now, size), )*
                    AnyShaper::Custom(it) => it.ready(now, size).max(now),
                }
            }

            #[inline]
            fn on_start(&mut self, now: Time, size: Bytes) {
                match self {
                    $( AnyShaper::$variant(it) => it.on_start(now, size), )*
                    AnyShaper::Custom(it) => it.on_start(now, size),
                }
            }

            fn rate(&self) -> Option<Rate> {
                match self {
                    $( AnyShaper::$variant(it) => it.rate(), )*
                    AnyShaper::Custom(it) => it.rate(),
                }
            }

            fn burst(&self) -> Option<Bytes> {
                match self {
                    $( AnyShaper::$variant(it) => it.burst(), )*
                    AnyShaper::Custom(it) => it.burst(),
                }
            }

            fn change(&mut self, now: Time, parameters: &dyn Any) {
                match self {
                    $( AnyShaper::$variant(it) => it.change(now, parameters), )*
                    AnyShaper::Custom(it) => it.change(now, parameters),
                }
            }
        }
    };
}

shapers! {
    "token-bucket" => TokenBucket(shaper::TokenBucketShaper, shaper::Parameters),
    "dual-token-bucket" => DualTokenBucket(dual_shaper::DualTokenBucketShaper, dual_shaper::Parameters),
}

policers! {
    "token-bucket" => TokenBucket(policer::TokenBucketPolicer, policer::Parameters),
}

/// The kind of policers.
pub struct Policers;

impl OpenKind for Policers {
    const OF: &'static str = PolicerPlan::OF;
    const BUILT_IN: &'static [&'static str] = PolicerPlan::NAMES;
    type Context<'a> = Site;
    type Component = Box<dyn Policer + Send>;

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}

/// The kind of shapers.
pub struct Shapers;

impl OpenKind for Shapers {
    const OF: &'static str = ShaperPlan::OF;
    const BUILT_IN: &'static [&'static str] = ShaperPlan::NAMES;
    type Context<'a> = Site;
    type Component = Box<dyn Shaper + Send>;

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}
