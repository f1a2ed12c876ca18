//! Retransmissions delayed by half a round trip, as the exact segments that are sent; in the notation of `losses.rs`.

use super::harness::{parameters, text, Path};
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::Duration;

fn path(recovery: &str, delay: &str, more: &[(&str, Value)]) -> Path {
    let table = |key: &str, value: Value| Value::Table(vec![(key.to_owned(), value)]);
    let recovery = table(recovery, table("retransmit-delay", text(delay)));
    let mut given = vec![("recovery", recovery), ("initial-window", text("10 packets")), ("limited-transmit", Value::Switch(false))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

const HALF: &str = "half-round-trip";
const WITH_NEW_DATA: &str = "half-round-trip-with-new-data";

/// A round trip is 100 ms. 2 is lost: the ACKs of 0 and 1 admit 10 to 13, and the third duplicate also arrives at 100 ms.
const START: &str = "0: 0 1 2 3 4 5 6 7 8 9\n100: 10 11 12 13";

#[test]
fn the_retransmission_goes_out_half_a_round_trip_later() {
    for recovery in ["sack", "sack1"] {
        let mut path = path(recovery, HALF, &[]).losing_once(&[2]).start(Some(14));
        path.run_ms(149);
        assert_eq!(path.sent(), START, "{recovery}");
        // 12 outstanding: ssthresh is 6 from the third duplicate on.
        assert_eq!((path.sender.slow_start_threshold(), path.sender.congestion_window()), (6.0, 6.0));
        path.run_ms(1000);
        assert_eq!(path.sent(), format!("{START}\n150: 2*"), "{recovery}");
        assert!(path.sender.is_finished());
    }
}

#[test]
fn nothing_new_is_sent_during_the_wait_unless_asked_for() {
    // Seven duplicates at 100 ms leave five of twelve in the network (sack has also subtracted 2: four), and cwnd is 6.
    let cases = [
        ("sack", HALF, format!("{START}\n150: 2* 14")),
        ("sack", WITH_NEW_DATA, format!("{START} 14 15\n150: 2*")),
        ("sack1", HALF, format!("{START}\n150: 2* 14")),
        ("sack1", WITH_NEW_DATA, format!("{START} 14\n150: 2*")),
    ];
    for (recovery, delay, sent) in cases {
        let mut path = path(recovery, delay, &[]).losing_once(&[2]).start(None);
        path.run_ms(199);
        assert_eq!(path.sent(), sent, "{recovery} {delay}");
    }
}

#[test]
fn without_a_delay_the_retransmission_goes_out_at_once() {
    let mut path = path("sack1", "none", &[]).losing_once(&[2]).start(None);
    path.run_ms(199);
    assert_eq!(path.sent(), format!("{START} 2* 14"));
}

#[test]
fn a_timeout_ends_the_wait() {
    // The ACKs of 0 and 1 start the timer at 100 ms for 100 + 4 * 50 ms. The segments beyond 2 are 270 ms late: the third duplicate arrives
    // at 370 ms, and the wait would end at 420 ms.
    for recovery in ["sack", "sack1"] {
        let slow = |number| Duration::from_ms(if (4..=10).contains(&number) { 270 } else { 0 });
        let mut path = path(recovery, HALF, &[("min-rto", text("0 s"))]).delaying(slow).losing_once(&[2]).start(Some(10));
        path.run_ms(399);
        assert_eq!(path.sender.congestion_window(), 4.0, "{recovery}");
        path.run_ms(1000);
        assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n400: 2*", "{recovery}");
        assert!(path.sender.is_finished());
    }
}

#[test]
fn an_acknowledgement_of_everything_ends_the_wait_with_nothing_to_repair() {
    // 2, the third packet, is 30 ms late: its ACK arrives at 130 ms and covers 0 to 9.
    for recovery in ["sack", "sack1"] {
        let mut path = path(recovery, HALF, &[]).delaying(late(3, 30)).start(Some(10));
        path.run_ms(1000);
        assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9", "{recovery}");
        assert!(path.sender.is_finished());
        // FlightSize was 8.
        assert_eq!((path.sender.slow_start_threshold(), path.sender.congestion_window()), (4.0, 4.0));
    }
}

#[test]
fn after_an_acknowledgement_of_a_part_what_is_missing_then_is_sent() {
    // 2 is 30 ms late and 5 is lost: at 130 ms everything before 5 is acknowledged, at 150 ms 5 is sent again.
    for recovery in ["sack", "sack1"] {
        let mut path = path(recovery, HALF, &[]).losing_once(&[5]).delaying(late(3, 30)).start(Some(10));
        path.run_ms(1000);
        assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n150: 5*", "{recovery}");
        assert!(path.sender.is_finished());
    }
}

#[test]
fn before_the_first_measurement_nothing_waits() {
    let mut path = path("sack1", HALF, &[]).losing_once(&[0]).start(Some(10));
    path.run_ms(150);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n100: 0*");
}

/// Delays the `packet`-th packet sent, counted from one, by `ms` milliseconds.
fn late(packet: usize, ms: u64) -> impl FnMut(usize) -> Duration {
    move |number| Duration::from_ms(if number == packet { ms } else { 0 })
}
