//! Checks of many stored files without opening them.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList};
use std::fs::symlink_metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

const NANOSECONDS: i64 = 1_000_000_000;

/// Checks which runs' files below a folder are regular files of the recorded size in bytes and modification time in nanoseconds.
/// Returns a byte for each of the `rows` of a table, 1 or 0. Any other problem of a file is reported when it is opened.
pub fn unchanged<'py>(
    py: Python<'py>,
    folder: PathBuf,
    names: &Bound<'py, PyList>,
    sizes: &PyBuffer<i64>,
    times: &PyBuffer<i64>,
    rows: &[usize],
) -> PyResult<Bound<'py, PyBytes>> {
    let (sizes, times) = (sizes.to_vec(py)?, times.to_vec(py)?);
    let mut known = Vec::with_capacity(rows.len());
    for &row in rows {
        let (Some(size), Some(time)) = (sizes.get(row), times.get(row)) else { return Err(no_such_row()) };
        known.push((names.get_item(row)?.extract::<PyBackedStr>()?, (*size, *time)));
    }
    let seen = py.detach(move || {
        let mut path = folder;
        known.iter().map(|(name, known)| u8::from(seen(&mut path, name) == Some(*known))).collect::<Vec<u8>>()
    });
    Ok(PyBytes::new(py, &seen))
}

/// Transposes the numbers of several runs. Each run has `count` consecutive numbers of eight little-endian bytes, starting at one of
/// `begins`. Returns a list for each number, with its value in each run.
pub fn transposed<'py>(py: Python<'py>, values: &[u8], begins: &[usize], count: usize) -> PyResult<Bound<'py, PyList>> {
    let values = values.as_chunks().0;
    let numbers = PyList::empty(py);
    for place in 0..count {
        let own = begins.iter().map(|begin| values.get(begin + place).map(|bytes| f64::from_le_bytes(*bytes)).ok_or_else(no_such_row));
        numbers.append(own.collect::<PyResult<Vec<f64>>>()?)?;
    }
    Ok(numbers)
}

fn no_such_row() -> PyErr {
    PyValueError::new_err("a row that is not there")
}

/// Size and time of the last change of a run's file in a folder; none if it cannot be seen, or is something else.
fn seen(folder: &mut PathBuf, name: &str) -> Option<(i64, i64)> {
    folder.push(name.get(..2)?);
    folder.push(name);
    folder.set_extension("json");
    let status = symlink_metadata(&folder);
    folder.pop();
    folder.pop();
    let status = status.ok().filter(std::fs::Metadata::is_file)?;
    let time = status.mtime().checked_mul(NANOSECONDS)?.checked_add(status.mtime_nsec())?;
    Some((i64::try_from(status.size()).ok()?, time))
}
