//! The engine: the only crate with a clock.
//!
//! A [`Blueprint`] describes a run, [`Sim`] runs it, and [`Observations`] hold its results. A run is a pure function of its
//! blueprint: no statics, no system time, no iteration over hash maps.
//!
//! A network is a set of *processes* (`kernel/logical_process.rs`): a router's port, or a host with all its interfaces. They
//! affect each other only through packets and messages that take time. Each has one entry point,
//! `run(until, inputs, outputs, routes)`, and the executor chooses only `until`: see [`Executor`].
//!
//! Modules import downwards only: `merge` <- `kernel` <- `port` <- `endpoints` <- `node`. `executor` imports `merge` and `kernel`,
//! `build` creates the processes of a blueprint, and `api::sim` uses both.

pub mod api;
mod build;
mod endpoints;
mod executor;
mod kernel;
mod merge;
mod node;
mod port;

pub use api::blueprint::Blueprint;
pub use api::cancel::Cancel;
pub use api::observations::Observations;
pub use api::sim::Sim;
pub use api::{blueprint, changes, injection, observations, series, sim, work};
pub use build::error::BlueprintError;
pub use executor::Executor;

/// Pause frames: their paths, and the minimum time at which a pause is prolonged.
pub mod pauses {
    pub use crate::build::message_paths::{pause_paths, PausePath};
    pub use crate::node::ingress_pause::LEAST_PROLONGING;
}

/// The state variables of ports and flows, in addition to the variables of their components.
pub mod state {
    pub use crate::endpoints::calls::ingress::CALLS;
    pub use crate::node::host::state::{RECEIVING, SENDING};
    pub use crate::node::ingress_pause::PAUSES;
    pub use crate::port::probing::PORT;
}
