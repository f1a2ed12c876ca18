//! What random scenarios cover of the catalogue.
#![allow(dead_code)] // each test file uses a part

use super::case;
use super::choices::PARAMETER_CHANGES;
use super::components::{DISCIPLINES, FLOW_QUEUES, METERS, POLICERS, SCHEDULERS, SHAPERS, TRAFFIC};
use super::drawn::{entries, Choice, Classed};
use penstock_engine::blueprint::{Blueprint, PortPlan};
use penstock_model::buffer::BufferPlan;
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::{Parameter, Plan};
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::source::SourcePlan;
use penstock_model::transport::congestion_control::CongestionControlPlan;
use penstock_model::transport::rate_control::RateControlPlan;
use penstock_model::transport::recovery::RecoveryPlan;
use penstock_model::transport::TransportPlan;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// Kind and name.
type Names = BTreeSet<(&'static str, &'static str)>;

/// The components of the catalogue and of plug-ins that are in none of `cases` random scenarios.
pub fn missing(cases: usize) -> Names {
    let mut missing = all();
    let mut runner = TestRunner::deterministic();
    for _ in 0..cases {
        let case = case().new_tree(&mut runner).expect("a case").current();
        for (kind, name) in used(&case.blueprint()).union(&used(&case.cell_blueprint(true))) {
            missing.remove(&(*kind, *name));
        }
        if missing.is_empty() {
            break;
        }
    }
    missing
}

/// All components of the kinds of random scenarios.
fn all() -> Names {
    fn names<P: Plan>() -> impl Iterator<Item = (&'static str, &'static str)> {
        entries::<P>().map(|entry| (P::OF, entry.name))
    }
    let at_ports = names::<DisciplinePlan>().chain(names::<SchedulerPlan>()).chain(names::<ShaperPlan>()).chain(names::<PolicerPlan>());
    let marks = names::<MeterPlan>().chain(names::<PcnMeterPlan>()).chain(names::<ImpairmentPlan>()).chain(names::<BufferPlan>());
    let traffic = names::<SourcePlan>().chain(names::<TransportPlan>()).chain(names::<AdmissionPlan>()).chain(names::<TerminationPlan>());
    let controls = names::<CongestionControlPlan>().chain(names::<RecoveryPlan>()).chain(names::<RateControlPlan>());
    at_ports.chain(marks).chain(traffic).chain(controls).collect()
}

fn used(blueprint: &Blueprint) -> Names {
    let mut used = Names::new();
    for link in &blueprint.links {
        of_port(&link.port, &mut used);
    }
    for switch in &blueprint.switches {
        used.extend(switch.buffer.iter().map(|buffer| (BufferPlan::OF, buffer.policy.name())));
    }
    for group in &blueprint.groups {
        used.extend([(SourcePlan::OF, group.source.name()), (TransportPlan::OF, group.transport.name())]);
        match &group.transport {
            TransportPlan::Tcp(tcp) => used.extend([
                (CongestionControlPlan::OF, tcp.congestion_control_plan().name()),
                (RecoveryPlan::OF, tcp.recovery_plan().name()),
            ]),
            TransportPlan::Roce(roce) => used.extend([(RateControlPlan::OF, roce.rate_control.name())]),
            _ => {}
        }
        let calls = group.calls.as_deref();
        used.extend(calls.and_then(|calls| calls.admission.as_ref()).map(|plan| (AdmissionPlan::OF, plan.name())));
        used.extend(calls.and_then(|calls| calls.termination.as_ref()).map(|plan| (TerminationPlan::OF, plan.name())));
    }
    used
}

fn of_port(port: &PortPlan, used: &mut Names) {
    used.extend(port.queues.iter().map(|queue| (DisciplinePlan::OF, queue.discipline.name())));
    used.extend(port.policers.iter().map(|plan| (PolicerPlan::OF, plan.name())));
    used.extend(port.shaper.iter().map(|plan| (ShaperPlan::OF, plan.name())));
    used.extend(port.marker.iter().map(|marker| (MeterPlan::OF, marker.meter.name())));
    used.extend(port.pcn.iter().map(|plan| (PcnMeterPlan::OF, plan.name())));
    used.extend(port.impairments.iter().map(|plan| (ImpairmentPlan::OF, plan.name())));
    used.insert((SchedulerPlan::OF, port.scheduler.name()));
    let below = |class: &ClassPlan| class.below.as_ref().map(|below| (SchedulerPlan::OF, below.scheduler.name()));
    used.extend(port.classes.iter().filter_map(below));
}

/// The components in whose settings no value of a changeable parameter is found, each with the number of the parameter.
pub fn unchangeable() -> Vec<(&'static str, usize)> {
    let at_ports = [still::<DisciplinePlan>(&DISCIPLINES), still::<SchedulerPlan>(&FLOW_QUEUES), still::<PolicerPlan>(&POLICERS)];
    let meters: Vec<Choice> = METERS.iter().map(|(meter, _)| meter.clone()).collect();
    let transports: Vec<Choice> = TRAFFIC.1.iter().map(|traffic| traffic.transport.clone()).collect();
    let others = [still::<ShaperPlan>(&SHAPERS), still::<MeterPlan>(&meters), still::<TransportPlan>(&transports)];
    at_ports.into_iter().chain(others).flatten().chain(still_classes()).collect()
}

/// The same of these components.
fn still<P: Plan + Parameter + PartialEq + Clone>(choices: &[Choice]) -> Vec<(&'static str, usize)> {
    let mut found: BTreeSet<(&str, usize)> = BTreeSet::new();
    let mut wanted = BTreeSet::new();
    for choice in choices {
        let count = choice.entry.fields.iter().filter(|field| field.is_changeable).count();
        for i in 0..count {
            wanted.insert((choice.entry.name, i));
            if (i..PARAMETER_CHANGES.max(count)).step_by(count).any(|n| choice.changed::<P>(n) != choice.plan()) {
                found.insert((choice.entry.name, i));
            }
        }
    }
    wanted.difference(&found).copied().collect()
}

/// The same of schedulers and their classes, as one parameter.
fn still_classes() -> BTreeSet<(&'static str, usize)> {
    let is_changeable = |classed: &&Classed| {
        let (plan, classes) = classed.plans();
        plan.is_changeable(&classes)
    };
    let wanted = SCHEDULERS.iter().filter(is_changeable);
    let changes = |classed: &&Classed| (0..PARAMETER_CHANGES).any(|n| classed.changed(n) != classed.plans());
    let (found, still): (Vec<&Classed>, Vec<&Classed>) = wanted.partition(changes);
    let found: BTreeSet<&str> = found.iter().map(|classed| classed.scheduler.entry.name).collect();
    still.iter().map(|classed| (classed.scheduler.entry.name, 0)).filter(|(name, _)| !found.contains(name)).collect()
}
