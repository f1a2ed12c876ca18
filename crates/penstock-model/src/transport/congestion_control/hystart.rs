//! HyStart++: leaves slow start when round trips grow longer, before anything is lost [RFC9406].

use super::{Acknowledgement, Window};
use crate::units::Duration;

/// An increase of the round trip below this is noise (MIN_RTT_THRESH) [RFC9406 s4.3].
const MIN_THRESHOLD: Duration = Duration::from_ms(4);

/// An increase above this always counts (MAX_RTT_THRESH) [RFC9406 s4.3].
const MAX_THRESHOLD: Duration = Duration::from_ms(16);

/// Between them, this fraction of the last round's least round trip counts (MIN_RTT_DIVISOR) [RFC9406 s4.3].
const THRESHOLD_DIVISOR: u64 = 8;

/// Samples before a round's least round trip means anything (N_RTT_SAMPLE) [RFC9406 s4.3].
const SAMPLES: u32 = 8;

/// Conservative slow start grows by this fraction (CSS_GROWTH_DIVISOR) [RFC9406 s4.3].
const CSS_GROWTH_DIVISOR: f64 = 4.0;

/// Rounds of conservative slow start before congestion avoidance (CSS_ROUNDS) [RFC9406 s4.3].
const CSS_ROUNDS: u32 = 5;

/// Segments by which an unpaced sender grows per acknowledgement at most (L) [RFC9406 s4.3].
const UNPACED_LIMIT: u32 = 8;

/// No round trip known: longer than any.
const UNKNOWN: Duration = Duration::from_ps(u64::MAX);

/// The first slow start of a connection.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// L.
    limit: u32,
    /// The round ends when this segment is acknowledged (windowEnd).
    round_end: u32,
    last_round_min: Duration,
    round_min: Duration,
    samples: u32,
    /// In conservative slow start: what made it begin, and how many rounds of it are over.
    conservative: Option<Conservative>,
}

/// Conservative slow start (CSS).
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// cssBaselineMinRtt.
    baseline: Duration,
    rounds: u32,
}

impl HyStart {
    pub fn new(paced: bool) -> HyStart {
        let limit = if paced { u32::MAX } else { UNPACED_LIMIT };
        HyStart { limit, round_end: 0, last_round_min: UNKNOWN, round_min: UNKNOWN, samples: 0, conservative: None }
    }

    /// A round trip was measured.
    pub fn on_rtt_sample(&mut self, rtt: Duration) {
        self.round_min = self.round_min.min(rtt);
        self.samples += 1;
    }

    /// An acknowledgement of new data: grows the window, and ends slow start by setting the threshold to it
    /// [RFC9406 s4.2].
    pub fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let growth = f64::from(ack.newly.min(self.limit));
        if !ack.app_limited {
            window.size += if self.conservative.is_some() { growth / CSS_GROWTH_DIVISOR } else { growth };
            window.size = window.size.min(f64::from(window.max));
        }
        if self.samples >= SAMPLES {
            self.compare();
        }
        if ack.acknowledged >= self.round_end {
            self.on_round_end(ack.next, window);
        }
    }

    /// Compares the round's least round trip with what it should not exceed, or fall below.
    fn compare(&mut self) {
        match self.conservative {
            None if self.last_round_min != UNKNOWN && self.round_min != UNKNOWN => {
                let eighth = Duration::from_ps(self.last_round_min.as_ps() / THRESHOLD_DIVISOR);
                let threshold = eighth.min(MAX_THRESHOLD).max(MIN_THRESHOLD);
                if self.round_min >= self.last_round_min + threshold {
                    self.conservative = Some(Conservative { baseline: self.round_min, rounds: 0 });
                }
            }
            // The increase was a spurious one: back to slow start.
            Some(conservative) if self.round_min < conservative.baseline => self.conservative = None,
            _ => {}
        }
    }

    /// The window that the round began with has been acknowledged. A round in which conservative slow start begins counts
    /// as one of it.
    fn on_round_end(&mut self, next: u32, window: &mut Window) {
        self.round_end = next;
        self.last_round_min = self.round_min;
        self.round_min = UNKNOWN;
        self.samples = 0;
        if let Some(conservative) = &mut self.conservative {
            conservative.rounds += 1;
            if conservative.rounds >= CSS_ROUNDS {
                window.threshold = window.size;
            }
        }
    }
}
