//! Packets, queues and ports for the tests of disciplines.

use super::{Counting, Discipline, Occupancy, PortContext, Verdict, PRECEDENCES};
pub(super) use crate::packet::testing::packet;
use crate::rng::Key;
use crate::site::Site;
use crate::units::{Rate, Time};

/// Queue of a busy port with these numbers of packets of 500 bytes per precedence.
pub(super) fn queue(of_precedence: [u32; PRECEDENCES]) -> Occupancy {
    let packets = of_precedence.iter().sum();
    Occupancy { packets, bytes: 500 * u64::from(packets), of_precedence, ..Occupancy::default() }
}

/// A port of 1.5 Mbit/s, which sends 375 packets of 500 bytes per second.
pub(super) fn port() -> PortContext {
    PortContext::of(Site { key: Key::root(1, 0).child("port"), rate: Rate::from_bps(1_500_000), name: "port".into() })
}

/// Verdicts on `n` arrivals of 500 bytes with precedence `precedence` to a constant queue.
pub(super) fn arrivals(it: &mut impl Discipline, precedence: u8, queue: &Occupancy, n: usize) -> Vec<Verdict> {
    assert_eq!(it.counting(), Counting::Waiting);
    (0..n).map(|_| it.on_arrival(Time::ZERO, &packet(500, precedence), queue)).collect()
}

/// Numbers of arrivals from one drop to the next.
pub(super) fn gaps(verdicts: &[Verdict]) -> Vec<usize> {
    let drops: Vec<usize> = (0..verdicts.len()).filter(|i| verdicts[*i] != Verdict::Accept).collect();
    drops.windows(2).map(|pair| pair[1] - pair[0]).collect()
}
