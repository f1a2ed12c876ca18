//! Traces as Python objects.

use crate::interruption::interruptible;
use crate::rows::{as_tuples, read_options, Batch, Column, Constants, FilePart, RowOption, RowRun};
use crate::run::{build_error, executor_of, Cancel, Scenario};
use penstock_scenario::{TraceRun, ValidScenario};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A run that hands over its trace in batches.
#[pyclass(frozen, module = "penstock._core")]
pub struct Trace {
    run: RowRun<TraceRun>,
    scenario: Arc<ValidScenario>,
    #[pyo3(get)]
    columns: Vec<Column>,
}

#[pymethods]
impl Trace {
    /// Starts a traced run on at most `threads` cores. `options` are keys of `[[trace]]`; without them, the scenario's `[[trace]]`
    /// apply. A Parquet file has `constants` as columns after the columns of the rows.
    #[new]
    #[pyo3(signature = (scenario, seed, replication, options, cancel = None, executor = "horizon", threads = 1, constants = Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        seed: u64,
        replication: u64,
        options: Vec<(String, RowOption)>,
        cancel: Option<Py<Cancel>>,
        executor: &str,
        threads: usize,
        constants: Constants,
    ) -> PyResult<Trace> {
        let how = (executor_of(executor)?, threads);
        let filter = read_options(options, |options| scenario.0.trace_filter(options))?;
        let flag = cancel.map(|cancel| cancel.get().flag()).unwrap_or_default();
        let scenario = Arc::clone(&scenario.0);
        let (traced, stop) = (Arc::clone(&scenario), flag.clone());
        let run = interruptible(py, &flag, move || TraceRun::new(&traced, (seed, replication), how, filter, &stop))?;
        let run = run.map_err(build_error)?;
        let kinds = run.columns().to_vec();
        let columns = as_tuples(&kinds);
        Ok(Trace { run: RowRun::new(run, &kinds, constants, flag), scenario, columns })
    }

    /// Returns the number of rows in the next batch and, for each column, their values as little-endian numbers; `None` at the end. A
    /// batch has `count` rows, the last one possibly fewer.
    fn next_batch<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Option<Batch<'py>>> {
        self.run.next_batch(py, move |run| run.next_batch(count))
    }

    /// How many rows the next batch has, and its bytes in a Parquet file, where it is a row group; `None` at the end.
    fn next_row_group<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Option<FilePart<'py>>> {
        self.run.next_row_group(py, move |run| run.next_batch(count))
    }

    /// The end of the Parquet file, with these keys and values for whoever reads it; call it once, after the last row group.
    #[expect(clippy::needless_pass_by_value, reason = "Python hands over what it has")]
    fn end_parquet<'py>(&self, py: Python<'py>, metadata: Vec<(String, String)>) -> PyResult<Bound<'py, PyBytes>> {
        self.run.end_parquet(py, &metadata)
    }

    /// Returns bytes to append to the captures of some links' transmissions, with each link and its number of packets. Their total is
    /// at least `size` bytes, or less at the end; afterwards the list is empty.
    fn next_captures<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Vec<(String, u64, Bound<'py, PyBytes>)>> {
        let scenario = Arc::clone(&self.scenario);
        let parts = self.run.proceed(py, move |run| run.next_captures(&scenario, size))?;
        Ok(parts.into_iter().map(|part| (part.link, part.packets, PyBytes::new(py, &part.bytes))).collect())
    }
}
