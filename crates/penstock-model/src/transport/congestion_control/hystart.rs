//! HyStart++: leaves slow start when round trips become longer, before a loss occurs [RFC9406].

use super::{Acknowledgement, Window};
use crate::units::Duration;

/// A smaller increase of the round trip is noise (MIN_RTT_THRESH) [RFC9406 s4.3].
const MIN_THRESHOLD: Duration = Duration::from_ms(4);

/// A larger increase always counts (MAX_RTT_THRESH) [RFC9406 s4.3].
const MAX_THRESHOLD: Duration = Duration::from_ms(16);

/// Between both, the threshold is this fraction of the minimum round trip of the last round (MIN_RTT_DIVISOR) [RFC9406 s4.3].
const THRESHOLD_DIVISOR: u64 = 8;

/// Samples required for the minimum round trip of a round (N_RTT_SAMPLE) [RFC9406 s4.3].
const SAMPLES: u32 = 8;

/// Growth in conservative slow start is divided by this (CSS_GROWTH_DIVISOR) [RFC9406 s4.3].
const CSS_GROWTH_DIVISOR: f64 = 4.0;

/// Rounds of conservative slow start before congestion avoidance (CSS_ROUNDS) [RFC9406 s4.3].
const CSS_ROUNDS: u32 = 5;

/// Maximum growth of an unpaced sender per acknowledgement, in segments (L) [RFC9406 s4.3].
const UNPACED_LIMIT: u32 = 8;

/// Value of an unknown round trip: longer than any.
const UNKNOWN: Duration = Duration::from_ps(u64::MAX);

/// The first slow start of a connection.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// Maximum growth per acknowledgement, in segments (L).
    limit: u32,
    /// The round ends when this segment is acknowledged (windowEnd).
    round_end: u32,
    last_round_min: Duration,
    round_min: Duration,
    samples: u32,
    /// State of conservative slow start; `None` outside of it.
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

    /// Handles a measured round trip.
    pub fn on_rtt_sample(&mut self, rtt: Duration) {
        self.round_min = self.round_min.min(rtt);
        self.samples += 1;
    }

    /// Handles an acknowledgement of new data: grows the window, and ends slow start by setting the threshold to the window [RFC9406 s4.2].
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

    /// Compares the minimum round trip of the round with the threshold for entering or leaving conservative slow start.
    fn compare(&mut self) {
        match self.conservative {
            None if self.last_round_min != UNKNOWN && self.round_min != UNKNOWN => {
                let eighth = Duration::from_ps(self.last_round_min.as_ps() / THRESHOLD_DIVISOR);
                let threshold = eighth.min(MAX_THRESHOLD).max(MIN_THRESHOLD);
                if self.round_min >= self.last_round_min + threshold {
                    self.conservative = Some(Conservative { baseline: self.round_min, rounds: 0 });
                }
            }
            // The increase was spurious, so slow start resumes.
            Some(conservative) if self.round_min < conservative.baseline => self.conservative = None,
            _ => {}
        }
    }

    /// Ends a round, since the window with which it began has been acknowledged. A round in which conservative slow start begins counts as
    /// one of its rounds.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    struct Connection {
        it: HyStart,
        window: Window,
        /// Segment after the last acknowledged one.
        acknowledged: u32,
    }

    impl Connection {
        /// A connection whose first round trip takes `rtt` milliseconds.
        fn new(paced: bool, rtt: u64) -> Connection {
            let window = Window { size: 10.0, threshold: 10_000.0, max: 10_000 };
            let mut connection = Connection { it: HyStart::new(paced), window, acknowledged: 0 };
            // The first acknowledgement starts the first round with samples.
            connection.round(&[rtt]);
            connection
        }

        /// Runs a round in which these round trips, in milliseconds, are measured, one with each acknowledgement of a segment. The last one
        /// ends the round.
        fn round(&mut self, rtts: &[u64]) {
            let next = self.acknowledged + rtts.len() as u32;
            for ms in rtts {
                self.acknowledged += 1;
                self.it.on_rtt_sample(Duration::from_ms(*ms));
                // The segments sent in the meantime form the next round, whose length the caller sets.
                let next = if self.acknowledged == next { next + 8 } else { next };
                self.ack(1, next);
            }
        }

        fn ack(&mut self, newly: u32, next: u32) {
            let ack = Acknowledgement {
                now: Time::ZERO,
                newly,
                delivered: self.acknowledged,
                acknowledged: self.acknowledged,
                next,
                in_flight: 8,
                app_limited: false,
                ece: false,
                in_recovery: false,
            };
            self.it.on_ack(&ack, &mut self.window);
        }

        fn is_conservative(&self) -> bool {
            self.it.conservative.is_some()
        }
    }

    #[test]
    fn an_increase_by_an_eighth_makes_slow_start_conservative() {
        // An eighth of 100 ms is 12.5 ms, between 4 and 16 ms.
        for (rtt, conservative) in [(112, false), (113, true)] {
            let mut connection = Connection::new(false, 100);
            connection.round(&[100; 8]);
            connection.round(&[rtt; 8]);
            assert_eq!(connection.is_conservative(), conservative, "{rtt} ms");
        }
    }

    #[test]
    fn the_threshold_is_between_four_and_sixteen_milliseconds() {
        for (before, after, conservative) in [(8, 11, false), (8, 12, true), (400, 415, false), (400, 416, true)] {
            let mut connection = Connection::new(false, before);
            connection.round(&[before; 8]);
            connection.round(&[after; 8]);
            assert_eq!(connection.is_conservative(), conservative, "{before} and then {after} ms");
        }
    }

    #[test]
    fn seven_samples_say_nothing_and_the_least_of_eight_counts() {
        let mut connection = Connection::new(false, 100);
        connection.round(&[100; 8]);
        (0..7).for_each(|_| connection.it.on_rtt_sample(Duration::from_ms(150)));
        connection.ack(0, 0);
        assert!(!connection.is_conservative());
        let mut connection = Connection::new(false, 100);
        connection.round(&[100; 8]);
        connection.round(&[150, 150, 150, 150, 101, 150, 150, 150]);
        assert!(!connection.is_conservative());
    }

    #[test]
    fn conservative_slow_start_grows_by_a_quarter_and_lasts_five_rounds() {
        let mut connection = Connection::new(false, 100);
        connection.round(&[100; 8]);
        assert_eq!(connection.window.size, 19.0);
        // The eighth sample starts conservative slow start; that round is the first of five.
        connection.round(&[120; 8]);
        assert_eq!((connection.window.size, connection.is_conservative()), (27.0, true));
        for round in 1..5 {
            assert!(connection.window.is_in_slow_start(), "round {round}");
            connection.round(&[120; 8]);
            assert_eq!(connection.window.size, 27.0 + 2.0 * f64::from(round));
        }
        assert_eq!(connection.window.threshold, 35.0);
        assert!(!connection.window.is_in_slow_start());
    }

    #[test]
    fn a_shorter_round_trip_takes_slow_start_up_again() {
        let mut connection = Connection::new(false, 100);
        connection.round(&[100; 8]);
        connection.round(&[120; 8]);
        connection.round(&[119; 8]);
        assert!(!connection.is_conservative());
        let before = connection.window.size;
        connection.ack(1, 0);
        assert_eq!(connection.window.size, before + 1.0);
    }

    #[test]
    fn a_stretched_acknowledgement_counts_eight_segments_unless_paced() {
        for (paced, growth) in [(false, 8.0), (true, 20.0)] {
            let mut connection = Connection::new(paced, 100);
            let before = connection.window.size;
            connection.ack(20, 0);
            assert_eq!(connection.window.size, before + growth);
        }
    }
}
