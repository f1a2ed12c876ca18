//! PCN meters mark packets before a link is congested.
//!
//! A port may have several meters; each packet passes them in the order of the scenario. A meter counts every packet of the
//! PCN class, whatever its mark, unless its documentation says otherwise.

pub mod bucket;
pub mod bucket_integer;
pub mod depth;
pub mod excess;
pub mod fractional;
pub mod pre_emption;
pub mod single_threshold;
pub mod threshold;
pub mod tokens;
pub mod virtual_queue;

use crate::packet::{Packet, PcnMark};
use crate::probe::{Probe, ReportVariable};
use crate::site::Site;
use crate::units::{Bytes, Rate, Time};
pub use depth::Depth;
use dyn_clone::DynClone;
use std::hint::select_unpredictable;

/// A PCN meter. The port calls it once per accepted packet, in order of time. A meter sees only a packet's size and mark, as
/// in RFC 5670.
pub trait PcnMeter: Probe + DynClone {
    /// Returns the new mark of a packet of `size` that arrives at `now` with `mark`; never a less severe one [RFC5670 s2.5].
    fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark;

    /// Meters packets of one `size` in place; returns the number that it marked.
    #[inline(always)]
    fn meter_alike<P: Metered>(&mut self, packets: &mut [P], size: Bytes) -> u64
    where
        Self: Sized,
    {
        let _ = size;
        meter_each(self, packets).0
    }

    /// Returns the new mark of `packet`, which arrives at `now`.
    #[inline(always)]
    fn on_packet(&mut self, now: Time, packet: &Packet) -> PcnMark {
        self.meter(now, packet.bytes(), packet.pcn)
    }
}

dyn_clone::clone_trait_object!(PcnMeter);

/// Describes a meter's marks, for checks of the schemes that read them.
pub trait PcnMeterParameters {
    /// The mark that the meter sets.
    fn mark(&self) -> PcnMark;

    /// The rates above which the meter marks.
    fn marking_rates(&self) -> Vec<MarkingRate>;

    /// Marked share just above the admissible rate, if the meter marks only a share there: upper limit of a threshold for an
    /// estimate of the congestion level.
    fn highest_level(&self) -> Option<f64> {
        None
    }

    /// Whether a long run of marked packets implies that the supportable rate is exceeded.
    fn marks_runs_above_supportable(&self) -> bool {
        false
    }

    /// Whether the meter marks only part of the traffic in excess, so that the unmarked rate exceeds the meter's rate.
    fn marks_part_of_excess(&self) -> bool {
        false
    }

    /// Whether the meter marks only above the supportable rate, so that admission by its marks admits up to that rate.
    fn marks_only_above_supportable(&self) -> bool {
        false
    }
}

/// Rate above which a meter marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkingRate {
    /// Key of the parameter.
    pub key: &'static str,
    /// Rate.
    pub rate: Rate,
    /// Whether calls are terminated above the rate; otherwise new calls are refused.
    pub terminates: bool,
}

impl MarkingRate {
    /// A rate above which new calls are refused.
    pub fn admission(key: &'static str, rate: Rate) -> MarkingRate {
        MarkingRate { key, rate, terminates: false }
    }

    /// A rate above which calls are terminated.
    pub fn termination(key: &'static str, rate: Rate) -> MarkingRate {
        MarkingRate { key, rate, terminates: true }
    }
}

/// A packet that meters mark in place.
pub trait Metered {
    /// Arrival time.
    fn at(&self) -> Time;

    /// Size.
    fn size(&self) -> Bytes;

    /// Mark, which the meter may change.
    fn mark(&mut self) -> &mut PcnMark;
}

/// Meters a packet. Not inlined, since the caller would otherwise need the registers of all meters.
#[inline(never)]
fn meter_packet<M: PcnMeter>(meter: &mut M, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
    meter.meter(now, size, mark)
}

/// Splits packets into those before `since` and those at or after it.
fn split_at_time<P: Metered>(packets: &mut [P], since: Time) -> (&mut [P], &mut [P]) {
    let before = match packets.first() {
        Some(first) if first.at() < since => packets.partition_point(|packet| packet.at() < since),
        _ => 0,
    };
    packets.split_at_mut(before)
}

/// Meters packets in place; returns the number and the bytes of the packets that it marked.
#[inline(never)]
fn meter_each<M: PcnMeter + ?Sized, P: Metered>(meter: &mut M, packets: &mut [P]) -> (u64, u64) {
    let (mut marked, mut bytes) = (0, 0);
    for packet in packets {
        let (at, size) = (packet.at(), packet.size());
        let mark = packet.mark();
        let before = *mark;
        *mark = meter.meter(at, size, before);
        // Which packets are marked is unpredictable, so a branch would often be mispredicted.
        let is_marked = *mark > before;
        marked += u64::from(is_marked);
        bytes += select_unpredictable(is_marked, size.get(), 0);
    }
    (marked, bytes)
}

const FIT_128: &str = "the product of two numbers of 64 bits, and a packet, fit 128";

/// Generates the plan, the running meter and the dispatch between them from the list below.
macro_rules! pcn_meters {
    ($( $name:literal => $variant:ident($module:ident), )*) => {
        crate::component_plans! {
            /// A PCN meter with its parameters, as a scenario gives it.
            pub enum PcnMeterPlan of "pcn-meter" { $( $name => $variant($module::Parameters) shows <$module::$variant<u64>>::STATE, )* }
        }

        impl PcnMeterPlan {
            /// Parameters of the meter, which describe its marks.
            pub fn parameters(&self) -> &dyn PcnMeterParameters {
                match self {
                    $( PcnMeterPlan::$variant(parameters) => parameters, )*
                }
            }
        }

        /// A running PCN meter. `Custom` is for users of the crate and for meters that need more than 64 bits.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyPcnMeter {
            $( $variant($module::$variant<u64>), )*
            Custom(Box<dyn PcnMeter + Send>),
        }

        impl AnyPcnMeter {
            /// Builds the meter that `plan` describes. A meter that marks at random draws from a stream derived from the key
            /// of `site`.
            pub fn new(plan: &PcnMeterPlan, site: &Site) -> AnyPcnMeter {
                match plan {
                    $( PcnMeterPlan::$variant(parameters) => match $module::$variant::new(parameters, site) {
                        Some(meter) => AnyPcnMeter::$variant(meter),
                        None => AnyPcnMeter::Custom(Box::new($module::$variant::<u128>::new(parameters, site).expect(FIT_128))),
                    }, )*
                }
            }

            /// Like [`PcnMeter::meter`], for several packets, whose marks it writes. Returns the number and the bytes of the
            /// packets marked at or after `since`. `one_size` is the size of all packets, if they have the same.
            pub fn on_packets<P: Metered>(&mut self, packets: &mut [P], one_size: Option<Bytes>, since: Time) -> (u64, u64) {
                let (before, counted) = split_at_time(packets, since);
                if !before.is_empty() {
                    self.meter_all(before, one_size);
                }
                self.meter_all(counted, one_size)
            }

            #[inline]
            fn meter_all<P: Metered>(&mut self, packets: &mut [P], one_size: Option<Bytes>) -> (u64, u64) {
                let Some(size) = one_size else {
                    return match self {
                        $( AnyPcnMeter::$variant(it) => meter_each(it, packets), )*
                        AnyPcnMeter::Custom(it) => meter_each(&mut **it, packets),
                    };
                };
                let marked = match self {
                    $( AnyPcnMeter::$variant(it) => it.meter_alike(packets, size), )*
                    AnyPcnMeter::Custom(it) => meter_each(&mut **it, packets).0,
                };
                (marked, marked * size.get())
            }
        }

        impl Probe for AnyPcnMeter {
            fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
                match self {
                    $( AnyPcnMeter::$variant(it) => it.probe(now, report), )*
                    AnyPcnMeter::Custom(it) => it.probe(now, report),
                }
            }
        }

        impl PcnMeter for AnyPcnMeter {
            #[inline(always)]
            fn meter(&mut self, now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
                match self {
                    $( AnyPcnMeter::$variant(it) => meter_packet(it, now, size, mark), )*
                    AnyPcnMeter::Custom(it) => it.meter(now, size, mark),
                }
            }
        }
    };
}

pcn_meters! {
    "single-threshold" => SingleThreshold(single_threshold),
    "fractional" => Fractional(fractional),
    "virtual-queue" => VirtualQueue(virtual_queue),
    "pre-emption" => PreEmption(pre_emption),
    "threshold" => Threshold(threshold),
    "excess" => Excess(excess),
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod laws;
