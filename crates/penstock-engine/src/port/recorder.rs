//! Records of a port beyond its counters, on request: counts and waits by class, and its error terms for expedited traffic.

use crate::api::blueprint::{EfPlan, LinkWatch};
use crate::api::observations::{ClassCounters, EfErrors, LinkCounters, PortTimings};
use crate::kernel::journal::Measurement;
use crate::port::circuit_counts::CircuitCounts;
use crate::port::ingress_counts::IngressCounts;
use crate::port::observer::PortObserver;
use penstock_model::discipline::DropCause;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::units::{Bytes, Rate, Time};
use std::collections::VecDeque;

/// The records of a port.
#[derive(Clone, Debug)]
pub struct PortRecorder {
    measured: Measurement,
    /// By class; empty if classes are not recorded.
    classes: Vec<ClassCounters>,
    ingresses: Option<IngressCounts>,
    circuits: Option<CircuitCounts>,
    expedited: Vec<EfMeter>,
    /// For time series.
    observer: Option<Box<PortObserver>>,
}

impl PortRecorder {
    /// Creates the records that `plan` names for a port of `classes` classes, split by `ingresses` and `circuits` if given; also the state
    /// of the port if it `is_observed`.
    pub fn new(
        plan: &LinkWatch,
        classes: usize,
        measured: Measurement,
        (ingresses, circuits): (Option<IngressCounts>, Option<CircuitCounts>),
        is_observed: bool,
    ) -> Box<PortRecorder> {
        Box::new(PortRecorder {
            measured,
            classes: if plan.classes { vec![ClassCounters::default(); classes] } else { Vec::new() },
            ingresses,
            circuits,
            expedited: plan.expedited.iter().map(EfMeter::new).collect(),
            observer: is_observed.then(|| PortObserver::new(classes)),
        })
    }

    /// What follows the state of the port, if anything does.
    pub fn observer(&mut self) -> Option<&mut PortObserver> {
        self.observer.as_deref_mut()
    }

    /// When the state changes next, as far as that is known.
    pub fn next_change(&self) -> Time {
        self.observer.as_ref().map_or(Time::NEVER, |observer| observer.next())
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
        self.observer.iter_mut().for_each(|observer| observer.mark(now));
        if let Some(class) = self.classes.get_mut(usize::from(packet.class)) {
            class.counters.mark(packet.size);
        }
    }

    /// A packet is lost at `now`, in the measurement period.
    pub fn loss(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        self.observer.iter_mut().for_each(|observer| observer.loss(now));
        self.offers_of(packet).for_each(|counters| counters.loss(packet, cause));
    }

    /// A packet has been accepted at `now`.
    pub fn accepted(&mut self, now: Time, packet: &Packet) {
        self.offered(now, packet);
        self.observer.iter_mut().for_each(|observer| observer.accepted(now, packet));
        for meter in self.expedited.iter_mut().filter(|meter| meter.is_about(packet.class)) {
            meter.arrival(now, packet);
        }
    }

    /// A packet that has waited since `arrival` is dropped.
    pub fn queue_drop(&mut self, now: Time, arrival: Time, packet: &Packet) {
        self.observer.iter_mut().for_each(|observer| observer.queue_drop(now, packet));
        let measured = self.measured;
        self.waits_of(packet).for_each(|counters| counters.wait_without_service(&measured, arrival, now, packet.size));
        for meter in self.expedited.iter_mut().filter(|meter| meter.is_about(packet.class)) {
            meter.drop(arrival, packet, &self.measured);
        }
    }

    /// A packet that arrived at `arrival` is transmitted from `start` to `end`.
    pub fn transmission(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) {
        self.observer.iter_mut().for_each(|observer| observer.transmission(start, end, packet));
        let measured = self.measured;
        self.waits_of(packet).for_each(|counters| counters.transmission(&measured, arrival, start, end, packet.size));
        if let Some(class) = self.classes.get_mut(usize::from(packet.class)).filter(|_| measured.contains(start)) {
            class.waits.add(start.since(arrival));
        }
        for meter in self.expedited.iter_mut().filter(|meter| meter.is_about(packet.class)) {
            meter.departure(arrival, end, packet, &self.measured);
        }
    }

    /// A packet is still waiting when the run ends.
    pub fn unfinished(&mut self, arrival: Time, packet: &Packet) {
        let measured = self.measured;
        self.waits_of(packet).for_each(|counters| counters.unfinished(&measured, arrival, packet.size));
    }

    /// What has been recorded.
    pub fn into_timings(self) -> PortTimings {
        PortTimings {
            classes: self.classes,
            ingresses: self.ingresses.map_or(Vec::new(), |ingresses| ingresses.into_counters()),
            circuits: self.circuits.map_or(Vec::new(), |circuits| circuits.into_counters()),
            expedited: self.expedited.into_iter().map(|meter| meter.errors).collect(),
        }
    }
}

/// How far an aggregate lags behind a server of its configured rate [RFC3246 s2.2].
///
/// Only what leaves counts: the definition removes lost packets from the arrivals beforehand [RFC3246 s2.4], and what is
/// dropped from the queue is removed then. An aggregate of several classes, or of flows with queues of their own, may not leave
/// in its order of arrival, and then its two errors differ.
#[derive(Clone, Debug)]
struct EfMeter {
    /// By class, whether it belongs to the aggregate.
    members: Vec<bool>,
    rate: Rate,
    /// When the packets arrived whose turn among the departures is not yet taken.
    arrivals: VecDeque<Time>,
    /// Packets in their order of arrival, from the first that has not left.
    packets: VecDeque<Expedited>,
    by_rank: Recursion,
    by_packet: Recursion,
    errors: EfErrors,
}

#[derive(Clone, Copy, Debug)]
struct Expedited {
    arrival: Time,
    flow: FlowId,
    class: u8,
    size: u32,
    left: Option<Time>,
}

impl Expedited {
    /// Whether it is `packet`, of which a flow may have sent several to arrive at once; these leave in order.
    fn is(&self, arrival: Time, packet: &Packet) -> bool {
        self.arrival == arrival && self.flow == packet.flow && self.class == packet.class && self.left.is_none()
    }
}

impl EfMeter {
    fn new(plan: &EfPlan) -> EfMeter {
        let mut members = vec![false; 256];
        plan.classes.iter().for_each(|class| members[usize::from(*class)] = true);
        EfMeter {
            members,
            rate: plan.rate,
            arrivals: VecDeque::new(),
            packets: VecDeque::new(),
            by_rank: Recursion::default(),
            by_packet: Recursion::default(),
            errors: EfErrors::default(),
        }
    }

    fn is_about(&self, class: u8) -> bool {
        self.members[usize::from(class)]
    }

    fn arrival(&mut self, now: Time, packet: &Packet) {
        self.arrivals.push_back(now);
        self.packets.push_back(Expedited { arrival: now, flow: packet.flow, class: packet.class, size: packet.size, left: None });
    }

    /// A packet that arrived at `arrival` will not leave.
    fn drop(&mut self, arrival: Time, packet: &Packet, measured: &Measurement) {
        // Where a later arrival has left before, its departure took the turn of this one.
        let rank = self.arrivals.iter().position(|other| *other == arrival).unwrap_or(0);
        self.arrivals.remove(rank);
        let position = self.packets.iter().position(|other| other.is(arrival, packet)).expect("what is dropped has not left");
        self.packets.remove(position);
        self.settle_departures(measured);
    }

    /// A packet that arrived at `arrival` leaves at `end`.
    fn departure(&mut self, arrival: Time, end: Time, packet: &Packet, measured: &Measurement) {
        let oldest = self.arrivals.pop_front().expect("as many arrivals as departures");
        let error = self.by_rank.step(oldest, end, self.rate, packet.size);
        if measured.contains(end) {
            self.errors.aggregate_ps = self.errors.aggregate_ps.max(Some(error));
        }
        let leaving = self.packets.iter_mut().find(|other| other.is(arrival, packet));
        leaving.expect("what leaves has arrived").left = Some(end);
        self.settle_departures(measured);
    }

    /// Compares the departures of the oldest packets with their targets, as far as these are known.
    fn settle_departures(&mut self, measured: &Measurement) {
        while let Some(Expedited { arrival, size, left: Some(left), .. }) = self.packets.front().copied() {
            self.packets.pop_front();
            let error = self.by_packet.step(arrival, left, self.rate, size);
            if measured.contains(left) {
                self.errors.packet_ps = self.errors.packet_ps.max(Some(error));
            }
        }
    }
}

/// F_j = max(a_j, min(d_(j-1), F_(j-1))) + l_j / R, all zero at first [RFC3246 s2.2].
#[derive(Clone, Copy, Debug, Default)]
struct Recursion {
    target: Time,
    departure: Time,
}

impl Recursion {
    /// The next packet in order: by how many picoseconds it leaves after its target time.
    fn step(&mut self, arrival: Time, departure: Time, rate: Rate, size: u32) -> i64 {
        self.target = arrival.max(self.departure.min(self.target)) + rate.transmission_time(Bytes::new(u64::from(size)));
        self.departure = departure;
        // Times of a run end long before 2^63 ps but for the departure that never is.
        departure.as_ps().min(i64::MAX as u64) as i64 - self.target.as_ps().min(i64::MAX as u64) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::event::Arrival;
    use penstock_model::id::FlowId;
    use penstock_model::units::Duration;

    /// 8 Mbit/s send a byte in 1 us. By hand: F = 1 ms, then max(0.5, min(3, 1)) + 1 = 2 ms, then max(9, min(4, 2)) + 1 = 10 ms,
    /// then max(9.5, min(9.2, 10)) + 1 = 10.5 ms.
    #[test]
    fn targets_follow_from_the_earlier_of_departure_and_target() {
        let at = |us: u64| Time::ZERO + Duration::from_us(us);
        let mut recursion = Recursion::default();
        let mut error = |arrival, departure| recursion.step(at(arrival), at(departure), Rate::from_bps(8_000_000), 1000) / 1_000_000;
        assert_eq!(error(0, 3000), 2000);
        assert_eq!(error(500, 4000), 2000);
        assert_eq!(error(9000, 9200), -800);
        assert_eq!(error(9500, 9900), -600);
    }

    /// Two packets of 1000 bytes at 8 Mbit/s. The second leaves first, at 3 ms; what it departs from is known once the first, due at
    /// 1 ms, is dropped: by hand 3 - 1 = 2 ms.
    #[test]
    fn a_departure_counts_once_what_is_older_is_dropped() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut meter = EfMeter::new(&EfPlan { classes: vec![0], rate: Rate::from_bps(8_000_000) });
        let measured = Measurement { from: Time::ZERO, to: at(100) };
        let [first, second] = [FlowId(0), FlowId(1)].map(|flow| Packet { size: 1000, class: 0, flow, ..Arrival::PLACEHOLDER.packet });
        [&first, &second].into_iter().for_each(|packet| meter.arrival(at(0), packet));
        meter.departure(at(0), at(3), &second, &measured);
        assert_eq!(meter.errors.packet_ps, None);
        meter.drop(at(0), &first, &measured);
        assert_eq!(meter.errors.packet_ps, Some(2_000_000_000));
    }

    /// The second of two packets, which arrived at 1 ms, is dropped: the first, of 0 ms, leaves at 3 ms, 2 ms after its target.
    #[test]
    fn a_drop_takes_the_turn_of_its_own_arrival() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut meter = EfMeter::new(&EfPlan { classes: vec![0], rate: Rate::from_bps(8_000_000) });
        let measured = Measurement { from: Time::ZERO, to: at(100) };
        let [first, second] = [FlowId(0), FlowId(1)].map(|flow| Packet { size: 1000, class: 0, flow, ..Arrival::PLACEHOLDER.packet });
        meter.arrival(at(0), &first);
        meter.arrival(at(1), &second);
        meter.drop(at(1), &second, &measured);
        meter.departure(at(0), at(3), &first, &measured);
        assert_eq!(meter.errors.aggregate_ps, Some(2_000_000_000));
    }
}
