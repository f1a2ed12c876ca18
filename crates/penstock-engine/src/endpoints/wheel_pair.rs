//! Two wheels that turn together.

use crate::endpoints::timing_wheel::Turn;
use penstock_model::units::Time;

/// Turns of two wheels whose sources repeat their packets, in one order.
pub struct WheelPair<'a, N> {
    /// What is left of either round.
    left: [&'a [Turn<N>]; 2],
    /// How many turns are due.
    due: usize,
    /// How many of each wheel have been taken.
    taken: [usize; 2],
}

impl<'a, N> WheelPair<'a, N> {
    /// What is left of two rounds, as far as it is due before `bound` and at most `most`.
    pub fn new(left: [&'a [Turn<N>]; 2], bound: Time, most: usize) -> WheelPair<'a, N> {
        let left = left.map(|left| &left[..left.len().min(most + 1)]);
        // In each there is somebody who is not due, whom the others are compared with.
        let [end, other_end] = left.map(|left| left.last().map_or(Time::ZERO, |turn| turn.at));
        let bound = bound.min(end).min(other_end);
        let [due, others_due] = left.map(|left| left.partition_point(|turn| turn.at < bound));
        WheelPair { left, due: (due + others_due).min(most), taken: [0; 2] }
    }

    /// How many turns are due.
    pub fn due(&self) -> usize {
        self.due
    }

    /// How many of each wheel have been taken.
    pub fn taken(&self) -> [usize; 2] {
        self.taken
    }

    /// Writes down a turn in each place; there are no more places than turns that are due.
    #[inline(always)]
    pub fn take<T>(&mut self, places: &mut [T], write: impl Fn(&mut T, &Turn<N>)) {
        let [mut ones, mut others] = self.left;
        for place in places {
            let (Some(one), Some(other)) = (ones.first(), others.first()) else { break };
            let is_one = one.order() < other.order();
            ones = &ones[usize::from(is_one)..];
            others = &others[usize::from(!is_one)..];
            write(place, if is_one { one } else { other });
        }
        self.taken = [self.left[0].len() - ones.len(), self.left[1].len() - others.len()];
    }
}
