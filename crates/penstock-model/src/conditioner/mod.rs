//! Conditioners make traffic keep to a profile: a shaper delays what exceeds it, a policer drops it [RFC2475 s2.3.3].

pub mod policer;
pub mod shaper;

use crate::meter::bucket::Bucket;
use crate::packet::Packet;
use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
use dyn_clone::DynClone;
use std::any::Any;

/// A policer. The port calls it once per packet of its class, in order of time.
pub trait Policer: Probe + DynClone {
    /// Whether a packet that arrives at `now` passes; otherwise it is dropped.
    fn passes(&mut self, now: Time, packet: &Packet) -> bool;

    /// Takes new values of changeable parameters from `now` on, and keeps its state; `parameters` are of the type that it declares
    /// (see [`own`](crate::parameters::own)). Called at each change of parameters of
    /// its port, its own or others, after all else at this instant.
    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let _ = (now, parameters);
        panic!("a policer with changeable parameters takes them");
    }
}

dyn_clone::clone_trait_object!(Policer);

/// Makes the plan, the policer at work and the dispatch between them from the list below.
macro_rules! policers {
    ($( $name:literal => $variant:ident($policer:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A policer with its parameters, as a scenario gives it.
            pub enum PolicerPlan of "policer" open Policers { $( $name => $variant($parameters) shows <$policer>::STATE, )* }
        }

        /// A policer at work. `Custom` is for users of the crate.
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

/// Makes the plan from the list below. A shaper is a token bucket in front of the wire; its parameters say which.
macro_rules! shapers {
    ($( $name:literal => $variant:ident($parameters:ty), )*) => {
        crate::component_plans! {
            /// A shaper with its parameters, as a scenario gives it.
            pub enum ShaperPlan of "shaper" { $( $name => $variant($parameters) shows shaper::STATE, )* }
        }

        impl ShaperPlan {
            /// The bucket of the shaper, in its state at the beginning.
            pub fn bucket(&self) -> Bucket {
                match self { $( ShaperPlan::$variant(parameters) => parameters.bucket(), )* }
            }

            /// Long-run rate of the output.
            pub fn rate(&self) -> Rate {
                match self { $( ShaperPlan::$variant(parameters) => parameters.rate, )* }
            }

            /// Depth of the bucket.
            pub fn burst(&self) -> Bytes {
                match self { $( ShaperPlan::$variant(parameters) => parameters.burst, )* }
            }
        }
    };
}

shapers! {
    "token-bucket" => TokenBucket(shaper::Parameters),
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
