//! Records of a receiving endpoint beyond its counters, on request: delays and their variation.

use crate::api::blueprint::FlowWatch;
use crate::api::observations::Timings;
use penstock_model::packet::Packet;
use penstock_model::stats::distribution::Distribution;
use penstock_model::stats::frames::{FrameRecorder, FrameTimes};
use penstock_model::stats::variation::{RtpJitter, Variation};
use penstock_model::transport::custom::FramePart;
use penstock_model::units::{Duration, Time};

/// Records delays and how they vary.
#[derive(Clone, Debug)]
pub struct FlowRecorder {
    timings: Timings,
    /// The number and the delay of the packet that arrived last.
    last: Option<(u32, Duration)>,
    /// The length of a bin.
    bin: Duration,
    frames: Option<FrameRecorder>,
}

impl FlowRecorder {
    /// A recorder of what `plan` requests, of a flow that is counted `from_start` or later on; `None` if that is nothing about single packets.
    pub fn new(plan: FlowWatch, from_start: bool) -> Option<Box<FlowRecorder>> {
        let FlowWatch { delays, variation, rtp_jitter, bins, frames, .. } = plan;
        let timings = Timings {
            delays: delays.then(Distribution::default),
            variation: variation.then(Variation::default),
            rtp_jitter: rtp_jitter.then(RtpJitter::default),
            bins: bins.map(|_| Vec::new()),
            frames: frames.then(FrameTimes::default),
        };
        let frames = frames.then(|| FrameRecorder::new(from_start));
        let bin = bins.unwrap_or_default();
        (timings != Timings::default()).then(|| Box::new(FlowRecorder { timings, last: None, bin, frames }))
    }

    /// A packet of a frame has been received at `now`.
    pub fn record_frame(&mut self, now: Time, part: FramePart) {
        self.frames.iter_mut().for_each(|frames| frames.record_part(now, part));
    }

    /// A packet of the flow has been received at `now`.
    pub fn record(&mut self, now: Time, packet: &Packet) {
        let delay = now.since(packet.created);
        if let Some(frames) = &mut self.frames {
            frames.record(now, packet);
        }
        let Timings { delays, variation, rtp_jitter, bins, .. } = &mut self.timings;
        if let Some(bins) = bins {
            let bin = (now.as_ps() / self.bin.as_ps()) as usize;
            bins.resize(bins.len().max(bin + 1), 0);
            bins[bin] += u64::from(packet.size);
        }
        if let Some(delays) = delays {
            delays.add(delay);
        }
        if let Some((sequence, before)) = self.last.replace((packet.sequence(), delay)) {
            if let Some(jitter) = rtp_jitter {
                jitter.add(before, delay);
            }
            // What was sent between two packets and lost, or has been overtaken, leaves no pair [RFC3393 s2.2].
            match variation {
                Some(variation) if packet.sequence() == sequence.wrapping_add(1) => variation.add(before, delay),
                _ => {}
            }
        }
    }

    /// What has been recorded.
    pub fn into_timings(self) -> Timings {
        Timings { frames: self.frames.map(FrameRecorder::into_times), ..self.timings }
    }
}
