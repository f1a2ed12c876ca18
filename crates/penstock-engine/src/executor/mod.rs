//! The executor: which process runs next, and how far it may run.
//!
//! It knows processes only by their contract, [`crate::kernel::logical_process::LogicalProcess`], and in windows by
//! [`crate::kernel::logical_process::WindowProcess`]. The modules [`promise_sweep`] and [`windows`] decide how far a process may
//! safely run. [`tuning`] decides how long such runs should be; no result depends on it.

pub mod parallel;
pub mod promise_sweep;
pub mod sequencer;
pub mod shard;
pub mod tuning;
mod window_shard;
pub mod windows;

/// How far a process runs at a visit. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// For one instant, so that the events of all processes happen in order of time: the reference.
    Plain,
    /// Up to its horizon, before which no further arrival can reach it, in sweeps or in windows.
    #[default]
    Horizon,
    /// In sweeps, never in windows; for tests.
    Sweeps,
    /// In windows if every channel has a delay and ties are not random; for tests.
    Windows,
}
