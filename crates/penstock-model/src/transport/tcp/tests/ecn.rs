//! ECN at both ends [RFC3168 s6.1], as the exact segments and acknowledgements. `c` is CWR, `e` is ECE.

use super::harness::{parameters, text, Path};
use crate::packet::{Body, Ecn};
use crate::parameters::Value;

fn path(variant: &str, more: &[(&str, Value)]) -> Path {
    let mut given = more.to_vec();
    given.extend([("ecn", Value::Switch(true)), ("variant", text(variant)), ("initial-window", text("8 packets"))]);
    Path::new(&parameters(&given))
}

#[test]
fn a_mark_halves_the_window_once_and_nothing_is_sent_again() {
    for variant in ["tahoe", "reno", "new-reno", "sack"] {
        let mut path = path(variant, &[]).marking(&[2]).start(None);
        path.run_ms(150);
        // ACKs 1 and 2 let cwnd grow to 10; ACK 3 echoes the mark of 2, and ssthresh and cwnd become 5 of the 10 that are
        // outstanding. The window has shrunk to what is outstanding when the last ACK of the eight has come.
        assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (5.0, 5.0), "{variant}");
        assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12c");
        path.run_ms(250);
        let answered = path.answered();
        assert!(answered.starts_with("50: 1 2 3e 4e 5e 6e 7e 8e\n150: 9e 10e 11e 12e 13\n"), "{variant}: {answered}");
        // The echoes of 150 ms are of the same window: it neither shrinks again nor grows.
        assert_eq!(path.sender.slow_start_threshold(), 5.0);
        path.run_ms(350);
        assert!(path.log.iter().all(|(_, body)| !matches!(body, Body::Segment { retransmission: true, .. })));
    }
}

#[test]
fn many_marks_of_one_window_count_once() {
    let mut path = path("new-reno", &[]).marking(&[2, 3, 4, 5, 6, 7, 8, 9]).start(None);
    path.run_ms(250);
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
}

#[test]
fn a_mark_of_the_next_window_counts_again() {
    // 12 is the first segment sent after the reduction.
    let mut path = path("new-reno", &[]).marking(&[2, 12]).start(None);
    path.run_ms(250);
    assert_eq!(path.sender.slow_start_threshold(), 2.0);
    assert!(path.answered().contains("12e 13e\n"), "{}", path.answered());
}

#[test]
fn a_loss_in_a_window_that_has_been_reduced_is_repaired_without_reducing_it_again() {
    for variant in ["reno", "new-reno", "sack"] {
        let mut path = path(variant, &[]).marking(&[2]).losing_once(&[4]).start(None);
        path.run_ms(550);
        assert!(path.sent().contains("4*"), "{variant}: {}", path.sent());
        assert_eq!(path.sender.slow_start_threshold(), 5.0, "{variant}");
    }
}

#[test]
fn a_loss_is_told_to_the_receiver_too() {
    // The first new segment after the reduction carries CWR; the retransmission does not.
    let mut path = path("new-reno", &[]).losing_once(&[2]).start(None);
    path.run_ms(350);
    assert_eq!(path.sent().lines().nth(2), Some("200: 14c 15 16 17 18"));
}

#[test]
fn new_segments_alone_are_ecn_capable() {
    let mut path = path("new-reno", &[("syn", Value::Switch(true))]).losing_once(&[2]).start(None);
    path.run_ms(500);
    assert_eq!(path.log[0].1, Body::Syn { ecn: true });
    assert_eq!(path.log_back[0].1, Body::SynAck { ecn: true });
    for ((_, body), codepoint) in path.log.iter().zip(&path.codepoints) {
        let expected = match body {
            Body::Segment { retransmission: false, .. } => Ecn::Ect0,
            _ => Ecn::NotEct,
        };
        assert_eq!(*codepoint, expected, "{body:?}");
    }
    assert!(path.sent().contains("2*"));
}

#[test]
fn without_ecn_nothing_is_ecn_capable() {
    let given = [("syn", Value::Switch(true)), ("initial-window", text("8 packets"))];
    let mut path = Path::new(&parameters(&given)).marking(&[2]).start(None);
    path.run_ms(500);
    assert_eq!(path.log[0].1, Body::Syn { ecn: false });
    assert!(path.codepoints.iter().all(|codepoint| *codepoint == Ecn::NotEct));
}
