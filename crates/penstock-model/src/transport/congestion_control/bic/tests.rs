//! Numbers computed by hand from the pseudocode of [Xu04].

use super::super::testing::{ack, close, context, loss};
use super::*;
use crate::parameters::testing::read;

fn bic(lines: &[&str]) -> Bic {
    Bic::new(&read(lines).expect("sound"), &context(1460))
}

/// A loss with a full window, repaired at once.
fn lose(it: &mut Bic, window: &mut Window) {
    it.on_congestion(&loss(0, window.size as u32), window);
    window.size = window.threshold;
}

fn grow(it: &mut Bic, window: &mut Window) -> f64 {
    let before = window.size;
    it.on_ack(&ack(0), window);
    (window.size - before) * before
}

/// Half of the distance from 87.5 to 100 is 6.25; half of that from 875 to 1000 exceeds 32.
#[test]
fn a_step_is_half_of_the_way_and_at_most_s_max() {
    let mut it = bic(&[]);
    let mut window = Window { size: 100.0, threshold: 10.0, max: 10_000 };
    lose(&mut it, &mut window);
    assert_eq!((window.size, it.phase), (87.5, Phase::Search { max_win: 100.0 }));
    close(grow(&mut it, &mut window), 6.25);
    close(grow(&mut it, &mut window), 6.25 - 6.25 / 87.5 / 2.0);
    let mut window = Window { size: 1000.0, threshold: 10.0, max: 10_000 };
    lose(&mut it, &mut window);
    assert_eq!(window.size, 875.0);
    close(grow(&mut it, &mut window), 32.0);
}

/// The second reduction is from 950 to 831.25; the middle is 890.625.
#[test]
fn a_flow_that_did_not_reach_its_maximum_releases_bandwidth() {
    let mut it = bic(&[]);
    let mut window = Window { size: 1000.0, threshold: 10.0, max: 10_000 };
    lose(&mut it, &mut window);
    window.size = 950.0;
    lose(&mut it, &mut window);
    assert_eq!((window.size, it.phase), (831.25, Phase::Search { max_win: 890.625 }));
    window.size = 960.0;
    lose(&mut it, &mut window);
    assert_eq!(it.phase, Phase::Search { max_win: 960.0 });
}

/// Steps of 1 to 101, of 2 to 103, of 4 to 107 or up to a segment beyond each, then of s-max.
#[test]
fn beyond_the_maximum_the_steps_double() {
    let mut it = bic(&["s-max = 8"]);
    let mut window = Window { size: 100.0, threshold: 10.0, max: 10_000 };
    lose(&mut it, &mut window);
    window.size = 99.981; // half of the way is less than s-min
    it.on_ack(&ack(0), &mut window);
    assert_eq!((window.size, it.phase), (100.0, Phase::Probe { step: 1.0, target: 101.0 }));
    for step in [1.0, 2.0, 4.0] {
        let Phase::Probe { target, .. } = it.phase else { panic!("{:?}", it.phase) };
        while window.size < target {
            close(grow(&mut it, &mut window), step);
        }
    }
    assert_eq!(it.phase, Phase::Linear);
    close(grow(&mut it, &mut window), 8.0);
}

#[test]
fn a_small_window_is_that_of_reno() {
    let mut it = bic(&[]);
    let mut window = Window { size: 13.0, threshold: 10.0, max: 10_000 };
    close(grow(&mut it, &mut window), 1.0);
    window.size = 13.0;
    lose(&mut it, &mut window);
    assert_eq!(window.size, 6.5);
    window = Window { size: 20.0, threshold: 30.0, max: 10_000 };
    it.on_ack(&ack(0), &mut window);
    assert_eq!(window.size, 21.0);
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 16, repeated: false }, &mut window);
    it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 1, repeated: true }, &mut window);
    assert_eq!((window.threshold, it.phase), (8.0, Phase::Search { max_win: 21.0 }));
    it.on_congestion(&Congestion { cause: Cause::Ecn, ..loss(0, 16) }, &mut window);
    assert_eq!(window.size, 14.0);
}

#[test]
fn steps_in_the_wrong_order_are_mistakes() {
    for line in ["beta = 0", "beta = 1", "s-min = 33"] {
        assert!(read::<Parameters>(&[line]).is_err(), "{line}");
    }
}
