//! The interface to other crates: blueprint, simulation, observations.

pub mod blueprint;
pub mod cancel;
pub mod changes;
pub mod injection;
pub mod observations;
pub mod route_set;
pub mod series;
pub mod sim;
pub mod switch_plan;
pub mod trace;
pub mod watch_plan;
pub mod work;
