//! ECN at both ends [RFC3168 s6.1], as exact segments and acknowledgements. `c` is CWR, `e` is ECE.

use super::super::{Receiver, SegmentHeader};
use super::harness::{parameters, read, text, Path};
use crate::packet::{Body, Ecn};
use crate::parameters::Value;
use crate::units::Time;

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
        // ACKs 1 and 2 increase cwnd to 10. ACK 3 echoes the mark of 2, and ssthresh and cwnd become 5, half of the 10 outstanding. The
        // window equals the number outstanding when the last of the eight ACKs has arrived.
        assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (5.0, 5.0), "{variant}");
        assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12c");
        path.run_ms(250);
        let answered = path.answered();
        assert!(answered.starts_with("50: 1 2 3e 4e 5e 6e 7e 8e\n150: 9e 10e 11e 12e 13\n"), "{variant}: {answered}");
        // The echoes at 150 ms belong to the same window: it neither shrinks again nor grows.
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

/// ssthresh after a mark of 2 and the loss of `lost`.
fn threshold_after(control: &str, echo: Option<&str>, lost: &'static [u32]) -> f64 {
    let mut settings = vec![("congestion-control", text(control)), ("recovery", text("sack"))];
    settings.extend(echo.map(|echo| ("ecn-echo", text(echo))));
    let mut path = exact(&settings).marking(&[2]).losing_once(lost).start(Some(40));
    path.run_ms(1000);
    path.sender.slow_start_threshold()
}

#[test]
fn where_marks_are_counted_a_loss_reduces_a_window_that_a_mark_has_reduced() {
    let run = |lost| threshold_after("prague", None, lost);
    // alpha is 1 at the first mark.
    assert!(run(&[4]) <= run(&[]) / 2.0, "{} after {}", run(&[4]), run(&[]));
}

/// alpha is 15/16 at the mark, and cwnd is 10. Three SACKs show that 4 is lost while 4 to 11 are outstanding.
#[test]
fn a_loss_halves_the_flight_of_dctcp_after_a_mark_of_the_same_window() {
    for echo in [None, Some("rfc-3168")] {
        assert_eq!(threshold_after("dctcp", echo, &[]), 10.0 * (1.0 - 15.0 / 32.0), "{echo:?}");
        assert_eq!(threshold_after("dctcp", echo, &[4]), 4.0, "{echo:?}");
    }
    // Reno treats a mark like a loss, even if the receiver echoes every mark.
    let run = |lost| threshold_after("reno", Some("rfc-8257"), lost);
    assert_eq!((run(&[]), run(&[4])), (5.0, 5.0));
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
    assert_eq!(path.log[0].1, Body::syn(true));
    assert_eq!(path.log_back[0].1, Body::syn_ack(true));
    for ((_, body), codepoint) in path.log.iter().zip(&path.codepoints) {
        let expected = match body {
            Body::Segment { retransmission: false, .. } => Ecn::Ect0,
            _ => Ecn::NotEct,
        };
        assert_eq!(*codepoint, expected, "{body:?}");
    }
    assert!(path.sent().contains("2*"));
    assert!(path.codepoints_back.iter().all(|codepoint| *codepoint == Ecn::NotEct));
}

#[test]
fn without_ecn_nothing_is_ecn_capable() {
    let given = [("syn", Value::Switch(true)), ("initial-window", text("8 packets"))];
    let mut path = Path::new(&parameters(&given)).marking(&[2]).start(None);
    path.run_ms(500);
    assert_eq!(path.log[0].1, Body::syn(false));
    assert!(path.codepoints.iter().chain(&path.codepoints_back).all(|codepoint| *codepoint == Ecn::NotEct));
}

/// A path under DCTCP, which represents every control that requests exact echoes.
fn exact(more: &[(&str, Value)]) -> Path {
    let mut given = more.to_vec();
    given.extend([("ecn", Value::Switch(true)), ("initial-window", text("8 packets"))]);
    if !more.iter().any(|(key, _)| *key == "congestion-control") {
        given.push(("congestion-control", text("dctcp")));
    }
    Path::new(&parameters(&given))
}

#[test]
fn an_exact_echo_is_of_the_segments_that_were_marked() {
    let mut path = exact(&[]).marking(&[2, 3, 6]).start(Some(8));
    path.run_ms(60);
    assert_eq!(path.answered(), "50: 1 2 3e 4e 5 6 7e 8");
    // CWR, which ends the other kind of echo, has no effect.
    path.offer(1);
    path.run_ms(500);
    assert_eq!(path.receiver.delivered(), 9);
}

#[test]
fn where_marks_begin_or_end_a_delayed_acknowledgement_goes_out_at_once_and_one_for_what_came_before() {
    let mut path = exact(&[("ack-every", Value::Integer(2))]).marking(&[3, 4]).start(Some(8));
    path.run_ms(60);
    // 2 waits for its acknowledgement when 3 arrives, which is marked; so does 4 when 5 arrives, which is not.
    assert_eq!(path.answered(), "50: 2 3 4e 5e 6 8");
    let mut path = exact(&[("ack-every", Value::Integer(2))]).marking(&[2, 3, 4, 5]).start(Some(7));
    path.run_ms(400);
    // No segment waits when marks begin at 2 and end at 6. The last segment is not the first of two: it is acknowledged at once.
    assert_eq!(path.answered(), "50: 2 3e 5e 6e 7");
}

#[test]
fn a_loss_between_marks_is_acknowledged_with_the_mark_of_the_segment_that_came() {
    let mut path = exact(&[("ack-every", Value::Integer(2)), ("recovery", text("sack"))]);
    path = path.marking(&[3, 5]).losing_once(&[2]).start(Some(6));
    path.run_ms(60);
    assert_eq!(path.answered(), "50: 2 2e[3-4] 2[3-5] 2e[3-6]");
}

#[test]
fn dctcp_reduces_the_window_by_half_of_alpha_once_per_window() {
    let mut path = exact(&[]).marking(&[2, 5, 12]).start(None);
    path.run_ms(150);
    // The first ACK, without a mark, ends an observation window: alpha = 15/16. ACK 2 increases cwnd to 10. ACK 3 removes 15/32 of it, and
    // ACK 6, of the same window of data, nothing.
    assert_eq!(path.sender.slow_start_threshold(), 10.0 * (1.0 - 15.0 / 32.0));
    path.run_ms(250);
    // ACK 9 ends the window of segments 1 to 8, with 2 and 5 marked: M = 2/8. Segment 12 is the first of the next window of data; until its
    // ACK, ACKs 4, 5 and 7 to 12 have increased cwnd.
    let alpha = 15.0 / 16.0 * 15.0 / 16.0 + 2.0 / 8.0 / 16.0;
    let grown = (0..8).fold(10.0 * (1.0 - 15.0 / 32.0), |cwnd, _| cwnd + 1.0 / cwnd);
    assert_eq!(path.sender.slow_start_threshold(), grown * (1.0 - alpha / 2.0));
    path.run_ms(350);
    assert!(path.log.iter().all(|(_, body)| !matches!(body, Body::Segment { retransmission: true, .. })));
}

#[test]
fn dctcp_s_syns_are_ecn_capable_and_all_its_packets_if_asked_for() {
    let everywhere = Value::Table(vec![("dctcp".into(), Value::Table(vec![("ect-everywhere".into(), Value::Switch(true))]))]);
    for (control, all) in [(text("dctcp"), false), (everywhere, true)] {
        let mut path = exact(&[("syn", Value::Switch(true)), ("congestion-control", control)]).losing_once(&[2]).start(None);
        path.run_ms(500);
        assert!(path.sent().contains("2*"));
        for ((_, body), codepoint) in path.log.iter().zip(&path.codepoints).chain(path.log_back.iter().zip(&path.codepoints_back)) {
            let plain = matches!(body, Body::Segment { retransmission: true, .. } | Body::Ack { .. });
            assert_eq!(*codepoint, if plain && !all { Ecn::NotEct } else { Ecn::Ect0 }, "{body:?}");
        }
    }
}

/// 0 arrives again, which is below RCV.NXT. 3 arrives twice, which lies beyond it [RFC3168 s6.1.5].
#[test]
fn the_codepoint_of_a_segment_below_the_window_is_ignored() {
    let mut receiver = Receiver::new(&parameters(&[("ecn", Value::Switch(true))]));
    for (seq, ecn, echo) in [(0, Ecn::Ect0, false), (0, Ecn::Ce, false), (3, Ecn::Ect0, false), (3, Ecn::Ce, true)] {
        receiver.on_segment(Time::ZERO, seq, ecn, SegmentHeader::default());
        let answer = receiver.next_transmission(Time::ZERO).expect("an acknowledgement").body;
        assert!(matches!(answer, Body::Ack { flags, .. } if flags.ece() == echo), "segment {seq}: {answer:?}");
    }
    // With an exact echo, it neither starts nor ends marks.
    let given = [("ecn", Value::Switch(true)), ("congestion-control", text("dctcp"))];
    let mut receiver = Receiver::new(&parameters(&given));
    for (seq, ecn, echo) in [(0, Ecn::Ce, true), (0, Ecn::Ect0, true), (1, Ecn::Ect0, false), (0, Ecn::Ce, false)] {
        receiver.on_segment(Time::ZERO, seq, ecn, SegmentHeader::default());
        let answer = receiver.next_transmission(Time::ZERO).expect("an acknowledgement").body;
        assert!(matches!(answer, Body::Ack { flags, .. } if flags.ece() == echo), "segment {seq}: {answer:?}");
        assert_eq!(receiver.next_transmission(Time::ZERO), None);
    }
}

#[test]
fn what_needs_marks_is_refused_without_ecn() {
    let mistakes = read(&[("congestion-control", text("dctcp"))]).expect_err("no ECN");
    assert_eq!(mistakes, ["ecn: is false, but congestion-control.dctcp needs the marks; write ecn = true"]);
}
