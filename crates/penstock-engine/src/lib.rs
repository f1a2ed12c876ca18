//! The engine: the only crate with a clock.

pub mod observations;
