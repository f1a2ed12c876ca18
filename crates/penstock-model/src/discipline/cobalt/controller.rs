//! The control law of COBALT for one queue.

use crate::rng::Stream;
use crate::units::{Duration, Time};

/// Target and interval at the rate of a queue, and the steps of BLUE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Minimum time between two steps of BLUE (T).
    pub target: Duration,
    /// Time from the first long sojourn time to the first drop (I).
    pub interval: Duration,
    /// Sojourn times above this one are too long.
    pub longest: Duration,
    /// Steps of BLUE's probability, up and down (d1, d2).
    pub steps: (f64, f64),
}

impl Settings {
    /// Lengthens target and interval at low rates, where the largest packet takes `mtu_time`.
    pub fn new(target: Duration, interval: Duration, mtu_time: Duration, steps: (f64, f64)) -> Settings {
        let mtu = mtu_time.as_ps();
        let lengthened = target.as_ps().max(mtu.saturating_add(mtu / 2));
        let shifted = interval.as_ps().saturating_add(lengthened - target.as_ps());
        Settings {
            target: Duration::from_ps(lengthened),
            interval: Duration::from_ps(shifted.max(lengthened.saturating_mul(2))),
            longest: Duration::from_ps(lengthened.max(mtu.saturating_mul(4))),
            steps,
        }
    }
}

/// State of COBALT for one queue.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    /// Whether CoDel is in the dropping state.
    pub is_dropping: bool,
    /// Number n of the next drop in the control law.
    pub count: u32,
    /// Time of the next drop; one interval after the last departure while `count` is zero.
    pub next_drop: Time,
    /// BLUE's drop probability.
    pub probability: f64,
    /// Time of the last step of `probability`.
    last_step: Option<Time>,
    /// Whether drops follow one another without delay: the controller began with an immediate first drop, and `count` has not changed
    /// since.
    is_first_at_once: bool,
}

impl Controller {
    /// A controller that drops on the first long sojourn time, without waiting for an interval.
    pub fn with_first_drop_at_once() -> Controller {
        Controller { is_first_at_once: true, ..Controller::default() }
    }

    /// Control law: time of the drop that follows one at `time`.
    fn control_law(&self, settings: &Settings, time: Time) -> Time {
        if self.is_first_at_once {
            return time;
        }
        let root = libm::sqrt(f64::from(self.count.max(1)));
        time + Duration::from_ps((settings.interval.as_ps() as f64 / root + 0.5) as u64)
    }

    /// Decrements the count and schedules the next drop by the lower drop rate.
    fn lower_count(&mut self, settings: &Settings) {
        self.count -= 1;
        self.is_first_at_once = false;
        self.next_drop = self.control_law(settings, self.next_drop);
    }

    /// CoDel's part. Returns whether to drop or mark the departing packet, and whether the next drop is already overdue.
    fn decide(&mut self, settings: &Settings, now: Time, sojourn: Duration) -> (bool, bool) {
        let mut is_overdue = now > self.next_drop;
        let mut is_due = self.count > 0 && now >= self.next_drop;
        if sojourn <= settings.longest {
            self.is_dropping = false;
        } else if !self.is_dropping {
            self.is_dropping = true;
            self.next_drop = self.control_law(settings, now);
            self.count = self.count.max(1);
        }
        if is_due && self.is_dropping {
            self.count = self.count.saturating_add(1);
            self.is_first_at_once = false;
            self.next_drop = self.control_law(settings, self.next_drop);
            return (true, now > self.next_drop);
        }
        while is_due {
            self.lower_count(settings);
            is_overdue = now > self.next_drop;
            is_due = self.count > 0 && now >= self.next_drop;
        }
        (false, is_overdue)
    }

    /// Decides on a departing packet. Returns whether it is dropped, and whether it is marked if it is not dropped.
    #[inline]
    pub fn on_departure(
        &mut self,
        settings: &Settings,
        now: Time,
        sojourn: Duration,
        is_capable: bool,
        stream: &mut Stream,
    ) -> (bool, bool) {
        let (is_due, is_overdue) = self.decide(settings, now, sojourn);
        let is_marked = is_due && is_capable;
        let by_blue = self.probability > 0.0 && stream.chance(self.probability);
        let is_dropped = by_blue || is_due && !is_marked;
        if self.count == 0 {
            self.next_drop = now + settings.interval;
        } else if is_overdue && !is_dropped {
            self.next_drop = now;
        }
        (is_dropped, is_marked)
    }

    /// Changes BLUE's probability if more than a target has passed since its last step.
    fn step(&mut self, settings: &Settings, now: Time, change: f64) {
        if self.last_step.is_none_or(|last| now.since(last) > settings.target) {
            self.probability = (self.probability + change).clamp(0.0, 1.0);
            self.last_step = Some(now);
        }
    }

    /// Handles an arrival that does not fit.
    #[cold]
    pub fn on_overflow(&mut self, settings: &Settings, now: Time) {
        self.step(settings, now, settings.steps.0);
        self.is_dropping = true;
        self.next_drop = now;
        self.count = self.count.max(1);
    }

    /// Handles a dequeue from an empty queue.
    pub fn on_empty(&mut self, settings: &Settings, now: Time) {
        if self.probability > 0.0 {
            self.step(settings, now, -settings.steps.1);
        }
        self.is_dropping = false;
        if self.count > 0 && now >= self.next_drop {
            self.lower_count(settings);
        }
    }

    /// Applies all downward steps that are due by `now`. The queue must have been empty since the last call.
    pub fn decay(&mut self, settings: &Settings, now: Time) {
        if let (Some(last), true) = (self.last_step, self.probability > 0.0) {
            let steps = now.since(last).as_ps() / settings.target.as_ps().max(1);
            self.probability = (self.probability - steps as f64 * settings.steps.1).max(0.0);
            self.last_step = Some(last + settings.target.times(steps));
        }
        while self.count > 0 && now >= self.next_drop {
            self.lower_count(settings);
        }
    }

    /// Whether BLUE's probability and the count are zero and the next drop is due, so that no trace of past congestion remains.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0.0 && self.count == 0 && now >= self.next_drop
    }
}
