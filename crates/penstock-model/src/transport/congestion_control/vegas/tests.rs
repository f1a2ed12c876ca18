//! Numbers computed by hand from [Brakmo94 s3.2, s3.3].

use super::super::{Acknowledgement, Cause, Congestion, CongestionControl, RttSample, Timeout, Window};
use super::{Parameters, Vegas};
use crate::parameters::testing::read;
use crate::probe::Probe;
use crate::transport::congestion_control::testing::{ack, context};
use crate::units::{Duration, Time};

/// A connection whose window is always in use, with an acknowledgement per segment.
struct Connection {
    it: Vegas,
    window: Window,
    now: Time,
    /// Segment after the last acknowledged one.
    acknowledged: u32,
    /// Segment that is sent next.
    next: u32,
    app_limited: bool,
}

impl Connection {
    /// A connection that has sent a window of `size`; its first acknowledgement, after 100 ms, has set BaseRTT.
    fn new(lines: &[&str], size: f64, threshold: f64) -> Connection {
        let it = Vegas::new(&read::<Parameters>(lines).expect("sound"), &context(1460));
        let window = Window { size, threshold, max: 1000 };
        let mut new = Connection { it, window, now: Time::ZERO, acknowledged: 0, next: size as u32, app_limited: false };
        // The connection is alone, so no segment waits in the first round trip. It ends here, and the window is reset.
        new.ack(Some(100));
        new.window.size = size;
        new.it.grows = false;
        new.next = new.acknowledged + size as u32;
        new.it.timed = Some(new.next - 1);
        new
    }

    /// Acknowledges the next segment, with the round-trip time `rtt` if it is known. Sends as much as the window then permits.
    fn ack(&mut self, rtt: Option<u64>) {
        self.now += Duration::from_ms(1);
        if let Some(ms) = rtt {
            let rtt = Duration::from_ms(ms);
            self.it.on_rtt_sample(&RttSample { now: self.now, rtt, smoothed: rtt }, &mut self.window);
        }
        let in_flight = self.next - self.acknowledged;
        self.acknowledged += 1;
        let ack = Acknowledgement {
            now: self.now,
            newly: 1,
            delivered: self.acknowledged,
            acknowledged: self.acknowledged,
            next: self.next,
            in_flight,
            app_limited: self.app_limited,
            ece: false,
            in_recovery: false,
        };
        self.it.on_ack(&ack, &mut self.window);
        self.next = self.next.max(self.acknowledged + self.window.usable());
    }

    /// Acknowledges the segments up to the timed one, whose round trip was `rtt` milliseconds. Returns the window afterwards.
    fn round(&mut self, rtt: Option<u64>) -> f64 {
        while self.acknowledged < self.it.timed.expect("a round trip is timed") {
            self.ack(rtt);
        }
        self.ack(rtt);
        self.window.size
    }
}

#[test]
fn the_window_keeps_between_alpha_and_beta_waiting() {
    // 20 segments in 110 ms: 20 - 20 x 100 / 110 = 1.8 wait. 111 ms: 1.98; 112: 2.14; 125: 4 exactly; 126: 4.13.
    for (rtt, window) in [(100, 21.0), (110, 21.0), (111, 21.0), (112, 20.0), (125, 20.0), (126, 19.0), (300, 19.0)] {
        let mut connection = Connection::new(&[], 20.0, 2.0);
        connection.ack(None); // the rest of the window's acknowledgements change nothing
        assert_eq!(connection.window.size, 20.0);
        assert_eq!(connection.round(Some(rtt)), window, "{rtt} ms");
    }
}

#[test]
fn the_window_shrinks_by_a_segment_each_round_trip_after_slow_start() {
    // 16 segments in 200 ms: 8 wait, which ends slow start. Half of 16, 15 and 14 wait next, which exceeds beta.
    let mut connection = Connection::new(&[], 16.0, 1000.0);
    let windows = [(); 4].map(|()| connection.round(Some(200)));
    assert_eq!(windows, [16.0, 15.0, 14.0, 13.0]);
    assert!(!connection.window.is_in_slow_start());
}

#[test]
fn the_thresholds_of_the_example_are_three_and_six_buffers() {
    // alpha = 30 KB/s and beta = 60 KB/s with BaseRTT = 100 ms and segments of 1 KB [Brakmo94 s3.2]: 30 segments in 111 ms
    // lack 2.97 of the expected rate, in 112 ms 3.2, in 125 ms 6, in 126 ms 6.2.
    for (rtt, window) in [(111, 31.0), (112, 30.0), (125, 30.0), (126, 29.0)] {
        let mut connection = Connection::new(&["alpha = 3", "beta = 6"], 30.0, 2.0);
        assert_eq!(connection.round(Some(rtt)), window, "{rtt} ms");
    }
}

#[test]
fn a_shorter_round_trip_is_the_new_base() {
    let mut connection = Connection::new(&[], 20.0, 2.0);
    connection.ack(Some(80));
    // 20 - 20 x 80 / 100 = 4 is no longer below alpha.
    assert_eq!(connection.round(Some(100)), 20.0);
    assert_eq!(connection.round(Some(101)), 19.0); // 4.16
}

#[test]
fn slow_start_doubles_every_other_round_trip() {
    let mut connection = Connection::new(&[], 2.0, 1000.0);
    let mut windows = vec![];
    for _ in 0..7 {
        let before = connection.window.size;
        connection.round(Some(100));
        windows.push((before, connection.window.size));
    }
    // The acknowledgement that ends a round trip is the first of the next one, and grows the window if the next one is one of growth.
    assert_eq!(windows, [(2.0, 3.0), (3.0, 4.0), (4.0, 5.0), (5.0, 8.0), (8.0, 9.0), (9.0, 16.0), (16.0, 17.0)]);
}

#[test]
fn slow_start_ends_where_more_than_gamma_waits() {
    // 16 segments in 106 ms: 16 - 16 x 100 / 106 = 0.91 wait; in 107 ms 1.05.
    for (rtt, ends) in [(106, false), (107, true)] {
        let mut connection = Connection::new(&[], 16.0, 1000.0);
        connection.round(Some(rtt));
        assert_eq!(!connection.window.is_in_slow_start(), ends, "{rtt} ms");
        assert_eq!(connection.window.size, if ends { 16.0 } else { 17.0 });
    }
    // In a round trip of growth, no rates are compared.
    let mut connection = Connection::new(&[], 16.0, 1000.0);
    connection.round(Some(100));
    assert_eq!(connection.round(Some(150)), 32.0);
    assert!(connection.window.is_in_slow_start());
}

#[test]
fn what_cannot_be_compared_changes_nothing() {
    // The timed segment was sent again, so its round trip is unknown.
    let mut connection = Connection::new(&[], 20.0, 2.0);
    assert_eq!(connection.round(None), 20.0);
    assert_eq!(connection.round(Some(100)), 21.0);
    // The application had less to send than the window permits.
    let mut connection = Connection::new(&[], 20.0, 2.0);
    connection.app_limited = true;
    assert_eq!(connection.round(Some(100)), 20.0);
}

#[test]
fn congestion_halves_the_window_and_the_comparison_begins_anew() {
    let mut connection = Connection::new(&[], 20.0, 2.0);
    let congestion = |cause| Congestion { now: Time::ZERO, cause, in_flight: 20 };
    connection.it.on_congestion(&congestion(Cause::Loss), &mut connection.window);
    assert_eq!((connection.window.size, connection.window.threshold, connection.it.timed), (20.0, 10.0, None));
    connection.window.size = 10.0;
    connection.next = connection.acknowledged + 10;
    connection.ack(Some(200)); // times the next segment
    assert_eq!(connection.it.timed, Some(connection.acknowledged + 9));
    assert_eq!(connection.round(Some(200)), 9.0); // 5 of 10 wait
    connection.it.on_congestion(&Congestion { in_flight: 9, ..congestion(Cause::Ecn) }, &mut connection.window);
    assert_eq!((connection.window.size, connection.window.threshold), (4.0, 4.0));
    connection.it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 4, repeated: false }, &mut connection.window);
    assert_eq!((connection.window.threshold, connection.it.timed), (2.0, None));
}

#[test]
fn the_window_stays_between_two_segments_and_the_most() {
    // 2 segments in 300 ms: 1.33 wait, which is above beta here.
    let mut connection = Connection::new(&["alpha = 0.5", "beta = 1"], 2.0, 2.0);
    assert_eq!(connection.round(Some(300)), 2.0);
    let mut connection = Connection::new(&[], 1000.0, 2.0);
    assert_eq!(connection.round(Some(100)), 1000.0);
}

#[test]
fn thresholds_that_cross_are_refused() {
    let mistakes = read::<Parameters>(&["alpha = 4", "beta = 3"]).expect_err("a mistake");
    assert_eq!(mistakes, ["alpha: 4 is above beta, which is 3"]);
}

#[test]
fn no_round_trip_is_reported_before_the_first_measurement() {
    let mut it = Vegas::new(&read::<Parameters>(&[]).expect("sound"), &context(1460));
    let mut window = Window { size: 10.0, threshold: 1000.0, max: 1000 };
    let reported = |it: &Vegas| {
        let mut all = Vec::new();
        it.probe(Time::ZERO, &mut |variable, _, value| all.push((variable.name, value)));
        all
    };
    assert_eq!(reported(&it), []);
    // The sample of the SYN does not count.
    let sample = |ms| RttSample { now: Time::ZERO + Duration::from_ms(ms), rtt: Duration::from_ms(100), smoothed: Duration::from_ms(100) };
    it.on_rtt_sample(&sample(100), &mut window);
    assert_eq!(reported(&it), []);
    it.on_rtt_sample(&sample(200), &mut window);
    it.on_ack(&ack(200), &mut window);
    assert_eq!(reported(&it), [("base-rtt", 0.1), ("rtt", 0.1)]);
}
