//! RFC 6661 and RFC 6662 by hand.

use super::{context, egress, ingress, kbps, ms, send};
use crate::edge::{mistake, AdmissionPlan, Decision, Egress, Ingress, Report, Signal, TerminationPlan};
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::units::{Bytes, Time};

fn rfc_6661(lines: &[&str]) -> Option<TerminationPlan> {
    Some(TerminationPlan::Rfc6661(read(lines).expect("sound")))
}

fn rfc_6662(lines: &[&str]) -> Option<TerminationPlan> {
    Some(TerminationPlan::Rfc6662(read(lines).expect("sound")))
}

fn report(unmarked: u64, threshold: u64, excess: u64) -> Signal {
    Signal::Report(Report { unmarked: kbps(unmarked), threshold: kbps(threshold), excess: kbps(excess) })
}

/// Number of calls cut after reports at 0 and 100 ms, with `packets` of 1000 bits sent in between.
fn cut(plan: &Option<TerminationPlan>, first: Signal, second: Signal, packets: u32) -> u32 {
    let mut ingress = ingress(plan);
    ingress.on_signal(ms(0), first, 200);
    send(&mut ingress, ms(50), packets);
    ingress.on_signal(ms(100), second, 200);
    if ingress.deadline() <= ms(100) {
        ingress.on_timer(ms(100), 200);
    }
    ingress.next_cut()
}

#[test]
fn the_second_report_must_show_excess_too() {
    // 10 - (5 + 3) Mbit/s are 31.25 calls.
    assert_eq!(cut(&rfc_6661(&[]), report(1, 1, 1), report(5_000, 3_000, 2_000), 1000), 31);
    assert_eq!(cut(&rfc_6661(&[]), report(5_000, 3_000, 2_000), report(5_000, 3_000, 0), 1000), 0);
    assert_eq!(cut(&rfc_6661(&[]), report(5_000, 5_000, 0), report(5_000, 3_000, 2_000), 1000), 0);
}

#[test]
fn sm_is_triggered_by_the_level_and_keeps_u_times_the_unmarked() {
    // 10 - 1.2 x 6 Mbit/s are 43.75 calls.
    assert_eq!(cut(&rfc_6662(&[]), report(9_500, 0, 500), report(6_000, 0, 4_000), 1000), 44);
    assert_eq!(cut(&rfc_6662(&[]), report(9_501, 0, 499), report(6_000, 0, 4_000), 1000), 0);
    assert_eq!(cut(&rfc_6662(&[]), report(6_000, 0, 4_000), report(10_000, 0, 0), 1000), 0);
    assert_eq!(cut(&rfc_6662(&[]), report(6_000, 0, 4_000), report(9_000, 0, 1_000), 1000), 0);
}

#[test]
fn report_and_sample_may_come_in_either_order() {
    let mut ingress = ingress(&rfc_6661(&[]));
    ingress.on_signal(ms(0), report(1, 1, 1), 200);
    send(&mut ingress, ms(50), 1000);
    ingress.on_timer(ms(100), 200);
    assert_eq!((ingress.next_cut(), ingress.deadline()), (0, Time::NEVER));
    // Packets sent after the sample do not count.
    send(&mut ingress, ms(101), 1000);
    ingress.on_signal(ms(102), report(5_000, 3_000, 2_000), 200);
    assert_eq!(ingress.next_cut(), 31);
}

#[test]
fn a_cut_is_given_time_to_show() {
    let mut ingress = ingress(&rfc_6661(&["settle = 250 ms"]));
    let over = report(5_000, 3_000, 2_000);
    ingress.on_signal(ms(0), over, 200);
    send(&mut ingress, ms(50), 1000);
    ingress.on_signal(ms(100), over, 200);
    ingress.on_timer(ms(100), 200);
    assert_eq!(ingress.next_cut(), 31);
    ingress.on_signal(ms(349), over, 169);
    assert_eq!(ingress.deadline(), Time::NEVER);
    ingress.on_signal(ms(350), over, 169);
    assert_eq!(ingress.deadline(), ms(450));
}

#[test]
fn a_small_sample_is_made_longer() {
    let mut ingress = ingress(&rfc_6661(&["sample-packets = 30"]));
    let over = report(10, 0, 1);
    ingress.on_signal(ms(0), over, 20);
    send(&mut ingress, ms(50), 29);
    ingress.on_signal(ms(100), over, 20);
    ingress.on_timer(ms(100), 20);
    assert_eq!((ingress.next_cut(), ingress.deadline()), (0, ms(200)));
    send(&mut ingress, ms(150), 135);
    ingress.on_signal(ms(199), over, 20);
    ingress.on_timer(ms(200), 20);
    // 164 packets in 200 ms are 820 kbit/s; minus 10 kbit/s they are 12.7 calls.
    assert_eq!(ingress.next_cut(), 13);
    // An extension without packets ends a sample that is still too small.
    ingress.on_signal(ms(600), over, 7);
    ingress.on_timer(ms(700), 7);
    assert_eq!((ingress.next_cut(), ingress.deadline()), (0, Time::NEVER));
}

#[test]
fn the_last_report_opens_and_closes_the_ingress() {
    for plan in [AdmissionPlan::Rfc6661(read(&[]).expect("sound")), AdmissionPlan::Rfc6662(read(&[]).expect("sound"))] {
        let mut ingress = Ingress::new(&Some(plan), &None, &context());
        assert_eq!(ingress.on_call(ms(0), 0, 0), Decision::Admit);
        for (said, decision) in [
            (report(95, 0, 5), Decision::Block),
            (report(96, 0, 4), Decision::Admit),
            (report(90, 6, 4), Decision::Block),
            (report(0, 0, 0), Decision::Admit),
        ] {
            assert_eq!(ingress.on_signal(ms(100), said, 0), None);
            assert_eq!(ingress.on_call(ms(100), 1, 0), decision);
        }
    }
}

#[test]
fn one_report_serves_admission_and_termination() {
    let admission = |lines: &[&str]| Some(AdmissionPlan::Rfc6661(read(lines).expect("sound")));
    let mut both = Egress::new(&admission(&[]), &rfc_6661(&[]), &context());
    both.on_packet(ms(0), Bytes::new(125), PcnMark::Excess);
    both.on_timer(ms(100));
    assert_eq!((both.next_signal(), both.next_signal()), (Some(report(0, 0, 10)), None));
    let mut one = egress(&rfc_6662(&["measuring-interval = 200 ms"]));
    one.on_packet(ms(0), Bytes::new(125), PcnMark::Unmarked);
    assert_eq!(one.deadline(), ms(200));
    assert_eq!(mistake(&admission(&[]), &rfc_6661(&[])), None);
    assert_eq!(mistake(&None, &rfc_6661(&[])), None);
    assert_eq!(
        mistake(&admission(&["measuring-interval = 200 ms"]), &rfc_6662(&[])).as_deref(),
        Some("admission and termination share the egress' reports: measuring-interval is 200 ms for one and 100 ms for the other")
    );
}

#[test]
fn settings_that_contradict_are_refused() {
    use crate::edge::{admission, termination};
    let zero = ["measuring-interval = 0 ms", "cle-limit = 0"];
    let expected = ["measuring-interval: must be above zero", "cle-limit: 0 refuses every call after the first report; must be above zero"];
    assert_eq!(read::<admission::rfc_6661::Parameters>(&zero).expect_err("mistakes"), expected);
    assert_eq!(read::<admission::rfc_6662::Parameters>(&zero).expect_err("mistakes"), expected);
    assert_eq!(read::<termination::rfc_6661::Parameters>(&zero[..1]).expect_err("mistakes"), expected[..1]);
    assert_eq!(
        read::<termination::rfc_6662::Parameters>(&["u = 0.5", zero[0]]).expect_err("mistakes"),
        ["u: 0.5 puts the supportable rate below the admissible one; at least 1", expected[0]]
    );
}

#[test]
fn nothing_is_told_between_two_reports() {
    let mut egress = egress(&rfc_6662(&["measuring-interval = 100 ms"]));
    assert_eq!(egress.silent_until(ms(7)), ms(107));
    egress.on_packet(ms(10), Bytes::new(125), PcnMark::Unmarked);
    assert_eq!((egress.silent_until(ms(10)), egress.silent_until(ms(90))), (ms(110), ms(110)));
}
