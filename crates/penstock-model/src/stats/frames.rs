//! Records which frames of a flow arrive in full, and their delays.

use super::distribution::Distribution;
use crate::packet::{Body, FramePlace, Packet};
use crate::transport::custom::FramePart;
use crate::units::Time;
use std::collections::VecDeque;

/// Recorded frames of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameTimes {
    /// Delays of the frames that arrived in full, from the generation of the frame (when its first packet was sent) to the arrival of its
    /// last packet.
    pub delays: Distribution,
    /// Number of frames that lost a packet: not in full at the end, although a packet of a later frame arrived.
    pub incomplete: u64,
}

/// Follows the frames of one flow at its receiver. A packet names its frame modulo 2^16, so fewer than 2^15 consecutive frames may be lost.
#[derive(Clone, Debug)]
pub struct FrameRecorder {
    times: FrameTimes,
    /// Oldest undecided frame. `None` before the first packet if earlier frames do not count.
    oldest: Option<u64>,
    /// Frames from `oldest` to the newest one with an arrived packet.
    waiting: VecDeque<Frame>,
}

/// Arrivals of one frame.
#[derive(Clone, Debug, Default)]
struct Frame {
    /// Generation time of the frame, and number of its first packet.
    first: Option<(Time, u32)>,
    /// Number of its last packet.
    last: Option<u32>,
    /// Disjoint runs of packets that have arrived, as first and last number, in ascending order.
    runs: Vec<(u32, u32)>,
    is_complete: bool,
}

/// Maximum number of waiting frames. Beyond it, the oldest frame is given up.
const MAX_WAITING: usize = 1024;
/// Number of the first frame. It is above zero, so that late packets of earlier frames have a number too.
const FIRST: u64 = 1 << 16;

impl FrameRecorder {
    /// A recorder that counts frames from the first of the flow on, or from the first that begins to arrive.
    pub fn new(from_start: bool) -> FrameRecorder {
        FrameRecorder { times: FrameTimes::default(), oldest: from_start.then_some(FIRST), waiting: VecDeque::new() }
    }

    /// Records a packet of the flow that is received at `now`.
    pub fn record(&mut self, now: Time, packet: &Packet) {
        let Body::Datagram { place, frame, seq } = packet.body else { return };
        self.record_part(now, FramePart { frame, place, seq, generated: packet.created });
    }

    /// Records a packet of a frame that is received at `now`.
    pub fn record_part(&mut self, now: Time, part: FramePart) {
        let FramePart { frame, place, seq, generated } = part;
        // If the beginning of a frame has not arrived, the frame may have begun before counting, so it does not count.
        let oldest = *self.oldest.get_or_insert(FIRST + u64::from(frame) + u64::from(!place.is_first()));
        let expected = oldest + self.waiting.len() as u64;
        let ahead = i64::from(frame.wrapping_sub(expected as u16) as i16);
        let Some(index) = expected.saturating_add_signed(ahead).checked_sub(oldest) else { return };
        let index = index as usize;
        if self.waiting.len() <= index {
            self.waiting.resize_with(index + 1, Frame::default);
        }
        if self.waiting[index].add(place, seq, generated) {
            let (generated, _) = self.waiting[index].first.expect("a complete frame has its first packet");
            self.times.delays.add(now.since(generated));
        }
        while self.waiting.front().is_some_and(|frame| frame.is_complete) || self.waiting.len() > MAX_WAITING {
            self.times.incomplete += self.waiting.pop_front().map_or(0, |frame| u64::from(!frame.is_complete));
            self.oldest = self.oldest.map(|oldest| oldest + 1);
        }
    }

    /// Returns the records at the end of the run. The rest of the newest frame may still be in flight; that of older ones is lost.
    pub fn into_times(mut self) -> FrameTimes {
        self.waiting.pop_back();
        self.times.incomplete += self.waiting.iter().filter(|frame| !frame.is_complete).count() as u64;
        self.times
    }
}

impl Frame {
    /// Adds packet `seq` of a frame generated at `created`. Returns whether it completes the frame.
    fn add(&mut self, place: FramePlace, seq: u32, created: Time) -> bool {
        if self.is_complete {
            return false;
        }
        if place.is_first() {
            self.first.get_or_insert((created, seq));
        }
        if place.is_last() {
            self.last = Some(seq);
        }
        self.insert(seq);
        self.is_complete = matches!((self.first, self.last, &self.runs[..]),
            (Some((_, first)), Some(last), &[(from, to)]) if (from, to) == (first, last));
        self.is_complete
    }

    fn insert(&mut self, seq: u32) {
        let next = self.runs.partition_point(|(from, _)| *from <= seq);
        let extends = |i: &usize| self.runs[*i].1.saturating_add(1) >= seq;
        let before = next.checked_sub(1).filter(extends);
        let after = Some(next).filter(|i| self.runs.get(*i).is_some_and(|(from, _)| *from == seq + 1));
        match (before, after) {
            (Some(before), Some(after)) => {
                self.runs[before].1 = self.runs[after].1;
                self.runs.remove(after);
            }
            (Some(before), None) => self.runs[before].1 = self.runs[before].1.max(seq),
            (None, Some(after)) => self.runs[after].0 = seq,
            (None, None) => self.runs.insert(next, (seq, seq)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::units::Duration;

    /// Packets of frames with these sizes in packets, one frame per millisecond: by number, with frame, position and time of sending.
    fn packets(sizes: &[u32], first_frame: u16) -> Vec<Packet> {
        let frames = sizes.iter().enumerate().flat_map(|(i, count)| (0..*count).map(move |index| (i, FramePlace::of(index, *count))));
        let of_frame = |(seq, (i, place)): (usize, (usize, FramePlace))| {
            let body = Body::Datagram { place, frame: first_frame.wrapping_add(i as u16), seq: seq as u32 };
            Packet { created: Time::ZERO + Duration::from_ms(i as u64), body, ..packet(0, 0) }
        };
        frames.enumerate().map(of_frame).collect()
    }

    /// Number of complete frames, sum of their delays in ms, and number of incomplete frames, if packets arrive in this order, the i-th at
    /// 100 + i ms.
    fn recorded(packets: &[Packet], order: &[usize], from_start: bool) -> (u64, u64, u64) {
        let mut recorder = FrameRecorder::new(from_start);
        let arrivals = order.iter().enumerate();
        arrivals.for_each(|(i, seq)| recorder.record(Time::ZERO + Duration::from_ms(100 + i as u64), &packets[*seq]));
        let FrameTimes { delays, incomplete } = recorder.into_times();
        (delays.count(), (delays.sum_ps() / 1_000_000_000) as u64, incomplete)
    }

    #[test]
    fn a_frame_takes_until_its_last_packet_arrives_whichever_that_is() {
        let three = packets(&[3, 1, 2], 0);
        // 102 - 0, 103 - 1 and 105 - 2 ms.
        assert_eq!(recorded(&three, &[0, 1, 2, 3, 4, 5], true), (3, 307, 0));
        // With overtaking, also between frames, and copies: 104 - 0, 100 - 1 and 106 - 2.
        assert_eq!(recorded(&three, &[3, 2, 0, 0, 1, 5, 4, 1, 3], true), (3, 307, 0));
    }

    #[test]
    fn what_is_lost_of_a_frame_makes_it_incomplete_and_the_newest_is_in_flight() {
        let four = packets(&[3, 2, 1, 4], 0);
        for lost in 0..5 {
            let order: Vec<usize> = (0..10).filter(|seq| *seq != lost).collect();
            assert_eq!(recorded(&four, &order, true).2, 1, "{lost} lost");
        }
        // The whole second frame is lost.
        assert_eq!(recorded(&four, &[0, 1, 2, 5, 6, 7, 8, 9], true), (3, 102 + 101 + 104, 1));
        // The whole first frame is lost, which counts if counting begins with the flow.
        assert_eq!(recorded(&four, &[3, 4, 5], true).2, 1);
        assert_eq!(recorded(&four, &[3, 4, 5], false).2, 0);
        // The newest frame has not arrived in full yet.
        assert_eq!(recorded(&four, &[0, 1, 2, 3, 4, 5, 6], true), (3, 102 + 103 + 103, 0));
        // The end of a frame that began before counting.
        assert_eq!(recorded(&four, &[1, 2, 3, 4, 5], false), (2, 102 + 102, 0));
    }

    #[test]
    fn numbers_wrap_and_what_is_too_old_is_given_up() {
        let many = packets(&[1; 3000], u16::MAX - 1);
        assert_eq!(recorded(&many, &[0, 1, 2, 3, 4], false), (5, 500, 0));
        // Frame 1 is lost, and frame 2 arrives when 1024 frames wait.
        let late: Vec<usize> = std::iter::once(0).chain(3..1100).chain([2]).collect();
        assert_eq!(recorded(&many, &late, false).2, 2);
        // An outage of 2990 frames.
        assert_eq!(recorded(&many, &[0, 2991, 2992], false).2, 2990);
    }
}
