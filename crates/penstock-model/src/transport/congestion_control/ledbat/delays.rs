//! Base delay and current delay of a path.

use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// Filters of the measured delays, in seconds [RFC6817 s2.4.2].
#[derive(Clone, Debug)]
pub(in crate::transport) struct Delays {
    base_interval: Duration,
    base_history: usize,
    current_filter: usize,
    /// Minima of the last intervals (base_delays), the current one last.
    base: VecDeque<f64>,
    /// The last delays (current_delays).
    current: VecDeque<f64>,
    /// Number of the current interval.
    interval: u64,
    /// A measured round trip whose acknowledgement has not been handled.
    measured: Option<(Time, Duration)>,
}

impl Delays {
    /// Filters with `base_history` intervals of length `base_interval`, and `current_filter` delays.
    pub fn new(base_interval: Duration, base_history: u32, current_filter: u32) -> Delays {
        Delays {
            base_interval,
            base_history: base_history as usize,
            current_filter: current_filter as usize,
            base: VecDeque::new(),
            current: VecDeque::new(),
            interval: 0,
            measured: None,
        }
    }

    /// Stores a measured round trip.
    pub fn measure(&mut self, now: Time, rtt: Duration) {
        self.measured = Some((now, rtt));
    }

    /// Records the round trip measured by an acknowledgement of data at `now`. The round trip of the SYN, a shorter packet, does not count.
    pub fn take_measured(&mut self, now: Time) {
        if let Some((_, rtt)) = self.measured.take().filter(|(at, _)| *at == now) {
            self.record(now, rtt);
        }
    }

    /// Records a delay (update_base_delay and update_current_delay).
    pub fn record(&mut self, now: Time, delay: Duration) {
        let interval = now.since(Time::ZERO).as_ps() / self.base_interval.as_ps();
        let delay = delay.as_seconds();
        match self.base.back_mut() {
            Some(minimum) if interval == self.interval => *minimum = minimum.min(delay),
            _ => push(&mut self.base, delay, self.base_history),
        }
        self.interval = interval;
        push(&mut self.current, delay, self.current_filter);
    }

    /// Base delay; `None` before the first measurement.
    pub fn base(&self) -> Option<f64> {
        self.base.iter().copied().reduce(f64::min)
    }

    /// Queueing delay; `None` before the first measurement.
    pub fn queueing(&self) -> Option<f64> {
        Some(self.current.iter().copied().reduce(f64::min)? - self.base()?)
    }
}

fn push(values: &mut VecDeque<f64>, value: f64, most: usize) {
    values.push_back(value);
    if values.len() > most {
        values.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{at_ms, close};
    use super::*;

    #[test]
    fn the_round_trip_of_the_syn_does_not_count() {
        let mut it = Delays::new(Duration::from_ms(1000), 2, 2);
        it.measure(at_ms(10), Duration::from_ms(10));
        it.take_measured(at_ms(25));
        assert_eq!(it.base(), None);
        it.measure(at_ms(26), Duration::from_ms(15));
        it.take_measured(at_ms(26));
        it.take_measured(at_ms(27));
        close(it.base().expect("measured"), 0.015);
        assert_eq!(it.current.len(), 1);
    }

    /// Two intervals of one second each, and two delays.
    #[test]
    fn minima_are_kept_for_their_intervals() {
        let mut it = Delays::new(Duration::from_ms(1000), 2, 2);
        assert_eq!((it.base(), it.queueing()), (None, None));
        for (at, delay, base, queueing) in
            [(0, 50, 50, 0), (900, 40, 40, 0), (1000, 70, 40, 0), (1500, 60, 40, 20), (2100, 80, 60, 0), (2200, 90, 60, 20)]
        {
            it.record(at_ms(at), Duration::from_ms(delay));
            close(it.base().expect("measured"), f64::from(base) * 1e-3);
            close(it.queueing().expect("measured"), f64::from(queueing) * 1e-3);
        }
    }
}
