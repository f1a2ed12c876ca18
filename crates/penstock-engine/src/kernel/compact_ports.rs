//! Compact ports: what forwarding a packet touches at a tail-drop FIFO port, side by side for many ports.
//!
//! In a large network each port handles a packet now and then, and by then what it needs has left the caches. While processes run
//! in windows ([`crate::executor::windows`]), those that are a tail-drop FIFO port at a constant rate and nothing else lend what
//! every packet changes to this table, where it takes two cache lines; they get it back before anything else looks at them.

use crate::kernel::complete_transmissions::CompleteTransmissions;
use crate::kernel::digest::Digest;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Window;
use crate::merge::ring::Ring;
use penstock_model::id::FlowId;
use penstock_model::prefetch::prefetch;
use penstock_model::transmission::WireRate;
use penstock_model::units::{Duration, Time};
use std::collections::BTreeMap;

/// What a process lends that is a tail-drop FIFO port: what every packet changes is in the first two cache lines, which processors read
/// as a pair.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub struct CompactPort {
    /// When the last transmission ends that has been decided on.
    pub last_end: Time,
    /// The hash of everything that arrived.
    pub digest: Digest,
    /// Packets accepted since the port was lent.
    pub accepted: u64,
    /// When the last packet that was accepted arrived, and its flow.
    pub last_accepted: (Time, FlowId),
    /// When the transmissions of those that wait start, behind some that have started.
    pub waiting: Ring<Time>,
    /// Those that lie inside the window.
    pub complete: CompleteTransmissions,
}

/// What many ports have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompactPortKind {
    /// The rate of the wire, which is not zero.
    pub rate: WireRate,
    /// The delay of the link.
    pub delay: Duration,
    /// How many packets may wait; at least one.
    pub limit: usize,
}

/// What has become of an arrival.
#[derive(Clone, Copy, Debug)]
pub enum Forwarded {
    /// It arrives at the far end then.
    Sent(Time),
    /// So it does, from `start` to `end` on the wire, but it is not counted here, since it crosses an edge of the window.
    Uncounted {
        /// When its transmission starts.
        start: Time,
        /// When that ends.
        end: Time,
        /// When it arrives at the far end.
        at: Time,
    },
    /// There is no room; nothing but its arrival has been hashed.
    Dropped {
        /// When the last packet that was accepted arrived, and its flow.
        last_accepted: (Time, FlowId),
    },
}

/// The ports that processes have lent.
#[derive(Debug)]
pub struct CompactPorts {
    ports: Vec<CompactPort>,
    kinds: Vec<Kind>,
    numbers: BTreeMap<CompactPortKind, u32>,
    /// By process.
    places: Vec<Place>,
    window: Window,
}

/// Where the port of a process is, if it has lent one, and its kind.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    port: u32,
    kind: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Place {
    /// Whether there is one.
    #[inline(always)]
    pub fn is_lent(self) -> bool {
        self.port != NOWHERE
    }
}

#[derive(Clone, Debug)]
struct Kind {
    common: CompactPortKind,
    /// Sizes sent and their transmission times, by the last bits of the size: traffic has few sizes.
    cached: [(u32, Duration); 8],
}

impl Kind {
    #[inline(always)]
    fn transmission_time(&mut self, size: u32) -> Duration {
        let cached = &mut self.cached[size as usize % 8];
        if cached.0 != size {
            *cached = (size, self.common.rate.transmission_time(size));
        }
        cached.1
    }
}

impl CompactPort {
    /// Whether `limit` packets wait at `now`.
    #[inline(never)]
    fn is_full(&mut self, limit: usize, now: Time) -> bool {
        self.advance(now);
        self.waiting.len() >= limit
    }

    #[inline(never)]
    fn make_room(&mut self, now: Time) {
        self.advance(now);
        if 2 * self.waiting.len() >= self.waiting.capacity() {
            self.waiting.grow();
        }
    }

    /// Removes those whose transmission has started.
    fn advance(&mut self, now: Time) {
        while self.waiting.first().is_some_and(|start| *start <= now) {
            self.waiting.consume(1);
        }
    }
}

impl CompactPorts {
    /// None yet, of so many processes.
    pub fn new(processes: usize) -> CompactPorts {
        CompactPorts {
            ports: Vec::new(),
            kinds: Vec::new(),
            numbers: BTreeMap::new(),
            places: vec![Place { port: NOWHERE, kind: 0 }; processes],
            window: Window { from: Time::ZERO, to: Time::ZERO },
        }
    }

    /// Takes over the port of `process`, which counts in `window`, as all do.
    pub fn add(&mut self, process: usize, port: CompactPort, kind: CompactPortKind, window: Window) {
        let next = self.kinds.len() as u32;
        let number = *self.numbers.entry(kind).or_insert(next);
        if number == next {
            self.kinds.push(Kind { common: kind, cached: [(0, Duration::ZERO); 8] });
        }
        self.places[process] = Place { port: self.ports.len() as u32, kind: number };
        self.ports.push(port);
        self.window = window;
    }

    /// How many packets they have accepted since they were lent.
    pub fn accepted(&self) -> u64 {
        self.ports.iter().map(|port| port.accepted).sum()
    }

    /// Gives all of them back, each with its process.
    pub fn into_ports(self) -> impl Iterator<Item = (usize, CompactPort)> {
        let lent = (0..).zip(self.places).filter(|(_, place)| place.is_lent());
        lent.map(move |(process, place)| (process, self.ports[place.port as usize].clone()))
    }

    /// Where the port of `process` is, if it has lent one.
    #[inline(always)]
    pub fn place(&self, process: usize) -> Place {
        self.places[process]
    }

    /// Asks for the memory that [`CompactPorts::forward`] needs.
    #[inline(always)]
    pub fn prefetch(&self, place: Place) {
        let port = &self.ports[place.port as usize];
        prefetch(port);
        prefetch(&port.complete);
    }

    /// Asks for what else it needs if packets wait, once that has come.
    #[inline(always)]
    pub fn prefetch_waiting(&self, place: Place) {
        self.ports[place.port as usize].waiting.prefetch_next();
    }

    /// Takes an arrival: decides, counts, and schedules its transmission.
    #[inline(always)]
    pub fn forward(&mut self, place: Place, Arrival { at: now, packet }: &Arrival) -> Forwarded {
        let now = *now;
        let port = &mut self.ports[place.port as usize];
        let kind = &mut self.kinds[place.kind as usize];
        port.digest.packet(now, packet, 0);
        let start = if port.last_end <= now {
            // Nothing waits: the ring begins anew where it was begun last.
            port.waiting.clear();
            now
        } else {
            if port.waiting.len() >= kind.common.limit && port.is_full(kind.common.limit, now) {
                return Forwarded::Dropped { last_accepted: port.last_accepted };
            }
            if port.waiting.is_full() {
                port.make_room(now);
            }
            port.waiting.push(port.last_end);
            port.last_end
        };
        let end = start + kind.transmission_time(packet.size);
        port.last_end = end;
        port.accepted += 1;
        port.last_accepted = (now, packet.flow);
        let at = end + kind.common.delay;
        if self.window.from <= now && end <= self.window.to {
            port.complete.count(now, start, end, (packet.size, packet.precedence));
        } else if end >= self.window.from {
            return Forwarded::Uncounted { start, end, at };
        }
        Forwarded::Sent(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::packet::Packet;
    use penstock_model::units::Rate;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    /// A port of 8 Mbit/s, a byte a microsecond, with a delay of 1 us, where two packets may wait, counting from 100 us to 10 ms.
    fn one_port() -> (CompactPorts, Place) {
        let mut ports = CompactPorts::new(3);
        let kind = CompactPortKind { rate: Rate::from_bps(8_000_000).into(), delay: Duration::from_us(1), limit: 2 };
        let empty = CompactPort {
            last_end: Time::ZERO,
            digest: Digest::default(),
            accepted: 0,
            last_accepted: (Time::NEVER, FlowId(u32::MAX)),
            waiting: Ring::default(),
            complete: CompleteTransmissions::default(),
        };
        ports.add(1, empty, kind, Window { from: at(100), to: at(10_000) });
        assert_eq!([0, 1, 2].map(|process| ports.place(process).is_lent()), [false, true, false]);
        let place = ports.place(1);
        (ports, place)
    }

    fn forward(ports: &mut CompactPorts, place: Place, us: u64, size: u32) -> Forwarded {
        ports.forward(place, &Arrival { at: at(us), packet: Packet { size, precedence: 0, ..Arrival::PLACEHOLDER.packet } })
    }

    #[test]
    fn packets_wait_for_those_before_them_and_are_dropped_where_there_is_no_room() {
        let (mut ports, place) = one_port();
        // In service from 200 to 210, then 210 to 230 and 230 to 240; until 210 two wait.
        for (us, size, arrives) in [(200, 10, 211), (200, 20, 231), (201, 10, 241)] {
            assert!(matches!(forward(&mut ports, place, us, size), Forwarded::Sent(end) if end == at(arrives)), "{us}");
        }
        assert!(matches!(forward(&mut ports, place, 209, 10), Forwarded::Dropped { last_accepted } if last_accepted.0 == at(201)));
        assert!(matches!(forward(&mut ports, place, 210, 10), Forwarded::Sent(end) if end == at(251)));
        // Idle at 250.
        assert!(matches!(forward(&mut ports, place, 250, 10), Forwarded::Sent(end) if end == at(261)));
        let lent: Vec<(usize, CompactPort)> = ports.into_ports().collect();
        let [(1, port)] = &*lent else { panic!("process 1 has lent its port") };
        assert_eq!((port.accepted, port.last_end, port.waiting.len()), (5, at(260), 0));
        let mut link = crate::api::observations::LinkCounters::default();
        port.complete.report(&mut link);
        assert_eq!((link.sent_packets, link.sent_bytes, link.busy), (5, 60, Duration::from_us(60)));
        // 10, 29 and 30 us.
        assert_eq!(link.wait_sum_ps, 69_000_000);
    }

    #[test]
    fn what_crosses_an_edge_of_the_window_is_left_to_the_process() {
        let (mut ports, place) = one_port();
        assert!(matches!(forward(&mut ports, place, 10, 89), Forwarded::Sent(_)), "all of it lies before");
        assert!(matches!(forward(&mut ports, place, 99, 10), Forwarded::Uncounted { start, end, .. } if (start, end) == (at(99), at(109))));
        assert!(matches!(forward(&mut ports, place, 9_995, 6), Forwarded::Uncounted { at: arrives, .. } if arrives == at(10_002)));
        assert!(ports.into_ports().all(|(_, port)| port.accepted == 3));
    }

    #[test]
    fn a_short_ring_grows_only_if_many_wait() {
        let (mut ports, place) = one_port();
        // One in service and one that waits at any time, so that it never becomes idle.
        for number in 0..100 {
            assert!(matches!(
                forward(&mut ports, place, 10 * number, if number == 0 { 20 } else { 10 }),
                Forwarded::Sent(_) | Forwarded::Uncounted { .. }
            ));
        }
        assert!(ports.into_ports().all(|(_, port)| port.waiting.capacity() <= 4));
    }
}
