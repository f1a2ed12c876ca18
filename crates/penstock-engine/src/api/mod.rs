//! What other crates see: what to run, how to run it, and what was observed.

pub mod blueprint;
pub mod observations;
pub mod sim;
