//! Time series as Python objects.

use crate::interruption::interruptible;
use crate::run::{build_error, executor_of, Cancel, Cancelled, Scenario, ScenarioError};
use crate::trace::{as_tuple, Column, TraceOption};
use penstock_model::parameters::Value;
use penstock_scenario::SeriesRun;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// A run that hands over its time series in batches.
#[pyclass(frozen, module = "penstock._core")]
pub struct Series {
    /// `None` while it runs, and after it was told to stop.
    run: Mutex<Option<SeriesRun>>,
    cancel: penstock_engine::Cancel,
    #[pyo3(get)]
    columns: Vec<Column>,
}

#[pymethods]
impl Series {
    /// A run on so many cores at most. Without `options`, which are keys of `[[series]]`, the scenario says what is read.
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
    ) -> PyResult<Series> {
        let executor = executor_of(executor)?;
        let options: Vec<(String, Value)> = options.into_iter().map(|(key, option)| (key, option.into())).collect();
        let plans = scenario.0.series_plans(&options).map_err(|mistakes| {
            let lines: Vec<String> = mistakes.into_iter().map(|(key, message)| format!("{key}: {message}")).collect();
            ScenarioError::new_err(lines.join("\n"))
        })?;
        let flag = cancel.map(|cancel| cancel.get().flag()).unwrap_or_default();
        let (scenario, stop) = (Arc::clone(&scenario.0), flag.clone());
        let how = (executor, threads);
        let run = interruptible(py, &flag, move || SeriesRun::new(&scenario, (seed, replication), how, plans, &stop))?;
        let run = run.map_err(build_error)?;
        let columns = run.columns().iter().map(|column| as_tuple(column.name, &column.kind)).collect();
        Ok(Series { run: Mutex::new(Some(run)), cancel: flag, columns })
    }

    /// How many rows the next batch has and, for each column, their values as little-endian numbers; `None` at the end. So many
    /// rows as `count` says, fewer only in the last batch.
    fn next_batch<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Option<(usize, Vec<Bound<'py, PyBytes>>)>> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut run = run.ok_or_else(|| PyRuntimeError::new_err("the run was told to stop, or another thread takes its next batch"))?;
        let (run, batch) = interruptible(py, &self.cancel, move || {
            let batch = run.next_batch(count);
            (run, batch)
        })?;
        let batch = batch.map_err(|_| Cancelled::new_err("cancelled"))?;
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
        Ok(batch.map(|batch| (batch.rows, batch.values.iter().map(|values| PyBytes::new(py, values)).collect())))
    }
}
