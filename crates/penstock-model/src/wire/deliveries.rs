//! A wire that delivers at the instants of a trace.

use crate::units::{Bytes, Time};
use crate::wire::delivery_times::DeliveryTimes;
use std::sync::Arc;

/// Delivery opportunities of a link, and the used part of them.
#[derive(Clone, Debug)]
pub struct Deliveries {
    times: Arc<DeliveryTimes>,
    /// Last used opportunity, and the bytes that it can still pass.
    last: (u64, u64),
}

impl Deliveries {
    /// State before any opportunity is used.
    pub fn new(times: Arc<DeliveryTimes>) -> Deliveries {
        Deliveries { times, last: (0, DeliveryTimes::BYTES) }
    }

    /// First opportunity at `now` or later with unused bytes, and their number. An opportunity at `now` that earlier packets used in part
    /// passes its remaining bytes.
    fn next(&self, now: Time) -> (u64, u64) {
        let (number, left) = self.last;
        match self.times.first_from(now) {
            first if first > number => (first, DeliveryTimes::BYTES),
            _ if left > 0 => (number, left),
            _ => (number + 1, DeliveryTimes::BYTES),
        }
    }

    /// Time, `now` or later, at which a transmission may begin.
    pub fn ready(&self, now: Time) -> Time {
        self.times.at(self.next(now).0)
    }

    /// Passes `size` bytes from `now` on, over as many opportunities as they need. Returns the times of the first and the last of them.
    pub fn pass(&mut self, now: Time, size: Bytes) -> (Time, Time) {
        let (first, left) = self.next(now);
        let beyond = size.get().saturating_sub(left);
        let more = beyond.div_ceil(DeliveryTimes::BYTES);
        self.last = (first + more, left + more * DeliveryTimes::BYTES - size.get());
        (self.times.at(first), self.times.at(first + more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn opportunities_are_shared_spanned_and_wasted() {
        // At 0, 0, 1, 3, 3, then 3, 3, 4, 6, 6 and so on.
        let times = DeliveryTimes::new([0, 0, 1, 3, 3].map(Duration::from_ms).to_vec()).expect("ascending");
        let mut it = Deliveries::new(Arc::new(times));
        let mut pass = |ms: u64, size: u64| {
            let (start, end) = it.pass(at(ms), Bytes::new(size));
            assert!(start >= at(ms));
            (start, end)
        };
        // Two packets of 750 bytes share the first opportunity; one of 3000 uses the second and the one at 1 ms.
        assert_eq!(pass(0, 750), (at(0), at(0)));
        assert_eq!(pass(0, 750), (at(0), at(0)));
        assert_eq!(pass(0, 3000), (at(0), at(1)));
        // No packet uses the rest of the opportunities at 3 ms: one that arrives at 3.5 ms waits for 4 ms.
        assert_eq!(pass(2, 100), (at(3), at(3)));
        assert_eq!(it.ready(Time::from_ps(3_500_000_000)), at(4));
        assert_eq!(it.pass(Time::from_ps(3_500_000_000), Bytes::new(1501)), (at(4), at(6)));
        // 1499 bytes are left of the first opportunity at 6 ms; the other three follow.
        assert_eq!(it.pass(at(6), Bytes::new(1499 + 4500)), (at(6), at(6)));
        assert_eq!(it.ready(at(6)), at(7));
    }
}
