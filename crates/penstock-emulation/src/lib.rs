//! Real packets through a simulated network.
//!
//! [`plan`] finds what of a blueprint is real and refuses what cannot be emulated. [`follow`] runs the simulation in slices that
//! follow the wall clock: packets that the kernel hands over enter as packets from outside ([`penstock_engine::Sim::inject`]), and
//! the trace tells when each is delivered, marked or dropped. [`headers`] reads and rewrites their bytes.
//!
//! This is the only crate with a wall clock; the modules `ring` and `system` have the `unsafe` code of system calls. Nothing here
//! decides anything about the network: the arrivals are an input of the run, and the same arrivals give the same results.

pub mod arrivals;
#[cfg(target_os = "linux")]
pub mod follow;
pub mod headers;
mod in_flight;
pub mod lateness;
pub mod plan;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(target_os = "linux")]
pub mod system;
