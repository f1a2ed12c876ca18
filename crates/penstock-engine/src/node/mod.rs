//! Processes: a router's port, a host with all its interfaces, or a switch whose ports share a buffer.

pub mod datagram_loop;
pub mod host;
pub mod ingress_pause;
pub mod process;
pub mod switch;
