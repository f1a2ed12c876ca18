//! Processes: a router's port, a host with all its interfaces, or a switch whose ports share a buffer.

pub mod aal5;
pub mod congestion_points;
pub mod host;
pub mod ingress_pause;
pub mod own_messages;
pub mod pause_waits;
pub mod precomputed_switch;
pub mod process;
pub mod shared_state;
pub mod source_quench;
pub mod switch;
pub mod transit_loop;
