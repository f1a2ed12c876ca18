//! Processes: a router's port, or a host with all its interfaces.

pub mod host;
pub mod process;
pub mod timers;
