//! Parts that traces and time series share as Python objects: options, a run that workers borrow, batches of rows.

use crate::interruption::interruptible;
use crate::run::{Cancelled, ScenarioError};
use penstock_model::parameters::Value;
use penstock_scenario::{word_bytes, ColumnKind, ConstantColumn, ConstantValue, ParquetWriter, TraceColumn, TraceColumns, TraceStop};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// The name of a column, what its values are, and their words if they are positions of words.
pub type Column = (&'static str, &'static str, Vec<String>);

/// Number of rows and, for each column, their values.
pub type Batch<'py> = (usize, Vec<Bound<'py, PyBytes>>);

/// Number of rows of a part of a file, and its bytes.
pub type FilePart<'py> = (usize, Bound<'py, PyBytes>);

/// The value of a column in all rows.
#[derive(FromPyObject)]
pub enum Constant {
    Natural(u64),
    Float(f64),
    Text(String),
}

/// Columns in which all rows have the same, by name.
pub type Constants = Vec<(String, Constant)>;

impl From<Constant> for ConstantValue {
    fn from(constant: Constant) -> ConstantValue {
        match constant {
            Constant::Natural(number) => ConstantValue::Natural(number),
            Constant::Float(number) => ConstantValue::Float(number),
            Constant::Text(text) => ConstantValue::Text(text),
        }
    }
}

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

/// Reads options, which are the keys of a section, with that section's reader.
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
    /// `None` while it runs, and after it was cancelled.
    run: Mutex<Option<R>>,
    /// `None` while a part is written, and after the end of the file.
    parquet: Mutex<Option<ParquetWriter>>,
    cancel: penstock_engine::Cancel,
}

impl<R: Send + 'static> RowRun<R> {
    /// Wraps `run`, whose rows have these columns; a file has `constants` as further columns. `cancel` stops the run.
    pub fn new(run: R, columns: &[TraceColumn], constants: Constants, cancel: penstock_engine::Cancel) -> RowRun<R> {
        let constants = constants.into_iter().map(|(name, value)| ConstantColumn { name, value: value.into() }).collect();
        RowRun { run: Mutex::new(Some(run)), parquet: Mutex::new(Some(ParquetWriter::new(columns, constants))), cancel }
    }

    /// Runs `work` on the run. If it is cancelled meanwhile, the run is not put back.
    pub fn proceed<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut R) -> Result<T, TraceStop> + Send + 'static,
    ) -> PyResult<T> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut run = run.ok_or_else(|| PyRuntimeError::new_err("the run was cancelled, or another thread is reading its next batch"))?;
        let (run, done) = interruptible(py, &self.cancel, move || {
            let done = work(&mut run);
            (run, done)
        })?;
        let done = done.map_err(|_| Cancelled::new_err("cancelled"))?;
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
        Ok(done)
    }

    /// Returns the next batch as Python objects; `None` at the end.
    pub fn next_batch<'py>(
        &self,
        py: Python<'py>,
        next: impl FnOnce(&mut R) -> Result<Option<TraceColumns>, TraceStop> + Send + 'static,
    ) -> PyResult<Option<Batch<'py>>> {
        let batch = self.proceed(py, next)?;
        Ok(batch.map(|batch| (batch.rows, batch.values.iter().map(|values| PyBytes::new(py, values)).collect())))
    }

    /// Returns the next batch as a row group of a Parquet file; `None` at the end.
    pub fn next_row_group<'py>(
        &self,
        py: Python<'py>,
        next: impl FnOnce(&mut R) -> Result<Option<TraceColumns>, TraceStop> + Send + 'static,
    ) -> PyResult<Option<FilePart<'py>>> {
        let mut writer = self.take_parquet()?;
        let (writer, part) = self.proceed(py, move |run| {
            let part = next(run)?.map(|batch| (batch.rows, writer.row_group(&batch)));
            Ok((writer, part))
        })?;
        *self.parquet.lock().unwrap_or_else(PoisonError::into_inner) = Some(writer);
        Ok(part.map(|(rows, bytes)| (rows, PyBytes::new(py, &bytes))))
    }

    /// Returns the end of the Parquet file.
    pub fn end_parquet<'py>(&self, py: Python<'py>, metadata: &[(String, String)]) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.take_parquet()?.finish(metadata)))
    }

    fn take_parquet(&self) -> PyResult<ParquetWriter> {
        let writer = self.parquet.lock().unwrap_or_else(PoisonError::into_inner).take();
        writer.ok_or_else(|| PyRuntimeError::new_err("the file has its end, or another thread takes its next row group"))
    }
}

/// Columns as tuples for Python.
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
