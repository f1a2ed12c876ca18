//! A wire that sends packets in aggregates: batch service of a link with a fixed cost per access to its channel.

use crate::rng::Stream;
use crate::units::{Bytes, Duration, Time};

/// Parameters of sending in aggregates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregationPlan {
    /// Time of an aggregate in addition to that of its packets.
    pub overhead: Duration,
    /// Maximum of the random time that each aggregate waits, uniform from 0.
    pub backoff: Duration,
    /// Maximum number of packets of an aggregate.
    pub max_packets: u32,
    /// Maximum number of bytes of an aggregate on the wire.
    pub max_bytes: Bytes,
    /// Maximum transmission time of the packets of an aggregate.
    pub max_airtime: Duration,
}

/// State of the aggregates of a link: the one that was sent last.
///
/// An aggregate begins with a packet that finds the wire free. Packets join it in the order of service if they had arrived when it was
/// composed and its bounds permit. They leave the queue, and arrive, one after another.
#[derive(Clone)]
pub struct Aggregation {
    plan: AggregationPlan,
    stream: Stream,
    /// Time at which the last aggregate was composed.
    begin: Time,
    /// Start of its first packet on the wire.
    first_start: Time,
    /// End of its last packet so far.
    end: Time,
    packets: u32,
    bytes: Bytes,
}

impl Aggregation {
    /// State before the first aggregate. Backoffs are drawn from `stream`.
    pub fn new(plan: AggregationPlan, stream: Stream) -> Aggregation {
        let (begin, first_start, end) = (Time::ZERO, Time::ZERO, Time::ZERO);
        Aggregation { plan, stream, begin, first_start, end, packets: 0, bytes: Bytes::new(0) }
    }

    /// Sends a packet of `size` bytes on the wire, from `start` on, which arrived at `arrived`; `end_of` gives the end of its transmission
    /// if its first bit is sent at a given instant. Returns the end.
    pub fn transmit(&mut self, start: Time, arrived: Time, size: Bytes, end_of: impl Fn(Time) -> Time) -> Time {
        if let Some(end) = self.end_of_joining(start, arrived, size, &end_of) {
            (self.end, self.packets, self.bytes) = (end, self.packets + 1, self.bytes + size);
            return end;
        }
        let backoff = Duration::from_ps(self.stream.below(self.plan.backoff.as_ps().saturating_add(1)));
        self.begin = start;
        self.first_start = start + self.plan.overhead + backoff;
        self.end = end_of(self.first_start);
        (self.packets, self.bytes) = (1, size);
        self.end
    }

    /// End of a packet that joins the last aggregate; `None` if it cannot join.
    fn end_of_joining(&self, start: Time, arrived: Time, size: Bytes, end_of: impl Fn(Time) -> Time) -> Option<Time> {
        let plan = &self.plan;
        let is_there = self.packets > 0 && start == self.end && arrived <= self.begin && start != Time::NEVER;
        if !is_there || self.packets >= plan.max_packets || self.bytes + size > plan.max_bytes {
            return None;
        }
        Some(end_of(start)).filter(|end| end.since(self.first_start) <= plan.max_airtime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;
    use crate::units::Rate;

    fn at_us(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    fn plan() -> AggregationPlan {
        AggregationPlan {
            overhead: Duration::from_us(100),
            backoff: Duration::ZERO,
            max_packets: 64,
            max_bytes: Bytes::new(65_535),
            max_airtime: Duration::from_ms(4),
        }
    }

    /// Ends of packets of 1,250 bytes that arrive at these times. Each takes 100 us at 100 Mbit/s.
    fn ends(plan: AggregationPlan, arrivals: &[u64]) -> Vec<u64> {
        let mut it = Aggregation::new(plan, Key::root(1, 0).stream());
        let (size, rate) = (Bytes::new(1250), Rate::from_bps(100_000_000));
        let mut end = Time::ZERO;
        let mut send = |us: &u64| {
            end = it.transmit(end.max(at_us(*us)), at_us(*us), size, |start| start + rate.transmission_time(size));
            end.as_ps() / 1_000_000
        };
        arrivals.iter().map(&mut send).collect()
    }

    #[test]
    fn what_waits_when_an_aggregate_begins_shares_its_overhead() {
        // The second and third arrive during the first aggregate and form the next one; the last finds the wire free.
        assert_eq!(ends(plan(), &[0, 50, 199, 1000]), [200, 400, 500, 1200]);
        // Packets that arrive at the same instant form one aggregate.
        assert_eq!(ends(plan(), &[0, 0, 0]), [200, 300, 400]);
        // A packet that arrives when an aggregate ends cannot join it.
        assert_eq!(ends(plan(), &[0, 200]), [200, 400]);
    }

    #[test]
    fn each_bound_ends_an_aggregate() {
        let four = [0; 4];
        assert_eq!(ends(AggregationPlan { max_packets: 2, ..plan() }, &four), [200, 300, 500, 600]);
        assert_eq!(ends(AggregationPlan { max_bytes: Bytes::new(3750), ..plan() }, &four), [200, 300, 400, 600]);
        assert_eq!(ends(AggregationPlan { max_airtime: Duration::from_us(299), ..plan() }, &four), [200, 300, 500, 600]);
        // A packet above every bound is sent alone.
        assert_eq!(ends(AggregationPlan { max_airtime: Duration::from_us(1), ..plan() }, &four), [200, 400, 600, 800]);
    }

    #[test]
    fn backoffs_are_uniform() {
        let plan = AggregationPlan { overhead: Duration::ZERO, backoff: Duration::from_us(1000), max_packets: 1, ..plan() };
        let all = ends(plan, &[0; 1000]);
        // 100 us and a mean of 500 us. Standard error 1000 / sqrt(12 x 1000) = 9.1 us; the tolerance is four of them.
        let mean = *all.last().expect("one each") as f64 / 1000.0;
        assert!((mean - 600.0).abs() < 36.5, "{mean}");
        assert!(all.windows(2).all(|pair| (100..=1100).contains(&(pair[1] - pair[0]))));
    }
}
