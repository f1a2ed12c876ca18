//! Records of a port beyond its counters, on request: counts and waits by class, and its error terms for expedited traffic.

use crate::api::blueprint::LinkWatch;
use crate::api::observations::{CircuitId, ClassCounters, LinkCounters, PortTimings};
use crate::kernel::journal::Measurement;
use crate::port::observer::{Change, PortObserver};
use crate::port::split_counts::SplitCounts;
use penstock_model::discipline::DropCause;
use penstock_model::id::LinkId;
use penstock_model::packet::Packet;
use penstock_model::stats::expedited::EfMeter;
use penstock_model::units::Time;

/// The records of a port.
#[derive(Clone, Debug)]
pub struct PortRecorder {
    measured: Measurement,
    /// By class; empty if classes are not recorded.
    classes: Vec<ClassCounters>,
    ingresses: Option<SplitCounts<Option<LinkId>>>,
    circuits: Option<SplitCounts<CircuitId>>,
    expedited: Vec<EfMeter>,
    /// For time series.
    pub observer: Option<Box<PortObserver>>,
}

impl PortRecorder {
    /// Creates the records that `plan` names for a port of `classes` classes, split by `ingresses` and `circuits` if given; also the state
    /// of the port if it `is_observed`.
    pub fn new(
        plan: &LinkWatch,
        classes: usize,
        measured: Measurement,
        (ingresses, circuits): (Option<SplitCounts<Option<LinkId>>>, Option<SplitCounts<CircuitId>>),
        is_observed: bool,
    ) -> Box<PortRecorder> {
        Box::new(PortRecorder {
            measured,
            classes: if plan.classes { vec![ClassCounters::default(); classes] } else { Vec::new() },
            ingresses,
            circuits,
            expedited: plan.expedited.iter().map(|plan| EfMeter::new(&plan.classes, plan.rate)).collect(),
            observer: is_observed.then(|| PortObserver::new(classes)),
        })
    }

    /// The counters of the class and the circuit of `packet`, as far as they are recorded.
    fn waits_of(&mut self, packet: &Packet) -> impl Iterator<Item = &mut LinkCounters> {
        let class = self.classes.get_mut(usize::from(packet.class)).map(|class| &mut class.counters);
        class.into_iter().chain(self.circuits.as_mut().map(|circuits| circuits.of(packet)))
    }

    /// The counters of the class and the ingress of `packet`, as far as they are recorded.
    fn offers_of(&mut self, packet: &Packet) -> impl Iterator<Item = &mut LinkCounters> {
        let class = self.classes.get_mut(usize::from(packet.class)).map(|class| &mut class.counters);
        class.into_iter().chain(self.ingresses.as_mut().map(|ingresses| ingresses.of(packet)))
    }

    /// A packet is offered at `now`; what is accepted is so too.
    pub fn offered(&mut self, now: Time, packet: &Packet) {
        if self.measured.is_open(now) {
            self.offers_of(packet).for_each(|counters| counters.arrival(packet.size, packet.precedence));
        }
    }

    /// A packet is marked at `now`, in the measurement period.
    pub fn mark(&mut self, now: Time, packet: &Packet) {
        self.observer.iter_mut().for_each(|observer| observer.note(now, Change::Mark));
        if let Some(class) = self.classes.get_mut(usize::from(packet.class)) {
            class.counters.mark(packet.size);
        }
    }

    /// A packet is lost at `now`, in the measurement period.
    pub fn loss(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        self.observer.iter_mut().for_each(|observer| observer.note(now, Change::Drop));
        self.offers_of(packet).for_each(|counters| counters.loss(packet, cause));
    }

    /// A packet has been accepted at `now`.
    pub fn accepted(&mut self, now: Time, packet: &Packet) {
        self.offered(now, packet);
        self.observer.iter_mut().for_each(|observer| observer.accepted(now, packet));
        self.expedited.iter_mut().for_each(|meter| meter.arrival(now, packet));
    }

    /// A packet that has waited since `arrival` is dropped.
    pub fn queue_drop(&mut self, now: Time, arrival: Time, packet: &Packet) {
        let left = Change::Leave { class: packet.class, size: packet.size, begins: false };
        self.observer.iter_mut().for_each(|observer| observer.note(now, left));
        let measured = self.measured;
        self.waits_of(packet).for_each(|counters| counters.wait_without_service(&measured, arrival, now, packet.size));
        self.expedited.iter_mut().for_each(|meter| meter.drop(arrival, packet, |at| measured.contains(at)));
    }

    /// A packet that arrived at `arrival` is transmitted from `start` to `end`.
    pub fn transmission(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) {
        self.observer.iter_mut().for_each(|observer| observer.transmission(start, end, packet));
        let measured = self.measured;
        self.waits_of(packet).for_each(|counters| counters.transmission(&measured, arrival, start, end, packet.size));
        if let Some(class) = self.classes.get_mut(usize::from(packet.class)).filter(|_| measured.contains(start)) {
            class.waits.add(start.since(arrival));
        }
        self.expedited.iter_mut().for_each(|meter| meter.departure(arrival, end, packet, |at| measured.contains(at)));
    }

    /// A packet is still waiting when the run ends.
    pub fn unfinished(&mut self, arrival: Time, packet: &Packet) {
        let measured = self.measured;
        self.waits_of(packet).for_each(|counters| counters.wait_without_service(&measured, arrival, Time::NEVER, packet.size));
    }

    /// What has been recorded.
    pub fn into_timings(self) -> PortTimings {
        PortTimings {
            classes: self.classes,
            ingresses: self.ingresses.map_or(Vec::new(), |ingresses| ingresses.counted.into_iter().collect()),
            circuits: self.circuits.map_or(Vec::new(), |circuits| circuits.counted.into_iter().collect()),
            expedited: self.expedited.into_iter().map(|meter| meter.errors()).collect(),
        }
    }
}
