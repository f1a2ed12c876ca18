//! Traces as Python objects.

use crate::interruption::interruptible;
use crate::run::{build_error, executor_of, Cancel, Cancelled, Scenario, ScenarioError};
use penstock_model::parameters::Value;
use penstock_scenario::{ColumnKind, TraceRun, TraceStop, ValidScenario};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// The name of a column, what its values are, and their words if they are positions of words.
pub type Column = (&'static str, &'static str, Vec<String>);

/// A run that hands over its trace in batches.
#[pyclass(frozen, module = "penstock._core")]
pub struct Trace {
    /// `None` while it runs, and after it was told to stop.
    run: Mutex<Option<TraceRun>>,
    cancel: penstock_engine::Cancel,
    scenario: Arc<ValidScenario>,
    #[pyo3(get)]
    columns: Vec<Column>,
}

#[pymethods]
impl Trace {
    /// A traced run on so many cores at most. Without `options`, which are keys of `[[trace]]`, the scenario says what is kept.
    #[new]
    #[pyo3(signature = (scenario, seed, replication, options, cancel = None, executor = "horizon", threads = 1))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        seed: u64,
        replication: u64,
        options: Vec<(String, TraceOption)>,
        cancel: Option<Py<Cancel>>,
        executor: &str,
        threads: usize,
    ) -> PyResult<Trace> {
        let executor = executor_of(executor)?;
        let options: Vec<(String, Value)> = options.into_iter().map(|(key, option)| (key, option.into())).collect();
        let filter = scenario.0.trace_filter(&options).map_err(|mistakes| {
            let lines: Vec<String> = mistakes.into_iter().map(|(key, message)| format!("{key}: {message}")).collect();
            ScenarioError::new_err(lines.join("\n"))
        })?;
        let flag = cancel.map(|cancel| cancel.get().flag()).unwrap_or_default();
        let scenario = Arc::clone(&scenario.0);
        let (traced, stop) = (Arc::clone(&scenario), flag.clone());
        let how = (executor, threads);
        let run = interruptible(py, &flag, move || TraceRun::new(&traced, (seed, replication), how, filter, &stop))?;
        let run = run.map_err(build_error)?;
        let columns = run.columns().iter().map(|column| as_tuple(column.name, &column.kind)).collect();
        Ok(Trace { run: Mutex::new(Some(run)), cancel: flag, scenario, columns })
    }

    /// How many rows the next batch has and, for each column, their values as little-endian numbers; `None` at the end. So many
    /// rows as `count` says, fewer only in the last batch.
    fn next_batch<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Option<(usize, Vec<Bound<'py, PyBytes>>)>> {
        let batch = self.proceed(py, move |run| run.next_batch(count))?;
        Ok(batch.map(|batch| (batch.rows, batch.values.iter().map(|values| PyBytes::new(py, values)).collect())))
    }

    /// For some links, what is to be appended to the captures of what they transmit, with the link and the number of packets: in all at
    /// least so many bytes, fewer only at the end, and none after it.
    fn next_captures<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Vec<(String, u64, Bound<'py, PyBytes>)>> {
        let scenario = Arc::clone(&self.scenario);
        let parts = self.proceed(py, move |run| run.next_captures(&scenario, size))?;
        Ok(parts.into_iter().map(|part| (part.link, part.packets, PyBytes::new(py, &part.bytes))).collect())
    }
}

impl Trace {
    /// Does `work` on the run, which stays away if it is told to stop meanwhile.
    fn proceed<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut TraceRun) -> Result<T, TraceStop> + Send + 'static,
    ) -> PyResult<T> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut run = run.ok_or_else(|| PyRuntimeError::new_err("the trace was told to stop, or another thread takes its next batch"))?;
        let (run, done) = interruptible(py, &self.cancel, move || {
            let done = work(&mut run);
            (run, done)
        })?;
        let done = done.map_err(|_| Cancelled::new_err("cancelled"))?;
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
        Ok(done)
    }
}

/// The value of an option.
#[derive(FromPyObject)]
pub enum TraceOption {
    Text(String),
    List(Vec<String>),
}

impl From<TraceOption> for Value {
    fn from(option: TraceOption) -> Value {
        match option {
            TraceOption::Text(text) => Value::Text(text),
            TraceOption::List(texts) => Value::List(texts.into_iter().map(Value::Text).collect()),
        }
    }
}

/// What Python is told of a column.
pub fn as_tuple(name: &'static str, kind: &ColumnKind) -> Column {
    match kind {
        ColumnKind::Integer => (name, "integer", Vec::new()),
        ColumnKind::Natural => (name, "natural", Vec::new()),
        ColumnKind::Small => (name, "small", Vec::new()),
        ColumnKind::Switch => (name, "switch", Vec::new()),
        ColumnKind::Float => (name, "float", Vec::new()),
        ColumnKind::Word(words) => (name, "word", words.clone()),
    }
}
