//! Random traffic of several classes, each within a token bucket or without any bounds.

use super::{Arrival, LINK};
use penstock_model::meter::bucket::{Bucket, Start};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

/// A class and its traffic.
#[derive(Clone, Debug)]
pub struct Class {
    pub weight: u32,
    /// Maximum packet size. The sizes follow from the fractions below.
    pub largest: u32,
    /// Depth of the bucket, in packets of maximum size.
    pub depth: u32,
    /// Rate of the bucket, in percent of the guaranteed rate of the class.
    pub percent: u32,
    /// Size of each packet and its distance from the previous one, both in thousandths.
    packets: Vec<(u32, u32)>,
}

pub fn classes(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Class>> {
    let largest = prop_oneof![Just(64u32), Just(160), Just(576), Just(1500)];
    // Most packets arrive at once; some pauses let buckets fill.
    let pause = prop_oneof![4 => Just(0u32), 2 => 1u32..100, 1 => 100u32..4000];
    let size = prop_oneof![1 => Just(1000u32), 1 => 1u32..=1000];
    let packets = prop::collection::vec((size, pause), 1..60);
    let class = (1u32..10, largest, 1u32..6, 1u32..=100, packets).prop_map(|(weight, largest, depth, percent, packets)| Class {
        weight,
        largest,
        depth,
        percent,
        packets,
    });
    prop::collection::vec(class, count)
}

impl Class {
    fn sizes(&self, fixed: bool) -> impl Iterator<Item = (u32, u32)> + '_ {
        let size = move |thousandths: u32| if fixed { self.largest } else { (self.largest * thousandths / 1000).max(1) };
        self.packets.iter().map(move |(thousandths, pause)| (size(*thousandths), *pause))
    }

    /// Depth of the bucket in bytes.
    pub fn burst(&self) -> u32 {
        self.depth * self.largest
    }
}

/// Arrivals of `classes`. A class for which `bounded` returns a rate in bit/s is shaped by its bucket, which fills at the class's
/// percentage of that rate. The others send everything at once. With `fixed`, all packets have the maximum size of their class.
pub fn arrivals(classes: &[Class], bounded: impl Fn(usize) -> Option<f64>, fixed: bool) -> Vec<Arrival> {
    let mut arrivals = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let rate = bounded(number).map(|rate| Rate::from_bps((rate * f64::from(class.percent) / 100.0) as u64 + 1));
        let mut bucket = rate.map(|rate| Bucket::new(rate, Bytes::new(u64::from(class.burst())), Start::Full));
        let mut now = Time::ZERO;
        for (size, pause) in class.sizes(fixed) {
            if let Some(bucket) = &mut bucket {
                // A pause of 1000 is the time of a packet of maximum size on the whole link.
                let whole = LINK.transmission_time(Bytes::new(u64::from(class.largest)));
                now += Duration::from_ps(whole.as_ps() / 1000 * u64::from(pause));
                now = bucket.ready(now, Bytes::new(u64::from(size)));
                bucket.spend(now, Bytes::new(u64::from(size)));
            }
            arrivals.push(Arrival { at: now, class: number, size });
        }
    }
    arrivals.sort_by_key(|arrival| (arrival.at, arrival.class));
    arrivals
}
