//! What traces and time series have in common as Python objects: options, a run that is taken and put back, batches of rows.

use crate::interruption::interruptible;
use crate::run::{Cancelled, ScenarioError};
use penstock_model::parameters::Value;
use penstock_scenario::{word_bytes, ColumnKind, TraceColumn, TraceColumns, TraceStop};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// The name of a column, what its values are, and their words if they are positions of words.
pub type Column = (&'static str, &'static str, Vec<String>);

/// How many rows there are and, for each column, their values.
pub type Batch<'py> = (usize, Vec<Bound<'py, PyBytes>>);

/// The value of an option.
#[derive(FromPyObject)]
pub enum RowOption {
    Switch(bool),
    Text(String),
    List(Vec<String>),
}

impl From<RowOption> for Value {
    fn from(option: RowOption) -> Value {
        match option {
            RowOption::Switch(switch) => Value::Switch(switch),
            RowOption::Text(text) => Value::Text(text),
            RowOption::List(texts) => Value::List(texts.into_iter().map(Value::Text).collect()),
        }
    }
}

/// What a section's reader makes of options, which are its keys.
pub fn read_options<T>(
    options: Vec<(String, RowOption)>,
    read: impl FnOnce(&[(String, Value)]) -> Result<T, Vec<(String, String)>>,
) -> PyResult<T> {
    let options: Vec<(String, Value)> = options.into_iter().map(|(key, option)| (key, option.into())).collect();
    read(&options).map_err(|mistakes| {
        let lines: Vec<String> = mistakes.into_iter().map(|(key, message)| format!("{key}: {message}")).collect();
        ScenarioError::new_err(lines.join("\n"))
    })
}

/// A run that hands over its rows in batches.
pub struct RowRun<R> {
    /// `None` while it runs, and after it was told to stop.
    run: Mutex<Option<R>>,
    cancel: penstock_engine::Cancel,
}

impl<R: Send + 'static> RowRun<R> {
    /// This run, which `cancel` stops.
    pub fn new(run: R, cancel: penstock_engine::Cancel) -> RowRun<R> {
        RowRun { run: Mutex::new(Some(run)), cancel }
    }

    /// Does `work` on the run, which stays away if it is told to stop meanwhile.
    pub fn proceed<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut R) -> Result<T, TraceStop> + Send + 'static,
    ) -> PyResult<T> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut run = run.ok_or_else(|| PyRuntimeError::new_err("the run was told to stop, or another thread takes its next batch"))?;
        let (run, done) = interruptible(py, &self.cancel, move || {
            let done = work(&mut run);
            (run, done)
        })?;
        let done = done.map_err(|_| Cancelled::new_err("cancelled"))?;
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
        Ok(done)
    }

    /// The next batch as Python has it; `None` at the end.
    pub fn next_batch<'py>(
        &self,
        py: Python<'py>,
        next: impl FnOnce(&mut R) -> Result<Option<TraceColumns>, TraceStop> + Send + 'static,
    ) -> PyResult<Option<Batch<'py>>> {
        let batch = self.proceed(py, next)?;
        Ok(batch.map(|batch| (batch.rows, batch.values.iter().map(|values| PyBytes::new(py, values)).collect())))
    }
}

/// What Python is told of columns.
pub fn as_tuples(columns: &[TraceColumn]) -> Vec<Column> {
    columns.iter().map(as_tuple).collect()
}

fn as_tuple(column: &TraceColumn) -> Column {
    let (kind, words) = match &column.kind {
        ColumnKind::Integer => ("integer", Vec::new()),
        ColumnKind::Natural => ("natural", Vec::new()),
        ColumnKind::Small => ("small", Vec::new()),
        ColumnKind::Switch => ("switch", Vec::new()),
        ColumnKind::Float => ("float", Vec::new()),
        ColumnKind::Word(words) => {
            let kind = match word_bytes(words.len()) {
                1 => "word8",
                2 => "word16",
                _ => "word32",
            };
            (kind, words.clone())
        }
    };
    (column.name, kind, words)
}
