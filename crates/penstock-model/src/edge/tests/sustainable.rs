//! Ingress and egress of termination of CL and SM, each driven by hand.

use super::{cl, cle, context, egress, ingress, kbps, ms, send, stm};
use crate::edge::termination::{cl, sm};
use crate::edge::{EdgeContext, Egress, Signal, TerminationPlan};
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::site::Site;
use crate::units::{Bytes, Duration, Time};

const TENTH: Duration = Duration::from_ms(100);

fn sm(lines: &[&str]) -> Option<TerminationPlan> {
    Some(TerminationPlan::Sm(read(lines).expect("sound")))
}

/// Arrival of `unmarked` and `marked` packets of 125 bytes at `now`: 100 in 100 ms are 1 Mbit/s.
fn arrive(egress: &mut Egress, now: Time, unmarked: u32, marked: u32) {
    let marks = [(unmarked, PcnMark::Unmarked), (marked, PcnMark::Excess)];
    for mark in marks.into_iter().flat_map(|(count, mark)| (0..count).map(move |_| mark)) {
        egress.on_packet(now, Bytes::new(125), mark);
    }
}

#[test]
fn a_mark_begins_an_interval_of_what_is_not_marked() {
    let mut egress = egress(&cl(&[]));
    arrive(&mut egress, ms(0), 50, 0);
    assert_eq!(egress.deadline(), Time::NEVER);
    arrive(&mut egress, ms(7), 0, 1);
    arrive(&mut egress, ms(50), 100, 30);
    egress.on_packet(ms(60), Bytes::new(125), PcnMark::Threshold);
    assert_eq!((egress.next_signal(), egress.deadline()), (None, ms(107)));
    egress.on_timer(ms(107));
    assert_eq!(egress.next_signal(), Some(Signal::Sustainable(kbps(1010))));
    arrive(&mut egress, ms(110), 1, 0);
    assert_eq!((egress.next_signal(), egress.deadline()), (None, Time::NEVER));
}

#[test]
fn sm_counts_every_mark() {
    let mut egress = egress(&sm(&[]));
    egress.on_packet(ms(0), Bytes::new(125), PcnMark::Threshold);
    arrive(&mut egress, ms(50), 100, 100);
    egress.on_timer(ms(100));
    assert_eq!(egress.next_signal(), Some(Signal::Sustainable(kbps(1000))));
}

/// Number of calls cut after reports of `told` kbit/s at 0 and `newer` kbit/s at 50 ms, with 10 Mbit/s sent.
fn cut(plan: &Option<TerminationPlan>, told: u64, newer: Option<u64>) -> u32 {
    let mut ingress = ingress(plan);
    ingress.on_signal(ms(0), Signal::Sustainable(kbps(told)), 200);
    send(&mut ingress, ms(20), 1000);
    if let Some(newer) = newer {
        ingress.on_signal(ms(50), Signal::Sustainable(kbps(newer)), 200);
    }
    assert_eq!(ingress.deadline(), ms(100));
    ingress.on_timer(ms(100), 200);
    assert_eq!(ingress.deadline(), Time::NEVER);
    ingress.next_cut()
}

#[test]
fn the_cut_goes_down_to_what_was_told() {
    // 10 - 8 Mbit/s are 31.25 calls.
    assert_eq!(cut(&cl(&[]), 8_000, None), 31);
    assert_eq!(cut(&cl(&["rounding = ceiling"]), 8_000, None), 32);
    assert_eq!(cut(&cl(&[]), 10_000, None), 0);
    assert_eq!(cut(&cl(&[]), 8_000, Some(9_000)), 16);
    assert_eq!(cut(&cl(&["newer = ignored"]), 8_000, Some(9_000)), 31);
    // 50 kbit/s a call, as measured.
    assert_eq!(cut(&cl(&["call-rate = measured"]), 8_000, None), 40);
}

#[test]
fn margins_hold_back_and_cut_deeper() {
    // 10 is 5.3 % above 9.5: 10 - 9.025 Mbit/s are 15.2 calls. It is 4.99 % above 9.525.
    assert_eq!(cut(&cl(&["trigger-margin = 5 %", "cut-margin = 5 %"]), 9_500, None), 15);
    assert_eq!(cut(&cl(&["trigger-margin = 5 %", "cut-margin = 5 %"]), 9_525, None), 0);
}

#[test]
fn a_cut_may_be_seen_before_the_next_begins() {
    for plan in [cl(&["settle = 150 ms"]), sm(&["settle = 150 ms", "u = 1"])] {
        let mut ingress = ingress(&plan);
        let mut tell = |at: u64| {
            ingress.on_signal(ms(at), Signal::Sustainable(kbps(8_000)), 200);
            let until = ingress.deadline();
            if until == ms(at + 100) {
                send(&mut ingress, ms(at + 50), 1000);
                ingress.on_timer(until, 200);
            }
            ingress.next_cut()
        };
        // Cut at 100 ms: reports before 250 ms are ignored.
        assert_eq!([tell(0), tell(110), tell(249), tell(250)], [31, 0, 0, 31]);
    }
    // Without a cut, no report is ignored.
    let mut ingress = ingress(&cl(&["sending = all-the-time", "settle = 150 ms"]));
    send(&mut ingress, ms(60), 1000);
    let cuts = [(100, 10_000), (101, 8_000), (102, 8_000)].map(|(at, told)| {
        ingress.on_signal(ms(at), Signal::Sustainable(kbps(told)), 200);
        ingress.next_cut()
    });
    assert_eq!(cuts, [0, 31, 0]);
}

#[test]
fn the_egress_may_begin_anew_after_a_cut() {
    for plan in [cl(&["after-cut = restart"]), sm(&["after-cut = restart", "u = 1"])] {
        let mut ingress = ingress(&plan);
        ingress.on_signal(ms(0), Signal::Sustainable(kbps(8_000)), 200);
        send(&mut ingress, ms(50), 1000);
        ingress.on_timer(ms(100), 200);
        assert_eq!((ingress.next_cut(), ingress.next_signal(), ingress.next_signal()), (31, Some(Signal::Restart), None));
        let mut egress = egress(&plan);
        arrive(&mut egress, ms(70), 50, 1);
        egress.on_signal(ms(101), Signal::Restart, &mut 0);
        assert_eq!(egress.deadline(), Time::NEVER);
        // The interval starts with the next mark and does not count earlier packets.
        arrive(&mut egress, ms(110), 0, 1);
        arrive(&mut egress, ms(150), 20, 0);
        egress.on_timer(ms(210));
        assert_eq!(egress.next_signal(), Some(Signal::Sustainable(kbps(200))));
    }
}

#[test]
fn sm_keeps_u_times_what_was_told() {
    // 10 - 1.2 x 7.5 Mbit/s are 15.6 calls.
    assert_eq!(cut(&sm(&[]), 7_500, None), 16);
    assert_eq!(cut(&sm(&["u = 1.4"]), 7_500, None), 0);
}

#[test]
fn an_ingress_that_measures_all_the_time_acts_at_once() {
    let mut ingress = ingress(&cl(&["sending = all-the-time"]));
    send(&mut ingress, ms(20), 500);
    send(&mut ingress, ms(60), 1000);
    ingress.on_signal(ms(130), Signal::Sustainable(kbps(8_000)), 200);
    assert_eq!((ingress.next_cut(), ingress.deadline()), (31, Time::NEVER));
}

#[test]
fn smoothing_tells_only_a_lasting_share_of_marks() {
    // U = 1.25, so reports are sent above a fifth. Half of each interval is marked: .25, .375, ... with half of the weight on the past.
    let mut egress = egress(&sm(&["u = 1.25", "smoothing = 0.75"]));
    let mut told = vec![];
    for i in 0..6 {
        let marked = if i < 3 { 50 } else { 0 };
        arrive(&mut egress, ms(100 * i), 50, marked);
        assert_eq!(egress.deadline(), ms(100 * i + 100));
        egress.on_timer(ms(100 * i + 100));
        told.push(egress.next_signal().is_some());
    }
    // .125, .21875, .2890625, then .2168, .1626, .1219.
    assert_eq!(told, [false, true, true, true, false, false]);
    egress.on_timer(ms(700));
    assert_eq!((egress.next_signal(), egress.deadline()), (None, Time::NEVER));
}

#[test]
fn settings_that_contradict_are_refused() {
    assert_eq!(
        read::<cl::Parameters>(&["sar-interval = 0 ms", "sending = all-the-time", "newer = ignored"]).expect_err("mistakes"),
        ["sar-interval: must be above zero", "newer: has no effect with sending = \"all-the-time\"; leave it out"]
    );
    assert_eq!(
        read::<sm::Parameters>(&["u = 0.9", "sending-interval = 0 ms", "smoothing = 1"]).expect_err("mistakes"),
        [
            "u: 0.9 puts the supportable rate below the admissible one; at least 1",
            "sending-interval: must be above zero",
            "smoothing: 1 never takes in a sample; must be below 1",
        ]
    );
}

#[test]
fn nothing_is_told_before_an_interval_has_passed() {
    let mut egress = egress(&cl(&["sar-interval = 100 ms"]));
    assert!(egress.may_be_silent());
    assert_eq!(egress.silent_until(ms(7)), ms(107));
    arrive(&mut egress, ms(10), 1, 1);
    // The bound holds until the interval ends or, if a restart ends it, until another one has passed.
    assert_eq!((egress.silent_until(ms(10)), egress.silent_until(ms(60))), (ms(110), ms(110)));
    egress.on_signal(ms(60), Signal::Restart, &mut 0);
    assert_eq!(egress.silent_until(ms(60)), ms(160));
}

#[test]
fn intervals_of_a_phase_follow_one_another() {
    let mut egress = egress(&cl(&["sar-start = random-phase"]));
    // The first packet, whether marked or not, determines the ends of intervals; the promised silence ends there too.
    arrive(&mut egress, ms(1000), 100, 0);
    let first = egress.deadline();
    assert!(first > ms(1000) && first <= ms(1100), "{first}");
    assert_eq!(egress.silent_until(ms(1000)), first);
    // No report is sent without a mark.
    egress.on_timer(first);
    assert_eq!((egress.next_signal(), egress.deadline(), egress.silent_until(first)), (None, Time::NEVER, first + TENTH));
    // The rate is measured over the whole interval, wherever the first packet and the first mark arrive in it.
    arrive(&mut egress, first + Duration::from_ms(25), 60, 0);
    arrive(&mut egress, first + Duration::from_ms(50), 20, 5);
    assert_eq!(egress.deadline(), first + TENTH);
    egress.on_timer(first + TENTH);
    assert_eq!(egress.next_signal(), Some(Signal::Sustainable(kbps(800))));
}

#[test]
fn a_cut_voids_an_interval_of_a_phase() {
    let mut egress = egress(&cl(&["sar-start = random-phase", "after-cut = restart"]));
    arrive(&mut egress, ms(1000), 0, 1);
    let first = egress.deadline();
    egress.on_signal(ms(1000), Signal::Restart, &mut 0);
    arrive(&mut egress, ms(1000), 10, 10);
    assert_eq!((egress.deadline(), egress.silent_until(ms(1000))), (Time::NEVER, first));
    arrive(&mut egress, first, 30, 1);
    assert_eq!(egress.deadline(), first + TENTH);
    egress.on_timer(first + TENTH);
    assert_eq!(egress.next_signal(), Some(Signal::Sustainable(kbps(300))));
}

#[test]
fn aggregates_have_phases_of_their_own() {
    let ends = ["a", "b", "c"].map(|name| {
        let context = EdgeContext { site: Site::trial().with_key(Key::root(1, 0).child(name)), ..context() };
        let mut egress = Egress::new(&None, &cl(&["sar-start = random-phase"]), &context);
        arrive(&mut egress, ms(1000), 1, 0);
        egress.deadline()
    });
    assert!(ends[0] != ends[1] && ends[1] != ends[2] && ends[0] != ends[2], "{ends:?}");
}

#[test]
fn who_answers_or_counts_packets_promises_no_silence() {
    let answering = Egress::new(&cle(&["threshold = 0.05", "weight = 0.3"]), &cl(&[]), &context());
    let counting = egress(&stm(&[]));
    for egress in [answering, counting] {
        assert!(!egress.may_be_silent());
        assert_eq!(egress.silent_until(ms(7)), ms(7));
    }
    assert_eq!(egress(&None).silent_until(ms(7)), Time::NEVER);
}
