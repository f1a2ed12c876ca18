//! Heuristics: how long visits and sweeps are, and which of the two the executor uses. No result depends on them.

use penstock_model::units::{Duration, Time};

/// A visit that handles more events than this is followed by shorter ones, so that what is sent does not pile up...
const LARGE_VISIT: u64 = 2_000;
/// ... and one that handles fewer by longer ones.
const SMALL_VISIT: u64 = 500;
/// The longest time that the first visits cover.
const FIRST_VISIT: Duration = Duration::from_ms(1);
/// No visit covers more time, so that traffic which begins after a silence does not pile up either.
const LONGEST_VISIT: Duration = Duration::from_ms(100);
/// Except visits to the ingress of a few calls, which would handle fewer packets than this: its state leaves the caches
/// between visits.
const TINY_VISIT: u64 = 32;
const LONGEST_VISIT_OF_CALLS: Duration = Duration::from_ms(400);

/// The longest time that a visit to each process may cover.
#[derive(Clone, Debug)]
pub struct VisitLengths {
    longest: Vec<Duration>,
}

impl VisitLengths {
    /// For so many processes.
    pub fn new(processes: usize) -> VisitLengths {
        VisitLengths { longest: vec![FIRST_VISIT; processes] }
    }

    /// The longest time that the next visit to `process` may cover.
    #[inline]
    pub fn of(&self, process: usize) -> Duration {
        self.longest[process]
    }

    /// Adapts the length to the number of events that a visit has handled; returns the new one.
    #[inline]
    pub fn adapt(&mut self, process: usize, events: u64, receives_only_answers: bool) -> Duration {
        let longest = &mut self.longest[process];
        if events > LARGE_VISIT {
            *longest = Duration::from_ps((longest.as_ps() / events).saturating_mul(LARGE_VISIT / 2).max(1));
        } else if events < SMALL_VISIT {
            let is_tiny = events < TINY_VISIT && receives_only_answers;
            *longest = longest.times(2).min(if is_tiny { LONGEST_VISIT_OF_CALLS } else { LONGEST_VISIT });
        }
        *longest
    }

    #[cfg(test)]
    pub fn set_all_to_longest(&mut self) {
        self.longest.fill(LONGEST_VISIT);
    }
}

/// Visits are judged in groups of so many;
const VISITS_PER_GROUP: u64 = 1_000;
/// those that handle fewer events than this in the mean are too short.
const SHORT_VISIT: u64 = 2;
/// The longest sequence of groups of short visits before sweeps are tried again.
const MAX_PATIENCE: u64 = 1 << 16;

/// Whether to visit processes in order of time or in promise sweeps.
#[derive(Clone, Debug)]
pub struct ModeChoice {
    is_sweeping: bool,
    /// Visits of the current group, and the events that they handled.
    visits: u64,
    events: u64,
    /// Consecutive groups of visits that were too short...
    short_groups: u64,
    /// ... and how many of them lead to sweeps; twice as many each time that sweeps have not paid.
    patience: u64,
}

impl ModeChoice {
    /// Begins with visits in order of time.
    pub fn new() -> ModeChoice {
        ModeChoice { is_sweeping: false, visits: 0, events: 0, short_groups: 0, patience: 1 }
    }

    /// Whether sweeps are in use.
    #[inline]
    pub fn is_sweeping(&self) -> bool {
        self.is_sweeping
    }

    /// Decides by hand.
    pub fn set_sweeping(&mut self, is_sweeping: bool) {
        self.is_sweeping = is_sweeping;
    }

    /// Counts a visit in order of time and the events that it handled.
    #[inline]
    pub fn count_visit(&mut self, events: u64) {
        self.visits += 1;
        self.events += events;
    }

    /// Whether enough visits have been counted for a decision.
    #[inline]
    pub fn is_group_complete(&self) -> bool {
        self.visits >= VISITS_PER_GROUP
    }

    /// Decides after a group of visits whether to sweep from now on, if that is possible.
    pub fn judge_visits(&mut self, may_sweep: bool) -> bool {
        let are_short = std::mem::take(&mut self.events) < SHORT_VISIT * std::mem::take(&mut self.visits);
        self.short_groups = if may_sweep && are_short { self.short_groups + 1 } else { 0 };
        self.is_sweeping = self.short_groups >= self.patience;
        self.is_sweeping
    }

    /// Takes note of whether a group of sweeps has paid, and goes on with them if so.
    pub fn judge_sweeps(&mut self, pay: bool) {
        self.patience = if pay { 1 } else { (self.patience * 2).min(MAX_PATIENCE) };
        (self.is_sweeping, self.short_groups) = (pay, 0);
    }
}

/// A sweep that handles more events than this for each process is followed by shorter ones.
const LARGE_SWEEP: u64 = 32;
const FIRST_SWEEP: Duration = Duration::from_ms(10);
const LONGEST_SWEEP: Duration = Duration::from_ms(1_000);
/// Sweeps are judged in groups of so many;
const SWEEPS_PER_GROUP: u64 = 64;
/// those that visit fewer than one process of so many do not pay.
const SPARSE_SWEEP: u64 = 16;

/// How much time a sweep may cover, and whether sweeps pay.
#[derive(Clone, Debug)]
pub struct SweepLengths {
    processes: u64,
    longest: Duration,
    /// Events of the current sweep.
    events: u64,
    /// Sweeps of the current group, and the visits in them.
    sweeps: u64,
    visits: u64,
}

impl SweepLengths {
    /// For so many processes.
    pub fn new(processes: usize) -> SweepLengths {
        SweepLengths { processes: processes as u64, longest: FIRST_SWEEP, events: 0, sweeps: 0, visits: 0 }
    }

    /// The end of a sweep that begins at `first`, by what the last one handled.
    pub fn end_of_sweep(&mut self, first: Time) -> Time {
        let events = std::mem::take(&mut self.events);
        if events > LARGE_SWEEP * self.processes {
            self.longest = Duration::from_ps((self.longest.as_ps() / 2).max(1));
        } else if events < LARGE_SWEEP / 4 * self.processes {
            self.longest = self.longest.times(2).min(LONGEST_SWEEP);
        }
        (first + self.longest).after()
    }

    /// Counts a visit and the events that it handled.
    #[inline]
    pub fn count_visit(&mut self, events: u64) {
        self.visits += 1;
        self.events += events;
    }

    /// Counts a sweep; returns whether sweeps pay, once there were enough of them.
    pub fn judge(&mut self) -> Option<bool> {
        self.sweeps += 1;
        if self.sweeps < SWEEPS_PER_GROUP {
            return None;
        }
        let (sweeps, visits) = (std::mem::take(&mut self.sweeps), std::mem::take(&mut self.visits));
        Some(visits * SPARSE_SWEEP >= sweeps * self.processes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_grow_while_they_are_small_and_shrink_when_they_are_large() {
        let mut lengths = VisitLengths::new(1);
        assert_eq!(lengths.adapt(0, 499, false), Duration::from_ms(2));
        assert_eq!(lengths.adapt(0, 500, false), Duration::from_ms(2));
        // 4,000 events in 2 ms: 1,000 take half a millisecond.
        assert_eq!(lengths.adapt(0, 4_000, false), Duration::from_us(500));
        (0..20).for_each(|_| _ = lengths.adapt(0, 1, false));
        assert_eq!(lengths.of(0), Duration::from_ms(100));
        assert_eq!(lengths.adapt(0, 31, true), Duration::from_ms(200));
    }

    #[test]
    fn short_visits_lead_to_sweeps_later_each_time_that_sweeps_have_not_paid() {
        let mut mode = ModeChoice::new();
        let group = |mode: &mut ModeChoice, events: u64| {
            (0..1_000).for_each(|_| mode.count_visit(events));
            assert!(mode.is_group_complete());
            mode.judge_visits(true)
        };
        assert!(!group(&mut mode, 2));
        assert!(group(&mut mode, 1));
        mode.judge_sweeps(false);
        assert!(!mode.is_sweeping());
        assert!(!group(&mut mode, 1));
        assert!(group(&mut mode, 1));
        mode.judge_sweeps(true);
        assert!(mode.is_sweeping());
    }

    #[test]
    fn sweeps_pay_if_they_visit_one_process_of_sixteen() {
        for (visits, pays) in [(1, false), (2, true)] {
            let mut lengths = SweepLengths::new(32);
            let mut judged = None;
            for _ in 0..64 {
                assert_eq!(judged, None);
                (0..visits).for_each(|_| lengths.count_visit(1));
                judged = lengths.judge();
            }
            assert_eq!(judged, Some(pays));
        }
    }
}
