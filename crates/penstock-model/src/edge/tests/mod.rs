//! Tests of both edges of an aggregate, driven together or by hand.

mod admission;
mod harness;
mod marked_flow;
mod pages;
mod reported;
mod rounds;
mod single_threshold;
mod sustainable;

use super::{AdmissionPlan, EdgeContext, Egress, Ingress, TerminationPlan};
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate, Time};

/// Context with calls of 64 kbit/s.
fn context() -> EdgeContext {
    EdgeContext { site: Site::trial().with_key(Key::root(1, 0).child("aggregate")), call_rate: Rate::from_bps(64_000), initial: 0 }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

fn kbps(kbps: u64) -> Rate {
    Rate::from_bps(1000 * kbps)
}

fn stm(lines: &[&str]) -> Option<TerminationPlan> {
    Some(TerminationPlan::SingleThreshold(read(lines).expect("sound")))
}

fn cl(lines: &[&str]) -> Option<TerminationPlan> {
    Some(TerminationPlan::Cl(read(lines).expect("sound")))
}

fn cle(lines: &[&str]) -> Option<AdmissionPlan> {
    Some(AdmissionPlan::Cle(read(lines).expect("sound")))
}

fn ingress(termination: &Option<TerminationPlan>) -> Ingress {
    Ingress::new(&None, termination, &context())
}

fn egress(termination: &Option<TerminationPlan>) -> Egress {
    Egress::new(&None, termination, &context())
}

/// Sends `packets` of 1000 bits at `now`: 1000 of them in 100 ms are 10 Mbit/s.
fn send(ingress: &mut Ingress, now: Time, packets: u32) {
    (0..packets).for_each(|_| ingress.on_sent(now, Bytes::new(125)));
}
