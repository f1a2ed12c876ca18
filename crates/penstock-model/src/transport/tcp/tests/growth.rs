//! Slow start, congestion avoidance and the limits of the window.

use super::harness::{parameters, text, Path};
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;

#[test]
fn slow_start_from_one_segment() {
    let mut path = Path::new(&parameters(&[])).start(Some(7));
    path.run_ms(1000);
    assert_eq!(path.sent(), "0: 0\n100: 1 2\n200: 3 4 5 6");
    assert!(path.sender.is_finished());
    assert_eq!((path.receiver.delivered(), path.sender.acknowledged()), (7, 7));
}

#[test]
fn slow_start_from_two_and_from_ten_segments() {
    let mut path = Path::new(&parameters(&[("initial-window", text("2 packets"))])).start(Some(8));
    path.run_ms(1000);
    assert_eq!(path.sent(), "0: 0 1\n100: 2 3 4 5\n200: 6 7");
    let mut path = Path::new(&parameters(&[("initial-window", text("10 packets"))])).start(None);
    path.run_ms(199);
    assert_eq!(path.log.len(), 10 + 20);
    assert_eq!(path.sender.congestion_window(), 20.0);
}

#[test]
fn an_initial_window_in_bytes_counts_payload() {
    // The 4380 bytes of RFC 3390 are three segments of 1460.
    let mut path = Path::new(&parameters(&[("initial-window", text("4380 bytes"))])).start(None);
    path.run_ms(1);
    assert_eq!(path.sent(), "0: 0 1 2");
}

#[test]
fn congestion_avoidance_adds_a_segment_per_round_trip() {
    let given = [("initial-window", text("2 packets")), ("initial-slow-start-threshold", text("2 packets"))];
    let mut path = Path::new(&parameters(&given)).start(None);
    path.run_ms(450);
    // cwnd after each ACK: 2.5 2.9 | 3.24 3.55 | 3.83 4.10 4.34 | 4.57 4.79 5.00- 5.20.
    assert_eq!(path.sent(), "0: 0 1\n100: 2 3\n200: 4 5 6\n300: 7 8 9 10\n400: 11 12 13 14 15");
}

/// Reno that counts bytes with this limit, or acknowledgements if `None`, with a receiver that acknowledges every second segment.
fn delayed(limit: Option<i64>, more: &[(&str, Value)]) -> Path {
    let table = |key: &str, value: Value| Value::Table(vec![(key.to_owned(), value)]);
    let mut given = vec![("initial-window", text("4 packets")), ("ack-every", Value::Integer(2))];
    if let Some(limit) = limit {
        given.push(("congestion-control", table("reno", table("byte-counting-limit", Value::Integer(limit)))));
    }
    given.extend_from_slice(more);
    Path::new(&parameters(&given)).start(None)
}

/// Each acknowledgement covers two segments and admits two, three or four.
#[test]
fn byte_counting_keeps_slow_start_doubling_under_delayed_acknowledgements() {
    let mut doubling = delayed(Some(2), &[]);
    doubling.run_ms(250);
    assert_eq!(doubling.sent(), "0: 0 1 2 3\n100: 4 5 6 7 8 9 10 11\n200: 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27");
    assert_eq!(doubling.sender.congestion_window(), 16.0);
    for limit in [None, Some(1)] {
        let mut slower = delayed(limit, &[]);
        slower.run_ms(250);
        assert_eq!(slower.sent(), "0: 0 1 2 3\n100: 4 5 6 7 8 9\n200: 10 11 12 13 14 15 16 17 18", "{limit:?}");
        assert_eq!(slower.sender.congestion_window(), 9.0);
    }
}

/// From a window of four, two acknowledgements of two segments each increase it to five; counted by acknowledgements, to 4 + 1/4 + 1/4.25.
#[test]
fn byte_counting_grows_by_a_segment_per_window_under_delayed_acknowledgements() {
    let avoidance = [("initial-slow-start-threshold", text("4 packets"))];
    let mut counting = delayed(Some(2), &avoidance);
    counting.run_ms(150);
    assert_eq!(counting.sent(), "0: 0 1 2 3\n100: 4 5 6 7 8");
    assert_eq!(counting.sender.congestion_window(), 5.0);
    let mut plain = delayed(None, &avoidance);
    plain.run_ms(150);
    assert_eq!(plain.sent(), "0: 0 1 2 3\n100: 4 5 6 7");
    assert_eq!(plain.sender.congestion_window(), 4.25 + 1.0 / 4.25);
}

#[test]
fn the_window_is_limited_in_packets_and_in_bytes() {
    for limit in ["4 packets", "5840 bytes", "7299 bytes"] {
        let mut path = Path::new(&parameters(&[("max-window", text(limit))])).start(None);
        path.run_ms(450);
        assert_eq!(path.sent(), "0: 0\n100: 1 2\n200: 3 4 5 6\n300: 7 8 9 10\n400: 11 12 13 14", "{limit}");
        assert_eq!(path.sender.in_flight(), 4);
    }
}

#[test]
fn the_initial_window_is_within_the_maximum() {
    let given = [("initial-window", text("10 packets")), ("max-window", text("3 packets"))];
    let mut path = Path::new(&parameters(&given)).start(None);
    path.run_ms(1);
    assert_eq!(path.sent(), "0: 0 1 2");
}

#[test]
fn transfers_follow_each_other_on_one_connection() {
    let mut path = Path::new(&parameters(&[])).start(Some(3));
    path.run_ms(300);
    assert!(path.sender.is_finished());
    path.offer(2);
    assert!(!path.sender.is_finished());
    path.run_ms(500);
    assert_eq!(path.sent(), "0: 0\n100: 1 2\n300: 3 4");
    assert!(path.sender.is_finished());
}

#[test]
fn a_long_idle_time_ends_in_slow_start() {
    for (restart, third) in [(true, "2000: 3"), (false, "2000: 3 4 5")] {
        let given = [("restart-after-idle", Value::Switch(restart))];
        let mut path = Path::new(&parameters(&given)).start(Some(3));
        path.run_ms(2000);
        assert_eq!(path.sender.congestion_window(), 4.0);
        path.offer(3);
        assert_eq!(path.sent().lines().last(), Some(third));
    }
}

#[test]
fn a_source_quench_begins_a_slow_start_towards_the_same_threshold() {
    let given = [("initial-window", text("4 packets")), ("initial-slow-start-threshold", text("9 packets"))];
    let mut path = Path::new(&parameters(&given)).start(None);
    path.run_ms(150);
    path.sender.on_source_quench();
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (1.0, 9.0));
}
