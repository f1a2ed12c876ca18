//! Meters measure a stream of packets against a traffic profile and give each packet a colour.
//!
//! A colour is a drop precedence: 0 green, 1 yellow, 2 red. The port writes it into the packet.

pub mod bucket;
pub mod f_gcra;
pub mod rbm;
pub mod rfc_4115;
pub mod tcm;
pub mod token_bucket;
mod tsw;
pub mod tsw2cm;
pub mod tsw3cm;
pub mod two_rate_tcm;

use crate::atm::circuits::PortCircuits;
use crate::packet::Packet;
use crate::probe::{Probe, ReportVariable};
use crate::registry::OpenKind;
use crate::site::Site;
use crate::units::{Bytes, Time};
use dyn_clone::DynClone;
use std::any::Any;
use std::sync::Arc;

/// A meter. The port calls it once per packet, in order of time.
pub trait Meter: Probe + DynClone {
    /// Returns the new colour of a packet that arrives at `now`.
    fn colour(&mut self, now: Time, packet: &Packet) -> u8;

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(Meter);

/// Generates the plan, the running meter and the dispatch between them from the list below.
macro_rules! meters {
    ($( $name:literal => $variant:ident($meter:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A meter with its parameters, as a scenario gives it.
            pub enum MeterPlan of "meter" open Meters { $( $name => $variant($parameters) shows <$meter>::STATE, )* }
        }

        /// A running meter. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyMeter {
            $( $variant($meter), )*
            Custom(Box<dyn Meter + Send>),
        }

        impl AnyMeter {
            /// Builds the meter that `plan` describes.
            pub fn new(plan: &MeterPlan, site: &Site) -> AnyMeter {
                match plan {
                    $( MeterPlan::$variant(parameters) => AnyMeter::$variant(<$meter>::new(parameters, site)), )*
                    MeterPlan::Custom(it) => AnyMeter::Custom(it.build(site)),
                }
            }
        }

        impl Probe for AnyMeter {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyMeter::$variant(it) => it.probe(now, report), )*
                    AnyMeter::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl Meter for AnyMeter {
            #[inline]
            fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
                match self {
                    $( AnyMeter::$variant(it) => it.colour(now, packet), )*
                    AnyMeter::Custom(it) => it.colour(now, packet),
                }
            }

            fn change(&mut self, now: Time, parameters: &dyn Any) {
                match self {
                    $( AnyMeter::$variant(it) => it.change(now, parameters), )*
                    AnyMeter::Custom(it) => it.change(now, parameters),
                }
            }
        }
    };
}

meters! {
    "token-bucket" => TokenBucket(token_bucket::TokenBucket, token_bucket::Parameters),
    "tcm" => Tcm(tcm::Tcm, tcm::Parameters),
    "rbm" => Rbm(rbm::Rbm, rbm::Parameters),
    "two-rate-tcm" => TwoRateTcm(two_rate_tcm::TwoRateTcm, two_rate_tcm::Parameters),
    "rfc-4115" => Rfc4115(rfc_4115::Rfc4115, rfc_4115::Parameters),
    "tsw2cm" => Tsw2cm(tsw2cm::Tsw2cm, tsw2cm::Parameters),
    "tsw3cm" => Tsw3cm(tsw3cm::Tsw3cm, tsw3cm::Parameters),
    "f-gcra" => FGcra(f_gcra::FGcra, f_gcra::Parameters),
}

/// The kind of meters.
pub struct Meters;

impl OpenKind for Meters {
    const OF: &'static str = MeterPlan::OF;
    const BUILT_IN: &'static [&'static str] = MeterPlan::NAMES;
    type Context<'a> = Site;
    type Component = Box<dyn Meter + Send>;

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}

impl MeterPlan {
    /// Whether the meter treats each circuit of its port separately.
    pub fn meters_circuits(&self) -> bool {
        matches!(self, MeterPlan::FGcra(_))
    }
}

impl AnyMeter {
    /// Sets the circuits of the port, if the meter treats circuits separately.
    pub fn meter_circuits(&mut self, circuits: &Arc<PortCircuits>) {
        if let AnyMeter::FGcra(it) = self {
            it.meter_circuits(circuits);
        }
    }
}

crate::choice! {
    /// How a meter uses the colour of an arriving packet.
    pub enum Mode {
        /// A packet uses no tokens of a better colour than its own and is never promoted.
        "colour-aware" => Aware,
        /// The colour is ignored: every packet is metered as if green.
        "colour-blind" => Blind,
    }
}

impl Mode {
    /// Colour that counts as the packet's incoming colour.
    #[inline]
    fn admits(self, incoming: u8) -> u8 {
        match self {
            Mode::Aware => incoming,
            Mode::Blind => 0,
        }
    }
}

crate::choice! {
    /// Treatment of a green packet that finds no green tokens.
    pub enum Demotion {
        /// It uses the excess bucket, and is yellow if that holds enough tokens.
        "next-bucket" => NextBucket,
        /// It gets the worst colour; the excess bucket is for packets that arrive yellow.
        "last" => Last,
    }
}

/// Returns green if the first bucket holds enough tokens, otherwise yellow if the second does, otherwise the worst colour. This is the rule
/// of the three-colour markers with separate buckets. The buckets must be filled up to the packet's arrival.
#[inline]
fn colour_of(first: &mut bucket::Bucket, second: Option<&mut bucket::Bucket>, size: Bytes, colour: u8, demotion: Demotion) -> u8 {
    if colour == 0 && first.take(size) {
        return 0;
    }
    let Some(second) = second else {
        return colour.max(1);
    };
    let eligible = colour == 1 || colour == 0 && demotion == Demotion::NextBucket;
    if eligible && second.take(size) {
        return 1;
    }
    colour.max(2)
}

/// Reason why a demotion rule has no effect; `None` if it has one.
fn demotion_mistake(demotion: Demotion, mode: Mode, buckets: usize) -> Option<String> {
    match (demotion, mode, buckets) {
        (Demotion::NextBucket, ..) => None,
        (Demotion::Last, _, 1) => Some("has no effect without an excess bucket; leave it out".to_owned()),
        (Demotion::Last, Mode::Blind, _) => {
            Some("\"last\" with mode = \"colour-blind\" leaves the excess bucket unused; leave the bucket out instead".to_owned())
        }
        (Demotion::Last, Mode::Aware, _) => None,
    }
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod testing {
    use super::Meter;
    use crate::packet::testing::packet;
    use crate::rng::Key;
    use crate::site::Site;
    use crate::units::{Duration, Time};

    pub(super) fn site() -> Site {
        Site::trial().with_key(Key::root(1, 0))
    }

    pub(super) fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Values reported by a probe at `ms`.
    pub(super) fn probed(meter: &impl Meter, ms: u64) -> Vec<(&'static str, f64)> {
        let mut told = Vec::new();
        meter.probe(at(ms), &mut |variable, _, value| told.push((variable.name, value)));
        told
    }

    /// Colours of packets, each given as (ms, bytes, incoming colour).
    pub(super) fn colours(meter: &mut impl Meter, packets: &[(u64, u32, u8)]) -> Vec<u8> {
        packets.iter().map(|(ms, size, incoming)| meter.colour(at(*ms), &packet(*size, *incoming))).collect()
    }

    /// Number of green, yellow and red packets of 500 bytes at 1 Mbit/s from 0 to 100 s, both ends included.
    pub(super) fn overload(meter: &mut impl Meter) -> [u64; 3] {
        let mut counts = [0; 3];
        (0..=25_000).for_each(|i| counts[usize::from(meter.colour(at(4 * i), &packet(500, 0)))] += 1);
        counts
    }
}
