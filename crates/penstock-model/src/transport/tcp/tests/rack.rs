//! RACK-TLP, as the exact segments that it sends.

use super::harness::{parameters, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::Duration;

fn path(initial_window: &str, more: &[(&str, Value)]) -> Path {
    let rack = Value::Table(vec![("rack".to_owned(), Value::Table(vec![]))]);
    let mut given = vec![("recovery", rack), ("initial-window", text(initial_window))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

/// Three SACKs show that 2 is lost: ssthresh is half of 10, without the two segments of limited transmit. One segment is sent for every two
/// that arrive, so 5 are in flight when the recovery ends.
#[test]
fn a_fast_recovery_reduces_the_flight_in_proportion() {
    let mut path = path("8 packets", &[]).losing_once(&[2]).start(None);
    path.run_ms(350);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13 2* 14\n200: 15 16 17 18 19\n300: 20 21 22 23 24 25");
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
}

/// The acknowledgement of 2 also reports 4: two segments admit two, plus one more for each in slow start.
#[test]
fn the_window_grows_by_what_arrived() {
    let limit = Value::Table(vec![("byte-counting-limit".to_owned(), Value::Integer(2))]);
    let reno = Value::Table(vec![("reno".to_owned(), limit)]);
    let mut path = path("8 packets", &[("ack-every", Value::Integer(2)), ("congestion-control", reno)]).losing_once(&[3]).start(None);
    path.run_ms(150);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13 14 15 16 3*");
}

#[test]
fn three_losses_take_two_round_trips() {
    let mut path = path("10 packets", &[]).losing_once(&[2, 4, 6]).start(None);
    path.run_ms(250);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n100: 10 11 12 13 14 15 2* 4*\n200: 6* 16 17 18 19 20");
    path.run_ms(1000);
    assert_eq!(path.receiver.duplicates(), 0);
}

/// 14 leaves after the start of the recovery, and its loss shows before 13* is acknowledged. With 14* outstanding, the end of the recovery
/// starts another one: ssthresh is half of the six segments from 14 to 19.
#[test]
fn a_loss_after_the_beginning_of_a_recovery_reduces_the_window_again() {
    let mut path = path("8 packets", &[]).losing_once(&[2, 13, 14]).start(None);
    path.run_ms(290);
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
    path.run_ms(350);
    let first = "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13 2* 14";
    assert_eq!(path.sent(), format!("{first}\n200: 15 16 13* 17\n300: 14* 18 19 20 21"));
    assert_eq!(path.sender.slow_start_threshold(), 3.0);
}

/// 14 was sent after 2* and arrives, which shows the loss of 2*. Other recoveries wait for the timer.
#[test]
fn the_loss_of_a_retransmission_is_found_by_what_was_sent_after_it() {
    let mut losses_of_2 = 0;
    let lose = move |_, body| {
        losses_of_2 += u32::from(matches!(body, Body::Segment { seq: 2, .. }));
        matches!(body, Body::Segment { seq: 2, .. }) && losses_of_2 <= 2
    };
    let mut path = path("8 packets", &[]).losing(lose).start(None);
    path.run_ms(250);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13 2* 14\n200: 15 16 17 2* 18");
    path.run_ms(900);
    assert_eq!(path.receiver.duplicates(), 0);
}

/// Two round trips after the last acknowledgement, 9 is sent again. Its SACK shows 7 and 8 to be lost.
#[test]
fn a_probe_finds_losses_at_the_end() {
    let mut path = path("10 packets", &[]).losing_once(&[7, 8, 9]).start(Some(10));
    path.run_ms(2000);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n300: 9*\n400: 7*\n500: 8*");
    assert!(path.sender.is_finished());
    let rack = vec![("probes".to_owned(), Value::Switch(false))];
    let without = Value::Table(vec![("rack".to_owned(), Value::Table(rack))]);
    let mut path = Path::new(&parameters(&[("recovery", without), ("initial-window", text("10 packets"))]));
    path = path.losing_once(&[7, 8, 9]).start(Some(10));
    path.run_ms(2000);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n1100: 7*\n1200: 8* 9*");
}

/// A single segment may wait for a delayed acknowledgement: 200 + 200 ms.
#[test]
fn a_probe_of_a_single_segment_waits_for_a_delayed_acknowledgement() {
    let mut path = path("2 packets", &[]).losing_once(&[1]).start(Some(2));
    path.run_ms(450);
    let due = path.sender.deadline();
    assert!(!path.sender.is_timeout_due(due) && path.sender.is_retransmission_due(due));
    path.run_ms(550);
    assert!(path.sender.is_timeout_due(path.sender.deadline()));
    path.run_ms(2000);
    assert_eq!(path.sent(), "0: 0 1\n500: 1*");
}

/// The probe 9* repairs the only loss. An acknowledgement beyond it shows that 9 was lost, and cwnd is reduced.
#[test]
fn a_probe_that_repairs_a_loss_reduces_the_window() {
    let mut path = path("10 packets", &[]).losing_once(&[9]).start(Some(10));
    path.run_ms(650);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n500: 9*");
    let threshold = path.sender.slow_start_threshold();
    path.offer(8);
    path.run_ms(800);
    assert_eq!((threshold, path.sender.slow_start_threshold()), (1000.0, 3.0));
    // Nothing was lost, but the ACK of 9 was late: the second copy is reported, and cwnd is not reduced.
    let mut path = path_of_late_ack();
    path.run_ms(650);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n500: 9*");
    path.offer(8);
    path.run_ms(800);
    assert_eq!(path.sender.slow_start_threshold(), 1000.0);
}

/// A path on which the acknowledgement of the last segment arrives 450 ms late, after the probe.
fn path_of_late_ack() -> Path {
    let late = |n| Duration::from_ms(if n == 20 { 450 } else { 0 });
    path("10 packets", &[]).delaying(late).start(Some(10))
}

/// The acknowledgement of 0* has no room for all blocks. The sender remembers what earlier SACKs had shown.
#[test]
fn a_timeout_forgets_nothing_and_repairs_in_slow_start() {
    let mut path = path("12 packets", &[]).losing_once(&[0, 1, 2, 3, 5, 7]).losing_back(|n, _| n < 6).start(None);
    path.run_ms(1350);
    let repair = "1000: 0*\n1100: 1* 2*\n1200: 3* 5* 7* 12\n1300: 13 14 15 16 17 18";
    assert_eq!(path.sent(), format!("0: 0 1 2 3 4 5 6 7 8 9 10 11\n{repair}"));
    assert_eq!((path.receiver.duplicates(), path.sender.slow_start_threshold()), (0, 6.0));
}

/// 2 arrives 20 ms late. With two segments SACKed, it still has a quarter of the round trip.
#[test]
fn a_late_segment_is_not_lost_within_the_reordering_window() {
    let late = |by: u64| move |n| Duration::from_ms(if n == 3 { by } else { 0 });
    let mut path = self::path("5 packets", &[]).delaying(late(20)).start(None);
    path.run_ms(300);
    assert!(!path.sent().contains('*'), "{}", path.sent());
    let mut path = self::path("5 packets", &[]).delaying(late(30)).start(None);
    path.run_ms(140);
    assert_eq!(path.sent(), "0: 0 1 2 3 4\n100: 5 6 7 8 9 10\n125: 2*");
}

/// The path delays 4 to 11 by 1.5 s, so 4 is sent again at 1100 ms. The acknowledgements arrive from 1700 ms on. The first echoes the
/// timestamp of the first transmission: the timeout was spurious, and no segment sent before 4* is lost.
#[test]
fn an_echo_of_the_first_transmission_says_nothing_about_the_last() {
    let hold = |n| {
        Duration::from_ms(match n {
            9..=16 => 1500,
            17 => 600,
            _ => 0,
        })
    };
    let rack = Value::Table(vec![("rack".to_owned(), Value::Table(vec![("probes".to_owned(), Value::Switch(false))]))]);
    let given = [("recovery", rack), ("initial-window", text("4 packets")), ("timestamps", Value::Switch(true))];
    let mut path = Path::new(&parameters(&given)).delaying(hold).start(None);
    path.run_ms(1780);
    let before = "0: 0 1 2 3\n100: 4 5 6 7 8 9 10 11\n1100: 4*";
    assert_eq!(path.sent(), format!("{before}\n1700: 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27"));
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (16.0, 1000.0));
}
