//! Processes: a router's port, a host with all its interfaces, or a switch whose ports share a buffer.

pub mod aal5;
pub mod host;
pub mod ingress_pause;
pub mod pause_waits;
pub mod precomputed_switch;
pub mod process;
pub mod shared_state;
pub mod switch;
pub mod switch_messages;
pub mod transit_loop;
