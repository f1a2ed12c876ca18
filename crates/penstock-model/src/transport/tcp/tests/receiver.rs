//! Settings of the receiver alone: the echo of marks, quick acknowledgements and adaptive delays.

use super::super::{EcnSupport, Receiver, SegmentHeader};
use super::harness::{parameters, read, text, Path};
use crate::packet::Ecn;
use crate::parameters::Value;
use crate::units::{Duration, Time};

fn echoing(echo: &str, more: &[(&str, Value)]) -> Path {
    let mut given = more.to_vec();
    given.extend([("ecn", Value::Switch(true)), ("ecn-echo", text(echo)), ("initial-window", text("8 packets"))]);
    Path::new(&parameters(&given))
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

#[test]
fn under_dctcp_a_latched_echo_lasts_until_cwr() {
    // The window shrinks from 10 to 5.3 segments at ACK 3, so only 12, which carries CWR, is sent at ACK 8.
    let mut path = echoing("rfc-3168", &[("congestion-control", text("dctcp"))]).marking(&[2]).start(None);
    path.run_ms(160);
    assert_eq!(path.sent().lines().nth(1), Some("100: 8 9 10 11 12c"));
    assert_eq!(path.answered(), "50: 1 2 3e 4e 5e 6e 7e 8e\n150: 9e 10e 11e 12e 13");
}

#[test]
fn reno_halves_the_window_once_under_every_echo() {
    for (echo, answered) in [("rfc-3168", "50: 1 2 3e 4e 5e 6e 7e 8e"), ("rfc-8257", "50: 1 2 3e 4 5 6e 7 8")] {
        let mut path = echoing(echo, &[]).marking(&[2, 5]).start(None);
        path.run_ms(60);
        assert_eq!(path.answered(), answered);
        path.run_ms(150);
        // ACKs 1 and 2 increase cwnd to 10, which the first echo halves.
        assert_eq!(path.sender.slow_start_threshold(), 5.0, "{echo}");
    }
}

#[test]
fn counted_marks_reach_any_congestion_control() {
    let mut path = echoing("accecn", &[]).marking(&[2, 5]).start(None);
    path.run_ms(60);
    // Counted from 5 on, in three bits of flags and in the option.
    let counts = path.log_back.iter().map(|(_, body)| body.to_ack().expect("it is one")).map(|ack| (ack.flags.ace(), ack.sack.marks()));
    assert_eq!(counts.collect::<Vec<_>>(), [(5, 5), (5, 5), (6, 6), (6, 6), (6, 6), (7, 7), (7, 7), (7, 7)]);
    path.run_ms(150);
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
    assert!(path.sent().starts_with("0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12"), "counts need no CWR: {}", path.sent());
}

/// Without the counts of AccECN, Prague acts as Reno: ECT(0), and a mark halves the window.
#[test]
fn prague_falls_back_to_reno_without_accecn() {
    let run = |control: &str, echo: &str| {
        let given = [("congestion-control", text(control)), ("recovery", text("sack")), ("syn", Value::Switch(true))];
        let mut path = echoing(echo, &given).marking(&[2, 12, 13]).start(None);
        path.run_ms(1000);
        let support = read(&[&given[..], &[("ecn", Value::Switch(true)), ("ecn-echo", text(echo))]].concat()).expect("sound").ecn_support();
        (path.sent(), path.answered(), path.codepoints, path.sender.slow_start_threshold(), support)
    };
    for (echo, granted, codepoint) in [
        ("rfc-3168", EcnSupport::Classic, Ecn::Ect0),
        ("rfc-8257", EcnSupport::Classic, Ecn::Ect0),
        ("none", EcnSupport::None, Ecn::NotEct),
        ("accecn", EcnSupport::Accurate(Ecn::NotEct), Ecn::Ect1),
    ] {
        let (sent, answered, codepoints, threshold, support) = run("prague", echo);
        assert_eq!(support, [EcnSupport::Accurate(Ecn::NotEct), granted], "{echo}");
        assert!(codepoints[1..].iter().all(|it| *it == codepoint), "{echo}: {codepoints:?}");
        let reno = run("reno", echo);
        let is_reno = (sent, answered, codepoints, threshold) == (reno.0, reno.1, reno.2, reno.3);
        assert_eq!(is_reno, echo != "accecn", "{echo}");
    }
}

/// With every segment acknowledged, the count conveys the same as the exact echo.
#[test]
fn dctcp_has_the_same_alpha_by_counts_as_by_exact_echoes() {
    let windows = ["rfc-8257", "accecn"].map(|echo| {
        let mut path = echoing(echo, &[("congestion-control", text("dctcp"))]).marking(&[2, 5, 12]).start(None);
        path.run_ms(150);
        let first = path.sender.slow_start_threshold();
        path.run_ms(250);
        (first, path.sender.slow_start_threshold())
    });
    assert_eq!(windows[0].0, 10.0 * (1.0 - 15.0 / 32.0));
    assert_eq!(windows[0], windows[1]);
}

/// SACK blocks share their space with the option of AccECN, so two remain.
#[test]
fn an_accecn_option_replaces_the_third_block() {
    let given = [("ecn", Value::Switch(true)), ("ecn-echo", text("accecn")), ("variant", text("sack"))];
    let mut receiver = Receiver::new(&parameters(&given));
    let mut blocks = |seq| {
        receiver.on_segment(Time::ZERO, seq, Ecn::Ce, SegmentHeader::default());
        let ack = receiver.next_transmission(Time::ZERO).expect("an acknowledgement").body.to_ack().expect("it is one");
        (ack.sack.beyond(ack.next).map(|block| block.start).collect::<Vec<_>>(), ack.sack.marks())
    };
    assert_eq!([2, 4, 6].map(&mut blocks), [(vec![2], 6), (vec![4, 2], 7), (vec![6, 4], 8)]);
}

#[test]
fn the_first_segments_are_acknowledged_each() {
    let mut given = vec![("ack-every", Value::Integer(2)), ("initial-window", text("8 packets"))];
    for (quick, answers) in [(0, "50: 2 4 6 8"), (3, "50: 1 2 3 5 7\n150: 8"), (100, "50: 1 2 3 4 5 6 7 8")] {
        given.push(("quick-acks", Value::Integer(quick)));
        let mut path = Path::new(&parameters(&given)).start(Some(8));
        path.run_ms(1000);
        assert_eq!(path.answered(), answers, "of {quick}");
        given.pop();
    }
}

/// A delay of 40 ms doubles when an acknowledgement has waited for all of it. A spacing of 100 ms exceeds 80 ms.
#[test]
fn a_delay_adapts_to_the_spacing_of_segments() {
    let given = [("ack-every", Value::Integer(2)), ("ack-delay", text("40 ms")), ("max-ack-delay", text("200 ms"))];
    let mut receiver = Receiver::new(&parameters(&given));
    receiver.on_segment(at_ms(0), 0, Ecn::NotEct, SegmentHeader::default());
    assert_eq!(receiver.deadline(), at_ms(40));
    receiver.on_timeout(at_ms(40));
    assert!(receiver.takes_ack());
    receiver.on_segment(at_ms(100), 1, Ecn::NotEct, SegmentHeader::default());
    assert_eq!(receiver.deadline(), at_ms(180));
    // The second of two is acknowledged. 10 ms count as 20, so 80 ms become 60.
    receiver.on_segment(at_ms(110), 2, Ecn::NotEct, SegmentHeader::default());
    assert!(receiver.takes_ack());
    // 60 / 2 + 30 ms.
    receiver.on_segment(at_ms(140), 3, Ecn::NotEct, SegmentHeader::default());
    assert_eq!(receiver.deadline(), at_ms(200));
}

#[test]
fn settings_without_effect_are_refused_by_name() {
    let refused = |given: &[(&str, Value)]| read(given).expect_err("refused").join("; ");
    let useless = "has no effect while every segment is acknowledged; set ack-every = 2 or leave it out";
    assert_eq!(refused(&[("quick-acks", Value::Integer(16))]), format!("quick-acks: {useless}"));
    assert_eq!(refused(&[("max-ack-delay", text("200 ms"))]), format!("max-ack-delay: {useless}"));
    let delayed = |more: &[(&str, Value)]| refused(&[&[("ack-every", Value::Integer(2))], more].concat());
    assert_eq!(delayed(&[("max-ack-delay", text("99 ms"))]), "max-ack-delay: 99 ms is below ack-delay, 100 ms");
    assert_eq!(delayed(&[("max-ack-delay", text("501 ms"))]), "max-ack-delay: must be at most 500 ms");
    assert_eq!(delayed(&[("quick-acks", Value::Integer(-1))]), "quick-acks: -1 is out of range; a whole number, zero or more");
    assert_eq!(refused(&[("ecn-echo", text("accecn"))]), "ecn-echo: has no effect without marks; write ecn = true or leave it out");
    let unknown = refused(&[("ecn", Value::Switch(true)), ("ecn-echo", text("rfc-793"))]);
    assert_eq!(unknown, "ecn-echo: 'rfc-793' is not one of rfc-3168, rfc-8257, accecn, none");
}

/// Quick acknowledgements of 4 segments, then one of every second. The timer of the receiver, here 1 s, is shorter than the gap.
#[test]
fn a_long_gap_and_a_repeated_segment_bring_quick_acknowledgements_back() {
    let given = [("ack-every", Value::Integer(2)), ("quick-acks", Value::Integer(4)), ("syn", Value::Switch(false))];
    let mut receiver = Receiver::new(&parameters(&given));
    let mut acknowledged = |ms: u64, segments: std::ops::Range<u32>| -> Vec<u32> {
        segments
            .filter_map(|seq| {
                receiver.on_segment(at_ms(ms), seq, Ecn::NotEct, SegmentHeader::default());
                receiver.next_transmission(at_ms(ms)).map(|_| receiver.delivered())
            })
            .collect()
    };
    assert_eq!(acknowledged(0, 0..8), [1, 2, 3, 4, 6, 8]);
    assert_eq!(acknowledged(1000, 8..12), [10, 12]);
    assert_eq!(acknowledged(2001, 12..18), [13, 14, 15, 16, 18]);
    assert_eq!(acknowledged(2002, 17..18), [18], "a duplicate is acknowledged at once");
    assert_eq!(acknowledged(2003, 18..24), [19, 20, 21, 22, 24]);
}

#[test]
fn the_second_of_a_pair_is_acknowledged_at_once() {
    let delayed = [("ack-every", Value::Integer(2)), ("ack-delay", text("200 ms"))];
    let given = [&delayed[..], &[("push", text("pairs")), ("initial-window", text("5 packets"))]].concat();
    let mut path = Path::new(&parameters(&given)).start(None);
    path.run_ms(60);
    assert_eq!((path.sent().as_str(), path.answered().as_str()), ("0: 0 1p 2 3p 4", "50: 2 4"));
    // Each acknowledgement admits three segments. 4 waits for 5, so that 6, the end of its pair, is acknowledged separately.
    path.run_ms(160);
    assert_eq!(path.sent().lines().nth(1), Some("100: 5 6p 7 8p 9 10p"));
    assert_eq!(path.answered().lines().nth(1), Some("150: 6 7 9 11"));
}
