//! The two kinds of queueing: departures computed on arrival, or decided whenever the wire becomes free.

pub mod event_driven;
pub mod precomputed;
pub mod queue;
