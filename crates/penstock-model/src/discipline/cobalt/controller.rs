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
    /// Longer sojourn times are too long.
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
    /// It is in the dropping state.
    pub is_dropping: bool,
    /// n of the next drop.
    pub count: u32,
    /// Time of the next drop; while the count is zero, an interval after the last departure.
    pub next_drop: Time,
    /// BLUE's drop probability.
    pub probability: f64,
    /// Time of its last step.
    last_step: Option<Time>,
    /// Drops follow one another at once: the count has not changed yet, with a first drop at once.
    is_first_at_once: bool,
}

impl Controller {
    /// A controller whose first drop follows the first long sojourn time at once.
    pub fn with_first_drop_at_once() -> Controller {
        Controller { is_first_at_once: true, ..Controller::default() }
    }

    /// The control law: the drop after one at `time`.
    fn control_law(&self, settings: &Settings, time: Time) -> Time {
        if self.is_first_at_once {
            return time;
        }
        let root = libm::sqrt(f64::from(self.count.max(1)));
        time + Duration::from_ps((settings.interval.as_ps() as f64 / root + 0.5) as u64)
    }

    /// The count falls, and the next drop is that of the lower rate.
    fn lower_count(&mut self, settings: &Settings) {
        self.count -= 1;
        self.is_first_at_once = false;
        self.next_drop = self.control_law(settings, self.next_drop);
    }

    /// CoDel's part: whether the packet that departs is to be dropped or marked, and whether the next drop is overdue even so.
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

    /// Decides on a packet that departs: whether it is dropped, and whether it is marked if it is not.
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

    /// Changes BLUE's probability, at most once per target.
    fn step(&mut self, settings: &Settings, now: Time, change: f64) {
        if self.last_step.is_none_or(|last| now.since(last) > settings.target) {
            self.probability = (self.probability + change).clamp(0.0, 1.0);
            self.last_step = Some(now);
        }
    }

    /// A packet does not fit.
    #[cold]
    pub fn on_overflow(&mut self, settings: &Settings, now: Time) {
        self.step(settings, now, settings.steps.0);
        self.is_dropping = true;
        self.next_drop = now;
        self.count = self.count.max(1);
    }

    /// The queue was to be served and is empty.
    pub fn on_empty(&mut self, settings: &Settings, now: Time) {
        if self.probability > 0.0 {
            self.step(settings, now, -settings.steps.1);
        }
        self.is_dropping = false;
        if self.count > 0 && now >= self.next_drop {
            self.lower_count(settings);
        }
    }

    /// The queue has been empty since the last call: all steps down that are due by `now`.
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

    /// Whether nothing is left of past congestion.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0.0 && self.count == 0 && now >= self.next_drop
    }
}
