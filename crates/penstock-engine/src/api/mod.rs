//! The interface to other crates: blueprint, simulation, observations.

pub mod blueprint;
pub mod observations;
pub mod sim;
