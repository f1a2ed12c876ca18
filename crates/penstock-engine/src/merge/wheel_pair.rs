//! Merges the entries of two timing wheels.

use crate::merge::timing_wheel::WheelEntry;
use penstock_model::units::Time;

/// The entries of two wheels of periodic sources, in one order.
pub struct WheelPair<'a, N> {
    /// The remaining entries of either round.
    rounds: [&'a [WheelEntry<N>]; 2],
    /// Number of entries due.
    pub due: usize,
    /// Number of entries taken from each wheel.
    pub taken: [usize; 2],
}

impl<'a, N> WheelPair<'a, N> {
    /// Merges the entries of two rounds that are due before `bound`, at most `most`.
    pub fn new(rounds: [&'a [WheelEntry<N>]; 2], bound: Time, most: usize) -> WheelPair<'a, N> {
        let rounds = rounds.map(|round| &round[..round.len().min(most + 1)]);
        // The last entry of each round is never due: it is a sentinel for comparisons with the entries of the other.
        let [end, other_end] = rounds.map(|round| round.last().map_or(Time::ZERO, |entry| entry.at));
        let bound = bound.min(end).min(other_end);
        let [due, other_due] = rounds.map(|round| round.partition_point(|entry| entry.at < bound));
        WheelPair { rounds, due: (due + other_due).min(most), taken: [0; 2] }
    }

    /// Writes an entry into each slot. There must be no more slots than entries due.
    #[inline(always)]
    pub fn take<T>(&mut self, slots: &mut [T], write: impl Fn(&mut T, &WheelEntry<N>)) {
        let [mut first, mut second] = self.rounds;
        for slot in slots {
            let (Some(one), Some(other)) = (first.first(), second.first()) else { break };
            let is_first = one.order() < other.order();
            first = &first[usize::from(is_first)..];
            second = &second[usize::from(!is_first)..];
            write(slot, if is_first { one } else { other });
        }
        self.taken = [self.rounds[0].len() - first.len(), self.rounds[1].len() - second.len()];
    }
}
