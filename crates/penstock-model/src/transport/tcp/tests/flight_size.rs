//! What a reduction halves: FlightSize minus the segments of limited transmit [RFC5681 s3.1 (4), s3.2 (2)]. In the notation of `losses.rs`.

use super::harness::{parameters, text, Path};
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::Duration;

fn path(variant: &str, initial_window: &str, more: &[(&str, Value)]) -> Path {
    let mut given = vec![("variant", text(variant)), ("initial-window", text(initial_window))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

/// Every second segment of 14 is lost, and there is no more data. The ACK of 0 increases cwnd to 15 with 13 outstanding.
#[test]
fn where_the_window_is_not_full_what_is_outstanding_is_halved() {
    let mut path = path("sack", "14 packets", &[]).losing_once(&[1, 3, 5, 7, 9, 11]).start(Some(14));
    path.run_ms(150);
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (6.0, 6.0));
    path.run_ms(400);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13\n100: 1* 3* 5* 7* 9*\n200: 11*");
    assert!(path.sender.is_finished());
}

/// Fast recovery ends at 400 ms with the ACK of 12*, which shows that 16 is missing: 16 to 21 are outstanding, 17 and 18 of them have
/// arrived, and cwnd is 5, so 22 is sent. The next ACK shows the loss of 16 with seven outstanding.
const SECOND_LOSS: &str = "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13 2*\n200: 14 15 16 17\n300: 18 12* 19 20\n400: 21 22 16*";

#[test]
fn where_more_is_outstanding_than_the_window_what_is_outstanding_is_halved() {
    let mut path = path("sack", "8 packets", &[]).losing_once(&[2, 12, 16]).start(None);
    path.run_ms(399);
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
    path.run_ms(450);
    // Seven minus the one beyond cwnd, not five.
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (3.0, 3.0));
    path.run_ms(550);
    assert_eq!(path.sent(), format!("{SECOND_LOSS}\n500: 23 24 25"));
}

/// The same ACK echoes a mark. RFC 3168 halves cwnd, which is 5. Half of the number outstanding would be 3.
#[test]
fn a_mark_halves_no_more_than_the_window() {
    let given = [("ecn", Value::Switch(true))];
    let mut path = path("sack", "8 packets", &given).losing_once(&[2, 12, 16]).marking(&[19]).start(None);
    path.run_ms(399);
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (5.0, 5.0));
    path.run_ms(450);
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (2.0, 2.0));
}

/// The first segment is lost: NewReno waits for the timer, and limited transmit has sent 8 and 9.
#[test]
fn a_timeout_leaves_out_what_limited_transmit_sent() {
    let mut path = path("new-reno", "8 packets", &[]).losing_once(&[0]).start(None);
    path.run_ms(1001);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9\n1000: 0*");
    assert_eq!(path.sender.slow_start_threshold(), 4.0);
}

/// Segment 2 is late, so limited transmit sends 12 and 13. At 120 ms they are inside the window again, and 14 to 18 follow. The tenth
/// duplicate shows the loss of 14, with 14 to 32 outstanding: 31 and 32 are from limited transmit, 12 and 13 no longer count.
#[test]
fn what_the_window_has_come_to_cover_counts() {
    let given = [("dup-ack-threshold", Value::Integer(10))];
    let late = |n| Duration::from_ms(if n == 3 { 20 } else { 0 });
    let mut path = path("new-reno", "8 packets", &given).losing_once(&[14]).delaying(late).start(None);
    path.run_ms(250);
    let rest = "120: 14 15 16 17 18\n200: 19 20 21 22 23 24 25 26 27 28 29 30\n220: 31 32";
    assert_eq!(path.sent(), format!("0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13\n{rest}"));
    path.run_ms(350);
    assert!(path.sent().contains("\n300: 14*"), "{}", path.sent());
    assert_eq!(path.sender.slow_start_threshold(), 8.0);
}
