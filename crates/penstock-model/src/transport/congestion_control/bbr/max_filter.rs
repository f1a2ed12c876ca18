//! Maximum over the last rounds.

use std::collections::VecDeque;

/// Windowed maximum: decreasing values, each of a later round than the one before it.
#[derive(Clone, Debug)]
pub(in super::super) struct MaxFilter {
    rounds: u32,
    values: VecDeque<(u32, f64)>,
}

impl MaxFilter {
    /// A filter over the current round and this number of rounds before it.
    pub fn new(rounds: u32) -> MaxFilter {
        MaxFilter { rounds, values: VecDeque::new() }
    }

    /// Changes the number of rounds, starting with the next value.
    pub fn set_rounds(&mut self, rounds: u32) {
        self.rounds = rounds;
    }

    /// Adds a value of `round`, which must be no earlier than the last one.
    pub fn update(&mut self, round: u32, value: f64) {
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|(first, _)| round - first > self.rounds) {
            self.values.pop_front();
        }
        // Of several values of one round, only the highest can become the maximum.
        if self.values.len() > 1 && self.values[self.values.len() - 2].0 == round {
            self.values.pop_back();
        }
    }

    /// Maximum; 0 before the first value.
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
