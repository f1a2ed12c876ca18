//! Paced segments on a path without a wire, so that only the sender spaces them.

use super::harness::{parameters, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;

fn path(more: &[(&str, Value)]) -> Path {
    let mut given = more.to_vec();
    given.extend([("pacing", Value::Switch(true)), ("initial-window", text("4 packets")), ("syn", Value::Switch(true))]);
    Path::new(&parameters(&given))
}

/// Times in milliseconds at which data segments were sent.
fn times(path: &Path) -> Vec<f64> {
    let data = path.log.iter().filter(|(_, body)| matches!(body, Body::Segment { .. }));
    data.map(|(time, _)| time.as_ps() as f64 / 1e9).collect()
}

#[test]
fn slow_start_sends_a_window_in_half_a_round_trip() {
    // The SYN exchange has measured 100 ms: 4 segments leave at twice 4 per 100 ms, one every 12.5 ms.
    let mut path = path(&[]).start(None);
    path.run_ms(190);
    assert_eq!(times(&path), [100.0, 112.5, 125.0, 137.5]);
    // No segment is sent earlier than the window permits, and none is forgotten.
    path.run_ms(1000);
    assert!(path.sender.acknowledged() > 100);
}

#[test]
fn congestion_avoidance_sends_a_fifth_faster_than_the_window_s_rate() {
    // 5 per 100 ms times 1.2: one every 100 / 6 ms.
    let given = [("initial-window", text("5 packets")), ("initial-slow-start-threshold", text("5 packets"))];
    let mut path = path(&given).start(None);
    path.run_ms(190);
    let expected: Vec<f64> = (0..5).map(|n| 100.0 + f64::from(n) * 100.0 / 6.0).collect();
    assert!(times(&path).iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6) && times(&path).len() == 5, "{:?}", times(&path));
}

#[test]
fn without_a_round_trip_nothing_is_known_and_nothing_spaced() {
    let mut path = path(&[("syn", Value::Switch(false))]).start(None);
    path.run_ms(50);
    assert_eq!(times(&path), [0.0; 4]);
}

#[test]
fn a_paced_transfer_ends_and_repairs_its_losses() {
    for variant in ["tahoe", "reno", "new-reno", "sack"] {
        let mut path = path(&[("variant", text(variant)), ("initial-window", text("10 packets"))]).losing_once(&[3, 7, 20]).start(Some(60));
        path.run_ms(20_000);
        assert!(path.sender.is_finished(), "{variant}: {}", path.sent());
        assert!(times(&path).windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

#[test]
fn linux_paces_from_the_tenth_segment_on_and_counts_outstanding_segments() {
    // 12 per 100 ms times 2: one every 25 / 6 ms.
    let given = [("initial-window", text("12 packets")), ("pacing-rate", text("linux"))];
    let mut path = path(&given).start(None);
    path.run_ms(190);
    let expected = [100.0; 10].into_iter().chain([100.0 + 25.0 / 6.0, 100.0 + 50.0 / 6.0]);
    assert!(times(&path).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6) && times(&path).len() == 12, "{:?}", times(&path));
}
