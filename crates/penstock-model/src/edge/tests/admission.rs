//! Admission by estimate and by count.

use super::{cle, context, ms, stm};
use crate::edge::admission::cle::Parameters;
use crate::edge::{AdmissionPlan, Decision, Egress, Ingress, Signal};
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::units::{Bytes, Time};

fn egress(lines: &[&str]) -> Egress {
    Egress::new(&cle(&[&["threshold = 0.05"], lines].concat()), &None, &context())
}

fn arrive(egress: &mut Egress, at_ms: u64, size: u64, mark: PcnMark) {
    egress.on_packet(ms(at_ms), Bytes::new(size), mark);
}

/// Answer to a request of call 7.
fn asked(egress: &mut Egress, at_ms: u64, live: u32) -> f64 {
    egress.on_signal(ms(at_ms), Signal::Request { call: 7, live }, &mut 0);
    match (egress.next_signal(), egress.next_signal()) {
        (Some(Signal::Answer { call: 7, level }), None) => level,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_packet_is_a_sample() {
    let mut egress = egress(&["weight = 0.25"]);
    arrive(&mut egress, 0, 160, PcnMark::Threshold);
    assert_eq!(asked(&mut egress, 0, 1), 0.25);
    arrive(&mut egress, 1, 160, PcnMark::Excess);
    arrive(&mut egress, 2, 1500, PcnMark::Unmarked);
    assert_eq!((asked(&mut egress, 9, 1), egress.level(ms(9))), (0.75 * 0.4375, Some(0.75 * 0.4375)));
}

#[test]
fn after_one_mark_a_call_is_refused_for_so_many_packets() {
    for (threshold, blocked) in [("threshold = 0.05", 5), ("threshold = 1e-5", 28), ("threshold = 1e-6", 35)] {
        let plan = cle(&[threshold]);
        let (mut ingress, mut egress) = (Ingress::new(&plan, &None, &context()), Egress::new(&plan, &None, &context()));
        arrive(&mut egress, 0, 160, PcnMark::Threshold);
        let mut refused = || {
            arrive(&mut egress, 0, 160, PcnMark::Unmarked);
            let level = asked(&mut egress, 0, 1);
            ingress.on_signal(ms(1), Signal::Answer { call: 7, level }, 1) == Some((7, false))
        };
        assert_eq!((0..100).take_while(|_| refused()).count(), blocked);
    }
}

#[test]
fn marks_may_be_told_apart() {
    let levels = |lines: &str| {
        [PcnMark::Unmarked, PcnMark::Threshold, PcnMark::Excess].map(|mark| {
            let mut egress = egress(&[lines, "weight = 1"]);
            arrive(&mut egress, 0, 160, mark);
            asked(&mut egress, 0, 1)
        })
    };
    assert_eq!(levels("marks = any"), [0.0, 1.0, 1.0]);
    assert_eq!(levels("marks = threshold"), [0.0, 1.0, 0.0]);
    assert_eq!(levels("marks = excess"), [0.0, 0.0, 1.0]);
}

#[test]
fn an_interval_is_a_sample_of_bits() {
    let mut egress = egress(&["weight = 0.5", "update = interval", "interval = 100 ms"]);
    arrive(&mut egress, 20, 300, PcnMark::Unmarked);
    arrive(&mut egress, 30, 100, PcnMark::Threshold);
    assert_eq!((asked(&mut egress, 119, 1), egress.deadline()), (0.0, ms(120)));
    egress.on_timer(ms(120));
    assert_eq!((asked(&mut egress, 120, 1), egress.deadline()), (0.125, ms(220)));
    // An empty interval is no sample, and no other interval follows.
    egress.on_timer(ms(220));
    assert_eq!((asked(&mut egress, 220, 1), egress.deadline()), (0.125, Time::NEVER));
}

#[test]
fn the_level_of_an_idle_aggregate_is_what_it_is_told_to_be() {
    let after = |lines: &[&str], live: u32| {
        let mut egress = egress(&[&["weight = 0.5"], lines].concat());
        arrive(&mut egress, 1000, 160, PcnMark::Threshold);
        [1000, 1499, 1500, 2000].map(|at_ms| asked(&mut egress, at_ms, live))
    };
    assert_eq!(after(&["idle = frozen"], 0), [0.5; 4]);
    assert_eq!(after(&["idle = reset"], 1), [0.5; 4]);
    assert_eq!(after(&["idle = reset"], 0), [0.0; 4]);
    assert_eq!(after(&["idle = time-out", "idle-time = 500 ms"], 0), [0.5, 0.5, 0.0, 0.0]);
    let decayed = after(&["idle = decay", "idle-time = 500 ms"], 0);
    assert_eq!(decayed[0], 0.5);
    assert!((decayed[3] - 0.5 * (-2.0f64).exp()).abs() < 1e-12);
}

#[test]
fn what_has_decayed_is_what_the_next_sample_is_added_to() {
    let next = |lines: &[&str]| {
        let mut egress = egress(&[&["weight = 0.5"], lines].concat());
        arrive(&mut egress, 0, 160, PcnMark::Threshold);
        arrive(&mut egress, 500, 160, PcnMark::Threshold);
        asked(&mut egress, 500, 1)
    };
    assert_eq!(next(&["idle = time-out", "idle-time = 500 ms"]), 0.5);
    assert!((next(&["idle = decay", "idle-time = 500 ms"]) - (0.5 + 0.25 * (-1.0f64).exp())).abs() < 1e-12);
    assert_eq!(next(&["idle = frozen"]), 0.75);
}

#[test]
fn a_reset_forgets_the_interval_under_way() {
    let mut egress = egress(&["update = interval", "interval = 100 ms", "weight = 1"]);
    arrive(&mut egress, 0, 160, PcnMark::Threshold);
    asked(&mut egress, 50, 0);
    arrive(&mut egress, 60, 160, PcnMark::Unmarked);
    egress.on_timer(ms(100));
    assert_eq!(asked(&mut egress, 100, 1), 0.0);
}

#[test]
fn equality_refuses_unless_told_otherwise() {
    let admits = |lines: &[&str], level: f64| {
        let mut ingress = Ingress::new(&cle(lines), &None, &context());
        assert_eq!(ingress.on_call(ms(0), 3, 5), Decision::Ask);
        ingress.on_signal(ms(0), Signal::Answer { call: 3, level }, 5)
    };
    assert_eq!(admits(&["threshold = 0.25"], 0.25), Some((3, false)));
    assert_eq!(admits(&["threshold = 0.25"], 0.249), Some((3, true)));
    assert_eq!(admits(&["threshold = 0.25", "at-threshold = admit"], 0.25), Some((3, true)));
    assert_eq!(admits(&["threshold = 0.25", "at-threshold = admit"], 0.251), Some((3, false)));
}

#[test]
fn a_level_may_begin_above_zero_and_the_weight_may_be_that_of_the_past() {
    let mut egress = egress(&["initial = 0.5", "weight = 0.75", "weighs = old-value"]);
    assert_eq!(asked(&mut egress, 0, 1), 0.5);
    arrive(&mut egress, 0, 160, PcnMark::Threshold);
    assert_eq!(asked(&mut egress, 0, 1), 0.625);
}

#[test]
fn without_admission_everyone_may_begin() {
    let mut ingress = Ingress::new(&None, &None, &context());
    assert_eq!(ingress.on_call(ms(0), 0, 0), Decision::Admit);
    ingress.on_end(ms(1), 0);
    assert_eq!((ingress.next_signal(), ingress.next_cut(), ingress.deadline()), (None, 0, Time::NEVER));
}

#[test]
fn a_counter_admits_up_to_its_limit_over_all_aggregates_of_the_node() {
    let ask = |egress: &mut Egress, counted: &mut u32| {
        egress.on_signal(ms(0), Signal::Request { call: 1, live: 0 }, counted);
        egress.next_signal() == Some(Signal::Answer { call: 1, level: 0.0 })
    };
    for (scope, admitted, count) in [("scope = node", [true, true, true, false, false, false], 3), ("scope = aggregate", [true; 6], 0)] {
        let plan = Some(AdmissionPlan::Count(read(&["limit = 3", scope]).expect("sound")));
        let (mut one, mut other, mut counted) = (Egress::new(&plan, &None, &context()), Egress::new(&plan, &None, &context()), 0);
        let mut answers = vec![];
        for _ in 0..3 {
            answers.extend([ask(&mut one, &mut counted), ask(&mut other, &mut counted)]);
        }
        assert_eq!((answers.as_slice(), counted), (&admitted[..], count), "{scope}");
        // The count is full. A call that ends makes room for another one.
        assert!(!ask(&mut one, &mut counted));
        one.on_signal(ms(1), Signal::Ended, &mut counted);
        assert_eq!([ask(&mut one, &mut counted), ask(&mut one, &mut counted)], [true, false]);
    }
}

#[test]
fn calls_that_end_or_are_terminated_are_counted_off() {
    let plan = Some(AdmissionPlan::Count(read(&["limit = 3"]).expect("sound")));
    let mut ingress = Ingress::new(&plan, &stm(&[]), &context());
    assert_eq!(ingress.on_call(ms(0), 0, 0), Decision::Ask);
    assert_eq!(ingress.on_signal(ms(0), Signal::Answer { call: 0, level: 1.0 }, 0), Some((0, false)));
    assert_eq!(ingress.on_signal(ms(0), Signal::Answer { call: 1, level: 0.0 }, 0), Some((1, true)));
    ingress.on_end(ms(1), 0);
    assert_eq!((ingress.next_signal(), ingress.next_signal()), (Some(Signal::Ended), None));
    ingress.on_signal(ms(2), Signal::Receiving(None), 40);
    super::send(&mut ingress, ms(50), 256);
    ingress.on_timer(ms(102), 40);
    // 5 % of 2.56 Mbit/s are two calls.
    assert_eq!(ingress.next_cut(), 2);
    assert_eq!([(); 3].map(|()| ingress.next_signal()), [Some(Signal::Ended), Some(Signal::Ended), None]);
}

#[test]
fn settings_that_contradict_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("mistakes");
    assert_eq!(
        mistakes(&["threshold = 0", "update = interval", "idle = decay"]),
        [
            "interval: is missing; update = \"interval\" needs one",
            "idle-time: is missing; idle = \"decay\" and \"time-out\" need one",
            "threshold: 0 refuses every call; write at-threshold = \"admit\" to admit at 0",
        ]
    );
    assert_eq!(
        mistakes(&["threshold = 0.1", "interval = 100 ms", "idle-time = 1 s"]),
        [
            "interval: has no effect with update = \"packet\"; leave it out",
            "idle-time: has an effect only with idle = \"decay\" or \"time-out\"; leave it out",
        ]
    );
    assert_eq!(
        mistakes(&["threshold = 0.1", "update = interval", "interval = 0 s", "idle = time-out", "idle-time = 0 s"]),
        ["interval: must be above zero", "idle-time: must be above zero"]
    );
    assert_eq!(mistakes(&["threshold = 1.5"]), ["threshold: 1.5 is out of range; between 0 and 1"]);
}
