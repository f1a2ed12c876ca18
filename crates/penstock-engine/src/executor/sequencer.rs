//! The sequencer of a shard: chooses the next process, and how far it may run.
//!
//! Processes run in sweeps ([`crate::executor::promise_sweep`]). A large network runs in windows ([`crate::executor::windows`]) if its
//! sweeps are short because feedback bounds each process by what the others may still send.

use crate::executor::promise_sweep::PromiseSweep;
use crate::executor::tuning::{SweepLengths, WindowTuning};
use crate::executor::windows::Window;
use crate::executor::Executor;
use crate::kernel::logical_process::EarliestOutput;
use crate::kernel::outbox::LocalDeliveries;
use crate::kernel::process_graph::Latencies;
use crate::merge::deferred_set::DeferredSet;
use penstock_model::units::{Duration, Time};

/// Minimum number of processes of a network that switches to windows.
const MIN_IN_WINDOWS: usize = 16;

/// How the next process is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One instant at a time, in the order of the processes' numbers.
    Plain = 0,
    /// All processes in a fixed order, each up to its horizon.
    Sweeps = 1,
    /// All processes that have an event within a window.
    Windows = 2,
}

/// The order of visits to the processes of one shard.
#[derive(Clone)]
pub struct Sequencer {
    executor: Executor,
    /// How the next process is found.
    pub(super) mode: Mode,
    /// Time of the next event of each process.
    pub(super) due: DeferredSet,
    processes: usize,
    /// Shortest delay of all channels.
    pub(super) shortest: Duration,
    pub(super) sweep: PromiseSweep,
    sweep_lengths: SweepLengths,
    window_tuning: WindowTuning,
    /// While processes run in windows, the packets and messages in flight to them, and the current window.
    pub windows: Option<(Box<LocalDeliveries>, Box<Window>)>,
    /// Whether ties are random at no process.
    ties_are_fixed: bool,
    /// Processes looked at so far: visits, stops of sweeps, and starts.
    pub steps: u64,
    /// Number of events handled in each mode.
    pub events: [u64; 3],
}

impl Sequencer {
    /// Creates the sequencer of `processes` processes with these delays between them.
    pub fn new(processes: usize, latencies: &Latencies) -> Sequencer {
        Sequencer {
            executor: Executor::default(),
            mode: Mode::Sweeps,
            due: DeferredSet::new(processes),
            processes,
            sweep: PromiseSweep::new(processes, latencies),
            shortest: latencies.values().copied().min().unwrap_or(Duration::FOREVER),
            sweep_lengths: SweepLengths::new(processes),
            window_tuning: WindowTuning::new(processes),
            windows: None,
            ties_are_fixed: true,
            steps: 0,
            events: [0; 3],
        }
    }

    /// Chooses the executor.
    pub fn choose(&mut self, executor: Executor) {
        self.executor = executor;
        self.mode = match executor {
            Executor::Plain => Mode::Plain,
            Executor::Windows if self.may_use_windows() => Mode::Windows,
            Executor::Horizon | Executor::Sweeps | Executor::Windows => Mode::Sweeps,
        };
    }

    /// Selects `mode`, which other sequencers found best for this network, unless the executor prescribes a mode or `mode` is not
    /// possible here.
    pub fn adopt(&mut self, mode: Mode) {
        if self.executor == Executor::Horizon && (mode == Mode::Sweeps || self.may_switch_to_windows()) {
            self.mode = mode;
        }
    }

    /// Rules out windows, since ties are random at some process: the arrivals of a window would have to be ordered together with
    /// earlier ones.
    pub fn set_random_ties(&mut self) {
        self.ties_are_fixed = false;
        self.choose(self.executor);
    }

    fn may_use_windows(&self) -> bool {
        self.ties_are_fixed && self.shortest > Duration::ZERO
    }

    fn may_switch_to_windows(&self) -> bool {
        self.executor == Executor::Horizon && self.processes >= MIN_IN_WINDOWS && self.may_use_windows()
    }

    /// Opens the next window: collects the due wake-ups and the packets of `local`. Returns the last instant of the window, at most
    /// `until`; `None` if nothing is due up to `until`.
    pub fn begin_window(&mut self, until: Time, local: &mut LocalDeliveries, window: &mut Window) -> Option<Time> {
        let first = local.wheel.first().min(self.due.first());
        if first > until || first == Time::NEVER {
            return None;
        }
        let end = local.wheel.end_of_window(first).min(until);
        window.begin(first, end, &mut local.wheel, &mut self.due);
        Some(end)
    }

    /// Records the visits and events of a window. From time to time, returns to sweeps as a trial.
    pub fn end_window(&mut self, visits: u64, events: u64) {
        self.steps += visits;
        if self.window_tuning.is_over(events) && self.executor != Executor::Windows {
            self.mode = Mode::Sweeps;
        }
    }

    /// Sets the times of the next events of all processes.
    pub fn begin(&mut self, due: impl Iterator<Item = Time>) {
        due.enumerate().for_each(|(process, due)| self.due.set(process, due));
        self.steps += self.processes as u64;
    }

    /// Returns the time of the next event.
    pub fn next(&mut self) -> Time {
        self.due.first().min(self.first_arrival())
    }

    /// Returns the first arrival time on the wheel of windows; [`Time::NEVER`] if there is none or processes do not run in windows.
    pub fn first_arrival(&self) -> Time {
        self.windows.as_ref().map_or(Time::NEVER, |(local, _)| local.wheel.first())
    }

    /// Returns the number of packets in flight on the wheel of windows.
    pub fn under_way(&self) -> usize {
        self.windows.as_ref().map_or(0, |(local, _)| local.wheel.len())
    }

    /// Returns the first process that is due up to `until`, with the time. Of several at that instant it is the one with the lowest
    /// number, which may send to the others without delay.
    pub fn first_due(&mut self, until: Time) -> Option<(usize, Time)> {
        self.steps += 1;
        self.due.first_due().filter(|(_, due)| *due <= until)
    }

    /// Begins a sweep, or continues the current one; returns `false` if nothing is left to do up to `until`.
    pub fn begin_sweep(&mut self, until: Time) -> bool {
        if self.sweep.is_under_way(until) {
            return true;
        }
        self.steps += self.processes as u64;
        self.sweep.begin(self.sweep_lengths.longest, until, &self.due)
    }

    /// Records a visit of the sweep: `process` has handled `events`, its next event is due at `next`, and `eot` are its earliest output
    /// times.
    #[inline]
    pub fn visited(&mut self, process: usize, next: Time, eot: EarliestOutput, events: u64) {
        self.due.set(process, next);
        self.sweep_lengths.count_visit(events);
        self.sweep.visited(next, eot, events);
    }

    /// Ends a sweep, and from time to time decides whether windows are better. Returns whether the sweep visited no process, which
    /// happens if no delay separates processes.
    pub fn end_sweep(&mut self) -> bool {
        let has_visited_nothing = self.sweep_lengths.visits == 0;
        if let Some(are_short) = self.sweep_lengths.end_sweep() {
            self.mode = if are_short && self.may_switch_to_windows() { Mode::Windows } else { Mode::Sweeps };
        }
        has_visited_nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Processes in a ring, 1 ms from one to the next, all with an event at 10 ms.
    fn ring(processes: u32) -> Sequencer {
        let latencies = (0..processes).map(|from| ((from, (from + 1) % processes), Duration::from_ms(1))).collect();
        let mut sequencer = Sequencer::new(processes as usize, &latencies);
        sequencer.begin((0..processes).map(|_| at(10)));
        sequencer
    }

    /// Makes `count` sweeps; every process handles `events` in each.
    fn make_sweeps(sequencer: &mut Sequencer, count: u64, events: u64) {
        let unknown = EarliestOutput::default();
        for _ in 0..count {
            assert!(sequencer.begin_sweep(at(100_000)));
            while let Some((process, until)) = sequencer.sweep.next(&sequencer.due, |_, _| Time::ZERO) {
                sequencer.visited(process, until.after().max(at(1)), unknown, events);
            }
            sequencer.end_sweep();
        }
    }

    #[test]
    fn the_plain_executor_goes_from_instant_to_instant() {
        let mut sequencer = ring(2);
        sequencer.choose(Executor::Plain);
        assert_eq!(sequencer.mode, Mode::Plain);
        assert_eq!(sequencer.first_due(at(1_000)), Some((0, at(10))));
        sequencer.due.set(0, at(12));
        assert_eq!(sequencer.first_due(at(1_000)), Some((1, at(10))));
        sequencer.due.set(1, at(11));
        assert_eq!(sequencer.first_due(at(1_000)), Some((1, at(11))));
        assert_eq!(sequencer.first_due(at(10)), None);
        assert_eq!(sequencer.next(), at(11));
    }

    #[test]
    fn windows_take_over_where_sweeps_are_short_and_processes_are_many() {
        for (processes, events, mode) in [(15, 2, Mode::Sweeps), (16, 2, Mode::Windows), (16, 3, Mode::Sweeps)] {
            let mut sequencer = ring(processes);
            make_sweeps(&mut sequencer, 47, events);
            assert_eq!(sequencer.mode, Mode::Sweeps);
            make_sweeps(&mut sequencer, 1, events);
            assert_eq!(sequencer.mode, mode, "{processes} processes, {events} events");
        }
    }

    #[test]
    fn sweeps_are_tried_again_after_some_windows() {
        let mut sequencer = ring(16);
        make_sweeps(&mut sequencer, 48, 0);
        sequencer.end_window(1, 16 * 16 - 1);
        assert_eq!(sequencer.mode, Mode::Windows);
        sequencer.end_window(1, 1);
        assert_eq!(sequencer.mode, Mode::Sweeps);
    }

    #[test]
    fn a_sweep_that_visits_nothing_is_told() {
        // No delay separates the two, so each waits for what the other may send at once.
        let latencies = [((0, 1), Duration::ZERO), ((1, 0), Duration::ZERO)].into();
        let mut sequencer = Sequencer::new(2, &latencies);
        sequencer.begin([at(10), at(10)].into_iter());
        assert!(sequencer.begin_sweep(at(1_000)));
        assert_eq!(sequencer.sweep.next(&sequencer.due, |_, _| Time::ZERO), None);
        assert!(sequencer.end_sweep());
        assert_eq!(sequencer.first_due(at(1_000)), Some((0, at(10))));
    }

    #[test]
    fn nothing_runs_in_windows_where_ties_are_random_or_something_takes_no_time() {
        let mut sequencer = ring(16);
        sequencer.choose(Executor::Windows);
        assert_eq!(sequencer.mode, Mode::Windows);
        sequencer.set_random_ties();
        assert_eq!(sequencer.mode, Mode::Sweeps);
        sequencer.adopt(Mode::Windows);
        assert_eq!(sequencer.mode, Mode::Sweeps);
        let at_once = [((0, 1), Duration::ZERO)].into();
        let mut sequencer = Sequencer::new(16, &at_once);
        sequencer.choose(Executor::Windows);
        assert_eq!(sequencer.mode, Mode::Sweeps);
        sequencer.choose(Executor::Horizon);
        sequencer.adopt(Mode::Windows);
        assert_eq!(sequencer.mode, Mode::Sweeps);
    }

    #[test]
    fn others_tell_which_mode_is_the_best_unless_the_executor_decides() {
        let mut sequencer = ring(16);
        sequencer.adopt(Mode::Windows);
        assert_eq!(sequencer.mode, Mode::Windows);
        sequencer.choose(Executor::Sweeps);
        sequencer.adopt(Mode::Windows);
        assert_eq!(sequencer.mode, Mode::Sweeps);
    }
}
