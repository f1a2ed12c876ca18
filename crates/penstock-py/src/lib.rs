//! The extension module `penstock._core`: hands values over the boundary and decides nothing.

/// The simulator's core, compiled from Rust.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    /// A digest of every crate's sources and of the versions they are built with, in hexadecimal.
    ///
    /// Two cores with the same digest compute the same numbers, so it takes part in the name of a run's result.
    #[pymodule_export]
    const MODEL_VERSION: &str = env!("PENSTOCK_MODEL_VERSION");

    /// The version of the core, e.g. "0.1.0".
    #[pyfunction]
    const fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
