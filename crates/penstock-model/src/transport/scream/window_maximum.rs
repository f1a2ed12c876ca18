//! Maximum over a sliding time window.

use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// Maximum of the values of the last `span`.
#[derive(Clone, Debug)]
pub(super) struct WindowMaximum {
    span: Duration,
    /// Times and values, with decreasing values.
    values: VecDeque<(Time, u64)>,
}

impl WindowMaximum {
    pub(super) fn new(span: Duration) -> WindowMaximum {
        WindowMaximum { span, values: VecDeque::new() }
    }

    pub(super) fn add(&mut self, now: Time, value: u64) {
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((now, value));
    }

    /// Maximum; zero without values.
    pub(super) fn get(&mut self, now: Time) -> u64 {
        while self.values.len() > 1 && self.values.front().is_some_and(|(at, _)| now.since(*at) > self.span) {
            self.values.pop_front();
        }
        self.values.front().map_or(0, |(_, value)| *value)
    }
}
