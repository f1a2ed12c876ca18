//! Retransmission timeouts, delayed acknowledgements, the SYN exchange, and refused parameters.

use super::harness::{parameters, read, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::{Duration, Time};

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

#[test]
fn timeouts_double_until_a_segment_sent_once_is_acknowledged() {
    let mut path = Path::new(&parameters(&[])).losing(|n, _| n < 3).start(None);
    path.run_ms(7150);
    assert_eq!(path.sent(), "0: 0\n1000: 0*\n3000: 0*\n7000: 0*\n7100: 1 2");
    // 0 was sent again, so its acknowledgement gives no round trip and the factor stays at 8 (Karn).
    assert_eq!(path.sender.deadline(), at_ms(7100 + 8000));
    path.run_ms(7250);
    assert_eq!(path.sender.deadline(), at_ms(7200 + 1000));
}

#[test]
fn back_off_is_bounded_by_its_factor_and_by_the_greatest_timeout() {
    let mut path = Path::new(&parameters(&[("max-backoff", Value::Integer(2))])).losing(|_, _| true).start(None);
    path.run_ms(8000);
    assert_eq!(path.sent(), "0: 0\n1000: 0*\n3000: 0*\n5000: 0*\n7000: 0*");
    let mut path = Path::new(&parameters(&[("max-rto", text("3 s"))])).losing(|_, _| true).start(None);
    path.run_ms(10_000);
    assert_eq!(path.sent(), "0: 0\n1000: 0*\n3000: 0*\n6000: 0*\n9000: 0*");
}

#[test]
fn the_first_timeout_follows_the_first_measurement() {
    // SRTT 100 ms + 4 x 50 ms; the second sample of 100 ms leaves 4 x 37.5 ms.
    let mut path = Path::new(&parameters(&[("min-rto", text("0 s"))])).start(None);
    path.run_ms(150);
    assert_eq!(path.sender.deadline(), at_ms(100 + 300));
    path.run_ms(250);
    assert_eq!(path.sender.deadline(), at_ms(200 + 250));
}

#[test]
fn the_first_timeout_of_a_ticking_clock_is_whole_ticks() {
    // 100 ms are 3 ticks of 30 ms when they begin at a tick: RTO = 3 + 6 ticks.
    let given = [("min-rto", text("0 s")), ("timer-tick", text("30 ms"))];
    let mut path = Path::new(&parameters(&given)).start(None);
    path.run_ms(150);
    assert_eq!(path.sender.deadline(), at_ms(100 + 270));
}

#[test]
fn a_timeout_halves_the_threshold_once_however_often_it_repeats() {
    let mut path = Path::new(&parameters(&[("initial-window", text("8 packets"))])).losing(|n, _| n < 10).start(None);
    path.run_ms(2000);
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (1.0, 4.0));
    path.run_ms(7050);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n1000: 0*\n3000: 0*\n7000: 0*");
    assert_eq!(path.sender.slow_start_threshold(), 4.0);
    path.run_ms(7350);
    // Slow start over the lost segments up to cwnd 4, then 4.25 4.49 4.71 4.92.
    assert_eq!(path.sent().lines().skip(4).collect::<Vec<_>>(), ["7100: 1* 2*", "7200: 3* 4* 5* 6*", "7300: 7* 8 9 10"]);
}

#[test]
fn nothing_is_timed_while_nothing_is_outstanding() {
    let mut path = Path::new(&parameters(&[])).start(Some(3));
    path.run_ms(5000);
    assert_eq!((path.sender.deadline(), path.next_event()), (Time::NEVER, Time::NEVER));
}

#[test]
fn partial_acknowledgements_restart_the_timer_once_or_always() {
    for (which, restarted) in [("first", 200), ("every", 300)] {
        let given = [("initial-window", text("10 packets")), ("partial-ack-timer", text(which))];
        let mut path = Path::new(&parameters(&given)).losing_once(&[2, 4, 6]).start(None);
        path.run_ms(350);
        assert_eq!(path.sender.deadline(), at_ms(restarted + 1000), "{which}");
    }
}

#[test]
fn round_trips_that_a_repair_prolongs_are_not_measured() {
    // 16 is sent at 200 ms and acknowledged with the last repair at 400 ms. 23, sent after it, measures 100 ms.
    let given = [("initial-window", text("10 packets")), ("min-rto", text("0 s"))];
    let mut path = Path::new(&parameters(&given)).losing_once(&[2, 4, 6]).start(None);
    path.run_ms(450);
    assert_eq!(path.sender.deadline(), at_ms(400 + 250));
}

#[test]
fn every_second_segment_is_acknowledged_and_an_odd_one_later() {
    for (delay, answers) in [(None, "50: 2\n150: 3"), (Some("200 ms"), "50: 2\n250: 3")] {
        let mut given = vec![("ack-every", Value::Integer(2)), ("initial-window", text("3 packets"))];
        given.extend(delay.map(|delay| ("ack-delay", text(delay))));
        let mut path = Path::new(&parameters(&given)).start(Some(3));
        path.run_ms(1000);
        assert_eq!(path.answered(), answers);
    }
}

#[test]
fn gaps_are_acknowledged_at_once() {
    let given = [("ack-every", Value::Integer(2)), ("initial-window", text("5 packets"))];
    let mut path = Path::new(&parameters(&given)).losing_once(&[1]).start(Some(5));
    path.run_ms(2000);
    // 0 waits for a second segment; 2, 3 and 4 show the gap, and 1* fills it after a timeout.
    assert_eq!(path.answered(), "50: 1 1 1\n1150: 5");
}

#[test]
fn segments_that_had_arrived_are_acknowledged_and_counted() {
    let mut path = Path::new(&parameters(&[])).losing_back(|n, _| n == 0).start(Some(1));
    path.run_ms(2000);
    assert_eq!((path.sent(), path.answered()), ("0: 0\n1000: 0*".to_owned(), "50: 1\n1050: 1".to_owned()));
    assert_eq!((path.receiver.delivered(), path.receiver.duplicates()), (1, 1));
}

fn with_syn(given: &[(&str, Value)]) -> Path {
    let mut all = vec![("syn", Value::Switch(true)), ("initial-window", text("4 packets"))];
    all.extend_from_slice(given);
    Path::new(&parameters(&all))
}

#[test]
fn a_syn_exchange_comes_first_and_measures_the_round_trip() {
    let mut path = with_syn(&[("min-rto", text("0 s"))]).start(Some(2));
    path.run_ms(120);
    assert_eq!((path.sent(), path.answered()), ("0: S\n100: 0 1".to_owned(), "50: SA".to_owned()));
    assert_eq!(path.sender.deadline(), at_ms(100 + 300));
    path.run_ms(1000);
    assert!(path.sender.is_finished());
}

#[test]
fn after_a_lost_syn_the_window_is_one_segment_and_the_timeout_three_seconds() {
    let lost_syn = with_syn(&[]).losing(|n, _| n == 0);
    let lost_answer = with_syn(&[]).losing_back(|n, _| n == 0);
    for path in [lost_syn, lost_answer] {
        let mut path = path.start(None);
        path.run_ms(1120);
        assert_eq!(path.sent(), "0: S\n1000: S\n1100: 0");
        assert_eq!(path.sender.deadline(), at_ms(1100 + 3000));
    }
}

#[test]
fn an_unanswered_syn_is_repeated_with_back_off() {
    let mut path = with_syn(&[]).losing(|_, body| matches!(body, Body::Syn { .. })).start(None);
    path.run_ms(7500);
    assert_eq!(path.sent(), "0: S\n1000: S\n3000: S\n7000: S");
}

#[test]
fn a_second_answer_to_a_syn_changes_nothing() {
    // The first timeout, 60 ms, is shorter than the round trip.
    let mut path = with_syn(&[("min-rto", text("0 s")), ("initial-rto", text("60 ms"))]).start(Some(3));
    path.run_ms(1000);
    assert_eq!(path.sent(), "0: S\n60: S\n100: 0\n200: 1 2");
}

#[test]
fn relations_between_parameters_are_checked() {
    let refused = |given: &[(&str, Value)]| read(given).expect_err("refused").join("; ");
    assert_eq!(refused(&[("packet", text("40 bytes"))]), "header: 40 bytes leave no room for data in a packet of 40 bytes");
    assert_eq!(refused(&[("max-window", text("1459 bytes"))]), "max-window: holds no whole segment; the payload of a packet is 1460 bytes");
    assert!(refused(&[("packet", text("64 KiB"))]).contains("larger than an IP packet"));
    assert!(refused(&[("min-rto", text("2 min")), ("initial-rto", text("3 min"))]).contains("min-rto: 120 s is above max-rto"));
    assert!(refused(&[("initial-rto", text("0 s")), ("min-rto", text("0 s"))]).contains("initial-rto: 0 s must be above zero"));
    let short = ["min-rto", "initial-rto", "max-rto"].map(|key| (key, text("999 ns")));
    assert!(refused(&short).starts_with("max-rto: 999 ns is too short"), "{}", refused(&short));
    assert!(refused(&[("initial-rto", text("200 ms"))]).contains("between min-rto, 1 s, and max-rto, 60 s"));
    assert!(refused(&[("ack-delay", text("50 ms"))]).contains("ack-delay: has no effect"));
    assert_eq!(refused(&[("ack-every", Value::Integer(2)), ("ack-delay", text("501 ms"))]), "ack-delay: must be at most 500 ms");
    assert!(refused(&[("variant", text("reno")), ("partial-ack-timer", text("first"))]).contains("partial-ack-timer: has no effect"));
    let above = [("max-window", text("20 packets")), ("initial-slow-start-threshold", text("21 packets"))];
    assert!(refused(&above).contains("initial-slow-start-threshold: is above max-window"));
    let wide = [("max-window", text("16777216 packets")), ("variant", text("sack"))];
    assert_eq!(refused(&wide), "max-window: holds more than 1048576 segments, which could all leave in one burst");
    assert!(refused(&[("pacing-rate", text("linux"))]).contains("pacing-rate: has no effect without pacing = true"));
    let without_blocks = "has no effect: 'new-reno' uses no selective acknowledgements; write recovery.sack = {}";
    for key in ["dsack", "keep-scoreboard"] {
        assert!(refused(&[(key, Value::Switch(true))]).contains(&format!("{key}: {without_blocks}")));
    }
    let proportional = ("ecn-reduction", text("proportional"));
    assert!(refused(&[proportional]).contains("ecn-reduction: has no effect without marks"));
    assert!(read(&[]).is_ok());
}
