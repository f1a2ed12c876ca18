//! Error terms of expedited forwarding: the lateness of the service of an aggregate.

use crate::id::FlowId;
use crate::packet::Packet;
use crate::units::{Bytes, Rate, Time};
use std::collections::VecDeque;

/// Worst-case lateness of the packets of an aggregate; negative if all were early, `None` without packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EfErrors {
    /// Lateness with the j-th departure compared with the j-th arrival (E_a) [RFC3246 s2.2, equations 1 and 2].
    pub aggregate_ps: Option<i64>,
    /// Lateness with the departure of each packet itself (E_p) [RFC3246 s2.2, equations 3 and 4].
    pub packet_ps: Option<i64>,
}

/// Measures how far an aggregate lags behind a server of its configured rate [RFC3246 s2.2].
///
/// Only packets that leave count. The definition removes lost packets from the arrivals beforehand [RFC3246 s2.4]; packets dropped from the
/// queue are removed here when they are dropped. An aggregate of several classes, or of flows with separate queues, may not leave in its
/// order of arrival; then its two errors differ.
#[derive(Clone, Debug)]
pub struct EfMeter {
    /// For each class, whether it belongs to the aggregate.
    members: Vec<bool>,
    rate: Rate,
    /// Arrival times that no departure has been compared with yet.
    arrivals: VecDeque<Time>,
    /// Packets in order of arrival, starting with the first that has not left.
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
    /// Whether this entry is `packet`. Several packets of a flow may arrive at once; they leave in order.
    fn is(&self, arrival: Time, packet: &Packet) -> bool {
        self.arrival == arrival && self.flow == packet.flow && self.class == packet.class && self.left.is_none()
    }
}

impl EfMeter {
    /// Meter of an aggregate of these classes, before any arrival.
    pub fn new(classes: &[u8], rate: Rate) -> EfMeter {
        let mut members = vec![false; 256];
        classes.iter().for_each(|class| members[usize::from(*class)] = true);
        EfMeter {
            members,
            rate,
            arrivals: VecDeque::new(),
            packets: VecDeque::new(),
            by_rank: Recursion::default(),
            by_packet: Recursion::default(),
            errors: EfErrors::default(),
        }
    }

    /// Records a packet that is accepted at `now`. This method and those below ignore packets outside of the aggregate.
    pub fn arrival(&mut self, now: Time, packet: &Packet) {
        if !self.members[usize::from(packet.class)] {
            return;
        }
        self.arrivals.push_back(now);
        self.packets.push_back(Expedited { arrival: now, flow: packet.flow, class: packet.class, size: packet.size, left: None });
    }

    /// Records that a packet that arrived at `arrival` will not leave. Errors count at instants for which `counts` is true.
    pub fn drop(&mut self, arrival: Time, packet: &Packet, counts: impl Fn(Time) -> bool) {
        if !self.members[usize::from(packet.class)] {
            return;
        }
        // If a later arrival has already left, its departure was compared with this one.
        let rank = self.arrivals.iter().position(|other| *other == arrival).unwrap_or(0);
        self.arrivals.remove(rank);
        let position = self.packets.iter().position(|other| other.is(arrival, packet)).expect("a dropped packet has not left");
        self.packets.remove(position);
        self.settle_departures(counts);
    }

    /// Records that a packet that arrived at `arrival` leaves at `end`. Errors count at instants for which `counts` is true.
    pub fn departure(&mut self, arrival: Time, end: Time, packet: &Packet, counts: impl Fn(Time) -> bool) {
        if !self.members[usize::from(packet.class)] {
            return;
        }
        let oldest = self.arrivals.pop_front().expect("as many arrivals as departures");
        let error = self.by_rank.step(oldest, end, self.rate, packet.size);
        if counts(end) {
            self.errors.aggregate_ps = self.errors.aggregate_ps.max(Some(error));
        }
        let leaving = self.packets.iter_mut().find(|other| other.is(arrival, packet));
        leaving.expect("what leaves has arrived").left = Some(end);
        self.settle_departures(counts);
    }

    /// Error terms so far.
    pub fn errors(&self) -> EfErrors {
        self.errors
    }

    /// Compares the departures of the oldest packets with their targets, as far as these are known.
    fn settle_departures(&mut self, counts: impl Fn(Time) -> bool) {
        while let Some(Expedited { arrival, size, left: Some(left), .. }) = self.packets.front().copied() {
            self.packets.pop_front();
            let error = self.by_packet.step(arrival, left, self.rate, size);
            if counts(left) {
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
    /// Advances to the next packet in order. Returns the picoseconds by which it leaves after its target time.
    fn step(&mut self, arrival: Time, departure: Time, rate: Rate, size: u32) -> i64 {
        self.target = arrival.max(self.departure.min(self.target)) + rate.transmission_time(Bytes::new(u64::from(size)));
        self.departure = departure;
        // Times of a run are far below 2^63 ps, except a departure that never happens.
        departure.as_ps().min(i64::MAX as u64) as i64 - self.target.as_ps().min(i64::MAX as u64) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::units::Duration;

    /// 8 Mbit/s send a byte in 1 us. By hand: F = 1 ms, then max(0.5, min(3, 1)) + 1 = 2 ms, then max(9, min(4, 2)) + 1 = 10 ms, then
    /// max(9.5, min(9.2, 10)) + 1 = 10.5 ms.
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

    /// Two packets of 1000 bytes at 8 Mbit/s. The second leaves first, at 3 ms. Its target is known once the first, due at 1 ms, is
    /// dropped: by hand 3 - 1 = 2 ms.
    #[test]
    fn a_departure_counts_once_what_is_older_is_dropped() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut meter = EfMeter::new(&[0], Rate::from_bps(8_000_000));
        let [first, second] = [FlowId(0), FlowId(1)].map(|flow| Packet { flow, ..packet(1000, 0) });
        [&first, &second].into_iter().for_each(|packet| meter.arrival(at(0), packet));
        meter.departure(at(0), at(3), &second, |_| true);
        assert_eq!(meter.errors.packet_ps, None);
        meter.drop(at(0), &first, |_| true);
        assert_eq!(meter.errors.packet_ps, Some(2_000_000_000));
    }

    /// The second of two packets, which arrived at 1 ms, is dropped. The first, which arrived at 0 ms, leaves at 3 ms, 2 ms after its
    /// target.
    #[test]
    fn a_drop_takes_the_turn_of_its_own_arrival() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut meter = EfMeter::new(&[0], Rate::from_bps(8_000_000));
        let [first, second] = [FlowId(0), FlowId(1)].map(|flow| Packet { flow, ..packet(1000, 0) });
        meter.arrival(at(0), &first);
        meter.arrival(at(1), &second);
        meter.drop(at(1), &second, |_| true);
        meter.departure(at(0), at(3), &first, |_| true);
        assert_eq!(meter.errors.aggregate_ps, Some(2_000_000_000));
    }
}
