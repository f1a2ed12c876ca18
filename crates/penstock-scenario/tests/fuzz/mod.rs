//! Invariants for any text given as a scenario: it is accepted or refused without a panic; a run of it can be cancelled at any time,
//! and gives the same results with every executor.
#![allow(dead_code)] // each user takes its part

mod rows;

use penstock_engine::blueprint::{Blueprint, FastPaths};
use penstock_engine::{BlueprintError, Executor, Observations, Sim};
use penstock_model::printable::is_escaped;
use penstock_model::rng::Key;
use penstock_model::units::Time;
use penstock_scenario::{load, Mistake, ValidScenario};
use std::sync::mpsc;

/// Nodes, links and flows above which nothing is run, to save time for other cases.
const LARGEST: usize = 20_000;
/// Events between two looks at a flag, as in the extension module.
const STRETCH: u64 = 10_000;

/// One case in this number is also cancelled.
const CANCELLED: u64 = 8;
/// Maximum CPU time before the cancellation, in seconds.
const LATEST: f64 = 0.2;

/// The effort spent on a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Approximate number of events of a run; longer runs are shortened.
    pub events: u64,
    /// Determines how the network is cut for several cores, and how runs are cut into stretches.
    pub cut: u64,
}

/// The outcome for a scenario that passes the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has mistakes, and they are reported correctly.
    Refused,
    /// It is valid, and too large to run here.
    TooLarge,
    /// Its beginning alone has more events than are run here.
    Begun,
    /// All its runs, executed in different ways, are equal.
    Compared,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// The outcome, or the violated invariant.
    pub outcome: Result<Outcome, String>,
    /// The longest phase without a look at a flag: its name, and the CPU time it took in seconds.
    pub longest: (&'static str, f64),
    /// Where the mistakes of a refused scenario are.
    pub mistaken: Vec<String>,
}

/// Checks a scenario with these settings.
pub fn check(text: &str, sets: &[(String, String)], effort: Effort) -> Report {
    let (mut clock, mut mistaken) = (Clock::default(), Vec::new());
    let outcome = check_all(text, sets, effort, &mut clock, &mut mistaken);
    Report { outcome, longest: clock.longest, mistaken }
}

fn check_all(
    text: &str,
    sets: &[(String, String)],
    effort: Effort,
    clock: &mut Clock,
    mistaken: &mut Vec<String>,
) -> Result<Outcome, String> {
    let scenario = match clock.time("reading", || load(text, "case.toml", sets)) {
        Ok(scenario) => scenario,
        Err(mistakes) => {
            mistaken.extend(mistakes.iter().map(|mistake| mistake.path.clone()));
            return check_mistakes(&mistakes).map(|()| Outcome::Refused);
        }
    };
    check_warnings(scenario.warnings())?;
    if scenario.node_count() + scenario.link_count() + scenario.flow_count() > LARGEST {
        return Ok(Outcome::TooLarge);
    }
    // Only some cases, since each cancellation lasts until its time has come.
    if effort.cut.is_multiple_of(CANCELLED) {
        cancel_while_running(scenario.blueprint(Some(effort.cut), 0), effort.cut, clock)?;
    }
    let Some(blueprint) = shortened(&scenario, effort, clock)? else { return Ok(Outcome::Begun) };
    let seen = compare(&blueprint, effort, clock)?;
    // A shorter duration may contradict other keys, and then there are no metrics to check.
    let ends = [("duration", blueprint.end), ("warm-up", blueprint.warm_up)];
    let ends = ends.map(|(path, time)| (path.to_owned(), format!("{} ps", time.as_ps())));
    if let Ok(short) = load(text, "case.toml", &[sets, &ends].concat()) {
        check_metrics(&short, &seen, clock)?;
        rows::check_rows(&short, effort.cut, clock)?;
    }
    Ok(Outcome::Compared)
}

/// A run of the scenario with about `effort.events` events at most; `None` if its beginning has more.
fn shortened(scenario: &ValidScenario, effort: Effort, clock: &mut Clock) -> Result<Option<Blueprint>, String> {
    let mut blueprint = scenario.blueprint(Some(effort.cut), 0);
    loop {
        let mut sim =
            clock.time("building", || Sim::new(blueprint.clone())).map_err(|error| format!("a valid scenario cannot be built: {error}"))?;
        let mut is_complete = false;
        while !is_complete && sim.events() < effort.events {
            is_complete = clock.time("running", || sim.run_events(Time::NEVER, STRETCH.min(effort.events)));
        }
        match blueprint.end.as_ps() {
            _ if is_complete => return Ok(Some(blueprint)),
            0..8 => return Ok(None),
            end => blueprint.end = Time::from_ps(end / 8),
        }
        blueprint.warm_up = blueprint.warm_up.min(Time::from_ps(blueprint.end.as_ps() / 2));
    }
}

/// Builds and runs a whole scenario in one go, while another thread sets its flag after some CPU time. The time from then on is a
/// phase of its own.
fn cancel_while_running(blueprint: Blueprint, seed: u64, clock: &mut Clock) -> Result<(), String> {
    let cancel = blueprint.cancel.clone();
    let after = LATEST * Key::root(seed, 2).stream().unit();
    let (over, is_over) = mpsc::channel::<()>();
    let (own, begin) = (ThreadClock::of_this(), cpu_seconds());
    let raiser = std::thread::spawn(move || {
        let tick = std::time::Duration::from_millis(2);
        while own.seconds() - begin < after && is_over.recv_timeout(tick) == Err(mpsc::RecvTimeoutError::Timeout) {}
        let at = own.seconds();
        cancel.set();
        at
    });
    let flag = blueprint.cancel.clone();
    let (built, early) = match Sim::new(blueprint) {
        Ok(mut sim) => (true, !sim.run_events(Time::NEVER, u64::MAX)),
        Err(BlueprintError::Cancelled) => (false, true),
        Err(error) => return Err(format!("a valid scenario cannot be built: {error}")),
    };
    let end = cpu_seconds();
    drop(over);
    let at = raiser.join().map_err(|_| "the thread that sets the flag panicked".to_owned())?;
    match early {
        true if !flag.is_set() => Err(format!("stopped without a flag ({})", if built { "running" } else { "building" })),
        true => {
            clock.record("ending after the flag was set", end - at);
            Ok(())
        }
        false => Ok(()),
    }
}

/// Checks that every way of executing a run gives the same observations.
fn compare(blueprint: &Blueprint, effort: Effort, clock: &mut Clock) -> Result<Observations, String> {
    let sim = |blueprint: &Blueprint| Sim::new(blueprint.clone()).map_err(|error| error.to_string());
    let reference = in_stretches(sim(blueprint)?.with_executor(Executor::Plain), effort.cut, clock);
    let same = |how: &str, seen: Observations| if seen == reference { Ok(()) } else { Err(difference(how, &reference, &seen)) };
    same("the plain executor in one go", sim(blueprint)?.with_executor(Executor::Plain).run())?;
    same("the executor by horizons", in_stretches(sim(blueprint)?, effort.cut, clock))?;
    same("the same a second time", in_stretches(sim(blueprint)?, effort.cut, clock))?;
    let short = Blueprint { max_visit_events: 1 + effort.cut % 61, ..blueprint.clone() };
    same("visits that end early", in_stretches(sim(&short)?, effort.cut, clock))?;
    same("the executor by sweeps", sim(blueprint)?.with_executor(Executor::Sweeps).run())?;
    same("the executor by windows", sim(blueprint)?.with_executor(Executor::Windows).run())?;
    same("the general path of ports", sim(&Blueprint { fast_paths: FastPaths::NONE, ..blueprint.clone() })?.run())?;
    let shard_of = |process: usize| (Key::root(effort.cut, 0).hash([process as u64, 0]) % 3) as u32;
    let cut = Sim::with_partition(blueprint.clone(), &shard_of).map_err(|error| error.to_string())?;
    // With threads only now and then: they cost more than most of these runs. Their waits for each other, which are long on a busy
    // machine, do not count as phases of a run.
    let (cut, clock) = if effort.cut & 15 == 1 { (cut, &mut Clock::default()) } else { (cut.run_shards_in_turn(), clock) };
    same("a network cut for three cores", in_stretches(cut, effort.cut, clock))?;
    let divided = Sim::with_cores(blueprint.clone(), 2).map_err(|error| error.to_string())?;
    same("two cores", divided.run_shards_in_turn().run())?;
    Ok(reference)
}

fn check_metrics(scenario: &ValidScenario, seen: &Observations, clock: &mut Clock) -> Result<(), String> {
    let metrics = clock.time("metrics", || scenario.metrics(seen));
    match metrics.iter().find(|metric| metric.value.is_infinite()) {
        Some(metric) => Err(format!("{} {:?} is infinite", metric.name, metric.labels)),
        None => Ok(()),
    }
}

/// A run in stretches of random lengths.
fn in_stretches(mut sim: Sim, seed: u64, clock: &mut Clock) -> Observations {
    let mut stream = Key::root(seed, 1).stream();
    while !clock.time("running", || sim.run_events(Time::NEVER, 1 + stream.below(STRETCH))) {
        sim.use_cores(stream.chance(0.7));
    }
    clock.time("gathering", || sim.finish())
}

fn difference(how: &str, expected: &Observations, seen: &Observations) -> String {
    let what = if expected.flows != seen.flows {
        "flows"
    } else if expected.links != seen.links {
        "links"
    } else if expected.digest != seen.digest {
        "the digest"
    } else {
        "recordings"
    };
    format!("{how}: {what} differ")
}

fn check_mistakes(mistakes: &[Mistake]) -> Result<(), String> {
    if mistakes.is_empty() {
        return Err("refused without a mistake".to_owned());
    }
    check_warnings(mistakes)
}

fn check_warnings(mistakes: &[Mistake]) -> Result<(), String> {
    let is_good = |mistake: &Mistake| {
        let shown = mistake.to_string();
        !mistake.message.is_empty() && !shown.chars().any(is_escaped) && shown.chars().count() < 2000
    };
    match mistakes.iter().find(|mistake| !is_good(mistake)) {
        Some(mistake) => Err(format!("a message that is empty, too long or not printable: {mistake:?}")),
        None => Ok(()),
    }
}

/// Measures phases by the CPU time of this thread, which other processes do not affect.
#[derive(Default)]
struct Clock {
    longest: (&'static str, f64),
}

impl Clock {
    fn time<T>(&mut self, phase: &'static str, work: impl FnOnce() -> T) -> T {
        let begin = cpu_seconds();
        let done = work();
        self.record(phase, cpu_seconds() - begin);
        done
    }

    fn record(&mut self, phase: &'static str, spent: f64) {
        if spent > self.longest.1 {
            self.longest = (phase, spent);
        }
    }
}

/// The CPU time of a thread, for other threads.
struct ThreadClock(std::path::PathBuf);

impl ThreadClock {
    fn of_this() -> ThreadClock {
        ThreadClock(std::fs::canonicalize("/proc/thread-self").unwrap_or_default().join("schedstat"))
    }

    fn seconds(&self) -> f64 {
        seconds_in(&self.0)
    }
}

/// CPU time of this thread as Linux counts it; 0 elsewhere.
fn cpu_seconds() -> f64 {
    seconds_in("/proc/thread-self/schedstat".as_ref())
}

fn seconds_in(file: &std::path::Path) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse::<u64>().ok()).unwrap_or_default() as f64 / 1e9
}
