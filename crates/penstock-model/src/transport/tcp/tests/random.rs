//! A finite transfer completes whatever segments are lost, delayed or overtaken.

use super::super::{Receiver, Sender};
use super::harness::{read, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::rng::Key;
use crate::transport::connection::ConnectionSender;
use crate::units::Duration;
use proptest::prelude::*;
use std::collections::BTreeSet;

const RECOVERIES: [(&str, Option<&str>); 11] = [
    ("tahoe", None),
    ("reno", None),
    ("new-reno", None),
    ("timeout-only", None),
    ("sack", None),
    ("sack", Some("half-round-trip")),
    ("sack", Some("half-round-trip-with-new-data")),
    ("rack", None),
    ("sack1", None),
    ("sack1", Some("half-round-trip")),
    ("sack1", Some("half-round-trip-with-new-data")),
];

/// A component with an optional parameter.
fn table(name: &str, parameter: Option<(&str, &str)>) -> Value {
    let parameters = parameter.into_iter().map(|(key, value)| (key.to_owned(), text(value))).collect();
    Value::Table(vec![(name.to_owned(), Value::Table(parameters))])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_transfer_completes_in_order_and_within_its_window(
        (recovery, delay) in prop::sample::select(RECOVERIES.to_vec()),
        arithmetic in prop::sample::select(vec!["fractional", "integer-bytes", "integer-bytes-without-stall"]),
        (segments, initial_window, max_window) in (1u32..150, 1u32..12, 1u32..40),
        (loss_forward, loss_back, jitter) in (0.0f64..0.4, 0.0f64..0.4, 0u64..60),
        (ack_every, limited_transmit, syn, tick) in (1i64..4, any::<bool>(), any::<bool>(), 0u64..2),
        timestamps: bool,
        seed: u64,
    ) {
        let parameters = read(&[
            ("recovery", table(recovery, delay.map(|delay| ("retransmit-delay", delay)))),
            ("congestion-control", table("reno", Some(("arithmetic", arithmetic)))),
            ("initial-window", text(&format!("{initial_window} packets"))),
            ("max-window", text(&format!("{max_window} packets"))),
            ("min-rto", text("200 ms")),
            ("timer-tick", text(&format!("{} ms", tick * 100))),
            ("ack-every", Value::Integer(ack_every)),
            ("limited-transmit", Value::Switch(limited_transmit)),
            ("syn", Value::Switch(syn)),
            ("timestamps", Value::Switch(timestamps)),
        ])
        .expect("sound");
        let key = Key::root(seed, 0);
        let chance = move |name: &str, n: usize| key.child(name).hash([n as u64, 0]) as f64 / u64::MAX as f64;
        let mut path = Path::new(&parameters)
            .losing(move |n, _| chance("forward", n) < loss_forward)
            .losing_back(move |n, _| chance("back", n) < loss_back)
            .delaying(move |n| Duration::from_ms((chance("jitter", n) * jitter as f64) as u64))
            .start(Some(segments));

        let mut arrived = BTreeSet::new();
        let mut arrivals = 0;
        while !path.sender.is_finished() {
            prop_assert!(path.log.len() < 100_000, "no progress: {:?}", path.sender);
            let sent = path.log.len();
            if let Some(Body::Segment { seq, .. }) = path.step() {
                arrived.insert(seq);
                arrivals += 1;
            }
            let in_order = (0..).take_while(|seq| arrived.contains(seq)).count() as u32;
            prop_assert_eq!(path.receiver.delivered(), in_order);
            prop_assert!(path.sender.acknowledged() <= in_order);
            prop_assert!(path.sender.in_flight() <= max_window);
            let new = |body: &Body| matches!(body, Body::Segment { retransmission: false, .. });
            if path.log[sent..].iter().any(|(_, body)| new(body)) && !recovery.starts_with("sack") && recovery != "rack" {
                let extra = if limited_transmit { 2.0 } else { 0.0 };
                prop_assert!(f64::from(path.sender.in_flight()) <= path.sender.congestion_window() + extra);
            }
        }
        prop_assert_eq!((path.receiver.delivered(), path.sender.acknowledged()), (segments, segments));
        prop_assert_eq!(path.receiver.duplicates(), arrivals - segments);
    }
}

#[test]
fn both_ends_are_small() {
    assert!(std::mem::size_of::<Sender>() + std::mem::size_of::<Receiver>() <= 408);
}
