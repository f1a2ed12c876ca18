//! Optional records of a port beyond its counters: counts and waits by class, and error terms for expedited traffic.

use crate::api::blueprint::LinkWatch;
use crate::api::observations::{LinkCounters, PortTimings, TrafficPart};
use crate::kernel::journal::Measurement;
use crate::port::observer::{Change, PortObserver};
use crate::port::traffic_split::TrafficSplit;
use penstock_model::discipline::DropCause;
use penstock_model::packet::Packet;
use penstock_model::stats::distribution::Distribution;
use penstock_model::stats::expedited::EfMeter;
use penstock_model::units::Time;

/// The records of a port.
#[derive(Clone, Debug)]
pub struct PortRecorder {
    measured: Measurement,
    splits: Vec<TrafficSplit>,
    timings: PortTimings,
    expedited: Vec<EfMeter>,
    /// State of the port for time series, if it is observed.
    pub observer: Option<Box<PortObserver>>,
}

impl PortRecorder {
    /// Creates the records that `plan` requests for a port of `classes` classes, and counts for the parts of `splits`. Follows the state of
    /// the port if it `is_observed`.
    pub fn new(plan: &LinkWatch, classes: usize, measured: Measurement, splits: Vec<TrafficSplit>, is_observed: bool) -> Box<PortRecorder> {
        let recorded = if plan.classes { classes } else { 0 };
        let of_classes = (0..recorded).map(|class| TrafficPart::Class(class as u8));
        let parts = splits.iter().flat_map(|split| split.parts.iter().copied()).chain(of_classes);
        Box::new(PortRecorder {
            measured,
            timings: PortTimings {
                parts: parts.map(|part| (part, LinkCounters::default())).collect(),
                waits: vec![Distribution::default(); recorded],
                expedited: Vec::new(),
            },
            splits,
            expedited: plan.expedited.iter().map(|plan| EfMeter::new(&plan.classes, plan.rate)).collect(),
            observer: is_observed.then(|| PortObserver::new(classes)),
        })
    }

    /// Applies `count` to the counters of every part to which `packet` belongs.
    fn count(&mut self, packet: &Packet, count: impl Fn(&mut LinkCounters)) {
        let of_splits = self.splits.iter().map(|split| split.part_of(packet));
        for part in of_splits.chain([TrafficPart::Class(packet.class)]) {
            self.timings.parts.get_mut(&part).into_iter().for_each(&count);
        }
    }

    /// Counts a packet offered at `now`, whether it is accepted or dropped.
    pub fn offered(&mut self, now: Time, packet: &Packet) {
        if self.measured.is_open(now) {
            self.count(packet, |counters| counters.arrival(packet.size, packet.precedence));
        }
    }

    /// Counts a packet marked at `now`, in the measurement period.
    pub fn mark(&mut self, now: Time, packet: &Packet) {
        self.observer.iter_mut().for_each(|observer| observer.note(now, Change::Mark));
        self.count(packet, |counters| counters.mark(packet.size));
    }

    /// Counts a packet lost at `now`, in the measurement period.
    pub fn loss(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        self.observer.iter_mut().for_each(|observer| observer.note(now, Change::Drop));
        self.count(packet, |counters| counters.loss(packet, cause));
    }

    /// Records a packet accepted at `now`.
    pub fn accepted(&mut self, now: Time, packet: &Packet) {
        self.offered(now, packet);
        self.observer.iter_mut().for_each(|observer| observer.accepted(now, packet));
        self.expedited.iter_mut().for_each(|meter| meter.arrival(now, packet));
    }

    /// Records the drop at `now` of a packet that has waited since `arrival`.
    pub fn queue_drop(&mut self, now: Time, arrival: Time, packet: &Packet) {
        let left = Change::Leave { class: packet.class, size: packet.size, begins: false };
        self.observer.iter_mut().for_each(|observer| observer.note(now, left));
        let measured = self.measured;
        self.count(packet, |counters| counters.wait_without_service(&measured, arrival, now, packet.size));
        self.expedited.iter_mut().for_each(|meter| meter.drop(arrival, packet, |at| measured.contains(at)));
    }

    /// Records the transmission from `start` to `end` of a packet that arrived at `arrival`.
    pub fn transmission(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) {
        self.observer.iter_mut().for_each(|observer| observer.transmission(start, end, packet));
        let measured = self.measured;
        self.count(packet, |counters| counters.transmission(&measured, arrival, start, end, packet.size));
        if let Some(waits) = self.timings.waits.get_mut(usize::from(packet.class)).filter(|_| measured.contains(start)) {
            waits.add(start.since(arrival));
        }
        self.expedited.iter_mut().for_each(|meter| meter.departure(arrival, end, packet, |at| measured.contains(at)));
    }

    /// Counts the wait of a packet that is still waiting when the run ends.
    pub fn unfinished(&mut self, arrival: Time, packet: &Packet) {
        let measured = self.measured;
        self.count(packet, |counters| counters.wait_without_service(&measured, arrival, Time::NEVER, packet.size));
    }

    /// Returns the records.
    pub fn into_timings(self) -> PortTimings {
        PortTimings { expedited: self.expedited.into_iter().map(|meter| meter.errors()).collect(), ..self.timings }
    }
}
