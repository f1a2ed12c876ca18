//! The extension module `penstock._core`: hands values over the boundary and decides nothing.
//!
//! A plug-in is an extension module too: one that holds this core and its own components, see [`core_with`].

mod emulation;
mod foreign;
mod interruption;
mod plugins;
mod rows;
mod run;
mod series;
mod stepping;
mod trace;

use penstock_model::registry::Plugin;
use pyo3::prelude::{Py, PyModule, PyResult, Python};

/// The core with the components of these plug-ins, as the module that takes the place of `penstock._core`.
///
/// # Errors
/// `ImportError` if a plug-in was built for another version of the interface, if two components of a kind have the same name, or if
/// the core already exists.
pub fn core_with(py: Python<'_>, plugins: Vec<Plugin>) -> PyResult<Py<PyModule>> {
    plugins::add(plugins)?;
    Ok(pyo3::wrap_pymodule!(_core)(py))
}

/// The simulator's core, compiled from Rust.
#[pyo3::pymodule]
pub mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::run::{Cancel, Cancelled, Run, Scenario, ScenarioError};

    #[pymodule_export]
    use crate::foreign::{component_functions, component_parameter_kinds, component_views, ComponentError, Fault};

    #[pymodule_export]
    use crate::emulation::{emulation_mistakes, with_arrivals, Emulation};

    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::emulation::linux::{emulate, switch_offloads_off};

    #[pymodule_export]
    use crate::series::Series;

    #[pymodule_export]
    use crate::stepping::SteppedRun;

    #[pymodule_export]
    use crate::trace::Trace;

    /// A digest of every crate's sources and of the versions they are built with, in hexadecimal.
    ///
    /// Two cores with the same digest compute the same numbers, so it takes part in the name of a run's result.
    #[pymodule_export]
    const MODEL_VERSION: &str = env!("PENSTOCK_MODEL_VERSION");

    /// The version of the interface to plug-ins.
    #[pymodule_export]
    const PLUGIN_INTERFACE: u32 = penstock_model::registry::INTERFACE;

    /// The most bytes of a scenario.
    #[pymodule_export]
    const LARGEST_SCENARIO: usize = penstock_scenario::LARGEST_TEXT;

    /// The version of the core, e.g. "0.1.0".
    #[pyfunction]
    const fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// All mistakes of a scenario; none if it is sound.
    #[pyfunction]
    #[pyo3(signature = (text, name = "scenario".to_owned(), sets = Vec::new(), folder = None))]
    fn check(
        py: Python<'_>,
        text: String,
        name: String,
        sets: Vec<(String, String)>,
        folder: Option<std::path::PathBuf>,
    ) -> PyResult<Bound<'_, PyAny>> {
        crate::run::check(py, text, name, sets, folder)
    }

    /// Every component, metric and section, as JSON; with the components of a Python file if it is given.
    #[pyfunction]
    #[pyo3(signature = (file = None))]
    fn catalogue(py: Python<'_>, file: Option<std::path::PathBuf>) -> PyResult<String> {
        Ok(penstock_scenario::catalogue(&crate::foreign::registry_with(py, file)?).to_string())
    }

    /// The names of the metrics of a kind: `ratio`, `part`, `of-finished`, or `counts-finished`.
    #[pyfunction]
    fn metrics_with(kind: &str) -> PyResult<Vec<&'static str>> {
        penstock_scenario::metrics_with(kind, crate::plugins::registry()).map_err(pyo3::exceptions::PyValueError::new_err)
    }

    /// The allowed name nearest to one that does not exist, if one is near enough.
    #[pyfunction]
    fn nearest(name: &str, allowed: Vec<String>) -> Option<String> {
        penstock_scenario::nearest(name, allowed.iter().map(String::as_str)).map(str::to_owned)
    }

    /// Ranges of the characters that are shown escaped, each with its first and last character.
    #[pyfunction]
    const fn escaped() -> [(char, char); penstock_model::printable::ESCAPED.len()] {
        penstock_model::printable::ESCAPED
    }

    /// The keys of a TOML text with their lines, counted from 1; nothing if the text is not TOML.
    #[pyfunction]
    fn key_lines(text: &str) -> Vec<(Vec<String>, usize)> {
        penstock_scenario::key_lines(text)
    }

    /// Applies each list of settings to the scenario, in order. Returns scenarios, without keys that have no effect, or their
    /// mistakes.
    #[pyfunction]
    #[pyo3(signature = (text, name, sets, folder = None))]
    fn scenarios(
        py: Python<'_>,
        text: String,
        name: String,
        sets: Vec<Vec<(String, String)>>,
        folder: Option<std::path::PathBuf>,
    ) -> PyResult<Bound<'_, PyAny>> {
        crate::run::scenarios(py, text, name, sets, folder)
    }

    /// The JSON Schema of a scenario; with the components of a Python file if it is given.
    #[pyfunction]
    #[pyo3(signature = (file = None))]
    fn json_schema(py: Python<'_>, file: Option<std::path::PathBuf>) -> PyResult<String> {
        Ok(penstock_scenario::json_schema(&crate::foreign::registry_with(py, file)?).to_string())
    }
}
