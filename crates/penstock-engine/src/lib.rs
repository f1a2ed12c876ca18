//! The engine: the only crate with a clock.
//!
//! A [`Blueprint`] says what to run; [`Sim`] runs it; [`Observations`] say what happened. A run is a pure function of its
//! blueprint: no statics, no system time, no iteration over hash maps.
//!
//! Simulated things are *processes* ([`node::process::Process`]): a router's port, or a host with all its interfaces. They meet
//! only through packets that take time, each has one entry point `run(until, inputs, outputs)`, and executors choose only
//! `until`: see [`Executor`].

pub mod api;
mod build;
mod endpoints;
mod executor;
mod kernel;
mod merge;
mod node;
mod port;

pub use api::blueprint::Blueprint;
pub use api::observations::Observations;
pub use api::sim::Sim;
pub use api::{blueprint, observations, sim};
pub use build::assemble::BlueprintError;
pub use executor::lookahead::Executor;
pub use executor::parallel::autotune::Autotune;
pub use port::commits_on_arrival;
