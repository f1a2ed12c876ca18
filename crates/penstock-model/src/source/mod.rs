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
pub mod video;

use crate::packet::FramePlace;
use crate::registry::{Custom, OpenKind};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate, Time};
use dyn_clone::DynClone;

/// One packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// Time since the previous packet, or since the start of the flow for the first one; [`Duration::FOREVER`] if there are no more
    /// packets.
    pub after: Duration,
    /// Bytes on the wire.
    pub size: u32,
}

/// A source whose packets do not depend on the network (open loop). It draws from the stream that the engine passes.
pub trait Source: DynClone {
    /// First packet, with its time from the start of the flow.
    fn first(&mut self, stream: &mut Stream) -> Emission;

    /// Next packet, with its time from the previous one.
    fn next(&mut self, stream: &mut Stream) -> Emission;

    /// Next packet, and the number of further equal packets, each [spaced](Source::spacing) from the previous one. These need not be
    /// requested, and draw nothing.
    fn next_run(&mut self, stream: &mut Stream) -> (Emission, u32) {
        (self.next(stream), 0)
    }

    /// Spacing, if it is constant and all packets have the same size; such sources are stored in rings.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// Spacing of most packets. Only a hint: sources that mostly keep their order are stored in rings by it.
    fn spacing(&self) -> Option<Duration> {
        self.period()
    }

    /// Minimum spacing of packets.
    fn least_spacing(&self) -> Duration {
        self.period().unwrap_or(Duration::ZERO)
    }

    /// Frame of the last returned packet, and the position of the packet in it. Called only for sources that [have
    /// frames](OpenLoop::HAS_FRAMES) or [adapt their rate](OpenLoop::ADAPTS_RATE). Frames are numbered from zero, modulo 2^16, and each is
    /// sent before the next.
    fn frame(&self) -> (u16, FramePlace) {
        (0, FramePlace::Only)
    }

    /// Handles a request at `now` for the long-run rate `rate`, headers included. Returns the new size of the last returned packet, which
    /// has not been sent yet, if the size changes; its time does not change. Called only for sources that [adapt their
    /// rate](OpenLoop::ADAPTS_RATE), with times that do not decrease.
    fn on_rate_request(&mut self, now: Time, rate: Rate) -> Option<u32> {
        let _ = (now, rate);
        None
    }
}

dyn_clone::clone_trait_object!(Source);

/// Properties of an open-loop source that follow from its parameters. A source overrides the defaults that do not apply to it.
pub trait OpenLoop: Clone {
    /// Whether the source never ends on its own, so that a call may use it.
    const ENDLESS: bool = true;
    /// Whether packets belong to [frames](Source::frame).
    const HAS_FRAMES: bool = false;
    /// Whether the source follows [requests](Source::on_rate_request) for another rate.
    const ADAPTS_RATE: bool = false;

    /// Long-run rate, headers included.
    fn mean_rate(&self) -> Rate;

    /// Mean time between packets; `None` if there is no fixed one.
    fn spacing(&self) -> Option<Duration> {
        None
    }

    /// The same source at another rate; `None` if it has no parameter for one.
    fn at_rate(&self, _rate: Rate) -> Option<Self> {
        None
    }

    /// Minimum size of a packet; zero if unknown.
    fn smallest_packet(&self) -> Bytes {
        Bytes::new(0)
    }

    /// Maximum size of a packet; `None` if the distribution is unbounded.
    fn largest_packet(&self) -> Option<Bytes> {
        None
    }

    /// Sizes of the packets, as far as they are known in advance.
    fn packet_sizes(&self) -> Vec<Bytes> {
        Vec::new()
    }
}

/// Generates the plan, the running source and the dispatch between them from the lists below. A greedy source has no packet times: its
/// transport asks the plan for the amount of data.
macro_rules! sources {
    (
        open loop: $( $name:literal => $variant:ident($source:ty, $parameters:ty), )*
        greedy: $( $greedy_name:literal => $greedy:ident($greedy_parameters:ty), )*
    ) => {
        crate::component_plans! {
            /// A source with its parameters, as a scenario gives it.
            pub enum SourcePlan of "source" open Sources {
                $( $name => $variant($parameters), )*
                $( $greedy_name => $greedy($greedy_parameters), )*
            }
        }

        impl SourcePlan {
            /// Names of the open-loop sources.
            pub const OPEN_LOOP: &'static [&'static str] = &[$( $name ),*];

            /// Whether the source sends as fast as its transport permits.
            pub fn is_greedy(&self) -> bool {
                self.mean_rate().is_none()
            }

            /// Long-run rate of the source, headers included; `None` for a greedy one.
            pub fn mean_rate(&self) -> Option<Rate> {
                match self {
                    $( SourcePlan::$variant(parameters) => Some(parameters.mean_rate()), )*
                    SourcePlan::Custom(it) => Some(facts(it).mean_rate),
                    $( SourcePlan::$greedy(_) => None, )*
                }
            }

            /// Mean time between packets; `None` if there is no fixed one.
            pub fn spacing(&self) -> Option<Duration> {
                match self {
                    $( SourcePlan::$variant(parameters) => OpenLoop::spacing(parameters), )*
                    SourcePlan::Custom(it) => facts(it).spacing,
                    $( SourcePlan::$greedy(_) => None, )*
                }
            }

            /// The same source at another rate; `None` if it has no parameter for one.
            pub fn at_rate(&self, rate: Rate) -> Option<SourcePlan> {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.at_rate(rate).map(SourcePlan::$variant), )*
                    SourcePlan::Custom(_) => None,
                    $( SourcePlan::$greedy(_) => None, )*
                }
            }

            /// Minimum size of a packet of a source that sets the sizes itself; zero if unknown.
            pub fn smallest_packet(&self) -> Bytes {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.smallest_packet(), )*
                    SourcePlan::Custom(it) => facts(it).smallest_packet,
                    $( SourcePlan::$greedy(_) => Bytes::new(0), )*
                }
            }

            /// Maximum size of a packet of a source that sets the sizes itself; `None` if the distribution is unbounded.
            pub fn largest_packet(&self) -> Option<Bytes> {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.largest_packet(), )*
                    SourcePlan::Custom(it) => facts(it).largest_packet,
                    $( SourcePlan::$greedy(_) => Some(Bytes::new(0)), )*
                }
            }

            /// Sizes of the packets of a source that sets them itself, as far as they are known in advance.
            pub fn packet_sizes(&self) -> Vec<Bytes> {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.packet_sizes(), )*
                    SourcePlan::Custom(it) => facts(it).packet_sizes,
                    $( SourcePlan::$greedy(_) => Vec::new(), )*
                }
            }

            /// Whether packets belong to frames.
            pub fn has_frames(&self) -> bool {
                match self {
                    $( SourcePlan::$variant(_) => <$parameters as OpenLoop>::HAS_FRAMES, )*
                    SourcePlan::Custom(it) => facts(it).has_frames,
                    $( SourcePlan::$greedy(_) => false, )*
                }
            }

            /// Whether the source follows requests for another rate.
            pub fn adapts_rate(&self) -> bool {
                match self {
                    $( SourcePlan::$variant(_) => <$parameters as OpenLoop>::ADAPTS_RATE, )*
                    SourcePlan::Custom(it) => facts(it).adapts_rate,
                    $( SourcePlan::$greedy(_) => false, )*
                }
            }

            /// Names of the sources that follow requests for another rate.
            pub fn adaptive() -> Vec<&'static str> {
                [$( ($name, <$parameters as OpenLoop>::ADAPTS_RATE) ),*].into_iter().filter(|(_, adapts)| *adapts).map(|(name, _)| name).collect()
            }

            /// Names of the sources that a call may use: open-loop sources that never end on their own.
            pub fn of_calls() -> Vec<&'static str> {
                [$( ($name, <$parameters as OpenLoop>::ENDLESS) ),*].into_iter().filter(|(_, endless)| *endless).map(|(name, _)| name).collect()
            }
        }

        /// A running open-loop source. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnySource {
            $( $variant($source), )*
            Custom(Box<dyn Source + Send>),
        }

        impl AnySource {
            /// Builds the source that `plan` describes; `None` for a greedy one, which its transport drives.
            pub fn new(plan: &SourcePlan, site: &Site) -> Option<AnySource> {
                match plan {
                    $( SourcePlan::$variant(parameters) => Some(AnySource::$variant(<$source>::new(parameters, site))), )*
                    SourcePlan::Custom(it) => Some(AnySource::Custom(it.build(site).1)),
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

            fn frame(&self) -> (u16, FramePlace) {
                match self {
                    $( AnySource::$variant(it) => it.frame(), )*
                    AnySource::Custom(it) => it.frame(),
                }
            }

            fn on_rate_request(&mut self, now: Time, rate: Rate) -> Option<u32> {
                match self {
                    $( AnySource::$variant(it) => it.on_rate_request(now, rate), )*
                    AnySource::Custom(it) => it.on_rate_request(now, rate),
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
    "video" => Video(video::Video, video::Parameters),
    greedy:
    "ftp" => Ftp(ftp::Parameters),
    "http" => Http(http::Parameters),
}

/// Properties of a plug-in's source that follow from its parameters: its [`OpenLoop`].
#[derive(Clone, Debug)]
pub struct SourceFacts {
    mean_rate: Rate,
    spacing: Option<Duration>,
    smallest_packet: Bytes,
    largest_packet: Option<Bytes>,
    packet_sizes: Vec<Bytes>,
    has_frames: bool,
    adapts_rate: bool,
}

impl SourceFacts {
    /// The properties for these parameters.
    pub fn of<P: OpenLoop>(parameters: &P) -> SourceFacts {
        SourceFacts {
            mean_rate: parameters.mean_rate(),
            spacing: parameters.spacing(),
            smallest_packet: parameters.smallest_packet(),
            largest_packet: parameters.largest_packet(),
            packet_sizes: parameters.packet_sizes(),
            has_frames: P::HAS_FRAMES,
            adapts_rate: P::ADAPTS_RATE,
        }
    }

    /// Properties of a source with a known maximum packet size; all other sizes are unknown.
    pub fn new(mean_rate: Rate, largest_packet: Option<Bytes>, has_frames: bool, adapts_rate: bool) -> SourceFacts {
        let (spacing, smallest_packet, packet_sizes) = (None, Bytes::new(0), Vec::new());
        SourceFacts { mean_rate, spacing, smallest_packet, largest_packet, packet_sizes, has_frames, adapts_rate }
    }
}

/// The kind of open-loop sources. They draw from the stream that the engine passes.
pub struct Sources;

impl OpenKind for Sources {
    const OF: &'static str = SourcePlan::OF;
    const BUILT_IN: &'static [&'static str] = SourcePlan::NAMES;
    type Context<'a> = Site;
    type Component = (SourceFacts, Box<dyn Source + Send>);

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}

fn facts(custom: &Custom<Sources>) -> SourceFacts {
    custom.build(&Site::trial()).0
}

impl SourcePlan {
    /// Whether the source requests pages one after another.
    pub fn asks_for_pages(&self) -> bool {
        matches!(self, SourcePlan::Http(_))
    }

    /// Files, one per connection, whose sizes the source does not determine.
    pub fn files() -> SourcePlan {
        SourcePlan::Ftp(ftp::Parameters { size: None })
    }

    /// An empty list of packets: all packets come from outside, with sizes in this range.
    pub fn from_outside(smallest: Bytes, largest: Bytes) -> SourcePlan {
        SourcePlan::Packets(packets::Parameters { at: Vec::new(), sizes: vec![smallest, largest] })
    }

    /// Size of the file that the source transfers; `None` if the transfer is endless or the source is another.
    pub fn file_size(&self) -> Option<Bytes> {
        match self {
            SourcePlan::Ftp(ftp) => ftp.size,
            _ => None,
        }
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
        assert!(AnySource::new(&SourcePlan::Ftp(ftp), &Site::trial()).is_none());
        let cbr = SourcePlan::Cbr(read(&["rate = 64 kbit/s", "packet = 160 bytes"]).expect("sound"));
        assert_eq!(cbr.mean_rate(), Some(Rate::from_bps(64_000)));
        assert_eq!(AnySource::new(&cbr, &Site::trial()).and_then(|source| source.period()), Some(Duration::from_ms(20)));
    }
}
