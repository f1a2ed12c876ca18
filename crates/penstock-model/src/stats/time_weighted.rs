//! The integral of a step function over time.

use crate::units::{Duration, Time};

/// Exact integral of a value that changes in steps, such as a queue length, over a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWeighted {
    from: Time,
    at: Time,
    value: u64,
    area: u128,
    max: u64,
}

impl TimeWeighted {
    /// A window that opens at `from`, where the value is `value`.
    pub fn new(from: Time, value: u64) -> TimeWeighted {
        TimeWeighted { from, at: from, value, area: 0, max: value }
    }

    /// Sets the value to `value` at `now`. Changes must come in order of time; those before the window opens only set the value.
    #[inline]
    pub fn set(&mut self, now: Time, value: u64) {
        self.area += self.pending(now);
        self.max = if now <= self.from { value } else { self.max.max(value) };
        self.at = self.at.max(now);
        self.value = value;
    }

    /// Current value.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Maximum in the window, including values held for no time.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Integral from the opening of the window to `until`, in value x ps. Changes nothing.
    pub fn area(&self, until: Time) -> u128 {
        self.area + self.pending(until)
    }

    /// Mean over the window up to `until`; `None` if the window has no length yet.
    pub fn mean(&self, until: Time) -> Option<f64> {
        let window = until.since(self.from);
        (window > Duration::ZERO).then(|| self.area(until) as f64 / window.as_ps() as f64)
    }

    /// Closes the window at `now` and opens the next one there, with the current value.
    pub fn restart(&mut self, now: Time) {
        *self = TimeWeighted::new(now, self.value);
    }

    #[inline]
    fn pending(&self, now: Time) -> u128 {
        u128::from(self.value) * u128::from(now.since(self.at).as_ps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn steps_are_integrated_exactly() {
        let mut queue = TimeWeighted::new(at(10), 2);
        queue.set(at(15), 3);
        queue.set(at(15), 7);
        queue.set(at(16), 0);
        // 5 x 2 + 0 x 3 + 1 x 7 + 4 x 0
        assert_eq!((queue.area(at(20)), queue.mean(at(20)), queue.max()), (17, Some(1.7), 7));
        assert_eq!(queue.area(at(16)), 17);
    }

    #[test]
    fn what_came_before_the_window_only_sets_the_value() {
        let mut queue = TimeWeighted::new(at(100), 0);
        queue.set(at(40), 9);
        queue.set(at(60), 4);
        assert_eq!((queue.area(at(110)), queue.max()), (40, 4));
    }

    #[test]
    fn a_new_window_forgets_the_old_one() {
        let mut queue = TimeWeighted::new(at(0), 5);
        queue.set(at(10), 1);
        queue.restart(at(20));
        assert_eq!((queue.area(at(23)), queue.max(), queue.mean(at(20))), (3, 1, None));
    }

    #[test]
    fn long_windows_do_not_overflow() {
        let mut bytes = TimeWeighted::new(at(0), u64::MAX);
        bytes.set(at(u64::MAX - 1), 0);
        assert_eq!(bytes.area(Time::NEVER), u128::from(u64::MAX) * u128::from(u64::MAX - 1));
    }
}
