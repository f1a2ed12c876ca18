//! Deferral of segments: they wait for others, so that all leave as one packet that the host segments at the end (TSO).

use super::super::pacer::default_rate;
use super::Sender;
use crate::transport::recovery::Phase;
use crate::units::{Duration, Time};

/// Minimum number of segments of a packet (`tcp_min_tso_segs`).
const MIN_SEGMENTS: u64 = 2;

/// Maximum bytes of a packet (`GSO_LEGACY_MAX_SIZE`).
const MAX_BYTES: u64 = 65_536;

/// A packet has the segments of this fraction of a second (`sk_pacing_shift`).
const PARTS_PER_SECOND: u64 = 1024;

/// This fraction of the window leaves at once (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u32 = 3;

/// Segments wait only if the last ones left within this time and the next acknowledgement is expected within it.
const SOON: Duration = Duration::from_ms(1);

/// State of `tso-defer`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deferral {
    /// First segment that waits for the next acknowledgement, `u32::MAX` if none waits. `None` until the first new segment after an
    /// acknowledgement.
    from: Option<u32>,
}

impl Sender {
    /// Whether the next segment is a new one that waits for an acknowledgement.
    #[inline(never)]
    pub(super) fn defers_next(&mut self, now: Time) -> bool {
        let Some(Deferral { from }) = self.deferral().copied().filter(|_| self.is_next_new()) else { return false };
        let room = self.flight.room(&self.window);
        if from.is_none() && room > 0 {
            self.decide_deferral(now, room);
        }
        let next = self.flight.next;
        self.deferral().and_then(|deferral| deferral.from).is_some_and(|from| next >= from)
    }

    /// Number of segments that wait for the next acknowledgement, after one that admits `room` segments; these are the last ones.
    #[inline(never)]
    pub(super) fn deferred_after_ack(&mut self, now: Time, room: u32) -> u32 {
        self.end_deferral();
        if room == 0 || self.deferral().is_none() || !self.is_next_new() {
            return 0;
        }
        self.decide_deferral(now, room)
    }

    /// Ends the wait, since an acknowledgement or more data has arrived.
    #[inline(always)]
    pub(super) fn end_deferral(&mut self) {
        if let Some(deferral) = self.deferral() {
            deferral.from = None;
        }
    }

    #[inline(always)]
    fn deferral(&mut self) -> Option<&mut Deferral> {
        self.options.as_mut()?.deferral.as_mut()
    }

    /// Whether the next segment has not been sent before and no segment is being repaired.
    fn is_next_new(&self) -> bool {
        self.flight.phase == Phase::Normal && self.flight.next >= self.flight.high
    }

    /// Decides which of the next `room` segments wait; returns their number.
    fn decide_deferral(&mut self, now: Time, room: u32) -> u32 {
        let rest = self.deferred(now, room);
        let from = if rest > 0 { self.flight.next + (room - rest) } else { u32::MAX };
        if let Some(deferral) = self.deferral() {
            deferral.from = Some(from);
        }
        rest
    }

    /// Number of segments that wait for an acknowledgement (`tcp_tso_should_defer`), the last of `room` new ones that the windows admit.
    /// Segments that do not fill a packet wait if the application has more data. None of them waits if they are a third of the window or
    /// more; if all of them would wait and the last transmission was more than 1 ms ago; or if the acknowledgement of the first outstanding
    /// segment is not expected within 1 ms and within half a round trip.
    fn deferred(&self, now: Time, room: u32) -> u32 {
        let has_more = self.flight.next.saturating_add(room) < self.flight.offered;
        let is_paced = self.gate.as_ref().is_some_and(|gate| gate.pacer.is_some());
        let Some(smoothed) = self.estimator.smoothed(&self.parameters).filter(|_| has_more && !is_paced) else { return 0 };
        let full = self.segments_per_packet(smoothed);
        let rest = room % full;
        if rest == 0 || rest.saturating_mul(WINDOW_DIVISOR) >= self.window.usable() || room < full && now.since(self.last_sent) > SOON {
            return 0;
        }
        let first = self.flight.sent.as_ref().and_then(|sent| sent.times.of(self.flight.unacknowledged));
        let half = Duration::from_ps(smoothed.as_ps() / 2);
        let is_soon = first.is_some_and(|sent| sent.last + smoothed <= now + SOON.min(half));
        if is_soon {
            rest
        } else {
            0
        }
    }

    /// Number of segments of a full packet: 1/1024 s at the pacing rate (`tcp_tso_autosize`), without the part that `tcp_tso_rtt_log` adds
    /// for round trips below 3 ms.
    fn segments_per_packet(&self, smoothed: Duration) -> u32 {
        let payload = self.parameters.payload();
        let rate = default_rate(&self.window, f64::from(self.flight.in_flight()), payload as u32, Some(smoothed));
        let bytes = rate.map_or(0, |rate| rate.as_bps() / 8 / PARTS_PER_SECOND);
        (bytes.min(MAX_BYTES) / payload).max(MIN_SEGMENTS) as u32
    }
}
