//! The executor: which process runs next, and how far it may run.
//!
//! It knows processes only by their contract, [`crate::kernel::logical_process::LogicalProcess`], and in windows by
//! [`crate::kernel::logical_process::WindowProcess`]. What makes a run of a process safe is in
//! [`promise_sweep`] and [`windows`]; how long such runs should be is in [`tuning`], and no result depends on it.

pub mod parallel;
pub mod promise_sweep;
pub mod sequencer;
pub mod shard;
pub mod tuning;
mod window_shard;
pub mod windows;

/// How far a process runs at a visit; the results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// One instant: the reference, in which the events of all processes happen in the order of time.
    Plain,
    /// As far as nothing can reach it, in sweeps or in windows.
    #[default]
    Horizon,
    /// In sweeps, never in windows; for tests.
    Sweeps,
    /// In windows wherever every channel takes some time and ties are not random; for tests.
    Windows,
}
