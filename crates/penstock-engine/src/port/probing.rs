//! Readings of the state variables of a port and its components.

use crate::api::blueprint::PortPlan;
use crate::api::series::{ComponentName, SeriesClass, SeriesPart};
use crate::port::observer::{PortObserver, PortState};
use crate::port::stages::Policers;
use crate::port::{Port, Queueing};
use penstock_model::probe::{Probe, Variable};
use penstock_model::scheduler::class::classes_of_tree;
use penstock_model::units::Time;

/// Reading of a variable: its component, name and part; the variable; and its value.
pub type Reading = ((ComponentName, &'static str, SeriesPart), &'static Variable, f64);

/// Reads the wanted variables of ports, ends of flows, switches and their components at an instant.
pub struct StateReader<'a> {
    /// The instant of the reading.
    pub now: Time,
    /// Names of the wanted variables, each with its component; `None` means all components that have the variable.
    pub what: &'a [(Option<ComponentName>, &'static str)],
    /// The values read so far.
    pub values: Vec<Reading>,
}

impl StateReader<'_> {
    /// Reads the state of a component, or of this part of it; the component may number further parts.
    pub fn read(&mut self, kind: &'static str, name: &'static str, part: SeriesPart, of: &(impl Probe + ?Sized)) {
        let component = ComponentName { kind, name };
        of.probe(self.now, &mut |variable, number, value| {
            self.add(component, SeriesPart { number: part.number.or(number), ..part }, variable, value);
        });
    }

    fn add(&mut self, component: ComponentName, part: SeriesPart, variable: &'static Variable, value: f64) {
        let is_wanted = |(of, name): &(Option<ComponentName>, &str)| *name == variable.name && of.is_none_or(|of| of == component);
        if !value.is_nan() && self.what.iter().any(is_wanted) {
            self.values.push(((component, variable.name, part), variable, value));
        }
    }
}

/// A port's state at an instant and at the previous reading.
pub struct PortProbe<'a> {
    /// The state at this instant.
    pub state: &'a PortState,
    /// Seconds since the previous reading, and the state at that time; `None` if there was no reading.
    pub before: Option<(f64, &'a PortState)>,
}

/// The state variables of every port.
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
        /// Share of the time since the previous reading for which the wire was busy; only at intervals.
        "utilisation", "1", maybe it.per_second(|state| state.busy_ps).map(|busy| busy / 1e12);
        /// Rate of what was sent completely since the previous reading; only at intervals.
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
    /// Reads its state after all events at this instant, with rates since the reading `before`; returns the state. Panics if the port is
    /// not observed.
    pub fn read_state(&mut self, before: Option<&(Time, PortState)>, reader: &mut StateReader<'_>) -> PortState {
        let now = reader.now;
        let state = self.observer().expect("the port is observed").state_at(now);
        let before = before.map(|(time, before)| (now.since(*time).as_seconds(), before));
        let port = ComponentName { kind: "port", name: "" };
        PortProbe { state, before }.probe(now, &mut |variable, class, value| {
            reader.add(port, SeriesPart { class: class.map(SeriesClass::Traffic), number: None }, variable, value);
        });
        state.clone()
    }

    /// Number of changes of its state up to and including `now`; `None` if the port is not observed.
    pub fn changes(&mut self, now: Time) -> Option<u64> {
        self.observer().map(|observer| observer.state_at(now).changes)
    }

    fn observer(&mut self) -> Option<&mut PortObserver> {
        self.counters.recorder.as_mut()?.observer.as_deref_mut()
    }

    /// Time of the next known change of its state; never if none is known or the port is not observed.
    pub fn next_change(&self) -> Time {
        let recorder = self.counters.recorder.as_ref();
        recorder.and_then(|recorder| recorder.observer.as_ref()).map_or(Time::NEVER, |observer| observer.next())
    }

    /// Reports the states of its meters at `now`: index of the meter, with the marker first; variable; value. The variables that a marker
    /// has for each circuit are left out.
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

    /// Reads the state of each component of the port, under the names that `plan` gives them.
    pub fn read_components(&self, plan: &PortPlan, reader: &mut StateReader<'_>) {
        let of_queue = |i: usize| plan.queues[i.min(plan.queues.len() - 1)].discipline.name();
        match &self.queueing {
            Queueing::TailDropFifo(_) => {}
            Queueing::Precomputed(queue) => reader.read("queue", of_queue(0), SeriesPart::WHOLE, &queue.discipline),
            Queueing::EventDriven(service) => {
                let queues = &service.queues.queues;
                for (i, queue) in (0..).zip(queues) {
                    let part = if queues.len() == 1 { SeriesPart::WHOLE } else { SeriesPart::of(SeriesClass::Queue(i)) };
                    reader.read("queue", of_queue(i as usize), part, &queue.discipline);
                }
                let of_tree = classes_of_tree(&plan.scheduler, &plan.classes);
                service.scheduler.probe(reader.now, &mut |variable, part, value| {
                    let in_tree = part.and_then(|class| of_tree.get(class as usize));
                    let name = in_tree.map_or(&plan.scheduler, |(scheduler, _)| scheduler).name();
                    let class = part.map(|class| if in_tree.is_some() { SeriesClass::OfTree(class) } else { SeriesClass::Queue(class) });
                    reader.add(ComponentName { kind: "scheduler", name }, SeriesPart { class, number: None }, variable, value);
                });
            }
        }
        let marker = self.arrival_marker.as_ref().or(self.departure_marker.as_ref());
        if let (Some(marker), Some(of_plan)) = (marker, &plan.marker) {
            reader.read("marker", of_plan.meter.name(), SeriesPart::WHOLE, &**marker);
        }
        for (i, (meter, of_plan)) in self.pcn.iter().flat_map(|stage| stage.meters.iter().zip(&plan.pcn)).enumerate() {
            reader.read("pcn", of_plan.name(), one_of(plan.pcn.len(), i), meter);
        }
        let policers = self.policers.as_deref().map_or(&[][..], |Policers { policers, .. }| &policers[..]);
        for (i, (policer, of_plan)) in policers.iter().zip(&plan.policers).enumerate() {
            reader.read("policer", of_plan.name(), one_of(policers.len(), i), policer);
        }
        if let (Some(shaper), Some(of_plan)) = (self.wire.shaper(), &plan.shaper) {
            reader.read("shaper", of_plan.name(), SeriesPart::WHOLE, shaper);
        }
        for (i, (impairment, of_plan)) in self.impairments.iter().zip(&plan.impairments).enumerate() {
            reader.read("impairment", of_plan.name(), one_of(plan.impairments.len(), i), impairment);
        }
    }
}

/// The part for the `i`-th of `count` components of the same kind; a single one has no number.
fn one_of(count: usize, i: usize) -> SeriesPart {
    SeriesPart { class: None, number: (count > 1).then_some(i as u32) }
}
