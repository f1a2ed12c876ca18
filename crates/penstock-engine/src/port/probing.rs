//! What a port shows of its state, and of that of its components.

use crate::api::blueprint::PortPlan;
use crate::api::series::{ComponentName, SeriesClass, SeriesPart};
use crate::port::observer::PortState;
use crate::port::stages::Policers;
use crate::port::{Port, Queueing};
use penstock_model::probe::{Probe, Variable};
use penstock_model::scheduler::class::classes_of_tree;
use penstock_model::units::Time;

/// Receives a value of a component's state.
pub type ReportState<'a> = dyn FnMut(ComponentName, SeriesPart, &'static Variable, f64) + 'a;

/// A port's state at an instant, and what it was at the last one that was looked at.
pub struct PortProbe<'a> {
    /// Now.
    pub state: &'a PortState,
    /// How long ago it was looked at last, in seconds, and what it was then.
    pub before: Option<(f64, &'a PortState)>,
}

/// The variables that every port shows.
pub const PORT: &[Variable] = PortProbe::STATE;

impl PortProbe<'_> {
    fn per_second(&self, amount: fn(&PortState) -> u64) -> Option<f64> {
        self.before.map(|(seconds, before)| (amount(self.state) - amount(before)) as f64 / seconds)
    }
}

penstock_model::state! {
    impl PortProbe<'_>, |it, _now| {
        /// Packets that wait, the one in service not included.
        "queue", "packets", is it.state.queue.packets as f64;
        /// Bytes of the packets that wait.
        "queue-bytes", "bytes", is it.state.queue.bytes as f64;
        /// Packets of each class that wait.
        "class-queue", "packets", each it.state.of_class.iter().map(|held| held.packets as f64);
        /// Bytes of the packets of each class that wait.
        "class-queue-bytes", "bytes", each it.state.of_class.iter().map(|held| held.bytes as f64);
        /// Share of the time since the last instant for which the wire was busy; only at intervals.
        "utilisation", "1", maybe it.per_second(|state| state.busy_ps).map(|busy| busy / 1e12);
        /// Rate of what was sent completely since the last instant; only at intervals.
        "throughput", "bit/s", maybe it.per_second(|state| state.sent_bytes).map(|bytes| bytes * 8.0);
        /// Packets whose transmission has ended since the beginning of the run.
        "sent", "packets", is it.state.sent_packets as f64;
        /// Packets dropped since the beginning of the run, by policers, disciplines, shared buffers and the wire.
        "drops", "packets", is it.state.drops as f64;
        /// Packets marked since the beginning of the run, by disciplines and PCN meters.
        "marks", "packets", is it.state.marks as f64;
    }
}

impl Port {
    /// Its state after everything that happens at `now`. Panics if it is not observed.
    pub fn state_at(&mut self, now: Time) -> &PortState {
        self.counters.observer().expect("the port is observed").state_at(now)
    }

    /// When its state changes next, as far as that is known and followed.
    pub fn next_change(&self) -> Time {
        self.counters.next_change()
    }

    /// Reports the states of its meters at `now`: which meter, the marker first, a variable, and its value. What a marker has
    /// for each circuit is left out.
    pub fn probe_meters(&self, now: Time, report: &mut dyn FnMut(usize, &'static Variable, f64)) {
        let marker = self.arrival_marker.as_ref().or(self.departure_marker.as_ref());
        if let Some(marker) = marker {
            marker.probe(now, &mut |variable, circuit, value| {
                if circuit.is_none() {
                    report(0, variable, value);
                }
            });
        }
        let first = usize::from(marker.is_some());
        for (i, meter) in self.pcn.iter().flat_map(|stage| stage.meters.iter().enumerate()) {
            meter.probe(now, &mut |variable, _, value| report(first + i, variable, value));
        }
    }

    /// Reports the state of each of its components at `now`, under the names that `plan` gives them.
    pub fn probe_components(&self, now: Time, plan: &PortPlan, report: &mut ReportState<'_>) {
        let named = |kind, name| ComponentName { kind, name };
        let of_queue = |i: usize| named("queue", plan.queues[i.min(plan.queues.len() - 1)].discipline.name());
        match &self.queueing {
            Queueing::TailDropFifo(_) => {}
            Queueing::Precomputed(queue) => {
                queue.discipline().probe(now, &mut |variable, part, value| {
                    report(of_queue(0), SeriesPart { class: None, number: part }, variable, value);
                });
            }
            Queueing::EventDriven(service) => {
                let queues = &service.queues.queues;
                for (i, queue) in (0..).zip(queues) {
                    let Some(discipline) = queue.discipline() else { continue };
                    let (name, is_one) = (of_queue(i as usize), queues.len() == 1);
                    let of = if is_one { SeriesPart::WHOLE } else { SeriesPart::of(SeriesClass::Queue(i)) };
                    discipline.probe(now, &mut |variable, number, value| report(name, SeriesPart { number, ..of }, variable, value));
                }
                let of_tree = classes_of_tree(&plan.scheduler, &plan.classes);
                service.scheduler.probe(now, &mut |variable, part, value| {
                    let chooser = part.and_then(|class| of_tree.get(class as usize)).map_or(&plan.scheduler, |(scheduler, _)| scheduler);
                    let class =
                        part.map(
                            |class| if (class as usize) < of_tree.len() { SeriesClass::OfTree(class) } else { SeriesClass::Queue(class) },
                        );
                    report(named("scheduler", chooser.name()), SeriesPart { class, number: None }, variable, value);
                });
            }
        }
        let marker = self.arrival_marker.as_ref().or(self.departure_marker.as_ref());
        if let (Some(marker), Some(of_plan)) = (marker, &plan.marker) {
            let name = named("marker", of_plan.meter.name());
            marker.probe(now, &mut |variable, number, value| report(name, SeriesPart { class: None, number }, variable, value));
        }
        for (i, (meter, of_plan)) in self.pcn.iter().flat_map(|stage| stage.meters.iter().zip(&plan.pcn)).enumerate() {
            let name = named("pcn", of_plan.name());
            meter.probe(now, &mut |variable, _, value| report(name, one_of(plan.pcn.len(), i), variable, value));
        }
        let policers = self.policers.as_deref().map_or(&[][..], |Policers { policers, .. }| &policers[..]);
        for (i, (policer, of_plan)) in policers.iter().zip(&plan.policers).enumerate() {
            let name = named("policer", of_plan.name());
            policer.probe(now, &mut |variable, _, value| report(name, one_of(policers.len(), i), variable, value));
        }
        if let (Some(shaper), Some(of_plan)) = (self.wire.shaper(), &plan.shaper) {
            let name = named("shaper", of_plan.name());
            shaper.probe(now, &mut |variable, number, value| report(name, SeriesPart { class: None, number }, variable, value));
        }
        for (i, (impairment, of_plan)) in self.impairments.iter().zip(&plan.impairments).enumerate() {
            let name = named("impairment", of_plan.name());
            impairment.probe(now, &mut |variable, _, value| report(name, one_of(plan.impairments.len(), i), variable, value));
        }
    }
}

/// The `i`-th of so many alike.
fn one_of(count: usize, i: usize) -> SeriesPart {
    SeriesPart { class: None, number: (count > 1).then_some(i as u32) }
}
