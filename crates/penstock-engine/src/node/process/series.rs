//! Time series and samples of a process: the state to be read, the times of readings, and the values.

use crate::api::blueprint::PortPlan;
use crate::api::observations::{FlowCounters, MeterSamples, Observations};
use crate::api::series::{ComponentName, Sampling, SeriesPart, SeriesPlan, SeriesRow};
use crate::node::host::state::HostEnd;
use crate::node::host::Host;
use crate::node::shared_state::Switch;
use crate::port::observer::PortState;
use crate::port::probing::{Reading, StateReader};
use crate::port::Port;
use penstock_model::id::FlowId;
use penstock_model::units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The series of a process.
#[derive(Clone, Default)]
pub struct Observers(Vec<Observer>);

/// Observation of one subject.
#[derive(Clone)]
struct Observer {
    plan: SeriesPlan,
    /// Index of the plan in the blueprint.
    number: u32,
    observed: Observed,
    /// Time of the next reading that takes place even if nothing has changed.
    next: Time,
    last: BTreeMap<(ComponentName, &'static str, SeriesPart), f64>,
    /// The last instant of a reading, and its values; a later reading at the same instant replaces them.
    current: Option<(Time, Vec<Reading>)>,
    rows: Vec<SeriesRow>,
}

/// A subject at a process; `before` has the time and the state of the previous reading.
#[derive(Clone)]
pub enum Observed {
    /// The port with this index, whose components this plan names.
    Port { port: u32, plan: Arc<PortPlan>, before: Option<Box<(Time, PortState)>> },
    /// An end of a flow.
    End { end: HostEnd, flow: FlowId, before: Option<(Time, FlowCounters)> },
    /// The components that the ports share.
    Shared,
    /// The number of packets that wait at a port, and its values so far.
    Queue { port: u32, lengths: Vec<u32> },
    /// The meters of a port, and their states so far.
    Meters { port: u32, samples: Vec<MeterSamples> },
}

/// Appends the current states of a port's meters to `samples`.
fn sample_meters(now: Time, port: &Port, samples: &mut Vec<MeterSamples>) {
    let mut i = 0;
    port.probe_meters(now, &mut |meter, variable, value| {
        if samples.len() == i {
            samples.push(MeterSamples { meter, variable: variable.name, unit: variable.unit, values: Vec::new() });
        }
        samples[i].values.push(value);
        i += 1;
    });
}

impl Observers {
    /// Adds a subject, to be observed according to the plan with index `number`.
    pub(super) fn add(&mut self, observed: Observed, plan: &SeriesPlan, number: u32) {
        let next = if plan.sampling == Sampling::OnRequest { Time::NEVER } else { plan.from };
        let (plan, last) = (plan.clone(), BTreeMap::new());
        self.0.push(Observer { plan, number, observed, next, last, current: None, rows: Vec::new() });
    }

    /// Whether nothing is observed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any subject is read on each change.
    pub(super) fn follow_changes(&self) -> bool {
        self.0.iter().any(|observer| observer.plan.sampling == Sampling::OnChange)
    }

    /// Time of the next reading that takes place even if nothing has changed.
    pub(super) fn next(&self) -> Time {
        self.0.iter().map(|observer| observer.next).min().unwrap_or(Time::NEVER)
    }

    /// Time of the next known change of a port that is read on each change.
    pub(super) fn next_change(&self, ports: &[Port]) -> Time {
        let known = |Observer { plan, observed, .. }: &Observer| match observed {
            Observed::Port { port, .. } if plan.sampling == Sampling::OnChange => {
                Some(ports[*port as usize].next_change().max(plan.from)).filter(|next| *next <= plan.until)
            }
            _ => None,
        };
        self.0.iter().filter_map(known).min().unwrap_or(Time::NEVER)
    }

    /// Takes the readings that are due at `now`, after all other events at that instant.
    pub(super) fn read(&mut self, now: Time, ports: &mut [Port], host: Option<&Host>, switch: Option<&Switch>) {
        for observer in &mut self.0 {
            observer.read_if_due(now, ports, host, switch);
        }
    }

    /// Reads the series on request at `now` into `rows`, after all events.
    pub(super) fn read_requested(
        &mut self,
        now: Time,
        ports: &mut [Port],
        host: Option<&Host>,
        switch: Option<&Switch>,
        rows: &mut Vec<SeriesRow>,
    ) {
        for observer in self.0.iter_mut().filter(|observer| observer.plan.sampling == Sampling::OnRequest) {
            let values = observer.values(now, ports, host, switch).unwrap_or_default();
            rows.extend(values.into_iter().map(|reading| observer.row(now, reading)));
        }
    }

    /// Moves the rows up to and including `until`, which must be final, to the end of `rows`.
    pub fn take_rows(&mut self, until: Time, rows: &mut Vec<SeriesRow>) {
        for observer in &mut self.0 {
            if observer.current.as_ref().is_some_and(|(time, _)| *time <= until) {
                observer.settle();
            }
            let ready = observer.rows.partition_point(|row| row.time <= until);
            rows.extend(observer.rows.drain(..ready));
        }
    }

    /// Writes the samples to the results of their plans.
    pub(super) fn report(self, observations: &mut Observations) {
        for Observer { number, observed, .. } in self.0 {
            match observed {
                Observed::Queue { lengths, .. } => observations.samples[number as usize] = lengths,
                Observed::Meters { samples, .. } => observations.meter_samples[number as usize] = samples,
                Observed::Port { .. } | Observed::End { .. } | Observed::Shared => {}
            }
        }
    }
}

impl Observer {
    fn read_if_due(&mut self, now: Time, ports: &mut [Port], host: Option<&Host>, switch: Option<&Switch>) {
        match self.plan.sampling {
            Sampling::OnRequest => return,
            _ if now > self.plan.until => {
                self.next = Time::NEVER;
                return;
            }
            Sampling::Every(_) if self.next > now => return,
            Sampling::OnChange if now < self.plan.from => return,
            Sampling::Every(every) => self.next = Some(self.next + every).filter(|next| *next <= self.plan.until).unwrap_or(Time::NEVER),
            Sampling::OnChange => self.next = Time::NEVER,
        }
        // A later reading at the same instant replaces the earlier one.
        if self.current.as_ref().is_some_and(|(time, _)| *time < now) {
            self.settle();
        }
        if let Some(values) = self.values(now, ports, host, switch) {
            self.current = Some((now, values));
        }
    }

    /// Reads the values at `now`. Returns `None` if only changes matter and nothing has changed, or if the values are kept as samples.
    fn values(&mut self, now: Time, ports: &mut [Port], host: Option<&Host>, switch: Option<&Switch>) -> Option<Vec<Reading>> {
        let on_change = self.plan.sampling == Sampling::OnChange;
        let reader = &mut StateReader { now, what: &self.plan.what, values: Vec::new() };
        match &mut self.observed {
            Observed::Port { port: index, plan, before } => {
                let port = &mut ports[*index as usize];
                let is_same = before.as_ref().is_some_and(|before| Some(before.1.changes) == port.changes(now));
                if on_change && is_same && !switch.is_some_and(Switch::shows_ports) {
                    return None;
                }
                *before = Some(Box::new((now, port.read_state(before.as_deref().filter(|_| !on_change), reader))));
                port.read_components(plan, reader);
                switch.into_iter().for_each(|switch| switch.read_port(*index, reader));
            }
            Observed::End { end, flow, before } => {
                let host = host.expect("flows end at hosts");
                *before = Some((now, host.read_end(*end, before.filter(|_| !on_change), reader)));
                switch.into_iter().filter(|_| !end.receives).for_each(|switch| switch.read_flow(*flow, reader));
            }
            Observed::Shared => switch.expect("nodes share by being switches").read(reader),
            Observed::Queue { port, lengths } => {
                lengths.push(ports[*port as usize].waiting(now));
                return None;
            }
            Observed::Meters { port, samples } => {
                sample_meters(now, &ports[*port as usize], samples);
                return None;
            }
        }
        Some(std::mem::take(&mut reader.values))
    }

    fn row(&self, time: Time, ((component, _, part), variable, value): Reading) -> SeriesRow {
        SeriesRow { time, plan: self.number, component, part, variable, value }
    }

    /// Converts the values of the last instant, which are final, into rows. A series that is read on change gets only values that differ.
    fn settle(&mut self) {
        let Some((time, values)) = self.current.take() else { return };
        for (key, variable, value) in values {
            if self.plan.sampling == Sampling::OnChange && self.last.insert(key, value) == Some(value) {
                continue;
            }
            self.rows.push(self.row(time, (key, variable, value)));
        }
    }
}
