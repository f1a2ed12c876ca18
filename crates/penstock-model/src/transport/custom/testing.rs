//! A wire of 50 ms in each direction between both ends of a transport, for tests of transports.

use super::{AckPacket, DataPacket, TransportEnds};
use crate::transport::tcp::tests::harness::{lines, DELAY};
use crate::units::{Bytes, Duration, Time};
use std::collections::BTreeMap;

/// Maximum number of packets of one end at one instant; more indicate an endless loop.
const MOST_AT_ONCE: usize = 1 << 12;

#[derive(Clone, Copy)]
enum Arrival {
    Data(DataPacket),
    Ack(AckPacket),
}

/// Both ends of a connection and the packets in flight between them. Panics if an end violates its interface.
pub struct Wire {
    ends: TransportEnds,
    now: Time,
    lost: &'static [u32],
    lost_acks: &'static [usize],
    /// Arrivals by time and number, each with the time at which it was sent.
    in_transit: BTreeMap<(Time, usize), (Time, Arrival)>,
    /// All data packets and acknowledgements sent, including lost ones.
    log: Vec<(Time, DataPacket)>,
    acks: Vec<(Time, AckPacket)>,
}

impl Wire {
    pub fn new(ends: TransportEnds) -> Wire {
        Wire { ends, now: Time::ZERO, lost: &[], lost_acks: &[], in_transit: BTreeMap::new(), log: vec![], acks: vec![] }
    }

    /// Loses the first transmission of each of these data packets.
    pub fn losing_once(self, packets: &'static [u32]) -> Wire {
        Wire { lost: packets, ..self }
    }

    /// Loses these acknowledgements, counted from zero.
    pub fn losing_acks(self, numbers: &'static [usize]) -> Wire {
        Wire { lost_acks: numbers, ..self }
    }

    /// Starts the connection with this number of bytes, or with endless data if `None`.
    pub fn start(mut self, bytes: Option<u64>) -> Wire {
        self.ends.sender.on_data(self.now, bytes);
        self.collect();
        self
    }

    /// Stops the application at this instant.
    pub fn stop(&mut self) {
        self.ends.sender.on_stop(self.now);
        self.collect();
    }

    /// Processes all events up to this time.
    pub fn run_ms(&mut self, ms: u64) {
        let end = Time::ZERO + Duration::from_ms(ms);
        while self.next_event() <= end {
            self.step();
        }
        self.now = end;
    }

    pub fn is_finished(&self) -> bool {
        self.ends.sender.is_finished()
    }

    /// Number of bytes that the receiver has passed to the application.
    pub fn delivered(&self) -> u64 {
        self.ends.receiver.delivered()
    }

    /// Data packets sent, as lines of `milliseconds: numbers`; retransmissions have a star.
    pub fn sent(&self) -> String {
        lines(&self.log, |packet| format!("{}{}", packet.seq, if packet.retransmission { "*" } else { "" }))
    }

    /// Acknowledgements sent, as lines of `milliseconds: numbers`.
    pub fn answered(&self) -> String {
        lines(&self.acks, |ack| ack.next.to_string())
    }

    fn next_event(&self) -> Time {
        let arrival = self.in_transit.keys().next().map_or(Time::NEVER, |(time, _)| *time);
        arrival.min(self.ends.sender.deadline()).min(self.ends.receiver.deadline())
    }

    /// Processes the next event, arrivals before timers.
    fn step(&mut self) {
        self.now = self.next_event();
        let (now, ends) = (self.now, &mut self.ends);
        match self.in_transit.first_entry().filter(|entry| entry.key().0 == now).map(|entry| entry.remove()) {
            Some((sent, Arrival::Data(packet))) => {
                let before = ends.receiver.delivered();
                ends.receiver.on_packet(now, &packet, sent);
                assert!(ends.receiver.delivered() >= before, "`delivered` decreases");
            }
            Some((sent, Arrival::Ack(ack))) => ends.sender.on_ack(now, &ack, sent),
            None if ends.sender.deadline() == now => drop(ends.sender.on_deadline(now)),
            None => ends.receiver.on_deadline(now),
        }
        self.collect();
    }

    /// Sends everything that both ends have to send at this instant.
    fn collect(&mut self) {
        let (now, facts) = (self.now, self.ends.facts);
        let before = self.log.len() + self.acks.len();
        while let Some(packet) = self.ends.sender.next_packet(now) {
            let size = Bytes::new(u64::from(packet.size));
            assert!((facts.smallest_packet()..=facts.packet()).contains(&size), "{packet:?} has another size than {facts:?}");
            let is_lost = !packet.retransmission && self.lost.contains(&packet.seq);
            self.log.push((now, packet));
            self.put(is_lost, Arrival::Data(packet));
            assert!(self.log.len() + self.acks.len() < before + MOST_AT_ONCE, "`next_packet` never returns `None`");
        }
        while let Some(ack) = self.ends.receiver.next_ack(now) {
            let is_lost = self.lost_acks.contains(&self.acks.len());
            self.acks.push((now, ack));
            self.put(is_lost, Arrival::Ack(ack));
            assert!(self.log.len() + self.acks.len() < before + MOST_AT_ONCE, "`next_ack` never returns `None`");
        }
        let deadline = self.ends.sender.deadline().min(self.ends.receiver.deadline());
        assert!(deadline > now, "the deadline {deadline} is not in the future");
    }

    fn put(&mut self, is_lost: bool, arrival: Arrival) {
        if !is_lost {
            let number = self.log.len() + self.acks.len();
            self.in_transit.insert((self.now + DELAY, number), (self.now, arrival));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::custom::{Expiry, TransportFacts, TransportReceiver, TransportSender};
    use std::collections::{BTreeSet, VecDeque};

    /// Sends all packets at once, and at each deadline the unacknowledged ones.
    #[derive(Clone, Default)]
    struct Burst {
        size: u32,
        timeout: Duration,
        deadline: Time,
        due: VecDeque<u32>,
        unacknowledged: BTreeSet<u32>,
        retransmission: bool,
        is_endless: bool,
    }

    crate::state! {
        impl Burst, |_it, _now| {}
    }

    impl TransportSender for Burst {
        fn on_data(&mut self, now: Time, bytes: Option<u64>) {
            self.due.extend(0..bytes.map_or(3, |bytes| bytes as u32 / self.size));
            self.unacknowledged.extend(&self.due);
            self.deadline = now + self.timeout;
        }
        fn on_stop(&mut self, _: Time) {
            self.unacknowledged.clear();
            self.deadline = Time::NEVER;
        }
        fn on_ack(&mut self, _: Time, ack: &AckPacket, _: Time) {
            self.unacknowledged.remove(&ack.next);
        }
        fn deadline(&self) -> Time {
            if self.unacknowledged.is_empty() {
                Time::NEVER
            } else {
                self.deadline
            }
        }
        fn on_deadline(&mut self, now: Time) -> Expiry {
            self.due.extend(&self.unacknowledged);
            (self.retransmission, self.deadline) = (true, now + self.timeout);
            Expiry::Timeout
        }
        fn next_packet(&mut self, _: Time) -> Option<DataPacket> {
            let seq = if self.is_endless { Some(7) } else { self.due.pop_front() }?;
            Some(DataPacket { seq, size: self.size, retransmission: self.retransmission, ..DataPacket::default() })
        }
        fn is_finished(&self) -> bool {
            self.unacknowledged.is_empty()
        }
    }

    /// Answers every packet with its number.
    #[derive(Clone, Default)]
    struct Echo {
        bytes: u64,
        answer: Option<AckPacket>,
    }

    impl TransportReceiver for Echo {
        fn on_packet(&mut self, _: Time, packet: &DataPacket, _: Time) {
            self.bytes += u64::from(packet.size);
            self.answer = Some(AckPacket { next: packet.seq, ..AckPacket::default() });
        }
        fn next_ack(&mut self, _: Time) -> Option<AckPacket> {
            self.answer.take()
        }
        fn delivered(&self) -> u64 {
            self.bytes
        }
    }

    fn wire(sender: Burst) -> Wire {
        let bytes = Bytes::new;
        let facts = TransportFacts::new(bytes(1000), bytes(40), bytes(40)).expect("sound");
        Wire::new(TransportEnds { facts, sender: Box::new(sender), receiver: Box::new(Echo::default()) })
    }

    fn burst() -> Burst {
        Burst { size: 1000, timeout: Duration::from_ms(250), ..Burst::default() }
    }

    #[test]
    fn a_wire_loses_the_packets_that_it_is_given() {
        let mut wire = wire(burst()).losing_once(&[1]).losing_acks(&[1]).start(Some(3_000));
        wire.run_ms(300);
        assert_eq!((wire.sent(), wire.answered()), ("0: 0 1 2\n250: 1* 2*".to_owned(), "50: 0 2\n300: 1 2".to_owned()));
        assert!(!wire.is_finished());
        wire.run_ms(350);
        assert_eq!((wire.is_finished(), wire.delivered()), (true, 4_000));
    }

    #[test]
    fn an_application_stops() {
        let mut wire = wire(burst()).losing_once(&[0, 1, 2]).start(None);
        wire.run_ms(100);
        wire.stop();
        wire.run_ms(1_000);
        assert_eq!((wire.sent(), wire.delivered()), ("0: 0 1 2".to_owned(), 0));
    }

    #[test]
    #[should_panic(expected = "has another size")]
    fn a_packet_of_another_size_is_a_breach() {
        wire(Burst { size: 999, ..burst() }).start(None);
    }

    #[test]
    #[should_panic(expected = "is not in the future")]
    fn a_deadline_that_has_passed_is_a_breach() {
        wire(Burst { timeout: Duration::ZERO, ..burst() }).start(None);
    }

    #[test]
    #[should_panic(expected = "never returns `None`")]
    fn packets_without_end_are_a_breach() {
        wire(Burst { is_endless: true, ..burst() }).start(None);
    }
}
