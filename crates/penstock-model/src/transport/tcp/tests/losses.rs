//! Fast retransmit and recovery, as the exact segments that each variant sends.
//!
//! A star marks a retransmission. Segments sent together arrive together 50 ms later, as do their acknowledgements.

use super::super::{Receiver, SegmentHeader};
use super::harness::{parameters, text, Path};
use crate::packet::{Ack, Body, Ecn};
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::Time;

fn path(variant: &str, initial_window: &str, more: &[(&str, Value)]) -> Path {
    let mut given = vec![("variant", text(variant)), ("initial-window", text(initial_window))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

/// At 100 ms two ACKs increase cwnd to 10 (8 to 11 are sent), two duplicates admit 12 and 13, and the third means that 2 is lost: ssthresh
/// = 10 / 2, not 12 / 2, since the segments of limited transmit do not count.
const UP_TO_FAST_RETRANSMIT: &str = "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12 13 2*";

#[test]
fn tahoe_starts_over_from_one_segment() {
    let mut path = path("tahoe", "8 packets", &[]).losing_once(&[2]).start(None);
    path.run_ms(150);
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (1.0, 5.0));
    path.run_ms(350);
    // 2* fills the gap: everything before 14 is acknowledged at once, and slow start continues from there.
    assert_eq!(path.sent(), format!("{UP_TO_FAST_RETRANSMIT}\n200: 14 15\n300: 16 17 18 19"));
}

#[test]
fn one_loss_halves_the_window_of_the_other_variants() {
    for variant in ["reno", "new-reno", "sack"] {
        let mut path = path(variant, "8 packets", &[]).losing_once(&[2]).start(None);
        path.run_ms(350);
        // Of the 12 outstanding at the retransmission, 7 must leave the network before the first new segment. By 200 ms 11 have left, so 14
        // to 17 are sent, and 18 after the full acknowledgement (cwnd 5, four outstanding).
        assert_eq!(path.sent(), format!("{UP_TO_FAST_RETRANSMIT}\n200: 14 15 16 17 18\n300: 19 20 21 22 23"), "{variant}");
        assert_eq!(path.sender.slow_start_threshold(), 5.0);
        assert_eq!(path.sender.congestion_window() as u32, 5);
    }
}

#[test]
fn reno_leaves_recovery_at_the_first_of_two_losses_and_halves_again() {
    let mut path = path("reno", "8 packets", &[]).losing_once(&[2, 5]).start(None);
    path.run_ms(350);
    // ACK 5 ends the recovery with cwnd 5 and 12 outstanding; the ACKs of 14 to 16 are three more duplicates. Half of the 12 is more than
    // half of cwnd.
    assert_eq!(path.sent(), format!("{UP_TO_FAST_RETRANSMIT}\n200: 14 15 16\n300: 5*"));
    assert_eq!(path.sender.slow_start_threshold(), 6.0);
    path.run_ms(450);
    assert_eq!(path.sent().lines().last(), Some("400: 17 18 19 20 21 22"));
}

#[test]
fn new_reno_repairs_one_loss_per_round_trip() {
    let mut path = path("new-reno", "8 packets", &[]).losing_once(&[2, 5]).start(None);
    path.run_ms(350);
    // The partial ACK 5 covers three segments: cwnd 15 - 3 + 1 = 13 with 12 outstanding, so 17 follows 5*.
    assert_eq!(path.sent(), format!("{UP_TO_FAST_RETRANSMIT}\n200: 14 15 16 5* 17\n300: 18 19 20 21 22"));
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
}

#[test]
fn sack_repairs_two_losses_and_halves_once() {
    let mut path = path("sack", "8 packets", &[]).losing_once(&[2, 5]).start(None);
    path.run_ms(350);
    // Pipe is 9 at the retransmission of 2 and falls below 5 when 10 is SACKed. Then 5* is sent.
    assert_eq!(path.sent(), format!("{UP_TO_FAST_RETRANSMIT}\n200: 5* 14 15 16 17\n300: 18 19 20 21 22"));
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
}

#[test]
fn three_losses_take_new_reno_three_round_trips_and_sack_two() {
    let start = "0: 0 1 2 3 4 5 6 7 8 9\n100: 10 11 12 13 14 15 2*";
    let mut new_reno = path("new-reno", "10 packets", &[]).losing_once(&[2, 4, 6]).start(None);
    new_reno.run_ms(450);
    let rest = "200: 16 17 18 4* 19\n300: 20 21 22 6* 23 24\n400: 25 26 27 28 29 30";
    assert_eq!(new_reno.sent(), format!("{start}\n{rest}"));
    let mut sack = path("sack", "10 packets", &[]).losing_once(&[2, 4, 6]).start(None);
    sack.run_ms(350);
    assert_eq!(sack.sent(), format!("{start}\n200: 4* 6* 16 17 18 19\n300: 20 21 22 23 24 25"));
    assert_eq!(sack.receiver.duplicates(), 0);
}

/// A retransmission is also lost. Fast retransmit at 100 ms has set ssthresh to half of 10. By the timeout at 1100 ms, duplicates have
/// inflated the window of Reno and NewReno to 16, and 13 to 17 segments are outstanding.
#[test]
fn a_timeout_in_fast_recovery_halves_the_window_without_what_duplicates_have_added() {
    for variant in ["reno", "new-reno", "sack"] {
        let mut losses_of_2 = 0;
        let lose = move |_, body| {
            losses_of_2 += u32::from(matches!(body, Body::Segment { seq: 2, .. }));
            matches!(body, Body::Segment { seq: 2, .. }) && losses_of_2 <= 2
        };
        let mut path = path(variant, "8 packets", &[]).losing(lose).start(None);
        path.run_ms(1099);
        assert_eq!(path.sender.slow_start_threshold(), 5.0, "{variant}");
        assert!(path.sender.in_flight() > 12, "{variant}: {}", path.sender.in_flight());
        path.run_ms(1101);
        assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (1.0, 2.0), "{variant}");
    }
}

#[test]
fn the_blocks_tell_the_latest_arrival_first() {
    let mut path = path("sack", "10 packets", &[]).losing_once(&[0, 2, 4, 7]).start(Some(10));
    path.run_ms(60);
    assert_eq!(path.answered(), "50: 0[1-2] 0[3-4][1-2] 0[5-6][3-4][1-2] 0[5-7][3-4][1-2] 0[8-9][5-7][3-4] 0[8-10][5-7][3-4]");
}

/// Blocks are ordered by recency, not by position: the first block contains the segment that arrived last, the others are the blocks
/// reported last [RFC2018 s4]. Segments arrive out of order, one of them twice; 3 joins two blocks.
#[test]
fn the_first_block_holds_the_segment_that_arrived_last_wherever_it_lies() {
    let arrivals = [
        (8, "0[8-9]"),
        (2, "0[2-3][8-9]"),
        (6, "0[6-7][2-3][8-9]"),
        (4, "0[4-5][6-7][2-3]"),
        (2, "0[2-3][4-5][6-7]"),
        (9, "0[8-10][2-3][4-5]"),
        (3, "0[2-5][8-10][6-7]"),
    ];
    let mut receiver = Receiver::new(&parameters(&[("variant", text("sack"))]));
    for (seq, answer) in arrivals {
        receiver.on_segment(Time::ZERO, seq, Ecn::NotEct, SegmentHeader::default());
        let sent = receiver.next_transmission(Time::ZERO).expect("an acknowledgement");
        let Some(Ack { next, sack, .. }) = sent.body.to_ack() else { unreachable!("{sent:?}") };
        let blocks: String = sack.beyond(next).map(|block| format!("[{}-{}]", block.start, block.end)).collect();
        assert_eq!(format!("{next}{blocks}"), answer, "segment {seq}");
    }
}

#[test]
fn only_sack_sends_blocks() {
    let mut path = path("new-reno", "4 packets", &[]).losing_once(&[0]).start(Some(4));
    path.run_ms(60);
    assert_eq!(path.answered(), "50: 0 0 0");
}

#[test]
fn sack_rescues_a_loss_at_the_end_without_a_timeout() {
    // Three SACKs show that 0 is lost. There is no new data to send, and no SACK lies beyond 5: 5* is the rescue, once more than the repair
    // of 0 is acknowledged.
    let mut path = path("sack", "6 packets", &[]).losing_once(&[0, 5]).start(Some(6));
    path.run_ms(300);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5\n100: 0*\n200: 5*");
    assert!(path.sender.is_finished());
}

/// The ACKs of 0, 2 and 3 are lost, so the first that arrives acknowledges 0 and reports 2 to 4: 1 is lost. Half of seven outstanding is 3;
/// pipe falls below that when 6 and 7 are SACKed too.
#[test]
fn an_acknowledgement_of_something_new_may_show_a_loss_if_its_blocks_tell_more() {
    let mut path = path("sack", "8 packets", &[]).losing_once(&[1]).losing_back(|n, _| n < 3).start(None);
    path.run_ms(150);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 1* 8 9");
    assert_eq!(path.sender.slow_start_threshold(), 3.0);
}

#[test]
fn limited_transmit_saves_small_windows_from_a_timeout() {
    for variant in ["tahoe", "reno", "sack"] {
        let mut with = path(variant, "3 packets", &[]).losing_once(&[0]).start(Some(5));
        with.run_ms(2000);
        assert_eq!(with.sent(), "0: 0 1 2\n100: 3 4\n200: 0*", "{variant}");
        let off = [("limited-transmit", Value::Switch(false))];
        let mut without = path(variant, "3 packets", &off).losing_once(&[0]).start(Some(5));
        without.run_ms(2000);
        assert_eq!(without.sent(), "0: 0 1 2\n1000: 0*\n1100: 3 4", "{variant}");
        assert!(with.sender.is_finished() && without.sender.is_finished());
    }
}

#[test]
fn limited_transmit_stays_within_the_maximum_window() {
    let mut path = path("new-reno", "3 packets", &[("max-window", text("4 packets"))]).losing_once(&[0]).start(None);
    path.run_ms(150);
    assert_eq!(path.sent(), "0: 0 1 2\n100: 3");
}

#[test]
fn the_duplicate_threshold_can_be_raised() {
    let given = [("dup-ack-threshold", Value::Integer(5)), ("limited-transmit", Value::Switch(false))];
    for variant in ["reno", "sack"] {
        let mut path = path(variant, "6 packets", &given).losing_once(&[0]).start(Some(6));
        path.run_ms(150);
        assert_eq!(path.sent(), "0: 0 1 2 3 4 5\n100: 0*", "five duplicates, {variant}");
    }
    let mut four = path("reno", "5 packets", &given).losing_once(&[0]).start(Some(5));
    four.run_ms(150);
    assert_eq!(four.sent(), "0: 0 1 2 3 4", "four duplicates");
    // Limited transmit sends for the first two duplicates, whatever the threshold is [RFC3042 s2].
    let mut limited = path("reno", "6 packets", &given[..1]).losing_once(&[0]).start(None);
    limited.run_ms(150);
    assert_eq!(limited.sent(), "0: 0 1 2 3 4 5\n100: 6 7 0*");
}

/// A sender with `recovery` and this `recover-check`.
fn checking(recovery: &str, check: &str) -> Path {
    let table = |key: &str, value: Value| Value::Table(vec![(key.to_owned(), value)]);
    let recovery = table(recovery, table("recover-check", text(check)));
    Path::new(&parameters(&[("recovery", recovery), ("initial-window", text("8 packets"))]))
}

/// 14 is the first segment after the ones sent when 2 was found lost (recover is 13). Four duplicates of 14 cover recover but no
/// more; two of them admit a new segment. By the timeout at 1200 ms there are six duplicates. In go-back-N the ACK of 14* covers
/// everything, and slow start continues.
#[test]
fn a_loss_right_after_a_fast_recovery_waits_for_the_timer_if_new_reno_is_careful() {
    let start = format!("{UP_TO_FAST_RETRANSMIT}\n200: 14 15 16 17 18\n300: 19 20");
    for (recovery, check) in [("new-reno", "careful"), ("reno", "careful")] {
        let mut path = checking(recovery, check).losing_once(&[2, 14]).start(None);
        path.run_ms(1350);
        assert_eq!(path.sent(), format!("{start}\n1200: 14*\n1300: 21 22"), "{recovery}");
    }
    for (recovery, check) in
        [("new-reno", "less-careful"), ("new-reno", "after-timeout"), ("reno", "less-careful"), ("reno", "after-timeout")]
    {
        let mut path = checking(recovery, check).losing_once(&[2, 14]).start(None);
        path.run_ms(350);
        assert_eq!(path.sent(), format!("{start} 14*"), "{recovery}, {check}");
    }
}

#[test]
fn careful_new_reno_waits_for_the_timer_if_the_first_segment_of_all_is_lost() {
    // Otherwise ssthresh is 4, and seven duplicates inflate cwnd to 11 with 10 outstanding, so that 10 follows 0*.
    for (check, end, rest) in [("careful", 1050, "\n1000: 0*"), ("less-careful", 150, " 0* 10"), ("after-timeout", 150, " 0* 10")] {
        let mut path = checking("new-reno", check).losing_once(&[0]).start(None);
        path.run_ms(end);
        assert_eq!(path.sent(), format!("0: 0 1 2 3 4 5 6 7\n100: 8 9{rest}"), "{check}");
    }
}

/// 8 segments, one acknowledged, leave 9 outstanding when 1 is found lost. Half of this is 4 in whole segments, 4.5 in bytes.
#[test]
fn half_of_an_odd_flight_is_rounded_down_unless_halving_is_exact() {
    for (halving, threshold) in [("whole-segments", 4.0), ("exact", 4.5)] {
        let table = |key: &str, value: Value| Value::Table(vec![(key.to_owned(), value)]);
        let control = table("reno", table("halving", text(halving)));
        let mut path = path("sack", "8 packets", &[("congestion-control", control)]).losing_once(&[1]).start(None);
        path.run_ms(150);
        assert_eq!(path.sender.slow_start_threshold(), threshold);
    }
}

/// Two losses in a window: the ACK of 2* ends Reno's recovery at 5, which is below recover. With cwnd 5 and 12 outstanding, the duplicates
/// that follow admit no segment.
#[test]
fn reno_repairs_a_second_loss_of_a_window_unless_it_checks_recover() {
    for (check, last) in [("after-timeout", "300: 5*"), ("less-careful", "200: 14 15 16"), ("careful", "200: 14 15 16")] {
        let mut path = checking("reno", check).losing_once(&[2, 5]).start(None);
        path.run_ms(350);
        assert_eq!(path.sent().lines().last(), Some(last), "{check}");
    }
}

/// The first four segments and all ACKs of the first twelve are lost. Go-back-N sends 4 to 6 although they had arrived, and their ACKs are
/// three duplicates of 12.
#[test]
fn going_back_ignores_the_duplicates_that_it_causes() {
    for variant in ["tahoe", "reno", "new-reno"] {
        let mut path = path(variant, "12 packets", &[]).losing_once(&[0, 1, 2, 3]).losing_back(|n, _| n < 8).start(None);
        path.run_ms(1450);
        let rest = "1000: 0*\n1100: 1* 2*\n1200: 3* 4* 5* 6*\n1300: 12 13 14 15 16\n1400: 17 18 19 20 21 22";
        assert_eq!(path.sent(), format!("0: 0 1 2 3 4 5 6 7 8 9 10 11\n{rest}"), "{variant}");
        assert_eq!(path.receiver.duplicates(), 3);
    }
}

#[test]
fn sack_goes_back_over_what_is_missing_only() {
    let mut path = path("sack", "12 packets", &[]).losing_once(&[0, 1, 2, 3]).losing_back(|n, _| n < 8).start(None);
    path.run_ms(1350);
    let rest = "1000: 0*\n1100: 1* 2*\n1200: 3* 12 13 14\n1300: 15 16 17 18 19 20";
    assert_eq!(path.sent(), format!("0: 0 1 2 3 4 5 6 7 8 9 10 11\n{rest}"));
    assert_eq!(path.receiver.duplicates(), 0);
}

#[test]
fn a_timeout_clears_the_scoreboard() {
    // 20 duplicates are never reached, so a timeout repairs the losses. The ACK of 0* reports 9, 7 and 5 again but has no room for 3, which
    // is sent although it had arrived.
    let given = [("dup-ack-threshold", Value::Integer(20)), ("limited-transmit", Value::Switch(false))];
    let mut path = path("sack", "10 packets", &given).losing_once(&[0, 2, 4, 6, 8]).start(Some(10));
    path.run_ms(2000);
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7 8 9\n1000: 0*\n1100: 2* 3*\n1200: 4* 6* 8*");
    assert_eq!(path.receiver.duplicates(), 1);
    assert!(path.sender.is_finished());
}

/// One packet in `every` is lost. A cycle of windows h, h + 1, ..., 2h and one round trip of recovery at h carries `every` packets: 3/2 h
/// (h + 1) + h = every, in h + 2 round trips; on average half a segment of cwnd is unused. For many packets this is the 3W/4 per round
/// trip, W = sqrt(8/3 every), of [Mathis97 s2].
#[test]
fn throughput_follows_the_square_root_of_the_loss_rate() {
    for variant in ["reno", "new-reno", "sack"] {
        for every in [150, 600, 2400] {
            let mut path = path(variant, "2 packets", &[]).losing(move |n, _| n % every == every - 1).start(None);
            path.run_ms(20_000);
            let before = path.receiver.delivered();
            path.run_ms(420_000);
            let per_round_trip = f64::from(path.receiver.delivered() - before) / 4000.0;
            let packets = every as f64;
            let half = ((6.25 + 6.0 * packets).sqrt() - 2.5) / 3.0;
            let expected = packets / (half + 2.0) - 0.5;
            assert!((per_round_trip / expected - 1.0).abs() < 0.01, "{variant}, {every}: {per_round_trip}, not {expected}");
        }
    }
}
