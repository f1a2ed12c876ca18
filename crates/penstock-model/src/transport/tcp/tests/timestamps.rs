//! Timestamps: round trips of retransmissions, and spurious timeouts.

use super::harness::{parameters, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::{Duration, Time};

fn path(more: &[(&str, Value)]) -> Path {
    let mut given = vec![("timestamps", Value::Switch(true))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

#[test]
fn the_first_acknowledgement_of_a_retransmission_ends_the_back_off() {
    let mut path = path(&[]).losing(|n, _| n < 3).start(None);
    path.run_ms(7150);
    assert_eq!(path.sent(), "0: 0\n1000: 0*\n3000: 0*\n7000: 0*\n7100: 1 2");
    // Last sent at 7000 ms and acknowledged at 7100: this is a sample. With Karn's rule there is none, and the factor stays at 8.
    assert_eq!(path.sender.deadline(), at_ms(7100 + 1000));
}

#[test]
fn every_acknowledgement_is_a_sample() {
    // Three acknowledgements at 100 ms, of 100 ms each: RTTVAR is 50, 37.5 and 28.125 ms. One sample per round trip would leave it at 50.
    let mut path = path(&[("min-rto", text("0 s")), ("initial-window", text("3 packets"))]).start(None);
    path.run_ms(150);
    assert_eq!(path.sender.deadline(), at_ms(100) + Duration::from_us(100_000 + 4 * 28_125));
}

#[test]
fn a_delayed_acknowledgement_echoes_the_earlier_of_its_segments() {
    // 1 leaves 40 ms after 0, and both are acknowledged when it arrives: the sample is 140 ms, and RTO 140 + 4 x 70.
    let given = [("min-rto", text("0 s")), ("initial-window", text("2 packets")), ("ack-every", Value::Integer(2))];
    let mut path = path(&given).start(Some(1));
    path.run_ms(40);
    path.offer(1);
    path.run_ms(120);
    path.offer(1);
    path.run_ms(145);
    assert_eq!(path.answered(), "90: 2");
    assert_eq!(path.sender.deadline(), at_ms(140 + 420));
}

/// A path that delays 0 to 3 by 1.5 s; 0*, sent at 1000 ms, arrives after them.
fn held(timestamps: bool) -> Path {
    let hold = |n| {
        Duration::from_ms(if n <= 4 {
            1500
        } else if n == 5 {
            600
        } else {
            0
        })
    };
    let given = [("initial-window", text("4 packets")), ("timestamps", Value::Switch(timestamps))];
    let mut path = Path::new(&parameters(&given)).delaying(hold).start(None);
    path.run_ms(1650);
    path
}

#[test]
fn a_timeout_is_undone_if_the_first_transmission_is_acknowledged() {
    // At 1600 ms four acknowledgements arrive. The first restores cwnd 4 and the threshold, and each admits two new segments.
    let path = held(true);
    assert_eq!(path.sent(), "0: 0 1 2 3\n1000: 0*\n1600: 4 5 6 7 8 9 10 11");
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (8.0, 1000.0));
    let path = held(false);
    assert_eq!(path.sent(), "0: 0 1 2 3\n1000: 0*\n1600: 1* 2* 3* 4 5 6");
    assert_eq!(path.sender.slow_start_threshold(), 2.0);
}

#[test]
fn a_timeout_after_a_loss_is_not_undone() {
    let mut path = path(&[("initial-window", text("4 packets"))]).losing_once(&[0, 1, 2, 3]).start(None);
    path.run_ms(1150);
    assert_eq!(path.sent(), "0: 0 1 2 3\n1000: 0*\n1100: 1* 2*");
    assert_eq!(path.sender.slow_start_threshold(), 2.0);
}

#[test]
fn a_lost_acknowledgement_does_not_make_a_timeout_spurious() {
    // 0 arrived, as does 0*, whose later timestamp is echoed.
    let mut path = path(&[]).losing_back(|n, _| n == 0).start(None);
    path.run_ms(1150);
    assert_eq!(path.sent(), "0: 0\n1000: 0*\n1100: 1 2");
    assert_eq!(path.sender.slow_start_threshold(), 2.0);
}

/// This causes low throughput at high loss rates: without timestamps, the back-off lasts until a segment sent once is acknowledged.
#[test]
fn at_twenty_percent_loss_timestamps_raise_the_throughput() {
    let delivered = |timestamps| {
        let given = [("timestamps", Value::Switch(timestamps)), ("variant", text("sack"))];
        let mut losses = 1u64;
        let lose = move |_, _: Body| {
            losses = losses.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            losses >> 33 < (1 << 31) / 5
        };
        let mut path = Path::new(&parameters(&given)).losing(lose).start(None);
        path.run_ms(2_000_000);
        path.receiver.delivered()
    };
    let (with, without) = (delivered(true), delivered(false));
    assert!(f64::from(with) > 1.2 * f64::from(without), "{with} with timestamps, {without} without");
}
