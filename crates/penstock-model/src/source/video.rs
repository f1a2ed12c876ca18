//! Video in groups of pictures.

use super::cbr::Phase;
use super::laws::normal;
use super::size::LARGEST;
use super::{Emission, OpenLoop, Source};
use crate::packet::FramePlace;
use crate::parameters::{Check, Count, Positive, Probability};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate, Time};

/// Maximum of the mean number of packets of the largest kind of frame. All packets of a frame may leave at one instant.
const MOST_PACKETS: f64 = 10_000.0;

crate::parameters! {
    /// Video: frames of groups of pictures, cut into packets, at a mean rate that follows requests.
    ///
    /// ## Decides
    /// A frame is generated every 1 / `frame-rate`. `group-length` frames form a group of pictures: the first is an I frame, every
    /// `anchor-distance`-th after it a P frame, and the others are B frames. The mean size of a frame of kind k is
    /// rate / `frame-rate` x w_k / W, where w_k is 1, `p-ratio` or `b-ratio` and W is the mean of w over the group, so that the mean rate
    /// is `rate`. The size of a frame is its mean size times a log-normal number with mean 1 and coefficient of variation `variation`,
    /// rounded to bytes. A frame is cut into the minimum number n of packets with at most `packet` bytes; their sizes differ by at most
    /// one byte. They are sent back to back, or `paced` / (n x `frame-rate`) apart. A request for another rate, limited to `min-rate`
    /// and `max-rate`, takes effect with the next frame that begins at that instant or later.
    ///
    /// ## State
    /// The position in the group and in the frame, and the rate. Two random numbers per frame with `variation`, and two at the start with
    /// `phase = "random"`.
    ///
    /// ## Departures
    /// - Sizes of frames are independent; in [Krunz95] the I frames of a scene are alike.
    /// - Frames are in the order of display; B frames do not wait for the following anchor.
    /// - [RFC8593 s5.3] has one kind of frame and sizes with a Laplace distribution of scale 0.15. Its standard deviation, 0.21, is the
    ///   default here; a log-normal size is never negative. The RFC also varies the frame interval, which is constant here.
    /// - The encoder of the RFC ignores requests for 0.2 s after a reaction [RFC8593 s5.1], and reacts with a burst of large frames and
    ///   then small ones [RFC8593 s5.2]. Here every request takes effect, and sizes follow immediately.
    /// - The ratios 5:3:1 of I, P and B frames are a common assumption, not taken from a document.
    ///
    /// ## Example
    /// ```toml
    /// source.video = { rate = "2 Mbit/s", frame-rate = 25, variation = 0.3, paced = 0.5 }
    /// # conversational: no B frames, long groups, limits of the encoder
    /// source.video = { rate = "1 Mbit/s", group-length = 300, anchor-distance = 1, min-rate = "150 kbit/s", max-rate = "1.5 Mbit/s" }
    /// ```
    ///
    /// ## References
    /// Log-normal sizes of I, P and B frames [Krunz95]; the group IBBPBBPBBPBB [Rose95]; requests and limits of the rate [RFC8593 s4, s5.4].
    pub struct Parameters {
        /// Mean rate, headers included, until another is requested.
        rate: Rate;
        /// Frames per second.
        frame_rate: Positive = "30";
        /// Frames of a group of pictures, from one I frame to the next (N).
        group_length: Count = "12";
        /// Frames from one I or P frame to the next (M); 1 without B frames.
        anchor_distance: Count = "3";
        /// Mean size of a P frame over that of an I frame.
        p_ratio: Positive = "0.6";
        /// Mean size of a B frame over that of an I frame.
        b_ratio: Positive = "0.2";
        /// Standard deviation of the size of a frame over its mean.
        variation: Probability = "0.21";
        /// Maximum size of a packet on the wire.
        packet: Bytes = "1200 bytes";
        /// Fraction of the frame interval over which the packets of a frame are spread; 0: back to back.
        paced: Probability = "0";
        /// When the first frame is generated; with `random`, its position in the group is random too.
        phase: Phase = "random";
        /// Minimum rate that a request can set.
        min_rate: Option<Rate>;
        /// Maximum rate that a request can set.
        max_rate: Option<Rate>;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if !(0.001..=1e6).contains(&self.frame_rate.0) {
            mistake("frame-rate", format!("{} frames per second are no video; between 0.001 and 1000000", self.frame_rate.0));
        }
        if self.packet.get() > LARGEST {
            mistake("packet", format!("{} is larger than any packet; at most {LARGEST} bytes", self.packet));
        }
        let (least, most) = self.range();
        if least > most {
            mistake("min-rate", format!("{least} is above the max-rate of {most}"));
        } else if self.rate < least {
            mistake("rate", format!("{} is below the min-rate of {least}", self.rate));
        } else if self.rate > most {
            mistake("rate", format!("{} is above the max-rate of {most}", self.rate));
        }
        let places = [0, 1, self.anchor_distance.0].into_iter().filter(|place| *place < self.group_length.0);
        let heaviest = places.map(|place| self.weight(place)).fold(0.0, f64::max);
        let packets = heaviest * self.rate.as_bps() as f64 / (8.0 * self.frame_rate.0 * self.packet.get() as f64);
        if packets > MOST_PACKETS {
            mistake("rate", format!("{} means {packets:.0} packets in the largest frames; at most {MOST_PACKETS}", self.rate));
        }
    }
}

impl Parameters {
    /// Range of rates.
    fn range(&self) -> (Rate, Rate) {
        (self.min_rate.unwrap_or(Rate::ZERO), self.max_rate.unwrap_or(Rate::from_bps(u64::MAX)))
    }

    fn interval(&self) -> Duration {
        Duration::from_seconds(1.0 / self.frame_rate.0)
    }

    /// Mean size of frame `place` of a group, relative to the mean of all frames.
    fn weight(&self, place: u32) -> f64 {
        let (frames, distance) = (self.group_length.0, self.anchor_distance.0);
        let anchors = frames.div_ceil(distance);
        let (p, b) = (self.p_ratio.0, self.b_ratio.0);
        let sum = 1.0 + f64::from(anchors - 1) * p + f64::from(frames - anchors) * b;
        let weight = match place {
            0 => 1.0,
            _ if place.is_multiple_of(distance) => p,
            _ => b,
        };
        weight * f64::from(frames) / sum
    }
}

impl OpenLoop for Parameters {
    const HAS_FRAMES: bool = true;
    const ADAPTS_RATE: bool = true;

    fn mean_rate(&self) -> Rate {
        self.rate
    }

    fn largest_packet(&self) -> Option<Bytes> {
        Some(self.packet)
    }
}

/// State of a video.
#[derive(Clone, Debug)]
pub struct Video(Box<State>);

#[derive(Clone, Debug)]
struct State {
    parameters: Parameters,
    rate: Rate,
    interval: Duration,
    /// Standard deviation of the logarithm of the size of a frame.
    sigma: f64,
    /// Position of the frame in its group.
    place: u32,
    /// Number of the frame.
    frame: u16,
    /// Size of the frame relative to the mean of all frames.
    factor: f64,
    bytes: u32,
    packets: u32,
    /// Time between packets of the frame.
    gap: Duration,
    /// Index of the last returned packet.
    index: u32,
}

impl Video {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Video {
        let variation = parameters.variation.0;
        Video(Box::new(State {
            parameters: parameters.clone(),
            rate: parameters.rate,
            interval: parameters.interval(),
            sigma: libm::sqrt(libm::log1p(variation * variation)),
            place: 0,
            frame: 0,
            factor: 0.0,
            bytes: 0,
            packets: 0,
            gap: Duration::ZERO,
            index: 0,
        }))
    }
}

impl State {
    fn begin_frame(&mut self, stream: &mut Stream) {
        let weight = self.parameters.weight(self.place);
        self.factor = match self.sigma {
            0.0 => weight,
            sigma => weight * libm::exp(sigma * normal(stream) - sigma * sigma / 2.0),
        };
        self.index = 0;
        self.divide();
    }

    /// Divides the frame into packets at the current rate.
    fn divide(&mut self) {
        let mean = self.rate.as_bps() as f64 / 8.0 * self.interval.as_seconds();
        self.bytes = (mean * self.factor + 0.5).clamp(1.0, f64::from(u32::MAX)) as u32;
        self.packets = self.bytes.div_ceil(self.parameters.packet.get() as u32);
        let span = self.interval.as_ps() as f64 * self.parameters.paced.0;
        self.gap = Duration::from_ps((span / f64::from(self.packets)) as u64);
    }

    /// Size of the last returned packet.
    fn size(&self) -> u32 {
        self.bytes / self.packets + u32::from(self.index < self.bytes % self.packets)
    }
}

impl Source for Video {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        let state = &mut *self.0;
        let after = match state.parameters.phase {
            Phase::Zero => Duration::ZERO,
            Phase::Random => {
                state.place = stream.below(u64::from(state.parameters.group_length.0)) as u32;
                Duration::from_ps(stream.below(state.interval.as_ps()))
            }
        };
        state.begin_frame(stream);
        Emission { after, size: state.size() }
    }

    fn next(&mut self, stream: &mut Stream) -> Emission {
        let state = &mut *self.0;
        if state.index + 1 < state.packets {
            state.index += 1;
            return Emission { after: state.gap, size: state.size() };
        }
        let after = state.interval - state.gap.times(u64::from(state.index));
        state.place = (state.place + 1) % state.parameters.group_length.0;
        state.frame = state.frame.wrapping_add(1);
        state.begin_frame(stream);
        Emission { after, size: state.size() }
    }

    fn frame(&self) -> (u16, FramePlace) {
        (self.0.frame, FramePlace::of(self.0.index, self.0.packets))
    }

    fn on_rate_request(&mut self, _now: Time, rate: Rate) -> Option<u32> {
        let state = &mut *self.0;
        let (least, most) = state.parameters.range();
        state.rate = rate.max(least).min(most);
        if state.index > 0 {
            return None;
        }
        state.divide();
        Some(state.size())
    }
}

#[cfg(test)]
mod tests;
