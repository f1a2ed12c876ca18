//! Instants at which a link delivers, if a trace gives them instead of a rate.

use crate::units::{Duration, Time};

/// Delivery opportunities, as listed by traces of cellular links. At each, the link passes up to [`DeliveryTimes::BYTES`] bytes; unused
/// bytes are lost. The list repeats after its end: the last time is time zero of the next repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryTimes {
    /// Times in ascending order. The last one is above zero.
    times: Vec<Duration>,
}

impl DeliveryTimes {
    /// Number of bytes that an opportunity passes.
    pub const BYTES: u64 = 1500;

    /// Opportunities at `times`; `None` unless these ascend and end above zero.
    pub fn new(times: Vec<Duration>) -> Option<DeliveryTimes> {
        let ascend = times.windows(2).all(|pair| pair[0] <= pair[1]);
        (ascend && times.last().is_some_and(|last| *last > Duration::ZERO)).then_some(DeliveryTimes { times })
    }

    /// Number of opportunities before they repeat.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    fn period(&self) -> u64 {
        self.times.last().expect("not empty").as_ps()
    }

    /// Time of opportunity `number`, counted from 0.
    pub fn at(&self, number: u64) -> Time {
        let len = self.times.len() as u64;
        let (round, position) = (number / len, (number % len) as usize);
        Time::from_ps(round.saturating_mul(self.period()).saturating_add(self.times[position].as_ps()))
    }

    /// Number of the first opportunity at `now` or later.
    pub fn first_from(&self, now: Time) -> u64 {
        let (mut round, mut rest) = (now.as_ps() / self.period(), now.as_ps() % self.period());
        // The last opportunities of a round coincide with the beginning of the next round.
        if rest == 0 && round > 0 {
            (round, rest) = (round - 1, self.period());
        }
        round * self.times.len() as u64 + self.times.partition_point(|time| time.as_ps() < rest) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(times: &[u64]) -> DeliveryTimes {
        DeliveryTimes::new(times.iter().map(|ms| Duration::from_ms(*ms)).collect()).expect("ascending")
    }

    #[test]
    fn the_list_repeats_from_its_last_time() {
        let times = ms(&[0, 0, 1, 3, 3]);
        let all: Vec<u64> = (0..12).map(|i| times.at(i).as_ps() / 1_000_000_000).collect();
        assert_eq!(all, [0, 0, 1, 3, 3, 3, 3, 4, 6, 6, 6, 6]);
    }

    #[test]
    fn lists_without_length_or_order_are_none() {
        for wrong in [&[][..], &[0, 0], &[2, 1]] {
            assert_eq!(DeliveryTimes::new(wrong.iter().map(|ms| Duration::from_ms(*ms)).collect()), None);
        }
    }

    proptest! {
        #[test]
        fn the_first_one_is_found(mut times in prop::collection::vec(0u64..9, 1..6), now in 0u64..60) {
            times.push(9);
            times.sort_unstable();
            let times = DeliveryTimes::new(times.into_iter().map(Duration::from_ps).collect()).expect("ascending");
            let found = times.first_from(Time::from_ps(now));
            prop_assert!(times.at(found) >= Time::from_ps(now));
            prop_assert!(found == 0 || times.at(found - 1) < Time::from_ps(now));
        }
    }
}
