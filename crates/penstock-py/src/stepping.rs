//! Runs that are advanced step by step, as Python objects.

use crate::foreign::ComponentError;
use crate::interruption::{detached, interruptible};
use crate::run::{build_error, read_options, scenario_error, Run};
use penstock_model::units::Time;
use penstock_scenario::StepError;
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Events between two looks at signals, which take a few milliseconds.
const STRETCH: u64 = 1 << 16;

/// A run that is advanced step by step.
#[pyclass(frozen, module = "penstock._core")]
pub struct SteppedRun(Mutex<penstock_scenario::SteppedRun>);

impl SteppedRun {
    fn run(&self) -> MutexGuard<'_, penstock_scenario::SteppedRun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SteppedRun {
    /// Builds a run. `observe` has pairs of a name and a variable; LookupError, with the position and why, if one does not exist.
    #[new]
    #[pyo3(signature = (text, name, observe, sets = Vec::new(), folder = None, seed = None, replication = 0))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        text: String,
        name: String,
        observe: Vec<(String, String)>,
        sets: Vec<(String, String)>,
        folder: Option<PathBuf>,
        seed: Option<u64>,
        replication: u64,
    ) -> PyResult<SteppedRun> {
        let options = read_options(py, folder)?;
        let flag = penstock_engine::Cancel::default();
        let stop = flag.clone();
        let begin = move || penstock_scenario::SteppedRun::new(&stop, (&text, &name), &sets, options, (seed, replication), &observe);
        interruptible(py, &flag, begin)?.map(Mutex::new).map(SteppedRun).map_err(|error| match error {
            StepError::Scenario(mistakes) => scenario_error(py, &mistakes),
            StepError::Observation(position, why) => PyLookupError::new_err((position, why)),
            StepError::Build(error) => build_error(error),
        })
    }

    /// The instant up to which it has come, in picoseconds.
    #[getter]
    fn now(&self) -> u64 {
        self.run().now().as_ps()
    }

    /// The end of the run in picoseconds.
    #[getter]
    fn end(&self) -> u64 {
        self.run().end().as_ps()
    }

    /// Handles all events up to and including `until`, in picoseconds. An exception of a signal leaves it on the way there: call it again.
    /// `ComponentError` if a component of the user's own fails, and whenever the run is to go on after that.
    fn run_until(&self, py: Python<'_>, until: u64) -> PyResult<()> {
        if self.0.is_poisoned() {
            return Err(ComponentError::new_err("a component has failed in this run; go back to a snapshot"));
        }
        while !detached(py, || self.run().run_events(Time::from_ps(until), STRETCH))? {
            py.check_signals()?;
        }
        Ok(())
    }

    /// The unit of each observation.
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.run().units().to_vec()
    }

    /// The value of each observation; NaN where there is none yet.
    fn values(&self) -> Vec<f64> {
        self.run().values()
    }

    /// Sets a parameter from the next instant on; ValueError if it may not change so.
    fn set(&self, path: &str, value: &str) -> PyResult<()> {
        self.run().set(path, value).map_err(PyValueError::new_err)
    }

    /// Another run of the same scenario, as it is written, with the same observations.
    #[pyo3(signature = (seed, replication))]
    fn another(&self, seed: Option<u64>, replication: u64) -> PyResult<SteppedRun> {
        let made = self.run().another(&penstock_engine::Cancel::default(), (seed, replication));
        made.map(Mutex::new).map(SteppedRun).map_err(build_error)
    }

    /// A copy that goes on on its own.
    fn copy(&self) -> SteppedRun {
        SteppedRun(Mutex::new(self.run().clone()))
    }

    /// The results, once it has come to the end.
    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        let run = self.run().clone();
        detached(py, || Run::of_steps(&run.scenario(), run.finish()))
    }
}
