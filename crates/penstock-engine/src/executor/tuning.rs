//! Heuristics for the length of visits and sweeps, and for the change between sweeps and windows. No result depends on them.

use penstock_model::units::Duration;

/// Number of events above which the visits that follow are shorter, so that packets do not pile up.
const LARGE_VISIT: u64 = 2_000;
/// Number of events below which the visits that follow are longer.
const SMALL_VISIT: u64 = 500;
/// Maximum time that the first visits cover.
pub(super) const FIRST_VISIT: Duration = Duration::from_ms(1);
/// Maximum time that a visit covers, so that traffic that begins after a silence does not pile up.
const LONGEST_VISIT: Duration = Duration::from_ms(100);
/// Number of events below which a visit to the ingress of a few calls may cover [`LONGEST_VISIT_OF_CALLS`]: its state leaves the
/// caches between visits.
const TINY_VISIT: u64 = 32;
const LONGEST_VISIT_OF_CALLS: Duration = Duration::from_ms(400);

/// Adapts the longest time that a visit to a process may cover to the number of events that the last one has handled.
#[inline]
pub(super) fn adapt_visit(longest: &mut Duration, events: u64, receives_only_answers: bool) {
    if events > LARGE_VISIT {
        *longest = Duration::from_ps((longest.as_ps() / events).saturating_mul(LARGE_VISIT / 2).max(1));
    } else if events < SMALL_VISIT {
        let is_tiny = events < TINY_VISIT && receives_only_answers;
        *longest = longest.times(2).min(if is_tiny { LONGEST_VISIT_OF_CALLS } else { LONGEST_VISIT });
    }
}

/// Number of events per process above which the sweeps that follow are shorter.
const LARGE_SWEEP: u64 = 1_000;
const FIRST_SWEEP: Duration = Duration::from_ms(10);
const LONGEST_SWEEP: Duration = Duration::from_ms(1_000);
/// Sweeps of a run before those that are judged: the first ones are short, as processes have promised nothing yet.
const UNJUDGED_SWEEPS: u64 = 40;
/// Sweeps after windows, or after those that have been judged, that are not judged: the first one handles what windows have left.
const UNJUDGED_AGAIN: u64 = 2;
/// Number of sweeps that are judged together.
const JUDGED_SWEEPS: u64 = 8;
/// Number of looks at processes that cost as much as a visit.
const LOOKS_PER_VISIT: u64 = 16;

/// How much time a sweep may cover, and whether sweeps are long enough.
#[derive(Clone, Debug, Default)]
pub struct SweepLengths {
    processes: u64,
    /// Maximum length of the next sweep.
    pub(super) longest: Duration,
    /// Visits of the current sweep, and the events that they handled.
    pub(super) visits: u64,
    events: u64,
    /// Number of sweeps counted, and of the visits and events in the current group.
    sweeps: u64,
    group_visits: u64,
    group_events: u64,
}

impl SweepLengths {
    /// Lengths for a network of this many processes.
    pub fn new(processes: usize) -> SweepLengths {
        SweepLengths { processes: processes as u64, longest: FIRST_SWEEP, ..SweepLengths::default() }
    }

    /// Counts a visit and the events that it handled.
    #[inline]
    pub fn count_visit(&mut self, events: u64) {
        self.visits += 1;
        self.events += events;
    }

    /// Counts a sweep, and adapts the length of the next one to the events that it handled. After [`JUDGED_SWEEPS`], returns whether they
    /// averaged fewer than two events per visit, as happens if feedback bounds each process by the others. [`LOOKS_PER_VISIT`] looks count
    /// as a visit.
    pub fn end_sweep(&mut self) -> Option<bool> {
        let events = std::mem::take(&mut self.events);
        self.group_visits += std::mem::take(&mut self.visits);
        self.group_events += events;
        if events > LARGE_SWEEP * self.processes {
            self.longest = Duration::from_ps((self.longest.as_ps() / 2).max(1));
        } else if events < LARGE_SWEEP / 4 * self.processes {
            self.longest = self.longest.times(2).min(LONGEST_SWEEP);
        }
        self.sweeps += 1;
        if self.sweeps == UNJUDGED_SWEEPS {
            (self.group_visits, self.group_events) = (0, 0);
        }
        if self.sweeps < UNJUDGED_SWEEPS + JUDGED_SWEEPS {
            return None;
        }
        self.sweeps = UNJUDGED_SWEEPS - UNJUDGED_AGAIN;
        let visits = std::mem::take(&mut self.group_visits) + JUDGED_SWEEPS * self.processes / LOOKS_PER_VISIT;
        Some(std::mem::take(&mut self.group_events) < 2 * visits)
    }
}

/// Number of events per process in windows before the first trial of sweeps, and the factor by which it grows with each trial. Sweeps
/// may become long once all sources have begun, and trials cost little while few packets are in flight.
const FIRST_PATIENCE: u64 = 16;
const PATIENCE_GROWTH: u64 = 256;

/// Decides when windows give way to a trial of sweeps.
#[derive(Clone, Debug)]
pub struct WindowTuning {
    /// Number of events in windows since the last trial, and the number at which the next trial begins.
    events: u64,
    patience: u64,
}

impl WindowTuning {
    /// Creates the state for `processes` processes.
    pub fn new(processes: usize) -> WindowTuning {
        WindowTuning { events: 0, patience: FIRST_PATIENCE * processes as u64 }
    }

    /// Counts the events of a window; returns whether sweeps must be tried again.
    #[inline]
    pub fn is_over(&mut self, events: u64) -> bool {
        self.events += events;
        let is_over = self.events >= self.patience;
        if is_over {
            (self.events, self.patience) = (0, self.patience.saturating_mul(PATIENCE_GROWTH));
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_grow_while_they_are_small_and_shrink_when_they_are_large() {
        let mut longest = FIRST_VISIT;
        let mut adapt = |events, receives_only_answers| {
            adapt_visit(&mut longest, events, receives_only_answers);
            longest
        };
        assert_eq!(adapt(499, false), Duration::from_ms(2));
        assert_eq!(adapt(500, false), Duration::from_ms(2));
        // 4,000 events in 2 ms: 1,000 take half a millisecond.
        assert_eq!(adapt(4_000, false), Duration::from_us(500));
        (0..20).for_each(|_| _ = adapt(1, false));
        assert_eq!(adapt(500, false), Duration::from_ms(100));
        assert_eq!(adapt(31, true), Duration::from_ms(200));
    }

    #[test]
    fn sweeps_grow_while_they_are_small_and_shrink_when_they_are_large() {
        let mut lengths = SweepLengths::new(2);
        for (events, longest) in [(499, 20), (500, 20), (2_001, 10)] {
            lengths.count_visit(events);
            lengths.end_sweep();
            assert_eq!(lengths.longest, Duration::from_ms(longest));
        }
        (0..20).for_each(|_| _ = lengths.end_sweep());
        assert_eq!(lengths.longest, LONGEST_SWEEP);
    }

    #[test]
    fn sweeps_are_short_if_visits_handle_fewer_than_two_events() {
        // Looks at 32 processes count as two visits.
        for (visits, events, are_short) in [(1, 5, true), (1, 6, false), (3, 3, true), (3, 4, false)] {
            let mut lengths = SweepLengths::new(32);
            let mut sweep = |events| {
                (0..visits).for_each(|_| lengths.count_visit(events));
                lengths.end_sweep()
            };
            // The first ones do not count.
            for unjudged in [UNJUDGED_SWEEPS, UNJUDGED_AGAIN, UNJUDGED_AGAIN] {
                assert!((0..unjudged).all(|_| sweep(1_000).is_none()));
                assert!((1..JUDGED_SWEEPS).all(|_| sweep(events).is_none()));
                assert_eq!(sweep(events), Some(are_short));
            }
        }
    }

    #[test]
    fn sweeps_are_tried_again_after_some_events_per_process_and_then_after_more() {
        let mut tuning = WindowTuning::new(10);
        for factor in [1, PATIENCE_GROWTH, PATIENCE_GROWTH * PATIENCE_GROWTH] {
            assert_eq!((1..).find(|_| tuning.is_over(10)), Some(factor * FIRST_PATIENCE));
        }
    }
}
