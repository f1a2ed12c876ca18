//! The sequencer of a shard: chooses the next process, and how far it may run.
//!
//! Usually processes are visited in the order of the ready queue. Where such visits are short, finding the next process
//! costs more than they do; then windows ([`crate::executor::windows`]) or promise sweeps take over
//! ([`crate::executor::promise_sweep`]).

use crate::executor::lookahead::Lookahead;
use crate::executor::promise_sweep::PromiseSweep;
use crate::executor::tuning::{Mode, ModeChoice, SweepLengths, VisitLengths, WindowTuning, WindowsJudged};
use crate::executor::windows::{window_length, Window};
use crate::executor::Executor;
use crate::kernel::outbox::LocalDeliveries;
use crate::kernel::process_graph::Latencies;
use crate::kernel::schedule::Schedule;
use crate::merge::deferred_set::DeferredSet;
use crate::merge::window_wheel::WindowWheel;
use penstock_model::units::{Duration, Time};

/// Fewer processes than this are not swept.
const MIN_SWEPT: usize = 16;

/// The order of visits to the processes of one shard.
pub struct Sequencer {
    executor: Executor,
    schedule: Schedule,
    lookahead: Lookahead,
    sweep: PromiseSweep,
    mode: ModeChoice,
    visit_lengths: VisitLengths,
    sweep_lengths: SweepLengths,
    window_tuning: WindowTuning,
    /// While processes run in windows: what is on its way to them, and the current window.
    pub windows: Option<(Box<LocalDeliveries>, Box<Window>)>,
    /// Whether each process sends to other shards; nothing if none does, or none is known to.
    is_border: Vec<bool>,
    /// No ties are random.
    ties_are_fixed: bool,
    /// Processes looked at so far: visits, stops of sweeps, and starts.
    steps: u64,
    /// Events handled in each mode...
    events: [u64; 3],
    /// ... and at compact ports that processes have got back.
    events_at_compact_ports: u64,
}

impl Sequencer {
    /// The order for processes with these delays between them.
    pub fn new(processes: usize, latencies: &Latencies) -> Sequencer {
        let lookahead = Lookahead::new(processes, latencies);
        let mut sequencer = Sequencer {
            executor: Executor::default(),
            schedule: Schedule::new(processes),
            sweep: PromiseSweep::new(processes, latencies, |process| lookahead.reach(process)),
            lookahead,
            mode: ModeChoice::new(),
            visit_lengths: VisitLengths::new(processes),
            sweep_lengths: SweepLengths::new(processes),
            window_tuning: WindowTuning::new(),
            windows: None,
            is_border: Vec::new(),
            ties_are_fixed: true,
            steps: 0,
            events: [0; 3],
            events_at_compact_ports: 0,
        };
        sequencer.choose(Executor::default());
        sequencer
    }

    /// Chooses the executor.
    pub fn choose(&mut self, executor: Executor) {
        self.executor = executor;
        self.mode.set(match executor {
            Executor::Windows if self.may_use_windows() => Mode::Windows,
            Executor::Sweeps | Executor::Windows if self.lookahead.shortest() > Duration::ZERO => Mode::Sweeps,
            _ => Mode::Ordered,
        });
        for process in 0..self.schedule.len() {
            let slack = self.slack(process, self.visit_lengths.of(process));
            self.schedule.set_slack(process, slack);
        }
    }

    /// Goes on in `mode`, which others have found to be the best for this network, unless the executor decides or there may be none
    /// of it.
    pub fn adopt(&mut self, mode: Mode) {
        let is_allowed = match mode {
            Mode::Ordered => true,
            Mode::Windows => self.may_switch() && self.may_use_windows(),
            Mode::Sweeps => self.may_switch(),
        };
        if self.executor == Executor::Horizon && is_allowed {
            self.mode.set(mode);
        }
    }

    /// `process` sends to other shards.
    pub fn set_border(&mut self, process: usize) {
        self.is_border.resize(self.schedule.len(), false);
        self.is_border[process] = true;
    }

    /// Ties of some processes are random: there are no windows, which do not know what came before.
    pub fn set_random_ties(&mut self) {
        self.ties_are_fixed = false;
        self.choose(self.executor);
    }

    fn may_use_windows(&self) -> bool {
        self.ties_are_fixed && self.lookahead.shortest() > Duration::ZERO
    }

    /// Nothing on its way yet to processes of which the first has this number, and an empty window.
    pub fn empty_windows(&self, first: usize) -> (Box<LocalDeliveries>, Box<Window>) {
        let count = self.schedule.len();
        let wheel = WindowWheel::new(window_length(self.lookahead.shortest()));
        let local = LocalDeliveries { first: first as u32, count: count as u32, wheel, messages: Vec::new() };
        (Box::new(local), Box::new(Window::new(count, self.is_border.clone())))
    }

    /// The times at which processes do something by themselves, and the window to come: what is due in it, by `local`. `None` if
    /// nothing is due up to `until`; else the last instant up to which it has been taken.
    pub fn begin_window(&mut self, until: Time, local: &mut LocalDeliveries, window: &mut Window) -> Option<Time> {
        let wakeups = self.schedule.deferred();
        let first = local.wheel.first().min(wakeups.first());
        if first > until || first == Time::NEVER {
            return None;
        }
        let end = local.wheel.end_of_window(first).min(until);
        window.begin(first, end, &mut local.wheel, wakeups);
        Some(end)
    }

    /// A window has been handled, with so many visits and events: decides now and then whether windows are still the best.
    pub fn end_window(&mut self, visits: u64, events: u64) {
        self.steps += visits;
        let judged = self.window_tuning.judge(events);
        if self.executor != Executor::Windows {
            match judged {
                Some(WindowsJudged::Pay) | None => {}
                Some(judged) => self.mode.leave_windows(judged == WindowsJudged::Trial),
            }
        }
    }

    /// When processes that are not ready are due.
    #[inline]
    pub fn deferred(&mut self) -> &mut DeferredSet {
        self.schedule.deferred()
    }

    /// Starts again with these times of the processes' next events.
    pub fn begin(&mut self, due: impl Iterator<Item = Time>) {
        self.schedule.reset(due);
        self.steps += self.schedule.len() as u64;
    }

    /// How many processes have been looked at so far: the work of finding what runs next.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts events handled in `mode`.
    pub fn count_events(&mut self, mode: Mode, events: u64) {
        self.events[mode as usize] += events;
    }

    /// How many events have been handled in `mode`.
    pub fn events_in(&self, mode: Mode) -> u64 {
        self.events[mode as usize]
    }

    /// Counts packets that compact ports have accepted, when processes get them back.
    pub fn count_at_compact_ports(&mut self, packets: u64) {
        self.events_at_compact_ports += packets;
    }

    /// How many packets compact ports have accepted.
    pub fn events_at_compact_ports(&self) -> u64 {
        self.events_at_compact_ports + self.windows.as_ref().map_or(0, |(_, window)| window.compact.accepted())
    }

    /// Due times, for what is sent during a visit.
    #[inline]
    pub fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    /// When the next event is due, once nothing that is ready is left.
    pub fn next(&mut self) -> Time {
        debug_assert!(self.schedule.first_ready().is_none(), "something is left to do");
        self.schedule.deferred().first().min(self.first_arrival())
    }

    /// When the first of the packets arrives that windows keep; [`Time::NEVER`] if processes do not run in windows.
    pub fn first_arrival(&self) -> Time {
        self.windows.as_ref().map_or(Time::NEVER, |(local, _)| local.wheel.first())
    }

    /// How many packets are under way that windows keep.
    pub fn under_way(&self) -> usize {
        self.windows.as_ref().map_or(0, |(local, _)| local.wheel.len())
    }

    /// How the next process is found now.
    #[inline]
    pub fn mode(&self) -> Mode {
        self.mode.mode()
    }

    /// Makes everything that is due up to and including `until` ready for visits in order of time.
    pub fn extend(&mut self, until: Time) {
        self.schedule.extend(until);
    }

    /// The process to visit, and until when it may run; `None` if nothing is left to do up to `until`. Nothing that a process does
    /// not know yet arrives there before `known_until`.
    #[inline]
    pub fn next_visit(&self, until: Time, known_until: impl Fn(usize) -> Time) -> Option<(usize, Time)> {
        let first = self.schedule.first_ready()?;
        let horizon = match self.executor {
            Executor::Plain => first.due,
            Executor::Horizon | Executor::Sweeps | Executor::Windows => {
                let horizon = self.lookahead.horizon(&first, &self.schedule).max(known_until(first.process));
                let safe = horizon.before().max(first.due);
                safe.min(first.due + self.visit_lengths.of(first.process)).min(until)
            }
        };
        Some((first.process, horizon))
    }

    /// A visit to `process` has handled `events`. Its next event is due at `next`; it is quiet until the first of `silence`, and
    /// silent until the second (see [`crate::kernel::logical_process::LogicalProcess::quiet_until`], and there `silent_until`).
    #[inline]
    pub fn visited(&mut self, process: usize, next: Time, (quiet_until, silent_until): (Time, Time), events: u64) {
        self.steps += 1;
        self.mode.count_visit(events);
        self.lookahead.set_quiet_until(process, quiet_until);
        self.lookahead.set_silent_until(process, silent_until);
        let longest = self.visit_lengths.adapt(process, events, self.lookahead.receives_only_answers(process));
        self.schedule.set_slack(process, self.slack(process, longest));
        self.schedule.set(process, next);
    }

    /// Decides now and then whether something else is better; if so, leaves to that what is ready, and returns `true`.
    #[inline]
    pub fn switches_mode(&mut self) -> bool {
        self.mode.is_group_complete() && self.judge_visits()
    }

    /// Whether there may be anything else than visits in order of time.
    fn may_switch(&self) -> bool {
        self.executor == Executor::Horizon && self.lookahead.shortest() > Duration::ZERO && self.schedule.len() >= MIN_SWEPT
    }

    fn judge_visits(&mut self) -> bool {
        let may_switch = self.may_switch();
        let switches = self.mode.judge_visits(may_switch);
        if switches {
            self.schedule.defer_all();
        }
        switches
    }

    /// Begins a sweep, or goes on with the current one; `false` if nothing is left to do up to `until`.
    pub fn begin_sweep(&mut self, until: Time) -> bool {
        self.schedule.defer_all();
        if self.sweep.is_under_way(until) {
            return true;
        }
        let first = self.schedule.deferred().first();
        if first > until || first == Time::NEVER {
            return false;
        }
        let end = self.sweep_lengths.end_of_sweep(first).min(until.after());
        self.sweep.begin(first, end);
        self.steps += self.schedule.len() as u64;
        true
    }

    /// The next process of the sweep, and until when it may run; `None` at its end.
    #[inline]
    pub fn next_stop(&mut self) -> Option<(usize, Time)> {
        self.sweep.next(self.schedule.deferred())
    }

    /// The process of the sweep has handled `events`. Its next event is due at `next`; its wire is free at `free`.
    #[inline]
    pub fn stopped(&mut self, process: usize, next: Time, free: Time, events: u64) {
        self.schedule.deferred().set(process, next);
        self.sweep_lengths.count_visit(events);
        self.sweep.visited(next, free);
    }

    /// A sweep has come to its end: decides whether another one is better than visits in order of time.
    pub fn end_sweep(&mut self) {
        if let Some(judged) = self.sweep_lengths.judge() {
            if !matches!(self.executor, Executor::Sweeps | Executor::Windows) {
                self.mode.judge_sweeps(judged, self.may_use_windows());
            }
        }
    }

    /// How far the effects of an event of `process` are put off in the ready queue.
    #[inline]
    fn slack(&self, process: usize, longest_visit: Duration) -> Duration {
        match self.executor {
            Executor::Plain => Duration::ZERO,
            Executor::Horizon | Executor::Sweeps | Executor::Windows => self.lookahead.reach(process).min(longest_visit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Processes with these next events, whose visits may be long, up to one second.
    fn sequencer(latencies: &[(u32, u32, u64)], due: &[u64]) -> Sequencer {
        let latencies = latencies.iter().map(|&(from, to, ms)| ((from, to), Duration::from_ms(ms))).collect();
        let mut sequencer = Sequencer::new(due.len(), &latencies);
        sequencer.visit_lengths.set_all_to_longest();
        sequencer.choose(Executor::Horizon);
        sequencer.begin(due.iter().map(|&ms| at(ms)));
        sequencer.extend(at(1_000));
        sequencer
    }

    fn next_visit(sequencer: &Sequencer) -> Option<(usize, Time)> {
        sequencer.next_visit(at(1_000), |_| Time::ZERO)
    }

    #[test]
    fn two_that_answer_each_other_run_for_a_round_trip() {
        // The other one's next event is at 50; what process 0 sends at 10 comes back at 10 + 2 + 3.
        let sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 50]);
        assert_eq!(next_visit(&sequencer), Some((0, at(15).before())));
    }

    #[test]
    fn an_event_elsewhere_bounds_a_visit_by_the_delay_from_there() {
        let sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        assert_eq!(next_visit(&sequencer), Some((0, at(14).before())));
    }

    #[test]
    fn what_is_known_to_arrive_bounds_no_visit() {
        let sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        assert_eq!(sequencer.next_visit(at(1_000), |process| at([30, 40][process])), Some((0, at(30).before())));
        assert_eq!(sequencer.next_visit(at(20), |process| at([30, 40][process])), Some((0, at(20))));
        assert_eq!(sequencer.next_visit(at(1_000), |_| at(12)), Some((0, at(14).before())));
    }

    #[test]
    fn nothing_bounds_the_beginning_of_a_chain() {
        let mut sequencer = sequencer(&[(0, 1, 1), (1, 2, 1)], &[10, 10, 10]);
        assert_eq!(next_visit(&sequencer), Some((0, at(110))));
        sequencer.visited(0, at(111), (Time::ZERO, Time::ZERO), 500);
        // The next packet of process 0 reaches process 1 at 112.
        assert_eq!(next_visit(&sequencer), Some((1, at(110))));
    }

    #[test]
    fn a_process_that_hears_only_answers_runs_until_the_first_may_arrive() {
        let mut sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        assert_eq!(next_visit(&sequencer), Some((0, at(14).before())));
        sequencer.visited(0, at(10), (at(40), Time::ZERO), 500);
        assert_eq!(next_visit(&sequencer), Some((0, at(42).before())));
        sequencer.visited(0, at(10), (Time::NEVER, Time::ZERO), 500);
        assert_eq!(next_visit(&sequencer), Some((0, at(110))));
    }

    #[test]
    fn who_hears_only_from_silent_ones_runs_until_they_may_speak() {
        // Process 1 sends nothing before 30; process 2 has an event at 12, which reaches process 1 at once.
        let mut sequencer = sequencer(&[(0, 1, 2), (1, 0, 3), (2, 1, 0)], &[10, 11, 12]);
        sequencer.visited(1, at(11), (Time::ZERO, at(30)), 500);
        assert_eq!(next_visit(&sequencer), Some((0, at(33).before())));
        // Of two senders both have to be silent.
        let mut sequencer = self::sequencer(&[(0, 1, 2), (1, 0, 3), (2, 0, 1)], &[10, 11, 12]);
        sequencer.visited(1, at(11), (Time::ZERO, at(30)), 500);
        assert_eq!(next_visit(&sequencer), Some((0, at(13).before())));
        sequencer.visited(2, at(12), (Time::ZERO, at(20)), 500);
        assert_eq!(next_visit(&sequencer), Some((0, at(21).before())));
    }

    #[test]
    fn of_many_senders_the_nearest_event_counts() {
        let latencies: Vec<(u32, u32, u64)> = (0..20).map(|sender| (sender, 20, 5 + u64::from(sender))).collect();
        let mut due = vec![100; 21];
        due[20] = 1;
        let mut sequencer = sequencer(&latencies, &due);
        // Process 20 sends nothing, so it can wait as long as its longest visit.
        assert_eq!(next_visit(&sequencer), Some((20, at(101).before())));
        sequencer.visited(20, at(102), (Time::ZERO, Time::ZERO), 500);
        assert_eq!(next_visit(&sequencer), Some((0, at(200))));
    }

    #[test]
    fn of_two_at_the_same_instant_the_lower_goes_first() {
        let sequencer = sequencer(&[(0, 1, 0), (1, 0, 7)], &[10, 10]);
        assert_eq!(next_visit(&sequencer), Some((0, at(17).before())));
    }

    #[test]
    fn later_events_wait_for_the_next_extension() {
        let mut sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 50]);
        sequencer.begin([at(10), at(50)].into_iter());
        sequencer.extend(at(12));
        assert_eq!(sequencer.next_visit(at(12), |_| Time::ZERO), Some((0, at(12))));
        sequencer.visited(0, at(60), (Time::ZERO, Time::ZERO), 500);
        assert_eq!(sequencer.next_visit(at(12), |_| Time::ZERO), None);
        assert_eq!(sequencer.next(), at(50));
        sequencer.schedule().announce(1, at(14));
        assert_eq!(sequencer.next(), at(14));
        sequencer.extend(at(20));
        assert_eq!(sequencer.next_visit(at(20), |_| Time::ZERO), Some((1, at(19).before())));
    }

    #[test]
    fn what_was_left_ready_keeps_its_time() {
        let mut sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 50]);
        sequencer.begin([at(10), at(50)].into_iter());
        sequencer.extend(at(12));
        // Process 0 has not run yet when something later arrives there, and when more becomes ready.
        sequencer.schedule().announce(0, at(14));
        sequencer.extend(at(20));
        assert_eq!(sequencer.next_visit(at(20), |_| Time::ZERO).map(|(process, _)| process), Some(0));
        sequencer.extend(at(5));
        assert_eq!(sequencer.next_visit(at(5), |_| Time::ZERO), None);
        assert_eq!(sequencer.next(), at(10));
    }

    #[test]
    fn the_plain_executor_goes_from_instant_to_instant() {
        let mut sequencer = sequencer(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
        sequencer.choose(Executor::Plain);
        sequencer.begin([at(10), at(11)].into_iter());
        sequencer.extend(at(1_000));
        assert_eq!(next_visit(&sequencer), Some((0, at(10))));
        sequencer.visited(0, at(12), (Time::ZERO, Time::ZERO), 1);
        assert_eq!(next_visit(&sequencer), Some((1, at(11))));
    }
}
