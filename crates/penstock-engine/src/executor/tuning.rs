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

/// How the executor finds the next process to visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In order of time, by the ready queue.
    Ordered = 0,
    /// All that have something to do within a window.
    Windows = 1,
    /// All in a fixed order, in promise sweeps.
    Sweeps = 2,
}

/// Which of them.
#[derive(Clone, Debug)]
pub struct ModeChoice {
    mode: Mode,
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
        ModeChoice { mode: Mode::Ordered, visits: 0, events: 0, short_groups: 0, patience: 1 }
    }

    /// The one in use.
    #[inline]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Decides by hand.
    pub fn set(&mut self, mode: Mode) {
        self.mode = mode;
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

    /// Decides after a group of visits in order of time whether to sweep from now on, if that is possible.
    pub fn judge_visits(&mut self, may_sweep: bool) -> bool {
        let are_short = std::mem::take(&mut self.events) < SHORT_VISIT * std::mem::take(&mut self.visits);
        self.short_groups = if may_sweep && are_short { self.short_groups + 1 } else { 0 };
        if self.short_groups >= self.patience {
            self.mode = Mode::Sweeps;
        }
        self.mode != Mode::Ordered
    }

    /// Takes note of what a group of sweeps was like, and goes on with them, in windows, if there may be any, or in order of time.
    pub fn judge_sweeps(&mut self, judged: SweepsJudged, may_use_windows: bool) {
        let pay = judged != SweepsJudged::Sparse;
        self.patience = if pay { 1 } else { (self.patience * 2).min(MAX_PATIENCE) };
        self.short_groups = 0;
        self.mode = match judged {
            SweepsJudged::Sparse => Mode::Ordered,
            SweepsJudged::Short if may_use_windows => Mode::Windows,
            SweepsJudged::Short | SweepsJudged::Pay => Mode::Sweeps,
        };
    }

    /// After windows that were too empty, or very many of them: visits in order of time, and how long these are, are to decide
    /// again; at once, if the windows were good.
    pub fn leave_windows(&mut self, were_good: bool) {
        self.patience = if were_good { 1 } else { (self.patience * 2).min(MAX_PATIENCE) };
        (self.mode, self.short_groups) = (Mode::Ordered, 0);
    }
}

/// A sweep that handles more events than this for each process is followed by shorter ones.
const LARGE_SWEEP: u64 = 32;
const FIRST_SWEEP: Duration = Duration::from_ms(10);
const LONGEST_SWEEP: Duration = Duration::from_ms(1_000);
/// Sweeps are judged in groups of so many;
const SWEEPS_PER_GROUP: u64 = 8;
/// those that visit fewer than one process of so many do not pay.
const SPARSE_SWEEP: u64 = 16;

/// How much time a sweep may cover, and whether sweeps pay.
#[derive(Clone, Debug)]
pub struct SweepLengths {
    processes: u64,
    longest: Duration,
    /// Events of the current sweep.
    events: u64,
    /// Sweeps of the current group, the visits in them, and the events that these handled.
    sweeps: u64,
    visits: u64,
    group_events: u64,
}

/// What is known after a group of sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepsJudged {
    /// They are worth it.
    Pay,
    /// Hardly a process had anything to do.
    Sparse,
    /// Fewer events were handled than processes were looked at: feedback bounds each by what the others may still do.
    Short,
}

impl SweepLengths {
    /// For so many processes.
    pub fn new(processes: usize) -> SweepLengths {
        SweepLengths { processes: processes as u64, longest: FIRST_SWEEP, events: 0, sweeps: 0, visits: 0, group_events: 0 }
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
        self.group_events += events;
    }

    /// Counts a sweep; returns a judgement once there were enough of them.
    pub fn judge(&mut self) -> Option<SweepsJudged> {
        self.sweeps += 1;
        if self.sweeps < SWEEPS_PER_GROUP {
            return None;
        }
        let looks = std::mem::take(&mut self.sweeps) * self.processes;
        let (visits, events) = (std::mem::take(&mut self.visits), std::mem::take(&mut self.group_events));
        Some(match visits * SPARSE_SWEEP >= looks {
            false => SweepsJudged::Sparse,
            true if events < looks => SweepsJudged::Short,
            true => SweepsJudged::Pay,
        })
    }
}

/// Windows are judged in groups of so many;
const WINDOWS_PER_GROUP: u64 = 64;
/// those that handle fewer events than this in the mean do not pay.
const MIN_PER_WINDOW: u64 = 16;
/// Groups of windows until visits in order of time are tried again: at first, and at most, as each trial that changes nothing
/// makes it eight times as many.
const FIRST_TRIAL: u64 = 2_048;
const LAST_TRIAL: u64 = 1 << 14;

/// Whether windows pay, and when to try something else.
#[derive(Clone, Debug)]
pub struct WindowTuning {
    windows: u64,
    events: u64,
    groups: u64,
    trial: u64,
}

/// What is known after a group of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowsJudged {
    /// They are worth it.
    Pay,
    /// They held too little.
    TooEmpty,
    /// It is time to try visits in order of time.
    Trial,
}

impl WindowTuning {
    /// Nothing known yet.
    pub fn new() -> WindowTuning {
        WindowTuning { windows: 0, events: 0, groups: 0, trial: FIRST_TRIAL }
    }

    /// Counts a window and the events that it held; returns a judgement once there were enough of them.
    #[inline]
    pub fn judge(&mut self, events: u64) -> Option<WindowsJudged> {
        self.windows += 1;
        self.events += events;
        if self.windows < WINDOWS_PER_GROUP {
            return None;
        }
        let (windows, events) = (std::mem::take(&mut self.windows), std::mem::take(&mut self.events));
        self.groups += 1;
        if events < MIN_PER_WINDOW * windows {
            return Some(WindowsJudged::TooEmpty);
        }
        if self.groups < self.trial {
            return Some(WindowsJudged::Pay);
        }
        (self.groups, self.trial) = (0, (8 * self.trial).min(LAST_TRIAL));
        Some(WindowsJudged::Trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_tried_again_later_each_time() {
        let mut tuning = WindowTuning::new();
        let mut trials = Vec::new();
        for group in 1..20_000 {
            (1..64).for_each(|_| assert_eq!(tuning.judge(16), None));
            if tuning.judge(16) == Some(WindowsJudged::Trial) {
                trials.push(group);
            }
        }
        assert_eq!(trials, [2_048, 2_048 + 16_384]);
        (1..64).for_each(|_| assert_eq!(tuning.judge(15), None));
        assert_eq!(tuning.judge(15), Some(WindowsJudged::TooEmpty));
    }

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
        mode.judge_sweeps(SweepsJudged::Sparse, true);
        assert_eq!(mode.mode(), Mode::Ordered);
        assert!(!group(&mut mode, 1));
        assert!(group(&mut mode, 1));
        mode.judge_sweeps(SweepsJudged::Pay, true);
        assert_eq!(mode.mode(), Mode::Sweeps);
        mode.judge_sweeps(SweepsJudged::Short, false);
        assert_eq!(mode.mode(), Mode::Sweeps);
        mode.judge_sweeps(SweepsJudged::Short, true);
        assert_eq!(mode.mode(), Mode::Windows);
        mode.leave_windows(true);
        assert!(group(&mut mode, 1));
    }

    #[test]
    fn sweeps_pay_if_they_visit_one_process_of_sixteen_and_handle_as_many_events_as_there_are_processes() {
        for (visits, events, judgement) in [(1, 99, SweepsJudged::Sparse), (2, 16, SweepsJudged::Pay), (2, 15, SweepsJudged::Short)] {
            let mut lengths = SweepLengths::new(32);
            let mut judged = None;
            for _ in 0..SWEEPS_PER_GROUP {
                assert_eq!(judged, None);
                (0..visits).for_each(|_| lengths.count_visit(events));
                judged = lengths.judge();
            }
            assert_eq!(judged, Some(judgement));
        }
    }
}
