//! The two ways in which a port finds its departures: known on arrival, or decided whenever the wire becomes free.

pub mod event_driven;
pub mod precomputed;
pub mod queue;
