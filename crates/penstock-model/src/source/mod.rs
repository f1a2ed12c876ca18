//! Sources decide when an application sends, and how much.

pub mod cbr;
pub mod codec_mix;
pub mod ftp;
pub mod http;
pub mod laws;
pub mod on_off;
pub mod packets;
pub mod poisson;
pub mod size;
pub mod trace;
pub mod transfer_size;

use crate::rng::Stream;
use crate::units::{Bytes, Duration, Rate};
use dyn_clone::DynClone;
use std::collections::BTreeSet;

/// One packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// How long after the previous packet (after the flow's start, for the first); [`Duration::FOREVER`] if there is none any more.
    pub after: Duration,
    /// Bytes on the wire.
    pub size: u32,
}

/// A source that sends whatever the network does (open loop). Its randomness comes from the stream that the engine hands it.
pub trait Source: DynClone {
    /// The first packet, counted from the flow's start.
    fn first(&mut self, stream: &mut Stream) -> Emission;

    /// The next packet, counted from the one before.
    fn next(&mut self, stream: &mut Stream) -> Emission;

    /// The next packet, and how many more there are like it, each [spaced](Source::spacing) from the one before: those
    /// need not be asked for, and draw nothing.
    fn next_run(&mut self, stream: &mut Stream) -> (Emission, u32) {
        (self.next(stream), 0)
    }

    /// The spacing, if it never varies and all packets have one size: such sources are kept in rings.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// The spacing that most packets have; only a hint, by which sources that mostly keep their order are kept in rings.
    fn spacing(&self) -> Option<Duration> {
        self.period()
    }

    /// No two packets are closer than this.
    fn least_spacing(&self) -> Duration {
        self.period().unwrap_or(Duration::ZERO)
    }
}

dyn_clone::clone_trait_object!(Source);

/// Makes the plan, the source at work and the dispatch between them from the lists below. A greedy source has no packets of
/// its own timing: its transport asks the plan how much there is to send.
macro_rules! sources {
    (
        open loop: $( $name:literal => $variant:ident($source:ty, $parameters:ty), )*
        greedy: $( $greedy_name:literal => $greedy:ident($greedy_parameters:ty), )*
    ) => {
        crate::component_plans! {
            /// A source with its parameters, as a scenario gives it.
            pub enum SourcePlan of "source" {
                $( $name => $variant($parameters), )*
                $( $greedy_name => $greedy($greedy_parameters), )*
            }
        }

        impl SourcePlan {
            /// The names of those that send whatever the network does.
            pub const OPEN_LOOP: &'static [&'static str] = &[$( $name ),*];

            /// Whether it sends as fast as its transport lets it.
            pub fn is_greedy(&self) -> bool {
                self.mean_rate().is_none()
            }

            /// The rate that the source sends at in the long run, headers included; `None` for a greedy one.
            pub fn mean_rate(&self) -> Option<Rate> {
                match self {
                    $( SourcePlan::$variant(parameters) => Some(parameters.mean_rate()), )*
                    $( SourcePlan::$greedy(_) => None, )*
                }
            }
        }

        /// An open-loop source at work. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnySource {
            $( $variant($source), )*
            Custom(Box<dyn Source + Send>),
        }

        impl AnySource {
            /// Builds the source that `plan` describes; `None` for a greedy one, which its transport drives.
            pub fn new(plan: &SourcePlan) -> Option<AnySource> {
                match plan {
                    $( SourcePlan::$variant(parameters) => Some(AnySource::$variant(<$source>::new(parameters))), )*
                    $( SourcePlan::$greedy(_) => None, )*
                }
            }
        }

        impl Source for AnySource {
            #[inline]
            fn first(&mut self, stream: &mut Stream) -> Emission {
                match self {
                    $( AnySource::$variant(it) => it.first(stream), )*
                    AnySource::Custom(it) => it.first(stream),
                }
            }

            #[inline]
            fn next(&mut self, stream: &mut Stream) -> Emission {
                match self {
                    $( AnySource::$variant(it) => it.next(stream), )*
                    AnySource::Custom(it) => it.next(stream),
                }
            }

            #[inline]
            fn next_run(&mut self, stream: &mut Stream) -> (Emission, u32) {
                match self {
                    $( AnySource::$variant(it) => it.next_run(stream), )*
                    AnySource::Custom(it) => it.next_run(stream),
                }
            }

            fn period(&self) -> Option<Duration> {
                match self {
                    $( AnySource::$variant(it) => it.period(), )*
                    AnySource::Custom(it) => it.period(),
                }
            }

            fn spacing(&self) -> Option<Duration> {
                match self {
                    $( AnySource::$variant(it) => it.spacing(), )*
                    AnySource::Custom(it) => it.spacing(),
                }
            }

            fn least_spacing(&self) -> Duration {
                match self {
                    $( AnySource::$variant(it) => it.least_spacing(), )*
                    AnySource::Custom(it) => it.least_spacing(),
                }
            }
        }
    };
}

sources! {
    open loop:
    "cbr" => Cbr(cbr::Cbr, cbr::Parameters),
    "poisson" => Poisson(poisson::Poisson, poisson::Parameters),
    "on-off" => OnOff(on_off::OnOff, on_off::Parameters),
    "codec-mix" => CodecMix(codec_mix::CodecMix, codec_mix::Parameters),
    "packets" => Packets(packets::Packets, packets::Parameters),
    "trace" => Trace(trace::Trace, trace::Parameters),
    greedy:
    "ftp" => Ftp(ftp::Parameters),
    "http" => Http(http::Parameters),
}

impl SourcePlan {
    /// The mean time from packet to packet of a source that keeps one; `None` for all but `cbr`.
    pub fn spacing(&self) -> Option<Duration> {
        match self {
            SourcePlan::Cbr(cbr) => Some(cbr.spacing()),
            _ => None,
        }
    }

    /// The same source at another rate; `None` if it has no parameter for one.
    pub fn at_rate(&self, rate: Rate) -> Option<SourcePlan> {
        match self {
            SourcePlan::Cbr(cbr) => Some(SourcePlan::Cbr(cbr::Parameters { rate, ..cbr.clone() })),
            SourcePlan::Poisson(poisson) => Some(SourcePlan::Poisson(poisson::Parameters { rate, ..poisson.clone() })),
            _ => None,
        }
    }

    /// No packet of a source that decides on sizes itself is smaller; nothing where that is not known.
    pub fn smallest_packet(&self) -> Bytes {
        match self {
            SourcePlan::Cbr(cbr) => cbr.packet.smallest(),
            SourcePlan::Poisson(poisson) => poisson.packet.smallest(),
            SourcePlan::OnOff(on_off) => on_off.packet.smallest(),
            SourcePlan::Packets(packets) => packets.sizes.iter().copied().min().unwrap_or(Bytes::new(0)),
            SourcePlan::Trace(trace) => trace.sizes().min().unwrap_or(Bytes::new(0)),
            SourcePlan::CodecMix(_) | SourcePlan::Ftp(_) | SourcePlan::Http(_) => Bytes::new(0),
        }
    }

    /// No packet of a source that decides on sizes itself is larger; `None` if its law has no bound.
    pub fn largest_packet(&self) -> Option<Bytes> {
        match self {
            SourcePlan::Cbr(cbr) => cbr.packet.largest(),
            SourcePlan::Poisson(poisson) => poisson.packet.largest(),
            SourcePlan::OnOff(on_off) => on_off.packet.largest(),
            SourcePlan::CodecMix(_) => Some(Bytes::new(codec_mix::CodecMix::LARGEST)),
            SourcePlan::Packets(packets) => packets.sizes.iter().copied().max(),
            SourcePlan::Trace(trace) => trace.sizes().max(),
            SourcePlan::Ftp(_) | SourcePlan::Http(_) => Some(Bytes::new(0)),
        }
    }

    /// All sizes, in bytes, of a source that decides on a few of them itself; empty where there are too many or none.
    pub fn sizes(&self) -> Vec<u64> {
        let distinct = |sizes: &mut dyn Iterator<Item = Bytes>| sizes.map(Bytes::get).collect::<BTreeSet<u64>>().into_iter().collect();
        match self {
            SourcePlan::Cbr(cbr) => cbr.packet.all(),
            SourcePlan::OnOff(on_off) => on_off.packet.all(),
            SourcePlan::Poisson(poisson) => poisson.packet.all(),
            SourcePlan::Packets(packets) => distinct(&mut packets.sizes.iter().copied()),
            SourcePlan::Trace(trace) => distinct(&mut trace.sizes()),
            _ => Vec::new(),
        }
    }

    /// Whether it asks for pages, one after the other.
    pub fn asks_for_pages(&self) -> bool {
        matches!(self, SourcePlan::Http(_))
    }

    /// Whether it transfers a file of a certain size.
    pub fn is_finite_transfer(&self) -> bool {
        matches!(self, SourcePlan::Ftp(ftp) if ftp.size.is_some())
    }

    /// The names of those that a call may have: open loops that never end by themselves.
    pub fn of_calls() -> Vec<&'static str> {
        SourcePlan::OPEN_LOOP.iter().copied().filter(|name| !["packets", "trace"].contains(name)).collect()
    }
}

// A scenario may have a million flows, each with a source.
const _: () = assert!(std::mem::size_of::<AnySource>() <= 64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;

    #[test]
    fn a_greedy_source_is_a_plan_only() {
        let ftp: ftp::Parameters = read(&["size = 1 MB"]).expect("sound");
        assert_eq!(ftp.size, Some(Bytes::new(1_000_000)));
        assert_eq!(SourcePlan::Ftp(ftp.clone()).mean_rate(), None);
        assert!(AnySource::new(&SourcePlan::Ftp(ftp)).is_none());
        let cbr = SourcePlan::Cbr(read(&["rate = 64 kbit/s", "packet = 160 bytes"]).expect("sound"));
        assert_eq!(cbr.mean_rate(), Some(Rate::from_bps(64_000)));
        assert_eq!(AnySource::new(&cbr).and_then(|source| source.period()), Some(Duration::from_ms(20)));
    }
}
