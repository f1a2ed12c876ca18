//! The maximum of the last rounds.

use std::collections::VecDeque;

/// A windowed maximum: values in falling order, each of a later round than the one before it.
#[derive(Clone, Debug)]
pub(in super::super) struct MaxFilter {
    rounds: u32,
    values: VecDeque<(u32, f64)>,
}

impl MaxFilter {
    /// Over this many rounds before the present one.
    pub fn new(rounds: u32) -> MaxFilter {
        MaxFilter { rounds, values: VecDeque::new() }
    }

    /// Changes the number of rounds, from the next value on.
    pub fn set_rounds(&mut self, rounds: u32) {
        self.rounds = rounds;
    }

    /// A value of `round`, which is no earlier than those before.
    pub fn update(&mut self, round: u32, value: f64) {
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|(first, _)| round - first > self.rounds) {
            self.values.pop_front();
        }
        // Of one round, only the highest lasts longest.
        if self.values.len() > 1 && self.values[self.values.len() - 2].0 == round {
            self.values.pop_back();
        }
    }

    /// The maximum; 0 before the first value.
    pub fn max(&self) -> f64 {
        self.values.front().map_or(0.0, |(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_lasts_for_its_rounds() {
        let mut it = MaxFilter::new(10);
        assert_eq!(it.max(), 0.0);
        let cases =
            [(1, 5.0, 5.0), (1, 3.0, 5.0), (2, 9.0, 9.0), (5, 7.0, 9.0), (12, 6.0, 9.0), (13, 6.5, 7.0), (15, 1.0, 7.0), (16, 1.0, 6.5)];
        for (round, value, max) in cases {
            it.update(round, value);
            assert_eq!(it.max(), max, "in round {round}");
        }
    }
}
