//! Processes: a router's port, or a host with all its interfaces.

pub mod datagram_loop;
pub mod host;
pub mod process;
