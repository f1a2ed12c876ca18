//! The choices of random scenarios.

use crate::support::size;
use penstock_engine::blueprint::{AggregationPlan, PausePlan, PcnAt};
use penstock_model::transmission::Framing;
use penstock_model::units::{Bytes, Duration};

/// At the last one short packets take no time at all.
pub(super) const RATES: [&str; 6] = ["1 Mbit/s", "100 kbit/s", "1.5 Mbit/s", "10 Mbit/s", "1 Gbit/s", "90000 Tbit/s"];
/// Towards the root there may be no delay at all; away from it there is, so that no circle is without.
pub(super) const UP_DELAYS: [&str; 6] = ["1 ms", "0 s", "1 ps", "30 us", "10 ms", "80 ms"];
pub(super) const DOWN_DELAYS: [&str; 6] = ["1 ms", "1 ps", "3 ns", "30 us", "10 ms", "80 ms"];
/// Number of ways in which changeable parameters change.
pub(super) const PARAMETER_CHANGES: usize = 12;

/// Steps of the rate; the last one never recovers.
pub(super) const CHANGES: [&[(&str, &str)]; 4] = [
    &[("50 ms", "200 kbit/s"), ("90 ms", "90000 Tbit/s"), ("120 ms", "1 Mbit/s")],
    &[("50 ms", "200 kbit/s"), ("120 ms", "3 Mbit/s")],
    &[("40 ms", "0 bit/s"), ("90 ms", "1 Mbit/s"), ("91 ms", "0 bit/s"), ("150 ms", "700 kbit/s")],
    &[("100 ms", "0 bit/s")],
];
/// What packets take on the wire beyond their size.
pub(super) const FRAMINGS: [Framing; 2] =
    [Framing { overhead: 38, minimum: 84, in_cells: false }, Framing { overhead: 10, minimum: 0, in_cells: true }];
/// Delivery times in milliseconds.
pub(super) const DELIVERIES: [&[u64]; 2] = [&[0, 1, 1, 2, 5, 7], &[3, 3, 3, 20]];

/// Aggregates: microseconds of overhead, backoff and airtime, and packets.
pub(super) const AGGREGATIONS: [(u64, u64, u64, u32); 3] = [(200, 100, 4000, 64), (0, 0, 100_000, 2), (3000, 0, 9000, 8)];

/// A plan of these.
pub(super) fn aggregation((overhead, backoff, airtime, max_packets): (u64, u64, u64, u32)) -> AggregationPlan {
    AggregationPlan {
        overhead: Duration::from_us(overhead),
        backoff: Duration::from_us(backoff),
        max_packets,
        max_bytes: Bytes::new(9000),
        max_airtime: Duration::from_us(airtime),
    }
}

pub(super) const PCN_AT: [PcnAt; 3] = [PcnAt::Accepted, PcnAt::Offered, PcnAt::Departure];
pub(super) const CALL_DELAYS: [Option<&str>; 3] =
    [None, Some("added = uniform [0 ms, 15 ms]"), Some("added = uniform [0 ms, 15 ms]; keep-order = true")];
/// Thresholds of PAUSE and of priority flow control of classes; headroom, quanta and frames.
pub(super) const PAUSES: [Pausing; 6] = [
    Pausing { xoff: "1500 bytes", xon: "1500 bytes", classes: None, headroom: None, quanta: u16::MAX, frame: "64 bytes" },
    Pausing { xoff: "3 kB", xon: "600 bytes", classes: None, headroom: Some("2 kB"), quanta: 40, frame: "84 bytes" },
    Pausing { xoff: "1 byte", xon: "1 byte", classes: None, headroom: None, quanta: 500, frame: "0 bytes" },
    Pausing { xoff: "1 kB", xon: "700 bytes", classes: Some(&[0, 1]), headroom: Some("3 kB"), quanta: 30, frame: "64 bytes" },
    Pausing { xoff: "2 kB", xon: "1 byte", classes: Some(&[1]), headroom: None, quanta: 200, frame: "64 bytes" },
    Pausing { xoff: "1 byte", xon: "1 byte", classes: Some(&[1, 0]), headroom: Some("1 kB"), quanta: 3, frame: "1500 bytes" },
];

/// PAUSE, or priority flow control.
#[derive(Clone, Copy)]
pub(super) struct Pausing {
    pub xoff: &'static str,
    pub xon: &'static str,
    pub classes: Option<&'static [u8]>,
    pub headroom: Option<&'static str>,
    pub quanta: u16,
    pub frame: &'static str,
}

impl Pausing {
    pub fn plan(&self) -> PausePlan {
        PausePlan {
            classes: self.classes.map(<[u8]>::to_vec),
            headroom: self.headroom.map(size),
            quanta: self.quanta,
            frame: size(self.frame),
            processing: Duration::from_us(1),
            ..PausePlan::new(size(self.xoff), size(self.xon))
        }
    }
}
