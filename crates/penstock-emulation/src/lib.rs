//! Real packets through a simulated network.
//!
//! [`plan`] finds the real part of a blueprint and refuses scenarios that cannot be emulated. [`follow`] runs the simulation in
//! slices that follow the wall clock: packets from the kernel enter as packets from outside ([`penstock_engine::Sim::inject`]), and
//! the trace reports when each is delivered, marked or dropped. [`headers`] reads and rewrites their bytes.
//!
//! This is the only crate with a wall clock; the modules `ring` and `system` have the `unsafe` code of system calls. Nothing here
//! affects the network itself: the arrivals are an input of the run, and the same arrivals give the same results.

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
