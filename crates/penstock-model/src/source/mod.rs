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

    /// The frame of the packet that was given last, and its place there; asked for only of sources that
    /// [have frames](OpenLoop::HAS_FRAMES). Frames are numbered from zero, modulo 2^16, and each is sent before the next.
    fn frame(&self) -> (u16, FramePlace) {
        (0, FramePlace::Only)
    }

    /// At `now` something asks it to send at `rate` in the long run, headers included. Returns the new size of the packet that was given
    /// last and has not been sent yet, if it changes; its time stays. Called only of sources that
    /// [adapt their rate](OpenLoop::ADAPTS_RATE), with times that do not decrease.
    fn on_rate_request(&mut self, now: Time, rate: Rate) -> Option<u32> {
        let _ = (now, rate);
        None
    }
}

dyn_clone::clone_trait_object!(Source);

/// What the parameters of an open-loop source tell of what it sends. A source overrides the defaults that do not hold for it.
pub trait OpenLoop: Clone {
    /// It never ends on its own, so a call may have it.
    const ENDLESS: bool = true;
    /// Its packets belong to [frames](Source::frame).
    const HAS_FRAMES: bool = false;
    /// It follows [requests](Source::on_rate_request) for another rate.
    const ADAPTS_RATE: bool = false;

    /// The rate that it sends at in the long run, headers included.
    fn mean_rate(&self) -> Rate;

    /// The mean time from packet to packet, if it keeps one.
    fn spacing(&self) -> Option<Duration> {
        None
    }

    /// The same source at another rate; `None` if it has no parameter for one.
    fn at_rate(&self, _rate: Rate) -> Option<Self> {
        None
    }

    /// No packet is smaller; nothing where that is not known.
    fn smallest_packet(&self) -> Bytes {
        Bytes::new(0)
    }

    /// No packet is larger; `None` if its law has no bound.
    fn largest_packet(&self) -> Option<Bytes> {
        None
    }

    /// The sizes of its packets, as far as they are known beforehand.
    fn packet_sizes(&self) -> Vec<Bytes> {
        Vec::new()
    }
}

/// Makes the plan, the source at work and the dispatch between them from the lists below. A greedy source has no packets of
/// its own timing: its transport asks the plan how much there is to send.
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
                    SourcePlan::Custom(it) => Some(facts(it).mean_rate),
                    $( SourcePlan::$greedy(_) => None, )*
                }
            }

            /// The mean time from packet to packet of a source that keeps one; `None` for others.
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

            /// No packet of a source that decides on sizes itself is smaller; nothing where that is not known.
            pub fn smallest_packet(&self) -> Bytes {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.smallest_packet(), )*
                    SourcePlan::Custom(it) => facts(it).smallest_packet,
                    $( SourcePlan::$greedy(_) => Bytes::new(0), )*
                }
            }

            /// No packet of a source that decides on sizes itself is larger; `None` if its law has no bound.
            pub fn largest_packet(&self) -> Option<Bytes> {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.largest_packet(), )*
                    SourcePlan::Custom(it) => facts(it).largest_packet,
                    $( SourcePlan::$greedy(_) => Some(Bytes::new(0)), )*
                }
            }

            /// The sizes of its packets, where the source decides on them and as far as they are known beforehand.
            pub fn packet_sizes(&self) -> Vec<Bytes> {
                match self {
                    $( SourcePlan::$variant(parameters) => parameters.packet_sizes(), )*
                    SourcePlan::Custom(it) => facts(it).packet_sizes,
                    $( SourcePlan::$greedy(_) => Vec::new(), )*
                }
            }

            /// Whether its packets belong to frames.
            pub fn has_frames(&self) -> bool {
                match self {
                    $( SourcePlan::$variant(_) => <$parameters as OpenLoop>::HAS_FRAMES, )*
                    SourcePlan::Custom(it) => facts(it).has_frames,
                    $( SourcePlan::$greedy(_) => false, )*
                }
            }

            /// Whether it follows requests for another rate.
            pub fn adapts_rate(&self) -> bool {
                match self {
                    $( SourcePlan::$variant(_) => <$parameters as OpenLoop>::ADAPTS_RATE, )*
                    SourcePlan::Custom(it) => facts(it).adapts_rate,
                    $( SourcePlan::$greedy(_) => false, )*
                }
            }

            /// The names of those that follow requests for another rate.
            pub fn adaptive() -> Vec<&'static str> {
                [$( ($name, <$parameters as OpenLoop>::ADAPTS_RATE) ),*].into_iter().filter(|(_, adapts)| *adapts).map(|(name, _)| name).collect()
            }

            /// The names of those that a call may have: open loops that never end on their own.
            pub fn of_calls() -> Vec<&'static str> {
                [$( ($name, <$parameters as OpenLoop>::ENDLESS) ),*].into_iter().filter(|(_, endless)| *endless).map(|(name, _)| name).collect()
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

/// What the parameters of a plug-in's source tell of what it sends: its [`OpenLoop`].
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
    /// Those of these parameters.
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
}

/// The kind of open-loop sources. They draw from the stream that they are handed.
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
    /// Whether it asks for pages, one after the other.
    pub fn asks_for_pages(&self) -> bool {
        matches!(self, SourcePlan::Http(_))
    }

    /// Whether it transfers a file of a certain size.
    pub fn is_finite_transfer(&self) -> bool {
        matches!(self, SourcePlan::Ftp(ftp) if ftp.size.is_some())
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
