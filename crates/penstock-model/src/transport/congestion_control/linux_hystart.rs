//! HyStart as in Linux: leaves slow start when round trips or a train of acknowledgements become long [Ha08b].

use super::{Acknowledgement, Window};
use crate::units::{Duration, Time};

/// Window below which slow start continues (`hystart_low_window`), in segments.
const LOW_WINDOW: f64 = 16.0;

/// Acknowledgements closer than this form a train (`hystart_ack_delta_us`).
const TRAIN_SPACING: Duration = Duration::from_ms(2);

/// Number of samples of a round before its shortest round trip counts (`HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;

/// Bounds of the increase of the round trip that ends slow start (`HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const INCREASE: [Duration; 2] = [Duration::from_ms(4), Duration::from_ms(16)];

/// State over all slow starts of a connection.
#[derive(Clone, Debug)]
pub(super) struct LinuxHyStart {
    paced: bool,
    round_start: Time,
    /// The round ends when more than this segment is acknowledged (`end_seq`).
    round_end: u32,
    /// Last acknowledgement of the train.
    last_in_train: Time,
    /// Shortest round trip of the round.
    round_min: Duration,
    samples: u32,
    /// Shortest round trip since the last timeout (`delay_min`).
    min: Duration,
    /// Whether slow start has been left since the last timeout.
    found: bool,
    /// Round trip of the acknowledgement that is being processed.
    latest: Option<Duration>,
}

impl LinuxHyStart {
    pub fn new(paced: bool) -> LinuxHyStart {
        LinuxHyStart {
            paced,
            round_start: Time::ZERO,
            round_end: 0,
            last_in_train: Time::ZERO,
            round_min: Duration::FOREVER,
            samples: 0,
            min: Duration::FOREVER,
            found: false,
            latest: None,
        }
    }

    /// Handles a measured round trip, before [`LinuxHyStart::on_ack`] of its acknowledgement.
    pub fn on_rtt_sample(&mut self, rtt: Duration) {
        self.latest = Some(rtt);
    }

    /// Restarts after a timeout.
    pub fn on_timeout(&mut self) {
        *self = LinuxHyStart::new(self.paced);
    }

    /// Handles an acknowledgement in slow start, before the window grows: ends slow start by setting the threshold to the window.
    pub fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let Some(rtt) = self.latest.take() else { return };
        self.min = self.min.min(rtt);
        if self.found || window.size < LOW_WINDOW {
            return;
        }
        if ack.acknowledged > self.round_end {
            (self.round_start, self.last_in_train) = (ack.now, ack.now);
            (self.round_end, self.round_min, self.samples) = (ack.next, Duration::FOREVER, 0);
        }
        if self.ends_train(ack.now) || self.is_delayed(rtt) {
            self.found = true;
            window.threshold = window.size;
        }
    }

    /// Whether the acknowledgements of the round have arrived back to back for half of the shortest round trip, or for all of it if paced.
    fn ends_train(&mut self, now: Time) -> bool {
        if now.since(self.last_in_train) > TRAIN_SPACING {
            return false;
        }
        self.last_in_train = now;
        let limit = if self.paced { self.min } else { Duration::from_ps(self.min.as_ps() / 2) };
        now.since(self.round_start) > limit
    }

    /// Whether the shortest round trip of the round exceeds that of the connection by an eighth, within bounds.
    fn is_delayed(&mut self, rtt: Duration) -> bool {
        self.round_min = self.round_min.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        let [lowest, highest] = INCREASE;
        let increase = Duration::from_ps(self.min.as_ps() / 8).max(lowest).min(highest);
        self.round_min > self.min + increase
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Connection {
        it: LinuxHyStart,
        window: Window,
        acknowledged: u32,
    }

    impl Connection {
        fn new(paced: bool, size: f64) -> Connection {
            Connection { it: LinuxHyStart::new(paced), window: Window { size, threshold: 1e6, max: 1_000_000 }, acknowledged: 0 }
        }

        /// Handles an acknowledgement of one segment at `us` with this round trip, while `next` is the segment to send next.
        fn ack(&mut self, us: u64, rtt_us: u64, next: u32) {
            self.acknowledged += 1;
            let ack = Acknowledgement {
                now: Time::ZERO + Duration::from_us(us),
                newly: 1,
                delivered: 0,
                acknowledged: self.acknowledged,
                next,
                in_flight: 100,
                app_limited: false,
                ece: false,
                in_recovery: false,
            };
            self.it.on_rtt_sample(Duration::from_us(rtt_us));
            self.it.on_ack(&ack, &mut self.window);
        }

        fn has_ended(&self) -> bool {
            !self.window.is_in_slow_start()
        }
    }

    #[test]
    fn a_train_longer_than_half_the_round_trip_ends_slow_start() {
        for (paced, ends) in [(false, 51), (true, 101)] {
            let mut connection = Connection::new(paced, 20.0);
            // One acknowledgement per millisecond, at a constant round trip of 100 ms.
            let ended = (0..200).find(|ms| {
                connection.ack(100_000 + ms * 1000, 100_000, 1000);
                connection.has_ended()
            });
            assert_eq!((ended, connection.window.threshold), (Some(ends), 20.0), "paced: {paced}");
        }
    }

    #[test]
    fn acknowledgements_more_than_two_milliseconds_apart_are_no_train() {
        let mut connection = Connection::new(false, 20.0);
        (0..200).for_each(|n| connection.ack(100_000 + n * 2001, 100_000, 1000));
        assert!(!connection.has_ended());
    }

    #[test]
    fn the_ninth_sample_of_a_round_that_is_an_eighth_longer_ends_slow_start() {
        // An eighth of 40 ms is 5 ms.
        for (longer, ends) in [(45_000, None), (45_001, Some(8))] {
            let mut connection = Connection::new(false, 20.0);
            connection.ack(0, 40_000, 1);
            let ended = (0..20).find(|n| {
                connection.ack(40_000 + n * 2001, longer, 30);
                connection.has_ended()
            });
            assert_eq!(ended, ends, "{longer} us");
        }
    }

    #[test]
    fn a_small_window_keeps_growing_and_a_timeout_begins_again() {
        let mut connection = Connection::new(false, 15.9);
        (0..200).for_each(|ms| connection.ack(100_000 + ms * 1000, 100_000, 1000));
        assert!(!connection.has_ended());
        connection.window.size = 16.0;
        connection.acknowledged = 1000;
        (0..60).for_each(|ms| connection.ack(400_000 + ms * 1000, 100_000, 2000));
        assert!(connection.has_ended());
        connection.it.on_timeout();
        connection.window = Window { size: 16.0, threshold: 100.0, max: 1000 };
        (0..60).for_each(|ms| connection.ack(900_000 + ms * 1000, 100_000, 3000));
        assert!(connection.has_ended());
    }
}
