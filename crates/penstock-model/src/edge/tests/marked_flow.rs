//! Marked flow termination by hand.

use super::{context, ms};
use crate::edge::admission::cle::Marks;
use crate::edge::{AdmissionPlan, Egress, Ingress, Signal, TerminationPlan};
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::units::{Bytes, Time};

fn marked_flow() -> Option<TerminationPlan> {
    Some(TerminationPlan::MarkedFlow(read(&[]).expect("sound")))
}

#[test]
fn every_excess_mark_names_its_call() {
    let mut egress = Egress::new(&None, &marked_flow(), &context());
    let mut on_packet = |number, call, mark| {
        egress.on_number(ms(0), number, call);
        let is_told = egress.on_packet(ms(0), Bytes::new(200), mark);
        assert_eq!(is_told, mark == PcnMark::Excess);
        egress.next_signal()
    };
    assert_eq!(on_packet(0, 7, PcnMark::Unmarked), None);
    assert_eq!(on_packet(1, 8, PcnMark::Excess), Some(Signal::Marked(8)));
    assert_eq!(on_packet(2, 7, PcnMark::Threshold), None);
    assert_eq!(on_packet(3, 8, PcnMark::Excess), Some(Signal::Marked(8)));
}

#[test]
fn a_marked_request_names_no_call() {
    let mut egress = Egress::new(&None, &marked_flow(), &context());
    egress.on_number(ms(0), 0, 7);
    assert!(!egress.on_packet(ms(0), Bytes::new(200), PcnMark::Unmarked));
    // A request has neither a number nor a call.
    assert!(!egress.on_packet(ms(1), Bytes::new(40), PcnMark::Excess));
    assert_eq!(egress.next_signal(), None);
}

#[test]
fn any_packet_may_cause_a_signal_and_no_time_does() {
    let egress = Egress::new(&None, &marked_flow(), &context());
    assert_eq!((egress.silent_until(ms(7)), egress.may_be_silent(), egress.silent_before_packet()), (ms(7), false, None));
    assert_eq!((egress.has_deadlines(), egress.deadline()), (false, Time::NEVER));
    let ingress = Ingress::new(&None, &marked_flow(), &context());
    assert_eq!(ingress.deadline(), Time::NEVER);
}

#[test]
fn a_signal_is_one_call_to_terminate() {
    let mut ingress = Ingress::new(&None, &marked_flow(), &context());
    assert_eq!(ingress.take_marked(), None);
    assert_eq!(ingress.on_signal(ms(0), Signal::Marked(8), 3), None);
    assert_eq!((ingress.next_cut(), ingress.take_marked(), ingress.take_marked()), (0, Some(8), None));
    assert_eq!(ingress.next_signal(), None);
}

#[test]
fn admission_by_counting_hears_of_the_end() {
    let counting = Some(AdmissionPlan::Count(read(&["limit = 2"]).expect("sound")));
    let mut ingress = Ingress::new(&counting, &marked_flow(), &context());
    ingress.on_signal(ms(0), Signal::Marked(0), 2);
    assert_eq!((ingress.take_marked(), ingress.next_signal()), (Some(0), None));
    ingress.on_end(ms(0), 1);
    assert_eq!((ingress.next_signal(), ingress.next_signal()), (Some(Signal::Ended), None));
}

#[test]
fn it_reads_excess_marks() {
    let plan = marked_flow().expect("a plan");
    assert_eq!((plan.declared_marks(), plan.needs_marks(), plan.reports_every()), (Some(Marks::Excess), true, None));
}
