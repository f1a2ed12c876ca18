//! Scenarios and runs as Python objects.

use crate::foreign::with_file;
use crate::interruption::interruptible;
use crate::plugins::registry;
use penstock_engine::work::{MODES, PORT_KINDS};
use penstock_engine::{Blueprint, BlueprintError, Executor, Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::printable::quoted;
use penstock_scenario::{FileMemory, Mistake, ReadOptions, ValidScenario, WindowWatch};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

create_exception!(_core, ScenarioError, PyValueError, "A scenario with mistakes, listed in `mistakes`.");
create_exception!(_core, Cancelled, PyException, "A run was cancelled.");

/// Approximate time for which a run works between two looks at its cancel flag,
const STRETCH: std::time::Duration = std::time::Duration::from_millis(40);
/// but for no fewer events than this, which take a millisecond or less.
const FEWEST_EVENTS: u64 = 10_000;

/// A row that a run has or may have: name, labels, unit, and whether every run has it.
type ExpectedRow = (String, Vec<(String, String)>, &'static str, bool);

/// A flag that stops the runs it was given to, from any thread.
#[pyclass(frozen, module = "penstock._core")]
#[derive(Clone, Default)]
pub struct Cancel(penstock_engine::Cancel);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel::default()
    }

    /// Raises the flag.
    fn set(&self) {
        self.0.set();
    }
}

impl Cancel {
    /// The flag itself.
    pub fn flag(&self) -> penstock_engine::Cancel {
        self.0.clone()
    }
}

/// A valid scenario.
#[pyclass(frozen, module = "penstock._core")]
pub struct Scenario(pub Arc<ValidScenario>);

#[pymethods]
impl Scenario {
    #[new]
    #[pyo3(signature = (text, name = "scenario".to_owned(), sets = Vec::new(), folder = None, leave_out = false))]
    fn new(
        py: Python<'_>,
        text: String,
        name: String,
        sets: Vec<(String, String)>,
        folder: Option<PathBuf>,
        leave_out: bool,
    ) -> PyResult<Scenario> {
        let read = if leave_out { penstock_scenario::load_leaving_out } else { penstock_scenario::load_with };
        load(py, text, name, sets, folder, read)?.map(Arc::new).map(Scenario).map_err(|mistakes| scenario_error(py, &mistakes))
    }

    /// Keys without effect that were left out, as mistakes.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        as_list(py, self.0.left_out())
    }

    /// The scenario's description, if it has one.
    #[getter]
    fn description(&self) -> Option<&str> {
        Some(self.0.description()).filter(|text| !text.is_empty())
    }

    /// The simulated scenario, settings applied, as JSON in canonical form.
    #[getter]
    fn canonical(&self) -> &str {
        self.0.canonical()
    }

    /// The plug-in components in it without a source, as `KIND.NAME`; while there are any, its runs may not be stored.
    #[getter]
    fn unidentified_components(&self) -> Vec<String> {
        self.0.unidentified_components().to_vec()
    }

    /// The measurements, one text each.
    #[getter]
    fn measures(&self) -> Vec<String> {
        self.0.measure_texts().to_vec()
    }

    /// The seed that the scenario gives.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// The nodes that stand for real hosts.
    #[getter]
    fn real_nodes(&self) -> Vec<String> {
        self.0.real_nodes().to_vec()
    }

    /// Whether it asks for time series.
    #[getter]
    fn has_series(&self) -> bool {
        self.0.has_series()
    }

    /// The numbers of nodes, links and flows.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize) {
        (self.0.node_count(), self.0.link_count(), self.0.flow_count())
    }

    /// The instants in seconds at which counting begins and ends.
    #[getter]
    fn window(&self) -> (f64, f64) {
        (self.0.warm_up().as_seconds(), self.0.end().as_seconds())
    }

    /// Estimate of the peak memory of one run in bytes, without the scenario itself.
    #[getter]
    fn memory(&self) -> u64 {
        self.0.memory()
    }

    /// Warnings about probable mistakes, a line each; the scenario runs all the same.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().iter().map(Mistake::to_string).collect()
    }

    /// For switches that pause: the name, the link that needs most headroom, what it needs and what it has, in bytes.
    #[getter]
    fn headrooms(&self) -> Vec<(String, String, u64, Option<u64>)> {
        self.0.headrooms().into_iter().map(|it| (it.node, it.link, it.needed, it.given)).collect()
    }

    /// Runs one replication on at most `threads` cores, with the interpreter free for other threads.
    #[pyo3(signature = (seed, replication, cancel = None, executor = "horizon", threads = 1))]
    fn run(
        &self,
        py: Python<'_>,
        seed: u64,
        replication: u64,
        cancel: Option<Py<Cancel>>,
        executor: &str,
        threads: usize,
    ) -> PyResult<Run> {
        let executor = executor_of(executor)?;
        let flag = cancel.map(|cancel| cancel.get().flag()).unwrap_or_default();
        let (scenario, stop) = (Arc::clone(&self.0), flag.clone());
        interruptible(py, &flag, move || simulate(&scenario, seed, replication, executor, threads, &stop))?
    }

    /// The rows that a run has: name, labels and unit of each, and whether every run has it; see `ValidScenario::rows`.
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<ExpectedRow>> {
        let flag = penstock_engine::Cancel::default();
        let (scenario, stop) = (Arc::clone(&self.0), flag.clone());
        let find = move || {
            let unrun = build(&scenario, scenario.seed(), 0, 1, &stop)?.finish();
            let rows = scenario.rows(&unrun).into_iter();
            Ok(rows.map(|(row, always)| (row.name.to_owned(), row.labels, row.unit, always)).collect())
        };
        interruptible(py, &flag, find)?
    }

    /// How a run on `threads` cores is divided: the number of `parts`; the `speedup`, total load over the largest part's load; the
    /// number of parts into which the network could be cut (`clusters`), and the number that could pay off (`most`); the name of the
    /// `busiest` process; and the `share` of the load of its cluster, the processes that no delay separates from it.
    fn division<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Bound<'py, PyDict>> {
        let flag = penstock_engine::Cancel::default();
        let (scenario, stop) = (Arc::clone(&self.0), flag.clone());
        let find = move || {
            let blueprint = Blueprint { cancel: stop, ..scenario.blueprint(None, 0) };
            Sim::division(&blueprint, threads).map_err(build_error)
        };
        let division = interruptible(py, &flag, find)??;
        let told = PyDict::new(py);
        told.set_item("parts", division.parts)?;
        told.set_item("speedup", division.speedup)?;
        told.set_item("clusters", division.clusters)?;
        told.set_item("most", division.most)?;
        told.set_item("busiest", division.busiest)?;
        told.set_item("share", division.share)?;
        Ok(told)
    }

    /// Builds the initial state of a run on at most `threads` cores, and runs nothing.
    #[pyo3(signature = (seed, replication, threads = 1))]
    fn build(&self, py: Python<'_>, seed: u64, replication: u64, threads: usize) -> PyResult<()> {
        let flag = penstock_engine::Cancel::default();
        let (scenario, stop) = (Arc::clone(&self.0), flag.clone());
        interruptible(py, &flag, move || build(&scenario, seed, replication, threads, &stop).map(drop))?
    }
}

fn build(scenario: &ValidScenario, seed: u64, replication: u64, threads: usize, cancel: &penstock_engine::Cancel) -> PyResult<Sim> {
    let blueprint = Blueprint { cancel: cancel.clone(), ..scenario.blueprint(Some(seed), replication) };
    Sim::with_cores(blueprint, threads).map_err(build_error)
}

/// Why a run could not be built.
pub fn build_error(error: BlueprintError) -> PyErr {
    match error {
        BlueprintError::Cancelled => cancelled(),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The executor of this name.
pub fn executor_of(name: &str) -> PyResult<Executor> {
    match name {
        "horizon" => Ok(Executor::Horizon),
        "plain" => Ok(Executor::Plain),
        other => Err(PyValueError::new_err(format!("there is no executor {}; horizon, plain", quoted(other)))),
    }
}

fn cancelled() -> PyErr {
    Cancelled::new_err("cancelled")
}

#[expect(clippy::disallowed_types, reason = "real time chooses only how often the flag is looked at, and no result depends on that")]
fn simulate(
    scenario: &ValidScenario,
    seed: u64,
    replication: u64,
    executor: Executor,
    threads: usize,
    cancel: &penstock_engine::Cancel,
) -> PyResult<Run> {
    let mut sim = build(scenario, seed, replication, threads, cancel)?.with_executor(executor);
    let mut budget = FEWEST_EVENTS;
    let mut windows = scenario.window_watch();
    loop {
        let begin = std::time::Instant::now();
        let until = sim.end().min(windows.next());
        let is_complete = sim.run_events(until, budget);
        if cancel.is_set() {
            return Err(cancelled());
        }
        if is_complete && until == windows.next() {
            windows.look(&sim);
            if until < sim.end() {
                continue;
            }
        }
        if is_complete {
            break;
        }
        let spent = begin.elapsed();
        if spent < STRETCH / 2 {
            budget = budget.saturating_mul(2);
        } else if spent > STRETCH * 2 {
            budget = (budget / 2).max(FEWEST_EVENTS);
        }
    }
    let work = Work { threads: sim.cores(), events: sim.mode_events(), ports: sim.port_kinds() };
    let run = Run::new(scenario, sim.finish(), &windows, work, cancel);
    if cancel.is_set() {
        Err(cancelled())
    } else {
        Ok(run)
    }
}

/// A metric: its name, labels, unit and value.
type MetricRow = (String, Vec<(String, String)>, &'static str, f64);

/// How a run was executed.
pub struct Work {
    /// Number of cores.
    pub threads: usize,
    /// Number of events by the executor's mode.
    pub events: BTreeMap<&'static str, u64>,
    /// Number of ports by the way in which their departures are found.
    pub ports: BTreeMap<&'static str, u64>,
}

/// The results of a run.
#[pyclass(frozen, get_all, module = "penstock._core")]
pub struct Run {
    digest: String,
    packet_hops: u64,
    metrics: Vec<MetricRow>,
    /// How many of the metrics belong to each of the scenario's measures.
    measured: Vec<usize>,
    delivered: u64,
    drops: u64,
    goodput_bps: f64,
    /// On how many cores it was made, for the most part.
    threads: usize,
    /// Events that each way through the engine has handled.
    events: BTreeMap<&'static str, u64>,
    /// Ports in use, by how their departures are found.
    ports: BTreeMap<&'static str, u64>,
    /// Causes that affected the results although no metric shows them: kind, entity, value, and share of the run.
    decided: Vec<(&'static str, String, String, f64)>,
}

#[pymethods]
impl Run {
    /// Returns `count` of the `metrics` from the position `first` on, since there may be very many.
    fn metrics_from(&self, first: usize, count: usize) -> Vec<MetricRow> {
        self.metrics.iter().skip(first).take(count).cloned().collect()
    }

    /// Totals between the warm-up and the end: `delivered` data packets, `drops`, and `goodput_bps`.
    #[getter]
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = PyDict::new(py);
        counters.set_item("delivered", self.delivered)?;
        counters.set_item("drops", self.drops)?;
        counters.set_item("goodput_bps", self.goodput_bps)?;
        Ok(counters)
    }
}

impl Run {
    /// Evaluates the counts of a run on one core that was advanced step by step.
    pub fn of_steps(scenario: &ValidScenario, seen: Observations) -> Run {
        let work = Work { threads: 1, events: MODES.map(|mode| (mode, 0)).into(), ports: PORT_KINDS.map(|kind| (kind, 0)).into() };
        Run::new(scenario, seen, &scenario.window_watch(), work, &penstock_engine::Cancel::default())
    }

    /// Evaluates observations; once `cancel` is set, the result must not be used.
    pub fn new(scenario: &ValidScenario, seen: Observations, windows: &WindowWatch, work: Work, cancel: &penstock_engine::Cancel) -> Run {
        let (rows, counts) = scenario.metrics_until(cancel, &seen);
        // Without `[[measure]]`, the default counts as one measurement.
        let measures = scenario.measure_texts().len();
        let (asked, always) = counts.split_at(counts.len() - 1);
        let measured = if asked.len() + 1 == measures { counts } else { vec![asked.iter().sum(), always[0]] };
        let decided = scenario.decided(&seen, windows).into_iter();
        let seconds = seen.to.since(seen.from).as_seconds();
        let goodput_bytes: u64 = seen.flows.iter().map(|flow| flow.goodput_bytes).sum();
        let lost_on_ports = |dropped: &[[u64; 4]; DropCause::ALL.len()]| dropped.iter().flatten().sum::<u64>();
        Run {
            digest: format!("{:016x}", seen.digest),
            packet_hops: seen.packet_hops,
            metrics: rows.into_iter().map(|metric| (metric.name.to_string(), metric.labels, metric.unit, metric.value)).collect(),
            measured,
            delivered: seen.flows.iter().map(|flow| flow.received.packets).sum(),
            drops: seen.links.iter().map(|link| lost_on_ports(&link.dropped_packets)).sum(),
            goodput_bps: goodput_bytes as f64 * 8.0 / seconds,
            threads: work.threads,
            events: work.events,
            ports: work.ports,
            decided: decided.map(|it| (it.kind, it.of, it.what, it.share)).collect(),
        }
    }
}

/// One of the ways to read a scenario.
type Read = fn(&penstock_engine::Cancel, &str, &str, &[(String, String)], ReadOptions) -> Result<ValidScenario, Vec<Mistake>>;

/// The options by which files that a scenario names are found and read.
pub fn read_options(py: Python<'_>, folder: Option<PathBuf>) -> PyResult<ReadOptions> {
    let memory = Some(file_memory(py)?);
    Ok(ReadOptions { folder, parquet: Some(parquet_as_csv), memory, registry: registry().clone(), components: Some(with_file) })
}

/// Reads and checks a scenario, whose files are in `folder`.
fn load(
    py: Python<'_>,
    text: String,
    name: String,
    sets: Vec<(String, String)>,
    folder: Option<PathBuf>,
    read: Read,
) -> PyResult<Result<ValidScenario, Vec<Mistake>>> {
    let flag = penstock_engine::Cancel::default();
    let stop = flag.clone();
    let files = read_options(py, folder)?;
    interruptible(py, &flag, move || read(&stop, &text, &name, &sets, files))
}

/// Reads and checks a scenario with each of many settings, leaving out what has no effect, all on one thread: starting one takes as long as reading a small scenario.
pub fn scenarios(
    py: Python<'_>,
    text: String,
    name: String,
    sets: Vec<Vec<(String, String)>>,
    folder: Option<PathBuf>,
) -> PyResult<Bound<'_, PyAny>> {
    let flag = penstock_engine::Cancel::default();
    let stop = flag.clone();
    let files = read_options(py, folder)?;
    let read = interruptible(py, &flag, move || {
        let going_on = sets.iter().take_while(|_| !stop.is_set());
        going_on.map(|sets| penstock_scenario::load_leaving_out(&stop, &text, &name, sets, files.clone())).collect::<Vec<_>>()
    })?;
    let list = PyList::empty(py);
    for scenario in read {
        match scenario {
            Ok(scenario) => list.append(Scenario(Arc::new(scenario)))?,
            Err(mistakes) => list.append(as_list(py, &mistakes)?)?,
        }
    }
    Ok(list.into_any())
}

/// The check that refuses files which do not fit into memory. The package does the check: a worker thread does not know the allowed
/// memory.
fn file_memory(py: Python<'_>) -> PyResult<FileMemory> {
    // An interruption meanwhile is passed to the caller.
    Ok(FileMemory { allowed: py.import("penstock.memory")?.call_method0("allowed")?.extract()?, too_large })
}

fn too_large(size: u64, allowed: Option<u64>) -> Option<String> {
    let tell = |py: Python<'_>| py.import("penstock.memory")?.call_method1("too_large", (size, allowed))?.extract::<Option<String>>();
    Python::attach(|py| tell(py).ok().flatten())
}

/// Parquet is read by a library of the package.
fn parquet_as_csv(file: &Path, columns: &[(&str, bool)]) -> Result<Vec<u8>, String> {
    let read = |py: Python<'_>| py.import("penstock.feed")?.call_method1("parquet_as_csv", (file, columns.to_vec()))?.extract::<Vec<u8>>();
    Python::attach(|py| read(py).map_err(|error| error.value(py).to_string()))
}

/// The mistakes of a scenario as a list of dictionaries.
pub fn check(
    py: Python<'_>,
    text: String,
    name: String,
    sets: Vec<(String, String)>,
    folder: Option<PathBuf>,
) -> PyResult<Bound<'_, PyAny>> {
    let mistakes = load(py, text, name, sets, folder, penstock_scenario::load_with)?.err().unwrap_or_default();
    Ok(as_list(py, &mistakes)?.into_any())
}

fn as_list<'py>(py: Python<'py>, mistakes: &[Mistake]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for mistake in mistakes {
        let entry = PyDict::new(py);
        entry.set_item("file", &mistake.file)?;
        entry.set_item("line", mistake.line)?;
        entry.set_item("path", &mistake.path)?;
        entry.set_item("message", &mistake.message)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// The exception of a scenario with mistakes.
pub fn scenario_error(py: Python<'_>, mistakes: &[Mistake]) -> PyErr {
    let error = ScenarioError::new_err(penstock_scenario::report(mistakes));
    match as_list(py, mistakes).and_then(|list| error.value(py).setattr("mistakes", list)) {
        Ok(()) => error,
        Err(other) => other,
    }
}
