//! The receiver of SCReAM.

use super::feedback::{microseconds, Report, REPORTED};
use crate::packet::{Ecn, FramePlace};
use crate::transport::custom::{AckPacket, DataPacket, FramePart, TransportReceiver};
use crate::units::{Bytes, Duration, Time};

/// A report is due after this number of unreported packets, so that each packet is in two reports.
const MOST_UNREPORTED: u32 = REPORTED / 2;
/// Time over which the receiver measures the rate.
const MEASURED: Duration = Duration::from_ms(200);
/// Limits of the time between reports [RFC8298 s4.2.2].
const INTERVALS: (Duration, Duration) = (Duration::from_ms(20), Duration::from_ms(400));

/// Receiver, which sends reports of arrivals.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    header: u32,
    fixed_interval: Option<Duration>,
    interval: Duration,
    report: Report,
    delivered: u64,
    unreported: u32,
    /// Time of the last report.
    reported: Option<Time>,
    /// Start of the rate measurement, and bytes since then.
    measurement: Option<(Time, u64)>,
}

impl Receiver {
    pub(super) fn new(header: Bytes, fixed_interval: Option<Duration>) -> Receiver {
        Receiver {
            header: header.get() as u32, // checked: at most the size of a packet counts
            fixed_interval,
            interval: fixed_interval.unwrap_or(INTERVALS.0),
            report: Report::default(),
            delivered: 0,
            unreported: 0,
            reported: None,
            measurement: None,
        }
    }

    /// Measures the rate of the packets, and derives the interval from it.
    fn measure(&mut self, now: Time, size: u32) {
        let (start, bytes) = self.measurement.get_or_insert((now, 0));
        let passed = now.since(*start);
        if passed >= MEASURED {
            let rate = *bytes as f64 * 8.0 / passed.as_seconds();
            let per_second = (rate / 10_000.0).clamp(2.5, 50.0);
            self.interval = self.fixed_interval.unwrap_or(Duration::from_seconds(1.0 / per_second).max(INTERVALS.0).min(INTERVALS.1));
            (*start, *bytes) = (now, 0);
        }
        *bytes += u64::from(size);
    }

    /// Time at which the next report is due.
    fn due(&self, now: Time) -> Time {
        match self.reported {
            _ if self.unreported == 0 => Time::NEVER,
            _ if self.unreported >= MOST_UNREPORTED => now,
            Some(reported) => reported + self.interval,
            None => now,
        }
    }
}

impl TransportReceiver for Receiver {
    fn on_packet(&mut self, now: Time, packet: &DataPacket, _sent: Time) {
        self.measure(now, packet.size);
        let Report { newest, before, .. } = self.report;
        let is_first = self.reported.is_none() && self.unreported == 0;
        let ahead = packet.seq.checked_sub(newest).filter(|ahead| is_first || *ahead > 0);
        let is_new = match ahead {
            Some(ahead) => {
                // The previously newest packet becomes the first of those before the new one.
                let shifted = if is_first { 0 } else { before.checked_shl(ahead).unwrap_or(0) | 1u64.checked_shl(ahead - 1).unwrap_or(0) };
                self.report = Report { newest: packet.seq, before: shifted, arrived_us: microseconds(now), ..self.report };
                true
            }
            None => match self.report.has(packet.seq) {
                Some(false) => {
                    self.report.before |= 1 << (newest - packet.seq - 1);
                    true
                }
                _ => false,
            },
        };
        self.unreported += 1;
        self.report.marked = self.report.marked.wrapping_add(u32::from(packet.ecn == Ecn::Ce));
        self.delivered += if is_new { u64::from(packet.size.saturating_sub(self.header)) } else { 0 };
    }

    fn next_ack(&mut self, now: Time) -> Option<AckPacket> {
        if self.due(now) > now {
            return None;
        }
        (self.unreported, self.reported) = (0, Some(now));
        Some(self.report.to_ack())
    }

    fn delivered(&self) -> u64 {
        self.delivered
    }

    fn deadline(&self) -> Time {
        match self.reported {
            Some(reported) if self.unreported > 0 => reported + self.interval,
            _ => Time::NEVER,
        }
    }

    fn frame_part(&self, packet: &DataPacket) -> Option<FramePart> {
        let [frame, high, low] = packet.words;
        let place = FramePlace::of_bits((frame >> 16) as u8)?;
        let generated = Time::from_ps(u64::from(high) << 32 | u64::from(low));
        Some(FramePart { frame: frame as u16, place, seq: packet.seq, generated })
    }
}

#[cfg(test)]
impl Receiver {
    pub(super) fn report_time(&self) -> Option<Time> {
        self.reported
    }
}
