//! Emulations: real packets through a scenario's network.

use crate::interruption::interruptible;
use crate::run::{build_error, Run, Scenario};
use penstock_emulation::{arrivals, plan};
use penstock_engine::injection::Arrival;
use penstock_engine::Sim;
use penstock_model::units::Bytes;
use penstock_scenario::ValidScenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The scenario whose `groups` send only packets from outside, of up to `mtu` bytes: first the arrivals of a log, as CSV.
#[pyfunction]
pub fn with_arrivals(py: Python<'_>, scenario: &Scenario, groups: Vec<String>, mtu: u64, log: Option<String>) -> PyResult<Scenario> {
    let given = Arc::clone(&scenario.0);
    let flag = penstock_engine::Cancel::default();
    let open = move || {
        let arrivals: Vec<Arrival> = log.map_or(Ok(Vec::new()), |log| arrivals::read(&log))?;
        Ok(given.with_arrivals(&groups, (Bytes::new(plan::SMALLEST), Bytes::new(mtu)), arrivals.into()))
    };
    let opened: Result<ValidScenario, String> = interruptible(py, &flag, open)?;
    let opened = opened.map_err(PyValueError::new_err)?;
    // Refuses arrivals that do not fit.
    let (opened, checked) = (Arc::new(opened), penstock_engine::Cancel::default());
    let scenario = Arc::clone(&opened);
    interruptible(py, &checked, move || Sim::new(scenario.blueprint(None, 0)).map(drop))?.map_err(build_error)?;
    Ok(Scenario(opened))
}

/// Why flows of `groups`, which [`with_arrivals`] has opened, cannot carry packets between the nodes `real`; empty if they can.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python hands over what it has")]
pub fn emulation_mistakes(scenario: &Scenario, real: Vec<String>, groups: Vec<String>) -> Vec<String> {
    plan::Plan::new(scenario.0.blueprint(None, 0), &real, &groups).err().unwrap_or_default()
}

/// An emulation that has ended.
#[pyclass(frozen, get_all, module = "penstock._core")]
pub struct Emulation {
    /// What the network counted.
    run: Py<Run>,
    /// Packets that entered the network; copies of them that it made; those it delivered, of these with a new mark; those it dropped;
    /// and those in it at the end.
    injected: u64,
    copied: u64,
    delivered: u64,
    marked: u64,
    dropped: u64,
    in_flight: u64,
    /// Packets for which the receiving kernel had no room; frames that are not carried; frames that were not read in time.
    unsent: u64,
    not_carried: u64,
    unread: u64,
    /// Lateness in seconds at the quantiles 0.5, 0.99 and 0.999, and its maximum; nothing without packets.
    lateness: Option<[f64; 4]>,
    /// Packets that were later than a millisecond.
    late: u64,
    /// When the engine was first overloaded, in seconds.
    overloaded_at: Option<f64>,
    /// The log of arrivals, as CSV, if it was asked for.
    log: Option<String>,
}

/// Functions that need the packet sockets of Linux.
#[cfg(target_os = "linux")]
pub mod linux {
    use super::Emulation;
    use crate::interruption::detached;
    use crate::run::{Cancel, Run, Scenario, Work};
    use penstock_emulation::follow::{follow, Emulated, Interfaces, Options};
    use penstock_emulation::{arrivals, plan, system};
    use penstock_engine::work::{MODES, PORT_KINDS};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use std::path::PathBuf;

    /// Runs an emulation in real time and calls `started` at its beginning. The i-th of the nodes `real` is behind the i-th of
    /// `interfaces` in the network namespace of the file `namespace`. Call it on a thread of its own: it returns early only once `cancel`
    /// is set, or on overload if `ends_on_overload`. Arrivals are kept if `keeps_log`.
    #[pyfunction]
    #[expect(clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "they are keywords in Python")]
    pub fn emulate(
        py: Python<'_>,
        scenario: &Scenario,
        seed: u64,
        replication: u64,
        real: Vec<String>,
        groups: Vec<String>,
        namespace: PathBuf,
        interfaces: Vec<String>,
        ends_on_overload: bool,
        keeps_log: bool,
        cancel: &Cancel,
        started: Py<PyAny>,
    ) -> PyResult<Emulation> {
        let plan = plan::Plan::new(scenario.0.blueprint(Some(seed), replication), &real, &groups);
        let plan = plan.map_err(|mistakes| PyValueError::new_err(mistakes.join("\n")))?;
        let flag = cancel.flag();
        let made = detached(py, || {
            let interfaces = Interfaces::open(&namespace, interfaces)?;
            let started = || Python::attach(|py| started.call0(py).map(drop));
            follow(plan, interfaces, &flag, Options { ends_on_overload, keeps_log }, || drop(started()))
        })??;
        let Emulated { observations, log, lateness, .. } = made;
        let seconds = |quantile| lateness.all.quantile(quantile).map(|it| it.as_seconds());
        let quantiles = [seconds(0.5), seconds(0.99), seconds(0.999), lateness.all.max().map(|it| it.as_seconds())];
        let windows = scenario.0.window_watch();
        let work = Work { threads: 1, events: MODES.map(|mode| (mode, 0)).into(), ports: PORT_KINDS.map(|kind| (kind, 0)).into() };
        let run = detached(py, || Run::new(&scenario.0, observations, &windows, work, &penstock_engine::Cancel::default()))?;
        Ok(Emulation {
            run: Py::new(py, run)?,
            injected: made.injected,
            copied: made.copied,
            delivered: made.delivered,
            marked: made.marked,
            dropped: made.dropped,
            in_flight: made.in_flight,
            unsent: made.unsent,
            not_carried: made.not_carried,
            unread: made.unread,
            lateness: quantiles.into_iter().collect::<Option<Vec<f64>>>().and_then(|all| all.try_into().ok()),
            late: lateness.late,
            overloaded_at: made.overloaded_at.map(|at| at.as_seconds()),
            log: log.map(|log| arrivals::write(&log)),
        })
    }

    /// Switches offloads of the interface `name` in the network namespace of the file `namespace` off; returns those that it does not
    /// have.
    #[pyfunction]
    pub fn switch_offloads_off(namespace: PathBuf, name: String) -> PyResult<Vec<&'static str>> {
        Ok(system::in_namespace(&namespace, move || system::switch_offloads_off(&name))?)
    }
}
