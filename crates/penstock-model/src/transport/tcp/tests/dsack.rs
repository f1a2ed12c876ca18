//! D-SACK [RFC2883]: reports of duplicates, and reductions that they undo.

use super::harness::{parameters, text, Path};
use crate::parameters::Value;
use crate::units::Duration;

/// A connection with a window of eight and reports of duplicates. Packets with the numbers `held` are delayed by `ms` milliseconds.
fn path(recovery: &str, held: std::ops::Range<usize>, ms: u64) -> Path {
    let given = [("dsack", Value::Switch(true)), ("initial-window", text("8 packets")), ("recovery", text(recovery))];
    Path::new(&parameters(&given)).delaying(move |n| Duration::from_ms(if held.contains(&n) { ms } else { 0 }))
}

#[test]
fn a_segment_that_was_only_late_restores_the_window() {
    for recovery in ["sack", "prr", "rack"] {
        // 0 arrives after 1 to 7, whose blocks make the sender send 0 again; 0* is reported as a duplicate.
        let mut path = path(recovery, 1..2, 20).start(Some(20));
        path.run_ms(110);
        assert!(path.sent().contains("0*"), "{recovery}: {}", path.sent());
        assert_eq!(path.sender.slow_start_threshold(), 4.0, "{recovery}");
        path.run_ms(260);
        assert_eq!(path.sender.slow_start_threshold(), 1000.0, "{recovery}");
        assert!(path.sender.congestion_window() >= 8.0, "{recovery}");
    }
}

#[test]
fn a_segment_that_was_lost_does_not() {
    for recovery in ["sack", "prr", "rack"] {
        let mut path = path(recovery, 0..0, 0).losing_once(&[0]).start(Some(20));
        path.run_ms(600);
        assert_eq!(path.sender.slow_start_threshold(), 4.0, "{recovery}");
    }
}

#[test]
fn one_of_two_repeated_segments_was_lost() {
    // 0 is late and 3 is lost: there is one report for two retransmissions.
    let mut path = path("sack", 1..2, 20).losing_once(&[3]).start(Some(20));
    path.run_ms(600);
    assert!(path.sent().contains("0*") && path.sent().contains("3*"), "{}", path.sent());
    assert_eq!(path.sender.slow_start_threshold(), 4.0);
}
